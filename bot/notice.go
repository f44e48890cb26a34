package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/mail"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// told is a line of the notice file: who is told of what nights find.
type told struct {
	line  int
	repos string // pattern of OWNER/NAME as path.Match has it, in small letters
	to    string // a URL, which is a secret, or an address of mail
	mail  bool
}

// about reports whether t is told about a repository.
func (t told) about(repo string) bool {
	ok, err := path.Match(t.repos, strings.ToLower(repo))
	return ok && err == nil
}

// readNotices reads who is told of what nights find: lines of a URL or mailto:ADDRESS, in front of which OWNER/NAME or
// OWNER/* says of which repositories.
func readNotices(file string) ([]told, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("serve: --notice-file: %w", err)
	}
	var out []told
	for i, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		t := told{line: i + 1, repos: "*/*", to: words[len(words)-1]}
		if len(words) == 2 {
			t.repos = strings.ToLower(words[0])
		}
		if _, err := path.Match(t.repos, ""); err != nil || len(words) > 2 || strings.Count(t.repos, "/") != 1 {
			return nil, fmt.Errorf("serve: --notice-file %s:%d: want [OWNER/NAME or OWNER/*] and a URL or mailto:ADDRESS",
				file, i+1)
		}
		if t.to, t.mail = strings.CutPrefix(t.to, "mailto:"); t.mail {
			_, err = mail.ParseAddress(t.to)
		} else if u, perr := url.Parse(t.to); perr != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			err = errors.New("bad URL") // the URL is a secret
		}
		if err != nil {
			return nil, fmt.Errorf("serve: --notice-file %s:%d: want a URL such as https://HOST/PATH, or mailto:ADDRESS",
				file, i+1)
		}
		out = append(out, t)
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

// notify tells those whom the administrator names what a night found that the one before did not have: once, and again
// when the commit that brought it is known.
func (s *Server) notify(ctx context.Context, v *view, change *pipeline.Regression) error {
	n := s.noticeOf(v.repo.FullName, change)
	to := slices.DeleteFunc(slices.Clone(s.keys.notices), func(t told) bool { return !t.about(n.Repository) })
	if len(to) == 0 || len(n.Findings) == 0 {
		return nil
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return s.keepPost(ctx, store.Post{Repo: v.run.Repo, Kind: store.NoticePost}, s.redact.text(string(text)),
		func(store.Tx, store.Post) (bool, error) { return true, nil }, &noticePoster{s, to})
}

func (s *Server) noticeOf(repo string, change *pipeline.Regression) notice {
	n := notice{Repository: repo, URL: s.cfg.PublicURL + "/repos/" + repo + "/night"}
	for _, t := range change.Targets {
		for _, c := range t.Introduced {
			f := noticeFinding{Target: t.Target, Claim: c.Claim, Where: c.Where, Message: c.Message,
				Commits: []pipeline.Commit{}}
			if c.Fingerprint != "" {
				f.URL = s.cfg.PublicURL + "/repos/" + repo + "/findings/" + c.Fingerprint
			}
			if c.Origin != nil {
				f.Commits = append(f.Commits, c.Origin.Commits...)
			}
			n.Findings = append(n.Findings, f)
		}
	}
	lines := n.lines(func(f noticeFinding) string { return f.text() })
	// Slack reads mentions and links out of these characters
	n.Text = n.title() + "\n" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(lines) + n.URL
	return n
}

// lines words some of the findings by word, each in a line of its own, and says how many more there are.
func (n notice) lines(word func(noticeFinding) string) string {
	var b strings.Builder
	for _, f := range n.Findings[:min(len(n.Findings), mostNoticed)] {
		b.WriteString(word(f) + "\n")
	}
	if more := len(n.Findings) - mostNoticed; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	return b.String()
}

// mostNoticed is how many findings a notice words.
const mostNoticed = 10

func (n notice) title() string {
	return fmt.Sprintf("%s: %d new in the night", n.Repository, len(n.Findings))
}

// text is a finding in a line.
func (f noticeFinding) text() string {
	text := fmt.Sprintf("%s at %s on %s", f.Message, f.Where, f.Target)
	if len(f.Commits) == 1 {
		text += fmt.Sprintf(", since %s by %s", reports.ShortSHA(f.Commits[0].SHA), f.Commits[0].Author)
	}
	return reports.Line(text)
}

// noticePoster tells all. What was posted cannot be looked for.
type noticePoster struct {
	s  *Server
	to []told
}

func (p *noticePoster) find(context.Context) (int64, error) { return 0, nil }

func (p *noticePoster) create(ctx context.Context, text string) (int64, error) {
	return 1, p.update(ctx, 1, text)
}

// update tells each; one that does not answer keeps none of the others from being told, and is not tried again: a
// notice is a hint, and the pages have it.
func (p *noticePoster) update(ctx context.Context, _ int64, text string) error {
	for _, t := range p.to {
		send := post
		if t.mail {
			send = p.s.mail
		}
		if err := send(ctx, t.to, text); err != nil { // the address is a secret, and part of the error
			p.s.log.Warn("a notice was not taken", "line", t.line, "err", strings.ReplaceAll(err.Error(), t.to, "(address)"))
		}
	}
	return ctx.Err()
}

// post sends a notice to a URL.
func post(ctx context.Context, to, text string) error {
	client := http.Client{Timeout: 10 * time.Second}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	if err = resp.Body.Close(); resp.StatusCode >= 300 {
		err = errors.Join(err, errors.New(resp.Status))
	}
	return err
}
