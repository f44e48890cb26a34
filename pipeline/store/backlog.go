package store

import (
	"context"
	"time"
)

// Backlog holds what waits in one queue.
type Backlog struct {
	Queue string // events, runs, tasks, publish
	Depth int
	Age   time.Duration // of the oldest
}

// Backlog counts what waits: webhooks that are not handled, runs that have not
// begun, verifications that no worker has, runs whose state GitHub does not show yet.
func (t Tx) Backlog(ctx context.Context) ([]Backlog, error) {
	var out []Backlog
	for _, q := range []struct{ name, from, at string }{
		{"events", `deliveries WHERE state = 'open'`, "received_at"},
		{"runs", `runs WHERE state = 'queued'`, "created_at"},
		{"tasks", `tasks WHERE state = 'queued'`, "created_at"},
		{"publish", `runs WHERE published_version < version`, "changed_at"},
	} {
		b := Backlog{Queue: q.name}
		var first int64
		if err := t.one(ctx, []any{&b.Depth, &first}, `SELECT COUNT(*), COALESCE(MIN(`+q.at+`), 0) FROM `+
			q.from); err != nil {
			return nil, err
		}
		if b.Depth > 0 {
			b.Age = max(0, t.now.Sub(fromMS(first)))
		}
		out = append(out, b)
	}
	return out, nil
}
