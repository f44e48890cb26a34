package bot

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// nightlyMark makes our issue recognisable after a crash.
const nightlyMark = "<!-- firmproof nightly -->"

// night brings the issue with the nightly regression report in line with a
// finished night. There is one issue for a repository, made when there is first
// something to say, and opened again when a night finds something new.
func (s *Server) night(ctx context.Context, v *view) error {
	r := &v.run
	if !r.Aggregate() || r.Trigger != "nightly" || r.State != store.Done || r.Conclusion == "cancelled" {
		return nil
	}
	change, err := pipeline.Night(ctx, s.store, v.repo.FullName, *r)
	if err != nil {
		return err
	}
	news, introduced := 0, 0
	for _, t := range change.Targets {
		introduced += len(t.Introduced)
		news += len(t.Introduced) + len(t.Fixed) + len(t.Open) + len(t.Undecided) + len(t.NewlyProved) +
			len(t.ProofLost) + len(t.Slower)
	}
	text := reports.Cut(s.redact.text(nightlyMark+"\n"+change.Markdown(s.cfg.PublicURL)), reports.MaxComment,
		s.cfg.PublicURL)
	if err := s.notify(ctx, v, change); err != nil {
		return err
	}
	poster := &issuePoster{gh: s.app.installation(r.Installation, r.Repo), name: v.repo.FullName,
		reopen: introduced > 0}
	return s.keepPost(ctx, store.Post{Repo: r.Repo, Kind: store.NightlyPost}, text,
		func(_ store.Tx, p store.Post) (bool, error) {
			return p.GitHubID != 0 || news > 0, nil
		}, poster)
}

// issuePoster makes the issue of a repository; its id is the issue's number.
type issuePoster struct {
	gh     *github.Client
	name   string
	reopen bool
}

// maxIssuePages bounds the search for a lost issue to the 1,000 newest.
const maxIssuePages = 10

func (c *issuePoster) find(ctx context.Context) (int64, error) {
	owner, repo, _ := strings.Cut(c.name, "/")
	opts := &github.IssueListByRepoOptions{State: "all", ListOptions: github.ListOptions{PerPage: 100}}
	for range maxIssuePages {
		list, resp, err := c.gh.Issues.ListByRepo(ctx, owner, repo, opts)
		if err != nil {
			return 0, err
		}
		for _, i := range list {
			if strings.HasPrefix(i.GetBody(), nightlyMark) && i.GetUser().GetType() == "Bot" && !i.IsPullRequest() {
				return int64(i.GetNumber()), nil
			}
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	return 0, nil
}

func (c *issuePoster) create(ctx context.Context, text string) (int64, error) {
	owner, repo, _ := strings.Cut(c.name, "/")
	got, _, err := c.gh.Issues.Create(ctx, owner, repo,
		&github.IssueRequest{Title: github.String("firmproof: nightly report"), Body: &text})
	return int64(got.GetNumber()), err
}

func (c *issuePoster) update(ctx context.Context, number int64, text string) error {
	owner, repo, _ := strings.Cut(c.name, "/")
	q := &github.IssueRequest{Body: &text}
	if c.reopen {
		q.State = github.String("open")
	}
	if _, _, err := c.gh.Issues.Edit(ctx, owner, repo, int(number), q); err != nil {
		return fmt.Errorf("issue %d: %w", number, err)
	}
	return nil
}
