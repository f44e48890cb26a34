package store

import "context"

// Kinds of posts.
const (
	SummaryPost = "summary" // comment of a pull request
	NightlyPost = "nightly" // issue of a repository
)

// Post is a text at GitHub that is updated in place.
type Post struct {
	Repo     int64
	Number   int // of the pull request; 0 for one of the whole repository
	Kind     string
	GitHubID int64  // of the comment, or number of the issue; 0: none yet, negative: one may exist whose id was not learned
	Digest   string // of the text that is there
}

// Post finds a post; one that was never made has no GitHubID.
func (t Tx) Post(ctx context.Context, repo int64, number int, kind string) (Post, error) {
	p := Post{Repo: repo, Number: number, Kind: kind}
	err := t.one(ctx, []any{&p.GitHubID, &p.Digest}, `SELECT github_id, digest FROM posts WHERE repo_id = ? AND number = ? AND kind = ?`, repo, number, kind)
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
// not been cancelled; empty if there is none.
func (t Tx) NewestAggregate(ctx context.Context, repo int64, pull int) (string, error) {
	ids, err := t.strings(ctx, `SELECT id FROM runs WHERE repo_id = ? AND pull = ? AND target = '' AND conclusion <> 'cancelled' ORDER BY id DESC LIMIT 1`, repo, pull)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}
