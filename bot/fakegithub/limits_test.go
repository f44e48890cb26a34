package fakegithub

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"
)

func notes(n int) []*github.CheckRunAnnotation {
	var list []*github.CheckRunAnnotation
	for i := range n {
		list = append(list, &github.CheckRunAnnotation{
			Path: github.String("main.c"), StartLine: github.Int(i + 1), EndLine: github.Int(i + 1),
			AnnotationLevel: github.String("failure"),
			Message:         github.String("out of bounds"), RawDetails: github.String("i = 9"),
		})
	}
	return list
}

func output(summary string, n int) *github.CheckRunOutput {
	return &github.CheckRunOutput{Title: github.String("1 new"), Summary: github.String(summary), Annotations: notes(n)}
}

// TestCheckRun follows a run from queued to completed: annotations are
// appended, and the events of its ends go out.
func TestCheckRun(t *testing.T) {
	w := newWorld(t)
	c, head := w.repository()
	ctx := context.Background()
	run, _, err := c.Checks.CreateCheckRun(ctx, "acme", "fw", github.CreateCheckRunOptions{
		Name: "firmproof", HeadSHA: head, Status: github.String("in_progress"), ExternalID: github.String("run 7"),
		Output: output("s", 50),
	})
	if err != nil {
		t.Fatal(err)
	}
	if run.GetStatus() != "in_progress" || run.GetExternalID() != "run 7" || run.PullRequests[0].GetNumber() != 1 {
		t.Errorf("created %v", run)
	}
	run, _, err = c.Checks.UpdateCheckRun(ctx, "acme", "fw", run.GetID(), github.UpdateCheckRunOptions{
		Name: "firmproof", Conclusion: github.String("failure"), Output: output("s2", 3),
		Actions: []*github.CheckRunAction{{Label: "Deeper", Description: "doubles bounds", Identifier: "deeper"}},
	})
	if err != nil || run.GetStatus() != "completed" || run.GetOutput().GetAnnotationsCount() != 53 ||
		run.GetCompletedAt().IsZero() {
		t.Errorf("updated %v %v", run, err)
	}
	list, res, err := c.Checks.ListCheckRunAnnotations(ctx, "acme", "fw", run.GetID(), &github.ListOptions{PerPage: 50})
	if err != nil || len(list) != 50 || res.NextPage != 2 || res.LastPage != 2 {
		t.Errorf("first page: %d %v %v", len(list), res, err)
	}
	list, res, _ = c.Checks.ListCheckRunAnnotations(ctx, "acme", "fw", run.GetID(), &github.ListOptions{PerPage: 50,
		Page: 2})
	if len(list) != 3 || res.NextPage != 0 || list[2].GetStartLine() != 3 {
		t.Errorf("second page: %v %v", list, res)
	}
	again, _, _ := c.Checks.CreateCheckRun(ctx, "acme", "fw", github.CreateCheckRunOptions{Name: "firmproof",
		HeadSHA: head})
	latest, _, err := c.Checks.ListCheckRunsForRef(ctx, "acme", "fw", "fix",
		&github.ListCheckRunsOptions{CheckName: github.String("firmproof")})
	if err != nil || latest.GetTotal() != 1 || latest.CheckRuns[0].GetID() != again.GetID() {
		t.Errorf("latest: %v %v", latest, err)
	}
	all, _, _ := c.Checks.ListCheckRunsForRef(ctx, "acme", "fw", "fix",
		&github.ListCheckRunsOptions{Filter: github.String("all")})
	if all.GetTotal() != 2 {
		t.Errorf("all: %v", all)
	}
	w.control("POST", "action", obj{"check_run": run.GetID(), "identifier": "deeper"})
	w.control("POST", "rerequest", obj{"check_run": run.GetID()})
	got := strings.Join(w.events()[4:], " ")
	if want := "check_run.created check_run.completed check_suite.completed check_run.created check_run.requested_action check_run.rerequested"; got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	shown := w.state("check_runs")[0].(map[string]any)
	if len(shown["annotations"].([]any)) != 53 || len(shown["actions"].([]any)) != 1 {
		t.Errorf("state shows %v", shown)
	}
	w.wantViolations(0)
}

