package bot

import (
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// A run's page words every state of a verification.
func TestTaskRow(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	reused := store.Task{State: store.TaskEnded, Outcome: `{"status": "unknown", "reused": true}`, Started: now}
	if got := rowOf(&reused, now); got != (taskRow{State: "? unknown, answered earlier", Class: "unknown"}) {
		t.Errorf("answered earlier: %+v", got)
	}
	for state, want := range map[store.TaskState]string{store.TaskHeld: "waits for what the change violates",
		store.TaskQueued: "waits for a free worker", store.TaskRunning: "at work for 2s, of at most 1m0s",
		store.TaskEnded: "✓ proved, in 1s", store.TaskParked: "✓ proved, in 1s"} {
		x := store.Task{Entry: "main", State: state, Timeout: time.Minute, Base: true,
			Started:  now.Add(-2 * time.Second),
			Finished: now.Add(-time.Second)}
		if state == store.TaskEnded || state == store.TaskParked {
			x.Outcome = `{"status": "proved"}`
		}
		row := rowOf(&x, now)
		if !strings.Contains(row.State, want) || row.Entry != "main (before the change)" {
			t.Errorf("%s: %+v", state, row)
		}
	}
}
