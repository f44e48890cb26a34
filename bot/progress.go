package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// taskRow is a verification of a run that is not over.
type taskRow struct {
	Entry, State string
	Class        string // of the style: a status
	Log          string // why it was tried again
}

// maxTaskRows bounds the verifications that a page lists.
const maxTaskRows = 200

// taskRows lists the verifications of a target run: first those at work, then those that are over, then those that
// wait. It says how many more there are.
func taskRows(ctx context.Context, tx store.Tx, run string) (rows []taskRow, more int, err error) {
	list, err := tx.Tasks(ctx, run)
	if err != nil {
		return nil, 0, err
	}
	order := map[store.TaskState]int{store.TaskRunning: 0, store.TaskEnded: 1, store.TaskParked: 1, store.TaskQueued: 2,
		store.TaskHeld: 3}
	slices.SortStableFunc(list, func(a, b store.Task) int { return cmp.Compare(order[a.State], order[b.State]) })
	for i := range list[:min(len(list), maxTaskRows)] {
		row, err := rowOf(&list[i], tx.Now())
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows, row)
	}
	return rows, max(0, len(list)-maxTaskRows), nil
}

// rowOf words how a verification stands.
func rowOf(t *store.Task, now time.Time) (taskRow, error) {
	row := taskRow{Entry: t.Entry, Log: t.Log}
	var j struct {
		Timeout time.Duration
		Base    bool
	}
	if err := json.Unmarshal([]byte(t.Job), &j); err != nil {
		return row, fmt.Errorf("task %s: %w", t.ID, err)
	}
	if j.Base {
		row.Entry += " (before the change)"
	}
	switch t.State {
	case store.TaskRunning:
		row.State = fmt.Sprintf("… at work for %s, of at most %s", span(now.Sub(t.Started)), span(j.Timeout))
		if t.Expected > 0 {
			row.State += fmt.Sprintf("; %s the last time", span(t.Expected))
		}
	case store.TaskQueued:
		row.State = "… waits for a free worker"
	case store.TaskHeld:
		row.State = "… waits for what the change violates"
	default:
		var res verdict.Result
		if err := json.Unmarshal(t.Result, &res); err != nil {
			return row, fmt.Errorf("task %s: %w", t.ID, err)
		}
		row.Class = res.Status.String()
		row.State = map[verdict.Status]string{verdict.Proved: "✓ ", verdict.Bounded: "✓ ",
			verdict.Violated: "✗ "}[res.Status]
		row.State = cmp.Or(row.State, "? ") + row.Class
		if res.Reused != "" {
			row.State += ", answered earlier"
		} else if !t.Started.IsZero() {
			row.State += ", in " + span(t.Finished.Sub(t.Started))
		}
	}
	return row, nil
}

// span words a time of a verification.
func span(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