// TestLimits breaks each limit once, and wants a 422 and a violation for it.
func TestLimits(t *testing.T) {
	w := newWorld(t)
	c, head := w.repository()
	ctx := context.Background()
	create := func(o github.CreateCheckRunOptions) func() error {
		return func() error {
			if o.HeadSHA == "" {
				o.HeadSHA = head
			}
			_, _, err := c.Checks.CreateCheckRun(ctx, "acme", "fw", o)
			return err
		}
	}
	wide := notes(1)
	wide[0].EndLine, wide[0].StartColumn = github.Int(2), github.Int(1)
	long := notes(1)
	long[0].RawDetails = github.String(strings.Repeat("x", 64<<10+1))
	action := func(label string, n int) (list []*github.CheckRunAction) {
		for range n {
			list = append(list, &github.CheckRunAction{Label: label, Description: "d", Identifier: "i"})
		}
		return list
	}
	with := func(a []*github.CheckRunAnnotation) *github.CheckRunOutput {
		return &github.CheckRunOutput{Title: github.String("t"), Summary: github.String("s"), Annotations: a}
	}
	cases := []struct {
		name string
		do   func() error
	}{
		{"51 annotations", create(github.CreateCheckRunOptions{Name: "a", Output: output("s", 51)})},
		{"summary of 65,536", create(github.CreateCheckRunOptions{Name: "a", Output: output(strings.Repeat("x", 65536),
			0)})},
		{"no summary", create(github.CreateCheckRunOptions{Name: "a",
			Output: &github.CheckRunOutput{Title: github.String("t")}})},
		{"completed without conclusion", create(github.CreateCheckRunOptions{Name: "a",
			Status: github.String("completed")})},
		{"unknown conclusion", create(github.CreateCheckRunOptions{Name: "a", Conclusion: github.String("failed")})},
		{"stale", create(github.CreateCheckRunOptions{Name: "a", Conclusion: github.String("stale")})},
		{"columns on two lines", create(github.CreateCheckRunOptions{Name: "a", Output: with(wide)})},
		{"details over 64 KB", create(github.CreateCheckRunOptions{Name: "a", Output: with(long)})},
		{"blank name", create(github.CreateCheckRunOptions{Name: " "})},
		{"unknown commit", create(github.CreateCheckRunOptions{Name: "a", HeadSHA: strings.Repeat("a", 40)})},
		{"4 actions", create(github.CreateCheckRunOptions{Name: "a", Actions: action("a", 4)})},
		{"label of 21", create(github.CreateCheckRunOptions{Name: "a", Actions: action(strings.Repeat("a", 21), 1)})},
		{"comment of 65,537", func() error {
			_, _, err := c.Issues.CreateComment(ctx, "acme", "fw", 1,
				&github.IssueComment{Body: github.String(strings.Repeat("é", 65537))})
			return err
		}},
		{"blank comment", func() error {
			_, _, err := c.Issues.CreateComment(ctx, "acme", "fw", 1, &github.IssueComment{Body: github.String(" ")})
			return err
		}},
		{"unknown reaction", func() error {
			com := w.control("POST", "comments", obj{"repo": "acme/fw", "number": 1, "user": "ann", "body": "x"})
			_, _, err := c.Reactions.CreateIssueCommentReaction(ctx, "acme", "fw", int64(com["id"].(float64)), "smile")
			return err
		}},
	}
	for i, tc := range cases {
		if err := tc.do(); status(err) != 422 {
			t.Errorf("%s: %v, want 422", tc.name, err)
		}
		if got := len(w.s.Violations()); got != i+1 {
			t.Errorf("%s: %d violations, want %d", tc.name, got, i+1)
		}
	}
	if n := len(w.state("check_runs")); n != 0 {
		t.Errorf("%d check runs came of refused requests", n)
	}
	if _, _, err := c.Issues.CreateComment(ctx, "acme", "fw", 1,
		&github.IssueComment{Body: github.String(strings.Repeat("é", 65536))}); err != nil {
		t.Errorf("comment of 65,536 characters: %v", err)
	}
	w.wantViolations(len(cases))
}

// TestUnknownRoute wants 501 and a violation.
func TestUnknownRoute(t *testing.T) {
	w := newWorld(t)
	c, _ := w.repository()
	if _, _, err := c.Repositories.ListTags(context.Background(), "acme", "fw",
		nil); status(err) != http.StatusNotImplemented {
		t.Errorf("unknown route: %v", err)
	}
	w.wantViolations(1)
}

