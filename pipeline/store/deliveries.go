package store

import (
	"context"
	"time"
)

// Delivery is one accepted webhook, reduced to the fields that we use.
type Delivery struct {
	GUID     string
	Event    string
	Payload  string // JSON, see bot.Event
	State    string // DeliveryOpen, DeliveryDone or DeliveryFailed
	Error    string
	Received time.Time
}

// States of a Delivery.
const (
	DeliveryOpen   = "open"
	DeliveryDone   = "done"
	DeliveryFailed = "failed" // given up; a redelivery may try again
)

// AddDelivery records d as open and reports whether it is new. A GUID that is
// open or done already is not; one that had failed is taken again (GitHub
// redelivers with the same GUID).
func (t Tx) AddDelivery(ctx context.Context, d Delivery) (bool, error) {
	n, err := t.exec(ctx, `INSERT INTO deliveries (guid, event, payload, state, received_at) VALUES (?, ?, ?, 'open', ?)
		ON CONFLICT (guid) DO UPDATE SET state = 'open', error = '', received_at = excluded.received_at WHERE deliveries.state = 'failed'`,
		d.GUID, d.Event, d.Payload, t.ms())
	return n > 0, err
}

// Delivery finds a delivery by GUID.
func (t Tx) Delivery(ctx context.Context, guid string) (Delivery, error) {
	d := Delivery{GUID: guid}
	var at int64
	err := t.one(ctx, []any{&d.Event, &d.Payload, &d.State, &d.Error, &at},
		`SELECT event, payload, state, error, received_at FROM deliveries WHERE guid = ?`, guid)
	d.Received = fromMS(at)
	return d, err
}

// EndDelivery sets the final state of a delivery.
func (t Tx) EndDelivery(ctx context.Context, guid, state, message string) error {
	_, err := t.exec(ctx, `UPDATE deliveries SET state = ?, error = ?, handled_at = ? WHERE guid = ?`, state, message,
		t.ms(), guid)
	return err
}

// OpenDeliveries lists the GUIDs that were received before `before` and are still open.
func (t Tx) OpenDeliveries(ctx context.Context, before time.Time) ([]string, error) {
	return t.strings(ctx,
		`SELECT guid FROM deliveries WHERE state = 'open' AND received_at < ? ORDER BY received_at, guid`, toMS(before))
}

// strings is a query of one text column.
func (t Tx) strings(ctx context.Context, query string, args ...any) ([]string, error) {
	var out []string
	err := t.each(ctx, func(r rows) error {
		var s string
		if err := r.Scan(&s); err != nil {
			return err
		}
		out = append(out, s)
		return nil
	}, query, args...)
	return out, err
}

// Claim takes a comment command line once: it reports false if the same line of
// the same comment was taken before (an edit delivers the whole comment again).
func (t Tx) ClaimCommand(ctx context.Context, comment int64, line string) (bool, error) {
	n, err := t.exec(ctx,
		`INSERT INTO commands (comment_id, line, state, at) VALUES (?, ?, 'taken', ?) ON CONFLICT (comment_id, line) DO NOTHING`, comment, line, t.ms())
	return n > 0, err
}

// CommandState is how far a command got: "" (never seen), "taken" or "answered".
func (t Tx) CommandState(ctx context.Context, comment int64, line string) (string, error) {
	var s string
	err := t.one(ctx, []any{&s}, `SELECT state FROM commands WHERE comment_id = ? AND line = ?`, comment, line)
	if err == ErrNotFound {
		return "", nil
	}
	return s, err
}

// CommandAnswered marks a command as answered.
func (t Tx) CommandAnswered(ctx context.Context, comment int64, line string) error {
	_, err := t.exec(ctx, `UPDATE commands SET state = 'answered' WHERE comment_id = ? AND line = ?`, comment, line)
	return err
}

// TryLock takes the named lock for d, or renews it for the same owner, and reports success.
func (t Tx) TryLock(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	n, err := t.exec(ctx, `INSERT INTO locks (name, owner, until) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until WHERE locks.owner = excluded.owner OR locks.until < ?`,
		name, owner, t.ms()+d.Milliseconds(), t.ms())
	return n > 0, err
}

// Unlock releases the named lock if owner has it.
func (t Tx) Unlock(ctx context.Context, name, owner string) error {
	_, err := t.exec(ctx, `DELETE FROM locks WHERE name = ? AND owner = ?`, name, owner)
	return err
}

// DropLocks removes every lock: only for a database that has one process, at its start.
func (t Tx) DropLocks(ctx context.Context) error {
	_, err := t.exec(ctx, `DELETE FROM locks WHERE name NOT IN ('artifacts', 'claim')`)
	return err
}

// Audit records who did what.
func (t Tx) Audit(ctx context.Context, repo int64, pull int, actor, action, detail string) error {
	_, err := t.exec(ctx,
		`INSERT INTO audit (id, at, repo_id, pull, actor, action, detail) VALUES (?, ?, ?, ?, ?, ?, ?)`, NewID(),
		t.ms(), repo, pull, actor, action, detail)
	return err
}
