package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// TestServerIsSimulation: the server says of a pull request, and of a group in the merge queue, what `run --pr-sim` says:
// what is new, known and fixed.
func TestServerIsSimulation(t *testing.T) {
	dir := t.TempDir()
	const asks = "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [a.c]}\nfunctions: changed\nharnesses:\n  - {entry: main}\n" +
		"report: {behaviour: true}\nunchanged: "
	put(t, dir, ".firmproof.yml", asks+"[p*]\n")
	const text = `struct node { unsigned size; struct node *next; };
unsigned size(struct node *n) { GUARD return n->size / n->next->size; }
static int part(int a) { return 7 / a; }
int other(int a) { HOW return part(a); }
#define LIMIT 4
int at(unsigned i) { static int b[4]; return i < LIMIT ? b[i] : 0; }
int main(void) { int list[2] = {0}; HERE return list[1]; }
`
	edit := func(guard, here, file string) string {
		t.Helper()
		put(t, dir, "a.c", strings.NewReplacer("GUARD", guard, "HERE", here, "HOW", "").Replace(text))
		put(t, dir, file, here)
		commitAll(t, dir, "change")
		return revision(t, dir, "HEAD")
	}
	const null, none = "if (!n || !n->next) return 0;", ""
	first := edit(null, none, "a")
	worse := edit(none, "list[2] = 1;", "b") // the guard goes, and main goes wrong
	better := edit(null, none, "d")
	put(t, dir, "a.c", strings.NewReplacer("LIMIT 4", "LIMIT 5", "GUARD", null, "HERE", none, "HOW", none).Replace(text))
	commitAll(t, dir, "change")
	macro := revision(t, dir, "HEAD")
	put(t, dir, "a.c", strings.NewReplacer("LIMIT 4", "LIMIT 6", "GUARD", null, "HERE", none, "HOW", none).Replace(text))
	commitAll(t, dir, "change")
	farther := revision(t, dir, "HEAD")
	put(t, dir, "a.c", strings.NewReplacer("GUARD", null, "HERE", none, "static", "int more(int);\nstatic",
		"HOW", "if (!a) return 0; if (a == 7 && more(a)) a = 0;").Replace(text))
	commitAll(t, dir, "change")
	open := revision(t, dir, "HEAD")
	tagged := func(tag string) string { // a commit in which part has to do what it does in tag, and does not
		put(t, dir, ".firmproof.yml", asks+"{since: "+tag+", functions: [p*]}\n")
		put(t, dir, "a.c", strings.NewReplacer("GUARD", null, "HERE", none, "HOW", none, "7 / a", "8 / a").Replace(text))
		commitAll(t, dir, "change")
		return revision(t, dir, "HEAD")
	}
	if out, err := exec.Command("git", "-C", dir, "tag", "v1/a", first).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	put(t, dir, ".firmproof.yml", strings.Replace(asks, "cortex-m3", "cortex-m4", 1)+"[p*]\n")
	commitAll(t, dir, "change")
	elsewhere := revision(t, dir, "HEAD")
	since, untagged := tagged("v1/a"), tagged("v2")
	put(t, dir, ".firmproof.yml", asks+"[p*]\n")
	tip := edit(null, "list[3] = 1;", "e") // of the branch, which goes on

	c := &inProcess{t: t}
	s, st := localService(t, "sqlite:"+filepath.Join(t.TempDir(), "x.db"), dir, c)
	begin := func(r store.Run) string {
		t.Helper()
		r.Repo, r.Installation, r.Trigger = 1, 2, cmp.Or(r.Trigger, "push")
		id := ""
		if err := st.Write(context.Background(), func(tx store.Tx) (err error) {
			if r.Pull != 0 {
				if _, err := tx.PutPull(context.Background(), store.Pull{Repo: 1, Number: r.Pull, HeadSHA: r.HeadSHA,
					BaseSHA: r.BaseSHA, BaseRef: "main", State: "open"}); err != nil {
					return err
				}
			}
			id, err = s.Begin(context.Background(), tx, r)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		_, _ = awaitReport(t, st, id)
		return id
	}
	begin(store.Run{HeadSHA: tip, Ref: "refs/heads/main"})
	for i, pr := range []struct{ what, base, head, say, trigger string }{
		{"worse", first, worse, "3 introduced, 1 preexisting, 0 fixed", ""},
		{"better", worse, better, "0 introduced, 1 preexisting, 3 fixed", ""},
		{"macro", better, macro, "1 introduced, 0 preexisting, 0 fixed", ""},
		{"farther", macro, farther, "1 introduced, 0 preexisting, 0 fixed", ""},
		{"open", better, open, "", ""}, // other does not fail any more on 0
		{"behind", tip, worse, "", ""},
		{"since", better, since, "", ""},
		{"no tag", since, untagged, "", ""},
		{"new target", elsewhere, since, "", ""},
		{"merge group", first, worse, "3 introduced, 1 preexisting, 0 fixed", "merge_group"},
	} {
		run := store.Run{Pull: i + 1, HeadSHA: pr.head, BaseSHA: pr.base, BaseRef: "main",
			Ref: fmt.Sprintf("refs/pull/%d/head", i+1), Trigger: pr.trigger}
		if pr.trigger != "" {
			run.Pull, run.Ref = 0, "refs/heads/gh-readonly-queue/main/pr-1"
		}
		id := begin(run)
		got := compareStates(t, st, id)
		sim := &simulation{rng: pr.base + ".." + pr.head, repo: dir, out: io.Discard, err: io.Discard}
		sim.fl.jobs = 1
		both, err := sim.verify(context.Background())
		if err != nil || both.before == nil {
			t.Fatalf("%s: %v", pr.what, err)
		}
		want := pipeline.Compare(both.now, both.before, both.gaps["cortex-m3"])
		say := func(c pipeline.Context) string {
			return fmt.Sprint(c.States, c.FixedKeys, c.Gaps.Passing, c.Gaps.Doubtful, c.Gaps.Unasked)
		}
		if a, b := say(want), say(got); a != b && pr.what != "new target" || // the branch is ahead, and has the target
			(len(got.Gaps.Passing) > 0) != (pr.what == "open") {
			t.Errorf("%s: pr-sim\n%s\nserver\n%s", pr.what, a, b)
		}
		also := map[string]string{"since": "part:v1/a:differs:", "new target": "part:v1/a:differs:", "no tag": "v2[p*] []the repository has no tag v2"}[pr.what]
		if a, b := done(both.behaviour["cortex-m3"]), done(got.Behaviour); a != b || !strings.Contains(a, "[p*]") ||
			!strings.Contains(a, also) {
			t.Errorf("%s: pr-sim\n%s\nserver\n%s", pr.what, a, b)
		}
		counts := map[string]int{}
		for _, state := range got.States {
			counts[string(state)]++
		}
		if has := fmt.Sprintf("%d introduced, %d preexisting, %d fixed", counts["introduced"], counts["preexisting"],
			got.Fixed); pr.say != "" && has != pr.say {
			t.Errorf("%s: %s, want %s: %v %v", pr.what, has, pr.say, got.States, got.FixedKeys)
		}
	}
}

// done words what the functions that a change touches do.
func done(b reports.Behaviour) string {
	out := fmt.Sprint(b.Asked, b.Added, b.Gone, b.Unchanged)
	list := b.Comparisons
	if s := b.Since; s != nil {
		out += fmt.Sprint(" since ", s.Tag, s.Functions, s.Gone, s.Unknown)
		list = slices.Concat(list, s.Comparisons)
	}
	for _, c := range list {
		out += fmt.Sprintf(" %s:%s:%s:%s", c.Function, c.Since, c.Status, c.Pos)
		for _, d := range c.Differences {
			out += fmt.Sprintf("(%s %s %s)", d.Name, d.Old, d.New)
		}
	}
	return out
}

// compareStates reads what the only target run of an aggregate says of its findings.
func compareStates(t *testing.T, st *store.Store, aggregate string) pipeline.Context {
	t.Helper()
	var out pipeline.Context
	if err := st.Read(context.Background(), func(tx store.Tx) error {
		kids, err := tx.Children(context.Background(), aggregate)
		if err == nil {
			_, err = tx.Report(context.Background(), kids[0].ID, &out)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func revision(t *testing.T, dir, name string) string {
	t.Helper()
	out, err := exec.Command("git", "-C", dir, "rev-parse", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
