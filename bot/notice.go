package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// readNotices reads the addresses that are told of what nights find.
func readNotices(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("serve: --notice-file: %w", err)
	}
	var out []string
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		u, err := url.Parse(line)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, fmt.Errorf("serve: --notice-file %s:%d: want a URL such as https://HOST/PATH", file, i+1)
		}
		out = append(out, line)
	}
	return out, nil
}

// notice is what is posted. Slack and what understands its incoming webhooks show the text.
type notice struct {
	Text       string          `json:"text"`
	Repository string          `json:"repository"`
	URL        string          `json:"url"`
	Findings   []noticeFinding `json:"findings"`
}

// noticeFinding is a finding that the night before did not have.
type noticeFinding struct {
	Target  string            `json:"target"`
	Claim   string            `json:"claim"`
	Where   string            `json:"where"`
	Message string            `json:"message"`
	URL     string            `json:"url,omitempty"`
	Commits []pipeline.Commit `json:"commits"` // one of which brought it
}

// notify tells the addresses of the administrator what a night found that the one before did not have: once, and again
// when the commit that brought it is known.
func (s *Server) notify(ctx context.Context, v *view, change *pipeline.Regression) error {
	n := s.noticeOf(v.repo.FullName, change)
	if len(s.keys.notices) == 0 || len(n.Findings) == 0 {
		return nil
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return s.keepPost(ctx, store.Post{Repo: v.run.Repo, Kind: store.NoticePost}, s.redact.text(string(text)),
		func(store.Tx, store.Post) (bool, error) { return true, nil }, &noticePoster{s})
}

func (s *Server) noticeOf(repo string, change *pipeline.Regression) notice {
	n := notice{Repository: repo, URL: s.cfg.PublicURL + "/repos/" + repo + "/night"}
	var lines []string
	for _, t := range change.Targets {
		for _, c := range t.Introduced {
			f := noticeFinding{Target: t.Target, Claim: c.Claim, Where: c.Where, Message: c.Message,
				Commits: []pipeline.Commit{}}
			if c.Fingerprint != "" {
				f.URL = s.cfg.PublicURL + "/repos/" + repo + "/findings/" + c.Fingerprint
			}
			line := fmt.Sprintf("%s at %s on %s", c.Message, c.Where, t.Target)
			if c.Origin != nil {
				f.Commits = append(f.Commits, c.Origin.Commits...)
			}
			if len(f.Commits) == 1 {
				line += fmt.Sprintf(", since %s by %s", reports.ShortSHA(f.Commits[0].SHA), f.Commits[0].Author)
			}
			n.Findings, lines = append(n.Findings, f), append(lines, line)
		}
	}
	const most = 10
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], fmt.Sprintf("and %d more", more))
	}
	n.Text = fmt.Sprintf("%s: %d new in the night\n%s\n%s", repo, len(n.Findings), strings.Join(lines, "\n"), n.URL)
	return n
}

// noticePoster posts to all addresses. What was posted cannot be looked for.
type noticePoster struct{ s *Server }

func (p *noticePoster) find(context.Context) (int64, error) { return 0, nil }

func (p *noticePoster) create(ctx context.Context, text string) (int64, error) {
	return 1, p.update(ctx, 1, text)
}

// update posts to each; one that does not answer keeps none of the others from being told, and is not tried again: a
// notice is a hint, and the pages have it.
func (p *noticePoster) update(ctx context.Context, _ int64, text string) error {
	client := http.Client{Timeout: 10 * time.Second}
	for i, to := range p.s.keys.notices {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader([]byte(text)))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(r)
		if err == nil {
			err = resp.Body.Close()
			if resp.StatusCode >= 300 {
				err = errors.Join(err, errors.New(resp.Status))
			}
		}
		if err != nil { // the address is a secret, and part of the error
			p.s.log.Warn("a notice was not taken", "line", i+1, "err", hidden(err, to))
		}
	}
	return ctx.Err()
}

// hidden words err without the address.
func hidden(err error, to string) string { return strings.ReplaceAll(err.Error(), to, "(address)") }
