package store

import (
	"context"
	"time"
)

// Commit is one that a branch had for the first time in a run.
type Commit struct {
	SHA, Subject, Author string
	At                   time.Time
}

// PutCommits keeps the commits that are new in an aggregate run, newest first.
func (t Tx) PutCommits(ctx context.Context, run string, list []Commit) error {
	for i, c := range list {
		if _, err := t.exec(ctx,
			`INSERT INTO commits (run_id, n, sha, subject, author, at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, n) DO NOTHING`,
			run, i, c.SHA, c.Subject, c.Author, toMS(c.At)); err != nil {
			return err
		}
	}
	return nil
}

// Commits lists the commits that were new in an aggregate run, newest first.
func (t Tx) Commits(ctx context.Context, run string) ([]Commit, error) {
	var out []Commit
	err := t.each(ctx, func(r rows) error {
		var c Commit
		var at int64
		err := r.Scan(&c.SHA, &c.Subject, &c.Author, &at)
		c.At = fromMS(at)
		out = append(out, c)
		return err
	}, `SELECT sha, subject, author, at FROM commits WHERE run_id = ? ORDER BY n`, run)
	return out, err
}

// LastHead is the commit of the newest baseline of a branch, on any target; empty if there is none.
func (t Tx) LastHead(ctx context.Context, repo int64, branch string) (string, error) {
	list, err := t.strings(ctx,
		`SELECT sha FROM baseline_heads WHERE repo_id = ? AND branch = ? ORDER BY seen_at DESC, target LIMIT 1`, repo,
		branch)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}

// NewestHead is the commit of the newest run that a push or a night made of a branch
// (refs/heads/...); empty if there is none. Whoever makes such a run asks for the tip
// of the branch first, so no later commit of it is known.
func (t Tx) NewestHead(ctx context.Context, repo int64, ref string) (string, error) {
	list, err := t.strings(ctx, `SELECT head_sha FROM runs WHERE repo_id = ? AND ref = ? AND pull = 0 AND target = '' AND head_sha <> ''
		AND run_trigger IN ('push', 'nightly') ORDER BY id DESC LIMIT 1`, repo, ref)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}
