package fakegithub

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"
)

// TestPages wants a person to see what is at GitHub: Markdown rendered, raw
// details, reactions, and no script.
func TestPages(t *testing.T) {
	w := newWorld(t)
	c, head := w.repository()
	ctx := context.Background()
	summary := "| target | result |\n|---|---|\n| cortex-m3 | **violated** |\n\n<details><summary>Trace</summary>\n\n```\ni = 9\n```\n\n</details>\n\n<script>alert(1)</script>\n"
	run, _, err := c.Checks.CreateCheckRun(ctx, "acme", "fw", github.CreateCheckRunOptions{
		Name: "firmproof / cortex-m3", HeadSHA: head, Conclusion: github.String("failure"), Output: output(summary, 2),
		Actions: []*github.CheckRunAction{{Label: "Deeper", Description: "doubles bounds", Identifier: "deeper"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	com := w.control("POST", "comments", obj{"repo": "acme/fw", "number": 1, "user": "ann",
		"body": "see `main.c` <img src=x onerror=alert(1)>"})
	if _, _, err := c.Reactions.CreateIssueCommentReaction(ctx, "acme", "fw", int64(com["id"].(float64)),
		"rocket"); err != nil {
		t.Fatal(err)
	}
	get := func(path string) string {
		res, err := http.Get(w.url + path)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("GET %s: %v %v", path, res, err)
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return string(body)
	}
	for path, want := range map[string][]string{
		"/":        {"acme/fw", "wider"},
		"/acme/fw": {"wider", "/acme/fw/pull/1"},
		"/acme/fw/pull/1": {"<td><strong>violated</strong></td>", "<code>main.c</code>", "🚀 1", "Deeper",
			"firmproof / cortex-m3"},
		"/acme/fw/pull/1/checks":   {"<details>", "i = 9", "out of bounds", "<code>main.c:1</code>", "2 annotations"},
		"/acme/fw/runs/" + id(run): {"<summary>Trace</summary>", "failure"},
	} {
		page := get(path)
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s does not show %q", path, text)
			}
		}
		if strings.Contains(page, "<script") || strings.Contains(page, "<img") {
			t.Errorf("%s lets raw HTML through", path)
		}
	}
	for path, form := range map[string]url.Values{
		"/acme/fw/runs/" + id(run) + "/act": {"identifier": {"deeper"}}, "/acme/fw/pull/1/act": {"user": {"ann"},
			"body": {"/firmproof help"}},
	} {
		if res, err := http.PostForm(w.url+path, form); err != nil || res.StatusCode != 200 {
			t.Errorf("form %s: %v %v", path, res, err)
		}
	}
	if res, err := http.PostForm(w.url+"/acme/fw/runs/"+id(run)+"/act",
		url.Values{"identifier": {"other"}}); err != nil || res.StatusCode != 422 {
		t.Errorf("button that is not there: %v %v", res, err)
	}
	if got := strings.Join(w.events(), " "); !strings.Contains(got, "check_run.requested_action") ||
		strings.Count(got, "issue_comment.created") != 2 {
		t.Errorf("events %s", got)
	}
	w.wantViolations(0)
}

func id(run *github.CheckRun) string {
	parts := strings.Split(run.GetURL(), "/")
	return parts[len(parts)-1]
}

// TestManifest goes through the manifest flow; a code works once.
func TestManifest(t *testing.T) {
	w := newWorld(t)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.PostForm(w.url+"/organizations/acme/settings/apps/new?state=xyz", url.Values{
		"manifest": {`{"name":"my proofs","url":"https://example.com","redirect_url":"https://example.com/back?a=b"}`},
	})
	if err != nil || res.StatusCode != http.StatusFound {
		t.Fatalf("manifest: %v %v", res, err)
	}
	back, _ := res.Location()
	if back.Query().Get("state") != "xyz" || back.Query().Get("a") != "b" || back.Host != "example.com" {
		t.Errorf("redirected to %s", back)
	}
	app, _, err := w.client("").Apps.CompleteAppManifest(context.Background(), back.Query().Get("code"))
	if err != nil || app.GetName() != "my proofs" || app.GetWebhookSecret() != w.s.app.secret ||
		!strings.Contains(app.GetPEM(), "RSA PRIVATE KEY") {
		t.Errorf("conversion: %v %v", app, err)
	}
	if _, _, err := w.client("").Apps.CompleteAppManifest(context.Background(), back.Query().Get("code")); status(
		err) != 404 {
		t.Errorf("second conversion: %v, want 404", err)
	}
	w.wantViolations(0)
}

// TestIssues follows a nightly report: opened, found by its label, edited,
// commented, closed.
func TestIssues(t *testing.T) {
	w := newWorld(t)
	c, _ := w.repository()
	ctx := context.Background()
	labels := []string{"firmproof", "nightly"}
	i, _, err := c.Issues.Create(ctx, "acme", "fw", &github.IssueRequest{Title: github.String("Nightly"),
		Body: github.String("2 new"), Labels: &labels})
	if err != nil || i.GetNumber() != 2 || len(i.Labels) != 2 {
		t.Fatalf("created %v %v", i, err)
	}
	list, _, err := c.Issues.ListByRepo(ctx, "acme", "fw", &github.IssueListByRepoOptions{Labels: []string{"nightly"},
		State: "open"})
	if err != nil || len(list) != 1 || list[0].GetUser().GetLogin() != "firmproof[bot]" ||
		list[0].GetUser().GetType() != "Bot" {
		t.Errorf("list %v %v", list, err)
	}
	com, _, err := c.Issues.CreateComment(ctx, "acme", "fw", 2, &github.IssueComment{Body: github.String("fixed")})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Issues.EditComment(ctx, "acme", "fw", com.GetID(),
		&github.IssueComment{Body: github.String("all fixed")}); err != nil {
		t.Error(err)
	}
	if i, _, err = c.Issues.Edit(ctx, "acme", "fw", 2, &github.IssueRequest{State: github.String("closed"),
		StateReason: github.String("completed")}); err != nil || i.GetState() != "closed" || i.GetComments() != 1 {
		t.Errorf("closed %v %v", i, err)
	}
	if _, err := c.Issues.DeleteComment(ctx, "acme", "fw", com.GetID()); err != nil {
		t.Error(err)
	}
	raw, _ := json.Marshal(w.state("issues"))
	if !strings.Contains(string(raw), `"state":"closed"`) || len(w.state("comments")) != 0 {
		t.Errorf("state %s", raw)
	}
	w.wantViolations(0)
}

// TestSourcesOfRepos takes a bare repository, and refuses what is none.
func TestSourcesOfRepos(t *testing.T) {
	w := newWorld(t)
	w.repository()
	bare := t.TempDir()
	if out, err := gitRun(t, bare, "clone", "-q", "--bare", w.s.repos[0].dir, "x.git"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if r := w.control("POST", "repos", obj{"name": "acme/copy",
		"path": bare + "/x.git"}); r["default_branch"] != "main" {
		t.Errorf("cloned %v", r)
	}
	for _, body := range []string{`{"name":"acme/fw"}`, `{"name":"../x"}`, `{"name":"a/b","path":"/nonexistent"}`,
		`[`} {
		res, err := http.Post(w.url+"/_fake/repos", "application/json", strings.NewReader(body))
		if err != nil || res.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %v %v, want 422", body, res, err)
		}
	}
	if n := len(w.s.repos); n != 2 {
		t.Errorf("%d repositories, want 2", n)
	}
}
