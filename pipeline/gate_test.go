package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestNoVerdictIsNoPass: whatever keeps a run from a verdict, it does not end in a way
// that lets a required check pass, and it says what to do.
func TestNoVerdictIsNoPass(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	sha := b.commit(benchManifest)
	for name, c := range map[string]struct {
		build      error
		verify     *verdict.Reason
		conclusion string
		remedy     string
	}{
		"build out of memory": {build: &LimitError{"memory", errors.New("the limit on memory. Make it smaller")},
			conclusion: "action_required", remedy: "Make it smaller"},
		"build too slow": {build: &LimitError{"time", errors.New("no answer. Make it shorter")},
			conclusion: "timed_out", remedy: "Make it shorter"},
		"verification out of memory": {verify: &verdict.Reason{Kind: verdict.OutOfMemory, Detail: "too large"},
			conclusion: "action_required"},
		"verification crashed": {verify: &verdict.Reason{Kind: verdict.Internal, Detail: "status 139"},
			conclusion: "action_required"},
	} {
		ok, check := b.build, b.check
		if c.build != nil {
			b.build = func(context.Context, Request) (*Built, error) { return nil, c.build }
		}
		if c.verify != nil {
			b.check = func(_ context.Context, t Task) (*verdict.Result, error) {
				return lost(t.Job.Plan.Target, t.Job.Plan.Entry, c.verify.Kind, c.verify.Detail), nil
			}
		}
		b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: sha, Ref: "refs/heads/main", Trigger: "rerun"})
		agg, kids := b.await()
		if agg.Conclusion != c.conclusion || kids[0].Conclusion != c.conclusion || kids[0].Tries != 1 ||
			!strings.Contains(kids[0].Detail, c.remedy) {
			t.Errorf("%s: %s, %+v", name, agg.Conclusion, kids[0])
		}
		b.build, b.check = ok, check
		b.write(func(tx store.Tx) error { return tx.TouchRun(ctx, agg.ID) })
	}
}

// TestManifestTakenAway: a change without the manifest that its base branch has is not
// let through; a repository that never had one is left alone.
func TestManifestTakenAway(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	base := b.commit(benchManifest)
	if err := os.Remove(filepath.Join(b.dir, ManifestName)); err != nil {
		t.Fatal(err)
	}
	b.git("checkout", "-q", "-b", "fix")
	b.git("commit", "-q", "-a", "-m", "gone")
	head := b.git("rev-parse", "HEAD")
	b.git("update-ref", "refs/pull/7/head", head)
	b.write(func(tx store.Tx) error {
		_, err := tx.PutPull(ctx, store.Pull{Repo: 1, Number: 7, State: "open", HeadSHA: head, BaseSHA: base,
			BaseRef: "main"})
		return err
	})
	b.begin(store.Run{Repo: 1, Installation: 2, Pull: 7, HeadSHA: head, BaseSHA: base, BaseRef: "main",
		Ref: "refs/pull/7/head", Trigger: "pull_request"})
	if agg, _ := b.await(); agg.Conclusion != "action_required" || !strings.Contains(agg.Detail, "Put the file back") {
		t.Errorf("%s: %s", agg.Conclusion, agg.Detail)
	}
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: head, BaseSHA: base, BaseRef: "main", Ref: "refs/heads/fix",
		Trigger: "merge_group"})
	if agg, _ := b.await(); agg.Conclusion != "action_required" {
		t.Errorf("in the merge queue: %s: %s", agg.Conclusion, agg.Detail)
	}
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: head, Ref: "refs/heads/fix", Trigger: "push"})
	if agg, _ := b.await(); agg.Conclusion != "neutral" || !strings.Contains(agg.Detail, "firmproof init") {
		t.Errorf("%s: %s", agg.Conclusion, agg.Detail)
	}
}

// TestFailOn: unknowns fail where the manifest says so, and are neutral where it does not.
func TestFailOn(t *testing.T) {
	b := newBench(t)
	b.check = func(_ context.Context, task Task) (*verdict.Result, error) {
		r := proved(task)
		r.Claims = append(r.Claims, verdict.Claim{ID: "memory@f#2", Check: verdict.Memory, Status: verdict.Unknown,
			Reason: &verdict.Reason{Kind: verdict.Unsupported, Detail: "asm"}})
		r.Summarise()
		return r, nil
	}
	for manifest, want := range map[string]string{benchManifest: "neutral",
		benchManifest + "report: {fail_on: violation}\n": "neutral",
		benchManifest + "report: {fail_on: unknown}\n":   "failure"} {
		b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: b.commit(manifest), Ref: "refs/heads/main",
			Trigger: "push"})
		if agg, _ := b.await(); agg.Conclusion != want {
			t.Errorf("%s: %s, want %s", manifest, agg.Conclusion, want)
		}
	}
}

// TestOldCommitIsNoBaseline: verifying an older commit of the branch once more does not
// bring back what was known then.
func TestOldCommitIsNoBaseline(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	old := b.commit(benchManifest)
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: old, Ref: "refs/heads/main", Trigger: "push"})
	b.await()
	tip := b.commit(benchManifest)
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: tip, Ref: "refs/heads/main", Trigger: "push"})
	b.await()
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: old, Ref: "refs/heads/main", Trigger: "rerun"})
	b.await()
	b.write(func(tx store.Tx) error {
		head, err := tx.LastHead(ctx, 1, "main")
		if head != tip {
			t.Errorf("the baseline is of %s, want %s", head, tip)
		}
		return err
	})
}

// TestChosenTargetsLeaveNoneOut: a run on chosen targets, as the first of a commit, does
// the others as well; after that it does only what it was asked for.
func TestChosenTargetsLeaveNoneOut(t *testing.T) {
	b := newBench(t)
	sha := b.commit(strings.Replace(benchManifest, "[i386]", "[i386, x86_64]", 1))
	for _, want := range []int{2, 1} {
		b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: sha, Ref: "refs/heads/main", Trigger: "command",
			Options: store.Options{Targets: []string{"i386"}, Entries: []string{"main"}}})
		if _, kids := b.await(); len(kids) != want {
			t.Errorf("%d targets, want %d", len(kids), want)
		}
	}
}
