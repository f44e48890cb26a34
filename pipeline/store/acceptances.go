package store

import (
	"context"
	"time"
)

// Acceptance says that a person accepts a claim of a repository: it keeps its status, and does not count.
type Acceptance struct {
	Claim  string // its ID, by which edits of the statement or of its way of failing are another claim
	Reason string
	By     string
	Since  time.Time
	Until  time.Time // from then on it counts again; zero: an earlier version asked for no end
}

// Accept keeps an acceptance, in the place of an earlier one of the same claim.
func (t Tx) Accept(ctx context.Context, repo int64, a Acceptance) error {
	_, err := t.exec(ctx, `INSERT INTO suppressions (repo_id, claim, reason, author, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (repo_id, claim) DO UPDATE SET reason = excluded.reason, author = excluded.author, created_at = excluded.created_at, expires_at = excluded.expires_at`,
		repo, a.Claim, a.Reason, a.By, t.ms(), toMS(a.Until))
	return err
}

// TakeBack ends an acceptance; false if there is none now.
func (t Tx) TakeBack(ctx context.Context, repo int64, claim string) (bool, error) {
	n, err := t.exec(ctx, `DELETE FROM suppressions WHERE repo_id = ? AND claim = ? AND (expires_at = 0 OR expires_at > ?)`,
		repo, claim, t.ms())
	return n > 0, err
}

// Acceptances lists what is accepted now, by claim.
func (t Tx) Acceptances(ctx context.Context, repo int64) ([]Acceptance, error) {
	var out []Acceptance
	err := t.each(ctx, func(r rows) error {
		var a Acceptance
		var since, until int64
		err := r.Scan(&a.Claim, &a.Reason, &a.By, &since, &until)
		a.Since, a.Until = fromMS(since), fromMS(until)
		out = append(out, a)
		return err
	}, `SELECT claim, reason, author, created_at, expires_at FROM suppressions WHERE repo_id = ? AND (expires_at = 0 OR expires_at > ?) ORDER BY claim`, repo, t.ms())
	return out, err
}
