package store

import (
	"context"
	"time"
)

// Repo is a repository that an installation of the App covers.
type Repo struct {
	ID            int64
	Installation  int64
	FullName      string // owner/name
	CloneURL      string
	HTMLURL       string
	DefaultBranch string
	Private       bool
	Active        bool
}

const repoColumns = `id, installation_id, full_name, clone_url, html_url, default_branch, private, active`

func scanRepo(s interface{ Scan(...any) error }) (Repo, error) {
	var r Repo
	var private, active int64
	err := s.Scan(&r.ID, &r.Installation, &r.FullName, &r.CloneURL, &r.HTMLURL, &r.DefaultBranch, &private, &active)
	r.Private, r.Active = private != 0, active != 0
	return r, err
}

// PutRepo inserts or updates a repository. Empty text fields keep what is known, and a private one stays
// private until Publicize.
func (t Tx) PutRepo(ctx context.Context, r Repo) error {
	_, err := t.exec(ctx, `INSERT INTO repos (`+repoColumns+`, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET installation_id = excluded.installation_id, full_name = excluded.full_name,
		clone_url = CASE WHEN excluded.clone_url = '' THEN repos.clone_url ELSE excluded.clone_url END,
		html_url = CASE WHEN excluded.html_url = '' THEN repos.html_url ELSE excluded.html_url END,
		default_branch = CASE WHEN excluded.default_branch = '' THEN repos.default_branch ELSE excluded.default_branch END,
		private = CASE WHEN excluded.private = 1 THEN 1 ELSE repos.private END, active = excluded.active, updated_at = excluded.updated_at`,
		r.ID, r.Installation, r.FullName, r.CloneURL, r.HTMLURL, r.DefaultBranch, flag(r.Private), flag(r.Active),
		t.ms())
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, `INSERT INTO names (full_name, repo_id) VALUES (?, ?) ON CONFLICT (full_name) DO UPDATE SET repo_id = excluded.repo_id`,
		r.FullName, r.ID)
	return err
}

// Publicize notes that everybody may read a repository at GitHub.
func (t Tx) Publicize(ctx context.Context, id int64) error {
	_, err := t.exec(ctx, `UPDATE repos SET private = 0, updated_at = ? WHERE id = ?`, t.ms(), id)
	return err
}

// Repo finds a repository by id.
func (t Tx) Repo(ctx context.Context, id int64) (Repo, error) {
	return t.repo(ctx, `SELECT `+repoColumns+` FROM repos WHERE id = ?`, id)
}

// RepoByName finds a repository by owner/name. Names pass on: the one that is served counts, then the last heard of, then
// one that had the name last and moved on.
func (t Tx) RepoByName(ctx context.Context, name string) (Repo, error) {
	r, err := t.repo(ctx, `SELECT `+repoColumns+` FROM repos WHERE full_name = ? ORDER BY active DESC, updated_at DESC`,
		name)
	if err != ErrNotFound {
		return r, err
	}
	return t.repo(ctx, `SELECT `+repoColumns+` FROM repos WHERE id = (SELECT repo_id FROM names WHERE full_name = ?)`, name)
}

func (t Tx) repo(ctx context.Context, query string, args ...any) (Repo, error) {
	list, err := t.repos(ctx, query, args...)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Repo{}, err
	}
	return list[0], nil
}

// Repos lists the active repositories by name.
func (t Tx) Repos(ctx context.Context) ([]Repo, error) {
	return t.repos(ctx, `SELECT `+repoColumns+` FROM repos WHERE active = 1 ORDER BY full_name`)
}

func (t Tx) repos(ctx context.Context, query string, args ...any) ([]Repo, error) {
	var out []Repo
	err := t.each(ctx, func(r rows) error {
		x, err := scanRepo(r)
		out = append(out, x)
		return err
	}, query, args...)
	return out, err
}

