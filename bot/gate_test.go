package bot_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// greedy is a checker whose builds reach the limit on memory.
type greedy struct{ reader }

// Build implements pipeline.Checker.
func (c *greedy) Build(context.Context, pipeline.Request) (*pipeline.Built, error) {
	return nil, &pipeline.LimitError{Limit: "memory",
		Err: errors.New(reports.LimitReached("memory", ""))}
}

// git runs git on the bare repository of acme/fw.
func (w *world) git(stdin string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=eve", "-c", "user.email=eve@example.org"}, args...)...)
	cmd.Dir, cmd.Stdin = filepath.Join(filepath.Dir(w.cfg.Data), "gh", "repos", "acme", "fw.git"),
		strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// blocks fails the test unless the newest check `name` blocks a merge and says what to do.
func (w *world) blocks(what string, s state, sha, name, conclusion, remedy string) {
	w.t.Helper()
	c := ofHead(s, sha)[name]
	if c.Conclusion != conclusion || !strings.Contains(c.Output.Summary, remedy) {
		w.t.Errorf("%s: %s %q: %s", what, name, c.Conclusion, c.Output.Summary)
	}
}

func (w *world) pullTo(head, base string) (number int, sha string) {
	w.t.Helper()
	m := w.call("POST", "/_fake/pulls", obj{"repo": "acme/fw", "head": head, "base": base, "title": "x"})
	return int(m["number"].(float64)), m["head_sha"].(string)
}

// TestNoVerdictBlocks: a pull request that takes the manifest away, brings objects that
// git refuses, or exhausts memory in its build does not pass a required check.
func TestNoVerdictBlocks(t *testing.T) {
	w := newWorld(t, &greedy{})
	w.repo("int main\n")
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "gone", "files": obj{".firmproof.yml": nil}})
	_, gone := w.pullTo("gone", "main")
	w.push("fat", "int main\nfat\n")
	_, fat := w.pullTo("fat", "main")
	blob := w.git("x\n", "hash-object", "-w", "--stdin")
	tree := w.git("100644 blob "+blob+"\t.git\n", "mktree")
	w.git("", "update-ref", "refs/heads/bad", w.git("", "commit-tree", "-m", "x", "-p", "main", tree))
	_, bad := w.pullTo("bad", "main")
	s := w.await("all check runs", finished(5))
	w.blocks("a manifest taken away", s, gone, "firmproof", "action_required", "Put the file back")
	w.blocks("a build out of memory", s, fat, "firmproof / x86_64", "action_required", "limit on memory")
	w.blocks("a build out of memory", s, fat, "firmproof", "action_required", "")
	w.blocks("objects that git refuses", s, bad, "firmproof", "failure", "git refuses")
}

// TestWeakerBranch: a commit that failed against the default branch still shows that when
// the pull request is turned to another branch; the answer for that one has its own name.
func TestWeakerBranch(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	w.addFile("weak", "w.txt")
	w.push("fix", "int main\nbug\n")
	n, head := w.pullTo("fix", "main")
	w.await("three completed check runs", finished(3))
	w.call("POST", "/_fake/retarget", obj{"repo": "acme/fw", "number": n, "base": "weak"})
	s := w.await("those against the other branch", finished(6))
	byName := map[string]int{}
	for _, c := range s.CheckRuns {
		byName[c.Name]++
	}
	for _, name := range []string{"firmproof", "firmproof / x86_64", "firmproof (into weak)",
		"firmproof (into weak) / x86_64"} {
		if byName[name] != 1 {
			t.Errorf("%d check runs %s", byName[name], name)
		}
	}
	w.blocks("the old base", s, head, "firmproof", "failure", "into `main`")
	w.blocks("the new base", s, head, "firmproof (into weak)", "failure", "into `weak`")
	w.call("POST", "/_fake/retarget", obj{"repo": "acme/fw", "number": n, "base": "main"})
	w.addFile("fix", "later.txt") // handled after it
	w.await("only the next commit's", finished(9))
}

