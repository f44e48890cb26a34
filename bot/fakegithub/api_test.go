package fakegithub

import (
	"context"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"
)

// TestTable holds the operations and the contract to each other.
func TestTable(t *testing.T) {
	w := newWorld(t)
	var have []string
	for k := range w.s.operations {
		have = append(have, k)
	}
	sort.Strings(have)
	if want := w.s.spec.Operations(); !reflect.DeepEqual(have, want) {
		t.Errorf("operations\n%s\ncontract\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// TestReads calls every read of the API and wants answers that keep GitHub's
// contract.
func TestReads(t *testing.T) {
	w := newWorld(t)
	_, head := w.repository()
	ctx := context.Background()
	tok := w.client(w.token(nil))
	run, _, err := tok.Checks.CreateCheckRun(ctx, "acme", "fw", github.CreateCheckRunOptions{Name: "a", HeadSHA: head})
	if err != nil {
		t.Fatal(err)
	}
	com := w.control("POST", "comments", obj{"repo": "acme/fw", "number": 1, "user": "ann", "body": "hello"})
	w.flush()
	var delivery float64
	for _, d := range w.state("deliveries") {
		delivery = d.(map[string]any)["id"].(float64)
	}
	suite := run.GetCheckSuite().GetID()
	repo := "repos/acme/fw/"
	for path, app := range map[string]bool{
		"app": true, "app/hook/config": true, "app/hook/deliveries": true, fmt.Sprintf("app/hook/deliveries/%.0f",
			delivery): true,
		"app/installations": true, "app/installations/50007": true, "repos/acme/fw/installation": true,
		"installation/repositories": false,
		"rate_limit":                false, "users/ann": false, "repos/acme/fw": false, repo + "branches": false,
		repo + "branches/fix":                 false,
		repo + "collaborators/ann/permission": false, repo + "commits/" + head: false,
		repo + "commits/fix/check-runs":     false,
		repo + "commits/" + head + "/pulls": false, repo + "commits/" + head + "/check-suites": false,
		repo + "compare/main...fix": false,
		repo + "contents/":          false, repo + "contents/main.c?ref=fix": false, repo + "contents/lib?ref=" +
			head: false,
		repo + "contents/lib/new%20file.c?ref=refs/pull/1/head": false, repo + "git/ref/heads/main": false,
		repo + "git/matching-refs/pull/1": false, repo + "git/commits/" + head: false, repo + "pulls": false,
		repo + "pulls/1":       false,
		repo + "pulls/1/files": false, repo + "pulls/1/commits": false, repo + "issues": false,
		repo + "issues/1":          false,
		repo + "issues/1/comments": false, repo + fmt.Sprintf("issues/comments/%.0f", com["id"]): false,
		repo + fmt.Sprintf("issues/comments/%.0f/reactions", com["id"]): false, repo + fmt.Sprintf("check-runs/%d",
			run.GetID()): false,
		repo + fmt.Sprintf("check-runs/%d/annotations", run.GetID()): false, repo + fmt.Sprintf("check-suites/%d",
			suite): false,
		repo + fmt.Sprintf("check-suites/%d/check-runs", suite): false,
	} {
		c := tok
		if app {
			c = w.appClient()
		}
		req, err := c.NewRequest("GET", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		var out any
		if _, err := c.Do(ctx, req, &out); err != nil {
			t.Errorf("GET %s: %v", path, err)
		}
	}
	w.wantViolations(0)
}

func TestPullRequest(t *testing.T) {
	w := newWorld(t)
	c, head := w.repository()
	ctx := context.Background()
	p, _, err := c.PullRequests.Get(ctx, "acme", "fw", 1)
	if err != nil {
		t.Fatal(err)
	}
	if p.GetHead().GetSHA() != head || p.GetChangedFiles() != 2 || p.GetAdditions() != 2 || p.GetDeletions() != 1 ||
		!p.GetMergeable() {
		t.Errorf("pull request %+v", p)
	}
	files, _, err := c.PullRequests.ListFiles(ctx, "acme", "fw", 1, nil)
	if err != nil || len(files) != 2 || files[0].GetFilename() != "lib/new file.c" || files[0].GetStatus() != "added" ||
		files[1].GetPatch() != "@@ -1 +1 @@\n-int main(void) { return 0; }\n+int main(void) { return 1; }" {
		t.Errorf("files %v %v", files, err)
	}
	file, _, _, err := c.Repositories.GetContents(ctx, "acme", "fw", "main.c",
		&github.RepositoryContentGetOptions{Ref: "fix"})
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := file.GetContent(); text != "int main(void) { return 1; }\n" {
		t.Errorf("contents %q", text)
	}
	if _, dir, _, err := c.Repositories.GetContents(ctx, "acme", "fw", "lib", nil); err != nil || len(dir) != 1 ||
		dir[0].GetPath() != "lib/secret" {
		t.Errorf("ignored files are committed too: %v %v", dir, err)
	}
	if _, _, _, err := c.Repositories.GetContents(ctx, "acme", "fw", "none.c", nil); status(err) != 404 {
		t.Errorf("missing file: %v", err)
	}
	if text, _, err := c.PullRequests.GetRaw(ctx, "acme", "fw", 1, github.RawOptions{Type: github.Diff}); err != nil ||
		!strings.HasPrefix(text, "diff --git a/lib/new file.c") {
		t.Errorf("diff %q %v", text, err)
	}
	ghes, err := c.WithEnterpriseURLs(w.url, w.url)
	if err != nil {
		t.Fatal(err)
	}
	if r, _, err := ghes.Repositories.Get(ctx, "acme", "fw"); err != nil || r.GetDefaultBranch() != "main" {
		t.Errorf("below /api/v3: %v %v", r, err)
	}
	level, _, err := c.Repositories.GetPermissionLevel(ctx, "acme", "fw", "ann")
	if err != nil || level.GetPermission() != "write" {
		t.Errorf("permission %v %v", level, err)
	}
	if level, _, _ = c.Repositories.GetPermissionLevel(ctx, "acme", "fw", "eve"); level.GetPermission() != "none" {
		t.Errorf("permission of a stranger %v", level)
	}
	want := []string{"installation_repositories.added", "push", "check_suite.requested", "pull_request.opened"}
	if got := w.events(); !reflect.DeepEqual(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	w.wantViolations(0)
}

// TestLifeOfPull follows a pull request to its merge, and one from a fork.
func TestLifeOfPull(t *testing.T) {
	w := newWorld(t)
	c, head := w.repository()
	ctx := context.Background()
	w.control("POST", "push", obj{"repo": "acme/fw", "branch": "fix",
		"files": obj{"main.c": "int main(void) { return 2; }\n", "lib/new file.c": nil}})
	p, _, _ := c.PullRequests.Get(ctx, "acme", "fw", 1)
	if p.GetHead().GetSHA() == head || p.GetChangedFiles() != 1 {
		t.Errorf("push did not move the head: %v", p)
	}
	w.control("POST", "close", obj{"repo": "acme/fw", "number": 1})
	w.control("POST", "reopen", obj{"repo": "acme/fw", "number": 1})
	w.control("POST", "merge", obj{"repo": "acme/fw", "number": 1, "user": "ann"})
	if p, _, _ = c.PullRequests.Get(ctx, "acme", "fw", 1); !p.GetMerged() || p.GetMergedBy().GetLogin() != "ann" ||
		p.GetState() != "closed" {
		t.Errorf("merged: %v", p)
	}
	w.control("POST", "push", obj{"repo": "acme/fw", "branch": "theirs", "files": obj{"a.c": "int a;\n"}})
	f := w.control("POST", "pulls", obj{"repo": "acme/fw", "head": "theirs", "base": "main", "fork": true,
		"user": "eve"})
	forkHead := f["head_sha"].(string)
	if _, _, err := c.Git.GetRef(ctx, "acme", "fw", "heads/theirs"); status(err) != 404 {
		t.Errorf("head of a fork is a branch of the base: %v", err)
	}
	if ref, _, err := c.Git.GetRef(ctx, "acme", "fw", "pull/2/head"); err != nil ||
		ref.GetObject().GetSHA() != forkHead {
		t.Errorf("refs/pull/2/head: %v %v", ref, err)
	}
	run, _, err := c.Checks.CreateCheckRun(ctx, "acme", "fw", github.CreateCheckRunOptions{Name: "a",
		HeadSHA: forkHead})
	if err != nil || len(run.PullRequests) != 0 {
		t.Errorf("check run of a fork: %v %v", run, err)
	}
	w.control("POST", "push", obj{"repo": "acme/fw", "branch": "theirs", "files": obj{"a.c": "int b;\n"}})
	if _, _, err := c.Repositories.Get(ctx, "eve", "fw"); status(err) != 404 {
		t.Errorf("the App reaches the fork: %v", err)
	}
	got := strings.Join(w.events()[4:], " ")
	want := "push check_suite.requested pull_request.synchronize pull_request.closed pull_request.reopened pull_request.closed push check_suite.requested" +
		" push check_suite.requested pull_request.opened check_run.created pull_request.synchronize"
	if got != want {
		t.Errorf("events\n%s\nwant\n%s", got, want)
	}
	w.wantViolations(0)
}