// PutInstallation records an installation and whether it may be served.
func (t Tx) PutInstallation(ctx context.Context, id int64, account string, active bool) error {
	_, err := t.exec(ctx, `INSERT INTO installations (id, account, active, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET account = CASE WHEN excluded.account = '' THEN installations.account ELSE excluded.account END,
		active = excluded.active, updated_at = excluded.updated_at`, id, account, flag(active), t.ms())
	return err
}

// Installations lists the active installations.
func (t Tx) Installations(ctx context.Context) ([]int64, error) {
	var out []int64
	err := t.each(ctx, func(r rows) error {
		var id int64
		err := r.Scan(&id)
		out = append(out, id)
		return err
	}, `SELECT id FROM installations WHERE active = 1 ORDER BY id`)
	return out, err
}

// Pull is a pull request as its newest event described it.
type Pull struct {
	Repo        int64
	Number      int
	State       string // open or closed
	Draft       bool
	Title       string
	Author      string
	Association string // GitHub's author_association
	HeadSHA     string
	HeadRef     string
	BaseSHA     string
	BaseRef     string
	Fork        bool
	ApprovedBy  string
	ApprovedSHA string
	EventAt     time.Time // updated_at of that event
}

const pullColumns = `repo_id, number, state, draft, title, author, association, head_sha, head_ref, base_sha, base_ref, fork, approved_by, approved_sha, event_at`

// PutPull inserts or updates a pull request, and reports whether p is news: an
// event older than what is known changes nothing.
func (t Tx) PutPull(ctx context.Context, p Pull) (bool, error) {
	n, err := t.exec(ctx, `INSERT INTO pulls (`+pullColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', ?)
		ON CONFLICT (repo_id, number) DO UPDATE SET state = excluded.state, draft = excluded.draft, title = excluded.title, author = excluded.author,
		association = excluded.association, head_sha = excluded.head_sha, head_ref = excluded.head_ref, base_sha = excluded.base_sha,
		base_ref = excluded.base_ref, fork = excluded.fork, event_at = excluded.event_at WHERE pulls.event_at <= excluded.event_at`,
		p.Repo, p.Number, p.State, flag(p.Draft), p.Title, p.Author, p.Association, p.HeadSHA, p.HeadRef, p.BaseSHA,
		p.BaseRef, flag(p.Fork), toMS(p.EventAt))
	return n > 0, err
}

// ApprovePull allows the build of a fork's pull request at sha.
func (t Tx) ApprovePull(ctx context.Context, repo int64, number int, by, sha string) error {
	_, err := t.exec(ctx, `UPDATE pulls SET approved_by = ?, approved_sha = ? WHERE repo_id = ? AND number = ?`, by,
		sha, repo, number)
	return err
}

// Pull finds a pull request.
func (t Tx) Pull(ctx context.Context, repo int64, number int) (Pull, error) {
	return t.pull(ctx, `SELECT `+pullColumns+` FROM pulls WHERE repo_id = ? AND number = ?`, repo, number)
}

// PullByHead finds the newest pull request, open ones first, whose head is sha.
// Re-run events of a fork name no pull request.
func (t Tx) PullByHead(ctx context.Context, repo int64, sha string) (Pull, error) {
	return t.pull(ctx, `SELECT `+pullColumns+
		` FROM pulls WHERE repo_id = ? AND head_sha = ? ORDER BY state DESC, number DESC`, repo, sha)
}

func (t Tx) pull(ctx context.Context, query string, args ...any) (Pull, error) {
	var p Pull
	var draft, fork, at int64
	err := t.one(ctx, []any{&p.Repo, &p.Number, &p.State, &draft, &p.Title, &p.Author, &p.Association, &p.HeadSHA,
		&p.HeadRef, &p.BaseSHA, &p.BaseRef,
		&fork, &p.ApprovedBy, &p.ApprovedSHA, &at}, query, args...)
	p.Draft, p.Fork, p.EventAt = draft != 0, fork != 0, fromMS(at)
	return p, err
}
