package bot

import (
	"context"
	"fmt"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// taskRow is a verification of a run that is not over.
type taskRow struct {
	Entry, State string
	Class        string // of the style: a status
	Log          string // why it was tried again
}

// maxTaskRows bounds the verifications that a page lists.
const maxTaskRows = 200

// taskRows lists the verifications of a target run, of which all are size: first those at work, then those that are
// over, then those that wait. It says how many more there are.
func taskRows(ctx context.Context, tx store.Tx, run string, size int) (rows []taskRow, more int, err error) {
	list, err := tx.TaskLines(ctx, run, maxTaskRows)
	for i := range list {
		rows = append(rows, rowOf(&list[i], tx.Now()))
	}
	return rows, size - len(list), err
}

// rowOf words how a verification stands.
func rowOf(t *store.Task, now time.Time) taskRow {
	row := taskRow{Entry: t.Entry, Log: t.Log}
	if t.Base {
		row.Entry += " (before the change)"
	}
	switch t.State {
	case store.TaskRunning:
		row.State = fmt.Sprintf("… at work for %s, of at most %s", span(now.Sub(t.Started)), span(t.Timeout))
		if t.Expected > 0 {
			row.State += fmt.Sprintf("; %s the last time", span(t.Expected))
		}
	case store.TaskQueued:
		row.State = "… waits for a free worker"
	case store.TaskHeld:
		row.State = "… waits for what the verification of the change comes to"
	default:
		row.Class, row.State = ended(t)
	}
	return row
}

// ended words how a verification that is over came out, and gives its class.
func ended(t *store.Task) (class, state string) {
	o, err := pipeline.OutcomeOf(t)
	if err != nil {
		return "", "? over"
	}
	class = o.Status.String()
	state = reports.Standing(o.Status)
	switch {
	case o.Reused:
		state += ", answered earlier"
	case !t.Started.IsZero():
		state += ", in " + span(t.Finished.Sub(t.Started))
	}
	return class, state
}

// span words how long something takes.
func span(d time.Duration) string {
	switch s := int(d.Round(time.Second).Seconds()); {
	case d < 9950*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
	}
}