// TestCredentials tries what GitHub refuses.
func TestCredentials(t *testing.T) {
	w := newWorld(t)
	_, head := w.repository()
	ctx := context.Background()
	for name, cred := range map[string]string{
		"11 minutes": w.jwt(11*time.Minute, 0), "ended": w.jwt(-time.Minute, 5*time.Minute),
		"future":  w.jwt(9*time.Minute, -time.Minute),
		"garbage": "a.b.c", "none": "",
	} {
		if _, _, err := w.client(cred).Apps.Get(ctx, ""); status(err) != http.StatusUnauthorized {
			t.Errorf("JWT %s: %v, want 401", name, err)
		}
	}
	w.wantViolations(4)
	narrow := w.token(&github.InstallationTokenOptions{Permissions: &github.InstallationPermissions{
		Contents: github.String("read")}})
	if !strings.HasPrefix(narrow, "ghs_1042_") || len(narrow) < 200 {
		t.Errorf("token %q is not in the long format", narrow)
	}
	if _, _, err := w.client(narrow).Checks.CreateCheckRun(ctx, "acme", "fw", github.CreateCheckRunOptions{Name: "a",
		HeadSHA: head}); status(err) != http.StatusForbidden {
		t.Errorf("check run with contents:read: %v, want 403", err)
	}
	w.control("POST", "repos", obj{"name": "acme/other"})
	other, _, err := w.appClient().Apps.FindRepositoryInstallation(ctx, "acme", "other")
	if err != nil || other.GetID() != int64(w.s.inst.id) {
		t.Errorf("installation %v %v", other, err)
	}
	one := w.client(w.token(&github.InstallationTokenOptions{Repositories: []string{"other"}}))
	if _, _, err := one.Repositories.Get(ctx, "acme", "fw"); status(err) != http.StatusNotFound {
		t.Errorf("repository outside of the token: %v, want 404", err)
	}
	if list, _, err := one.Apps.ListRepos(ctx, nil); err != nil || list.GetTotalCount() != 1 {
		t.Errorf("repositories of the token: %v %v", list, err)
	}
	w.control("POST", "expire", nil)
	if _, _, err := one.Repositories.Get(ctx, "acme", "other"); status(err) != http.StatusUnauthorized {
		t.Errorf("ended token: %v, want 401", err)
	}
	w.wantViolations(5)
}

// TestExpiry moves the clock past a token's hour.
func TestExpiry(t *testing.T) {
	var late atomic.Int64 // minutes
	w := newWorld(t, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load()) * time.Minute) }
	})
	c, _ := w.repository()
	late.Store(59)
	if _, _, err := c.Repositories.Get(context.Background(), "acme", "fw"); err != nil {
		t.Errorf("after 59 minutes: %v", err)
	}
	late.Store(61)
	if _, _, err := c.Repositories.Get(context.Background(), "acme", "fw"); status(err) != http.StatusUnauthorized {
		t.Errorf("after 61 minutes: %v, want 401", err)
	}
}

func TestSARIF(t *testing.T) {
	w := newWorld(t)
	c, head := w.repository()
	ctx := context.Background()
	upload := func(text string) (string, error) {
		var b bytes.Buffer
		zw := gzip.NewWriter(&b)
		_, _ = zw.Write([]byte(text))
		_ = zw.Close()
		packed := base64.StdEncoding.EncodeToString(b.Bytes())
		id, _, err := c.CodeScanning.UploadSarif(ctx, "acme", "fw", &github.SarifAnalysis{
			CommitSHA: github.String(head), Ref: github.String("refs/pull/1/head"), Sarif: github.String(packed),
		})
		if _, async := err.(*github.AcceptedError); async {
			err = nil
		}
		return id.GetID(), err
	}
	if _, err := upload(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"firmproof"}},"results":[{"message":{"text":"m"},"locations":[{}]}]}]}`); err != nil {
		t.Fatal(err)
	}
	up := w.state("sarif")[0].(map[string]any)
	if st, _, err := c.CodeScanning.GetSARIF(ctx, "acme", "fw", up["id"].(string)); err != nil || st.GetProcessingStatus() != "pending" {
		t.Errorf("at first %v %v", st, err)
	}
	st, _, err := c.CodeScanning.GetSARIF(ctx, "acme", "fw", up["id"].(string))
	if err != nil || st.GetProcessingStatus() != "complete" || up["results"] != 1.0 {
		t.Errorf("status %v %v", st, err)
	}
	w.wantViolations(0)
	if _, err := upload(`{"version":"2.0.0","runs":[]}`); err != nil {
		t.Fatal(err)
	}
	up = w.state("sarif")[1].(map[string]any)
	if up["status"] != "failed" {
		t.Errorf("bad version: %v", up)
	}
	w.wantViolations(1)
}
