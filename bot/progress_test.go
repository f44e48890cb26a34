package bot

import (
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0.0 s", 9949 * time.Millisecond: "9.9 s",
		9950 * time.Millisecond: "10 s", 59*time.Second + 499*time.Millisecond: "59 s",
		59*time.Second + 500*time.Millisecond: "1 min 0 s", 250 * time.Second: "4 min 10 s",
		time.Hour: "1 h 0 min", 25*time.Hour + 119*time.Second: "25 h 1 min"} {
		if got := span(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

// A run's page words every state of a verification.
func TestTaskRow(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	reused := store.Task{State: store.TaskEnded, Outcome: `{"status": "unknown", "reused": true}`, Started: now}
	if got := rowOf(&reused, now); got != (taskRow{State: "? unknown, answered earlier", Class: "unknown"}) {
		t.Errorf("answered earlier: %+v", got)
	}
	for state, want := range map[store.TaskState]string{store.TaskHeld: "waits for what the verification of the change comes to",
		store.TaskQueued: "waits for a free worker", store.TaskRunning: "at work for 2.0 s, of at most 1 min 0 s",
		store.TaskEnded: "✓ proved, in 1.0 s", store.TaskParked: "✓ proved, in 1.0 s"} {
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
