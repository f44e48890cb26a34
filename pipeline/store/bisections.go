package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Kinds of bisections.
const (
	FindingCame = "finding" // a claim became violated
	FindingGone = "fix"     // a claim was violated
	ProofGone   = "proof"   // a claim was proved
)

// What a commit is for a bisection.
const (
	ProbeGood = "good" // as it was before
	ProbeBad  = "bad"  // as it is now
	ProbeSkip = "skip" // no answer: it does not build, or the claim is unknown
)

// Probe is a commit that a bisection looked at, and the run that answered.
type Probe struct {
	SHA     string `json:"commit"`
	Outcome string `json:"outcome"`
	Run     string `json:"run,omitempty"`
}

// Bisection is the search for the commit of the default branch that brought a finding, mended it, or took a proof away.
type Bisection struct {
	Repo        int64     `json:"-"`
	Target      string    `json:"-"`
	Fingerprint string    `json:"-"`
	Kind        string    `json:"-"`
	Night       string    `json:"-"` // the aggregate run that began it, of a night or a push
	Open        bool      `json:"-"`
	Changed     time.Time `json:"-"`
	Entry       string    `json:"entry"`
	Good        string    `json:"good"` // the commit of the run before
	Bad         string    `json:"bad"`  // the commit of the night
	Options     Options   `json:"options"`
	Tried       []Probe   `json:"tried"`
	Commits     []Commit  `json:"commits"` // in the end: the first bad one, or, of several, one of these is
	Why         string    `json:"why"`     // no answer, or no single one
}

// PutBisection keeps b; one of the same finding is replaced.
func (t Tx) PutBisection(ctx context.Context, b Bisection) error {
	body, err := json.Marshal(b)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, `INSERT INTO bisections (repo_id, target, fingerprint, kind, night, open, body, changed_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (repo_id, target, fingerprint, kind) DO UPDATE SET night = excluded.night,
		open = excluded.open, body = excluded.body, changed_at = excluded.changed_at`,
		b.Repo, b.Target, b.Fingerprint, b.Kind, b.Night, flag(b.Open), string(body), t.ms())
	return err
}

// Bisections lists those of a repository, in the order of their target and finding.
func (t Tx) Bisections(ctx context.Context, repo int64) ([]Bisection, error) {
	return t.bisections(ctx, `WHERE repo_id = ?`, repo)
}

// StaleBisections lists the open ones that nothing happened to since before `before`.
func (t Tx) StaleBisections(ctx context.Context, before time.Time) ([]Bisection, error) {
	return t.bisections(ctx, `WHERE open = 1 AND changed_at < ?`, toMS(before))
}

// TouchBisections notes that somebody looks at the open ones of a repository.
func (t Tx) TouchBisections(ctx context.Context, repo int64) error {
	_, err := t.exec(ctx, `UPDATE bisections SET changed_at = ? WHERE repo_id = ? AND open = 1`, t.ms(), repo)
	return err
}

func (t Tx) bisections(ctx context.Context, where string, args ...any) ([]Bisection, error) {
	var out []Bisection
	err := t.each(ctx, func(r rows) error {
		var b Bisection
		var body string
		var open, changed int64
		if err := r.Scan(&b.Repo, &b.Target, &b.Fingerprint, &b.Kind, &b.Night, &open, &body, &changed); err != nil {
			return err
		}
		b.Open, b.Changed = open != 0, fromMS(changed)
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			return fmt.Errorf("store: bisection of %s: %w", b.Fingerprint, err)
		}
		out = append(out, b)
		return nil
	}, `SELECT repo_id, target, fingerprint, kind, night, open, body, changed_at FROM bisections `+where+
		` ORDER BY repo_id, target, fingerprint, kind`, args...)
	return out, err
}

// BisectRuns counts the runs that bisections of a repository have begun within a day.
func (t Tx) BisectRuns(ctx context.Context, repo int64) (int, error) {
	n := 0
	err := t.one(ctx, []any{&n}, `SELECT COUNT(*) FROM runs WHERE repo_id = ? AND target = '' AND run_trigger = 'bisect'
		AND created_at > ?`, repo, toMS(t.Now().Add(-24*time.Hour)))
	return n, err
}