// TestLatePush: a late delivery of an older push neither ends the run of the newer one nor
// brings back the older baseline.
func TestLatePush(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("main", "int main\nold\n")
	old := w.await("the older commit", finished(3)).CheckRuns[0].HeadSHA
	c.mu.Lock()
	c.hold = make(chan struct{})
	c.mu.Unlock()
	w.push("main", "int main\nnew\n")
	w.await("runs in progress", func(s state) bool { return c.count() == 4 && len(s.CheckRuns) == 6 })
	st := w.database()
	w.post("push", "late-push", obj{"ref": "refs/heads/main", "before": strings.Repeat("0", 40), "after": old,
		"installation": obj{"id": 50_007}, "repository": w.repository(st), "sender": obj{"login": "ann"}}, 202)
	ctx := context.Background()
	w.await("its end", func(state) bool {
		done := false
		if err := st.Read(ctx, func(tx store.Tx) error {
			d, err := tx.Delivery(ctx, "late-push")
			done = d.State == store.DeliveryDone
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return done
	})
	close(c.hold)
	s := w.await("the newer commit", finished(6))
	tip := s.CheckRuns[5].HeadSHA
	for _, r := range ofHead(s, tip) {
		if tip == old || r.Conclusion != "success" {
			t.Errorf("%s of the tip: %s", r.Name, r.Conclusion)
		}
	}
	if err := st.Read(ctx, func(tx store.Tx) error {
		r, err := tx.RepoByName(ctx, "acme/fw")
		if err != nil {
			return err
		}
		head, err := tx.LastHead(ctx, r.ID, "main")
		if head != tip {
			t.Errorf("the baseline is of %s, want %s", head, tip)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestRefusedPublication: GitHub refuses annotations, then everything but the bare
// conclusion, then all for a while; the check ends, with the right conclusion.
func TestRefusedPublication(t *testing.T) {
	for name, c := range map[string]struct {
		faults []obj
		want   string
		notes  int
	}{
		"annotations": {[]obj{{"match": "PATCH .*check-runs", "body": "annotation_level", "times": -1, "status": 422}},
			"because GitHub refused them: GitHub answers 422", 0},
		"the text": {[]obj{{"match": "PATCH .*check-runs", "body": "Full report", "times": -1, "status": 422}},
			"GitHub refused the text of this check", 0},
		"a hiccup": {[]obj{{"match": "PATCH .*check-runs", "times": 2, "status": 403}}, "main", 1},
		"create":   {[]obj{{"match": "POST .*check-runs$", "times": 1, "status": 422}}, "main", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &reader{})
			w.repo("int main\n")
			w.call("POST", "/_fake/faults", c.faults)
			w.push("fix", "int main\nbug\n")
			w.pull("fix", false)
			s := w.await("three completed check runs", finished(3))
			if !strings.Contains(s.CheckRuns[1].Output.Summary+s.CheckRuns[2].Output.Summary+
				s.CheckRuns[0].Output.Summary,
				c.want) {
				t.Errorf("%+v", s.CheckRuns)
			}
			for _, r := range s.CheckRuns {
				if r.Conclusion != "failure" || strings.Contains(r.Name, "/") && len(r.Annotations) < c.notes {
					t.Errorf("%s: %s, %d annotations", r.Name, r.Conclusion, len(r.Annotations))
				}
			}
		})
	}
}

// TestApproval: a fork's commit waits however often retention passes, only people with
// write access let it go, and only that commit.
func TestApproval(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("theirs", "int main\nfine\n")
	n := w.pull("theirs", true)
	gate := w.await("the gate", finished(1)).CheckRuns[0]
	ctx := context.Background()
	st := w.database()
	if err := st.Write(ctx, func(tx store.Tx) error {
		_, err := tx.Expire(ctx, store.Retention{Runs: time.Hour, Traces: time.Hour})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	say := func(user, body, want string) {
		t.Helper()
		w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": n, "user": user, "body": body})
		w.await("an answer with "+want, func(s state) bool {
			last := s.Comments[len(s.Comments)-1].Body
			return strings.Contains(last, "<!-- firmproof reply") && strings.Contains(last, want)
		})
	}
	w.call("POST", "/_fake/action", obj{"check_run": gate.ID, "identifier": "approve", "user": "rob"})
	w.call("POST", "/_fake/rerequest", obj{"check_run": gate.ID, "user": "rob"})
	say("ann", "/firmproof approve 0123456789", "not `0123456789`")
	if s := w.state(); c.built != 0 || len(s.CheckRuns) != 1 {
		t.Fatalf("%d builds, %d check runs without approval", c.built, len(s.CheckRuns))
	}
	// pushed after the comment that is delivered late: not what was looked at
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "theirs", "fork": "contributor",
		"files": obj{"main.c": "int main\nevil\n"}})
	s := w.await("a gate for the next commit", finished(2))
	// a comment that says something else at GitHub, by someone else
	w.post("issue_comment", "forged-comment", obj{"action": "created", "installation": obj{"id": 50_007},
		"repository": w.repository(st), "sender": obj{"login": "ann"},
		"issue": obj{"number": n, "pull_request": obj{}}, "comment": obj{"id": w.firstComment(),
			"body": "/firmproof approve " + s.CheckRuns[1].HeadSHA, "user": obj{"login": "ann"}}}, 202)
	say("ann", "/firmproof approve", "If you have looked at it, write")
	w.call("POST", "/_fake/action", obj{"check_run": gate.ID, "identifier": "approve"}) // of the first commit
	say("ann", "/firmproof approve "+strings.ToUpper(reports.ShortSHA(gate.HeadSHA)), "not `")
	if c.built != 0 {
		t.Fatal("an approval of the first commit built the second")
	}
	for _, r := range s.CheckRuns {
		if r.HeadSHA != gate.HeadSHA {
			say("ann", "/firmproof approve "+r.HeadSHA[:8], "is approved")
		}
	}
	w.await("the runs", func(s state) bool { return len(s.CheckRuns) == 5 && finished(5)(s) })
}

// repository is acme/fw as events describe it.
func (w *world) repository(st *store.Store) obj {
	w.t.Helper()
	var r store.Repo
	ctx := context.Background()
	if err := st.Read(ctx, func(tx store.Tx) (err error) {
		r, err = tx.RepoByName(ctx, "acme/fw")
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	return obj{"id": r.ID, "full_name": r.FullName, "clone_url": r.CloneURL, "html_url": r.HTMLURL,
		"default_branch": r.DefaultBranch}
}

// firstComment is the id of a comment that exists.
func (w *world) firstComment() any {
	for _, c := range w.call("GET", "/_fake/state", nil)["comments"].([]any) {
		return c.(map[string]any)["id"]
	}
	return nil
}

// TestUnknownNames: a command with a name that does not exist is answered, and no check changes.
func TestUnknownNames(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nfine\n")
	n := w.pull("fix", false)
	w.await("three completed check runs", finished(3))
	for body, want := range map[string]string{
		"/firmproof prove nosuch":         "no harness `nosuch`. Did you mean `main`?",
		"/firmproof rerun x86":            "no target `x86`. Did you mean `x86_64`?",
		"/firmproof rerun x86_64 nosuch":  "no harness `nosuch`",
		"/firmproof rerun a b c":          "`c` is too much",
		"/firmproof cancel all":           "`all` is too much",
		"/firmproof prove @acme/security": "`@acme/security`",
	} {
		w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": n, "user": "ann", "body": body})
		s := w.await("an answer to "+body, func(s state) bool {
			return strings.Contains(s.Comments[len(s.Comments)-1].Body, want)
		})
		if len(s.CheckRuns) != 3 || c.count() != 2 {
			t.Errorf("%s: %d check runs, %d verifications", body, len(s.CheckRuns), c.count())
		}
	}
}
