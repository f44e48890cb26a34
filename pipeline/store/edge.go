package store

import (
	"context"
	"encoding/json"
	"time"
)

// Kinds of posts.
const (
	SummaryPost = "summary" // comment of a pull request
	NightlyPost = "nightly" // issue of a repository
	TestPost    = "test/"   // comment of a pull request with the answer to a test of a patch; its run's id follows
	NoticePost  = "notice"  // what a night found, sent to addresses of the server's administrator
)

// Post is a text at GitHub that is updated in place.
type Post struct {
	Repo   int64
	Number int // of the pull request; 0 for one of the whole repository
	Kind   string
	// of the comment, or number of the issue; 0: none yet, negative: one may exist whose id was not learned
	GitHubID int64
	Digest   string // of the text that is there
}

// Post finds a post; one that was never made has no GitHubID.
func (t Tx) Post(ctx context.Context, repo int64, number int, kind string) (Post, error) {
	p := Post{Repo: repo, Number: number, Kind: kind}
	err := t.one(ctx, []any{&p.GitHubID, &p.Digest},
		`SELECT github_id, digest FROM posts WHERE repo_id = ? AND number = ? AND kind = ?`, repo, number, kind)
	if err == ErrNotFound {
		err = nil
	}
	return p, err
}

// PutPost records a post.
func (t Tx) PutPost(ctx context.Context, p Post) error {
	_, err := t.exec(ctx, `INSERT INTO posts (repo_id, number, kind, github_id, digest) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (repo_id, number, kind) DO UPDATE SET github_id = excluded.github_id, digest = excluded.digest`, p.Repo, p.Number, p.Kind, p.GitHubID, p.Digest)
	return err
}

// NewestAggregate is the id of the newest aggregate run of a pull request that has
// not been cancelled, nor of a patch that is only tested; empty if there is none.
func (t Tx) NewestAggregate(ctx context.Context, repo int64, pull int) (string, error) {
	ids, err := t.strings(ctx,
		`SELECT id FROM runs WHERE repo_id = ? AND pull = ? AND target = '' AND run_trigger <> 'test' AND conclusion <> 'cancelled' ORDER BY id DESC LIMIT 1`, repo, pull)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}

// InstallationRuns lists the runs that are not Done of an installation, or of one
// of its repositories (0: all).
func (t Tx) InstallationRuns(ctx context.Context, installation, repo int64) ([]Run, error) {
	return t.runs(ctx, `WHERE installation_id = ? AND (repo_id = ? OR ? = 0) AND state <> 'done' ORDER BY id`,
		installation, repo, repo)
}

// DropInstallation marks all repositories of an installation as ones that the App does not serve any more.
func (t Tx) DropInstallation(ctx context.Context, id int64) error {
	_, err := t.exec(ctx, `UPDATE repos SET active = 0, updated_at = ? WHERE installation_id = ? AND active = 1`,
		t.ms(), id)
	return err
}

// DropRepo marks a repository as one that the App does not serve any more.
func (t Tx) DropRepo(ctx context.Context, id int64) error {
	_, err := t.exec(ctx, `UPDATE repos SET active = 0, updated_at = ? WHERE id = ?`, t.ms(), id)
	return err
}

// Republish makes the runs of an installation whose publication was given up news
// again, and lists them with those that are still to be published.
func (t Tx) Republish(ctx context.Context, installation int64) ([]string, error) {
	ids, err := t.strings(ctx,
		`SELECT id FROM runs WHERE installation_id = ? AND published_version <> version ORDER BY id`, installation)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	_, err = t.exec(ctx, `UPDATE runs SET published_version = 0 WHERE installation_id = ? AND published_version > version`, installation)
	return ids, err
}

// SeenRepo keeps what an event tells about a repository. An event may be late: it
// does not bring back what was taken away.
func (t Tx) SeenRepo(ctx context.Context, r Repo) error {
	old, err := t.Repo(ctx, r.ID)
	if err == nil && !old.Active && old.Installation == r.Installation {
		r.Active = false
	}
	if err != nil && err != ErrNotFound {
		return err
	}
	return t.PutRepo(ctx, r)
}

// TouchRun asks for the run to be published again.
func (t Tx) TouchRun(ctx context.Context, id string) error {
	_, err := t.exec(ctx, `UPDATE runs SET version = version + 1, changed_at = ? WHERE id = ?`, t.ms(), id)
	return err
}

// Unpublished lists the ids of runs with changes before `before` that GitHub was not told.
func (t Tx) Unpublished(ctx context.Context, before time.Time) ([]string, error) {
	return t.strings(ctx,
		`SELECT id FROM runs WHERE published_version < version AND changed_at < ? ORDER BY id LIMIT 500`, toMS(before))
}

// MarkPublished records that GitHub knows version v, since now.
func (t Tx) MarkPublished(ctx context.Context, id string, v int64) error {
	_, err := t.exec(ctx,
		`UPDATE runs SET published_version = ?, shown_at = ? WHERE id = ? AND published_version < ?`, v, t.ms(), id, v)
	return err
}

// SetCheckRun records the GitHub check run that shows this run.
func (t Tx) SetCheckRun(ctx context.Context, id string, check int64) error {
	_, err := t.exec(ctx, `UPDATE runs SET check_run_id = ? WHERE id = ?`, check, id)
	return err
}

// SetNotes records which notes on lines GitHub has, or is about to be sent, and how many of them it is known to have.
func (t Tx) SetNotes(ctx context.Context, id string, notes []string, posted int) error {
	text, err := json.Marshal(notes)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, `UPDATE runs SET notes = ?, posted_annotations = ? WHERE id = ?`, string(text), posted, id)
	return err
}

// SetSARIF records what became of the upload to code scanning.
func (t Tx) SetSARIF(ctx context.Context, id, sarif string) error {
	_, err := t.exec(ctx, `UPDATE runs SET sarif = ? WHERE id = ?`, sarif, id)
	return err
}
