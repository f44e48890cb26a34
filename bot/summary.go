package bot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// summaryMark makes our comment on a pull request recognisable after a crash.
const summaryMark = "<!-- firmproof summary -->"

// summarise keeps the summary comment of a pull request up to date, where the
// manifest asks for one. There is one comment, whatever happens: the newest
// finished aggregate writes it, one writer at a time.
func (s *Server) summarise(ctx context.Context, gh *github.Client, v *view) error {
	r := &v.run
	if !r.Aggregate() || r.Pull == 0 || r.State != store.Done || r.Conclusion == "cancelled" || r.Options.Gated {
		return nil
	}
	text := s.redact.text(reports.Comment(s.commentOptions(v, summaryMark)))
	return s.keepPost(ctx, store.Post{Repo: r.Repo, Number: r.Pull, Kind: store.SummaryPost}, text,
		func(tx store.Tx, p store.Post) (bool, error) {
			newest, err := tx.NewestAggregate(ctx, r.Repo, r.Pull)
			return newest == r.ID && (p.GitHubID != 0 || wantsComment(v)), err
		}, &commentPoster{gh: gh, name: v.repo.FullName, number: r.Pull, mark: summaryMark})
}

// wantsComment reports whether the manifest asks for a comment. A run without any
// report does not know; a comment that is there is brought up to date all the same.
func wantsComment(v *view) bool {
	for _, m := range v.family {
		if m.context.Comment {
			return true
		}
	}
	return false
}

// commentOptions returns what a comment about all targets of a run shows.
func (s *Server) commentOptions(v *view, mark string) ([]verdict.Result, reports.CommentOptions) {
	results, o := s.gather(v)
	c := reports.CommentOptions{PageOptions: o, Commit: v.run.HeadSHA, MarkLine: mark,
		Failed: map[string]string{}, Fixed: map[string][]string{}}
	for _, m := range v.family {
		c.Targets = append(c.Targets, m.run.Target)
		if m.report == nil {
			c.Failed[m.run.Target] = m.run.Conclusion + ": " + m.run.Detail
			continue
		}
		c.Fixed[m.run.Target] = m.context.FixedKeys
	}
	if len(v.family) == 0 {
		c.Failed["firmproof"] = v.run.Conclusion + ": " + v.run.Detail
	}
	return results, c
}

// postKind is how a kind of post is found, made and changed at GitHub.
type postKind interface {
	find(ctx context.Context) (int64, error) // 0: there is none
	create(ctx context.Context, text string) (int64, error)
	update(ctx context.Context, id int64, text string) error
}

// keepPost brings a post in line with text if `wanted` says so, under a lock.
// Before it is made the row says so, so that after a crash it is looked for
// instead of made twice; one that a person deleted is made anew.
func (s *Server) keepPost(ctx context.Context, key store.Post, text string, wanted func(tx store.Tx,
	p store.Post) (bool, error), kind postKind) error {
	me, lock := store.NewID(), fmt.Sprintf("post:%s:%d:%d", key.Kind, key.Repo, key.Number)
	var p store.Post
	got, ok := false, false
	err := s.store.Write(ctx, func(tx store.Tx) (err error) {
		if got, err = tx.TryLock(ctx, lock, me, 3*time.Minute); err != nil || !got {
			return err
		}
		if p, err = tx.Post(ctx, key.Repo, key.Number, key.Kind); err != nil {
			return err
		}
		if ok, err = wanted(tx, p); err != nil || ok {
			return err
		}
		return tx.Unlock(ctx, lock, me)
	})
	switch {
	case err != nil:
		return err
	case !got:
		return &queue.Snooze{After: 300 * time.Millisecond}
	case !ok:
		return nil
	}
	defer func() {
		ctx := context.WithoutCancel(ctx)
		if err := s.store.Write(ctx, func(tx store.Tx) error { return tx.Unlock(ctx, lock, me) }); err != nil {
			s.log.Warn("lock stays", "lock", lock, "err", err)
		}
	}()
	err = s.putPost(ctx, p, text, kind)
	if gone(err) {
		s.log.Warn("cannot be posted", "kind", key.Kind, "repository", key.Repo, "number", key.Number, "err", err)
		return nil
	}
	return err
}

// putPost does the calls of keepPost.
func (s *Server) putPost(ctx context.Context, p store.Post, text string, kind postKind) error {
	sum := sha256.Sum256([]byte(text))
	digest := hex.EncodeToString(sum[:])
	if p.GitHubID > 0 && p.Digest == digest {
		return nil
	}
	keep := func(id int64, digest string) error {
		p.GitHubID, p.Digest = id, digest
		return s.store.Write(ctx, func(tx store.Tx) error { return tx.PutPost(ctx, p) })
	}
	var err error
	if p.GitHubID == creating {
		if p.GitHubID, err = kind.find(ctx); err != nil {
			return err
		}
	}
	if p.GitHubID > 0 {
		err = kind.update(ctx, p.GitHubID, text)
		if err == nil {
			return keep(p.GitHubID, digest)
		}
		if !answered(err, http.StatusNotFound, http.StatusGone) {
			return err
		}
		found, ferr := kind.find(ctx)
		if ferr != nil {
			return ferr
		}
		if found == p.GitHubID { // it is there, only not everywhere yet
			return &queue.Snooze{After: 2 * time.Second}
		}
	}
	if err := keep(creating, ""); err != nil {
		return err
	}
	id, err := kind.create(ctx, text)
	if err != nil {
		return err
	}
	return keep(id, digest)
}

// commentPoster makes comments on a pull request or an issue.
type commentPoster struct {
	gh         *github.Client
	name, mark string
	number     int
}

func (c *commentPoster) find(ctx context.Context) (int64, error) {
	owner, repo, _ := strings.Cut(c.name, "/")
	got, err := markedComment(ctx, c.gh, owner, repo, c.number, c.mark)
	return got.GetID(), err
}

func (c *commentPoster) create(ctx context.Context, text string) (int64, error) {
	owner, repo, _ := strings.Cut(c.name, "/")
	got, _, err := c.gh.Issues.CreateComment(ctx, owner, repo, c.number, &github.IssueComment{Body: &text})
	return got.GetID(), err
}

func (c *commentPoster) update(ctx context.Context, id int64, text string) error {
	owner, repo, _ := strings.Cut(c.name, "/")
	_, _, err := c.gh.Issues.EditComment(ctx, owner, repo, id, &github.IssueComment{Body: &text})
	return err
}
