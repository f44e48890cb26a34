package bot_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// nightFalls makes the nightly run of the only repository due.
func (w *world) nightFalls(mark string) {
	w.t.Helper()
	ctx := context.Background()
	st := w.database()
	if err := st.Write(ctx, func(tx store.Tx) error {
		due, err := tx.DueSchedules(ctx, time.Now().Add(48*time.Hour))
		if err != nil || len(due) != 1 {
			w.t.Fatalf("%d schedules, %v", len(due), err)
		}
		// another text: the time is taken over
		due[0].Spec, due[0].Next = due[0].Spec+mark, time.Now().Add(-time.Minute)
		return tx.PutSchedule(ctx, due[0])
	}); err != nil {
		w.t.Fatal(err)
	}
}

// listener keeps what is posted to it.
type listener struct {
	mu   sync.Mutex
	told []string
}

func (l *listener) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, string(text))
}

// heard waits until something with all the parts was posted.
func (l *listener) heard(t *testing.T, parts ...string) {
	t.Helper()
	for range 1200 {
		l.mu.Lock()
		told := slices.Clone(l.told)
		l.mu.Unlock()
		if slices.ContainsFunc(told, func(s string) bool {
			return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(s, p) })
		}) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("nobody was told %q, but %q", parts, l.told)
}

// TestNightlyIssue: one issue with the regression report, updated night after
// night, made once although the answer to its creation is lost. It names the commit that brought a finding. A clean night
// leaves a trace on the repository's page.
func TestNightlyIssue(t *testing.T) {
	w := newWorld(t, &reader{})
	w.stop()
	var told listener
	hook := httptest.NewServer(&told)
	t.Cleanup(hook.Close)
	post := newMailServer(t, true)
	mailed(t, &w.cfg, post, "# ours\nhttp://127.0.0.1:1/secret\n"+hook.URL+"/hook\nACME/* mailto:ann@example.org\n"+
		"acme/other mailto:bob@example.org\n")
	w.start()
	w.repo("int main\n")
	manifest := testManifest + "nightly: {at: \"02:00\"}\n"
	push := func(text string, runs int) {
		w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "main", "files": obj{"main.c": text,
			".firmproof.yml": manifest}})
		w.await("the push", finished(runs))
	}
	nightly := func(what string, parts ...string) {
		w.await(what, func(s state) bool {
			if len(s.Issues) > 1 {
				t.Fatalf("%d issues", len(s.Issues))
			}
			if len(s.Issues) == 0 || s.Issues[0].State != "open" {
				return false
			}
			for _, p := range parts {
				if !strings.Contains(s.Issues[0].Body, p) {
					return false
				}
			}
			return strings.HasPrefix(s.Issues[0].Body, "<!-- firmproof nightly -->")
		})
	}
	push("int main\nfine\n", 3)
	bad := w.history()
	w.call("POST", "/_fake/faults", []obj{{"match": "POST .*/issues$", "times": 1, "kind": "after-effect",
		"status": 502}})
	w.nightFalls(" ")
	nightly("the first night", "bug one", "### New", "\n  - First bad commit: "+bad[:10]+" ring: wrap ")
	w.bisected(bad)
	told.heard(t, `"repository":"acme/fw"`, "bug one at main.c:", "new in the night", "since "+bad[:10]+" by ", "/findings/")
	post.heard(t, "RCPT TO:<ann@example.org>", "Subject: acme/fw: ", "bug one at main.c:", "since "+bad[:10]+" by ", "/findings/")
	if told := strings.Join(post.told, ""); strings.Contains(told, "bob@") {
		t.Errorf("who asked for another repository is told: %s", told)
	}
	if log := w.logs.String(); !strings.Contains(log, "a notice was not taken") || strings.Contains(log, "127.0.0.1:1/secret") {
		t.Errorf("the address that does not answer is named, or nothing is said of it: %s", log)
	}
	link := regexp.MustCompile(`\[[^]]*bug one[^]]*\]\(http://firmproof\.example(/runs/\w+/findings/\w+)\)`)
	if m := link.FindStringSubmatch(w.state().Issues[0].Body); m == nil {
		t.Errorf("no link to the finding in\n%s", w.state().Issues[0].Body)
	} else {
		w.pageShows(m[1], "bug one")
	}
	push("int main\nfine again\n", 6)
	w.nightFalls("  ")
	w.await("the second night", func(s state) bool {
		return len(s.Issues) == 1 && !strings.Contains(s.Issues[0].Body,
			"bug one")
	})
	w.pageShows("/repos/acme/fw", `last night's run</a>: <span class="success">`)
	if n := len(w.state().CheckRuns); n != 6 {
		t.Errorf("%d check runs: a night made its own", n)
	}
}
