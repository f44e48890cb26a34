package pipeline

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestBisectionNewHarness: commits without the harness of a finding have not got it; no run is asked for them.
func TestBisectionNewHarness(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	with := strings.Replace(benchManifest, "{entry: main, unwind: 4}", "{entry: main, unwind: 4}\n  - {entry: late}", 1)
	var shas []string
	for i := range 8 {
		manifest := benchManifest
		if i >= 5 {
			manifest = with
		}
		shas = append(shas, b.commit(manifest))
	}
	search := b.violatedIn("late", func(sha string) bool { return sha != shas[5] })
	search.Good, search.Bad = shas[0], shas[7]
	b.write(func(tx store.Tx) error { return tx.PutBisection(ctx, search) })
	time.Sleep(2 * time.Millisecond)
	if err := b.s.sweep(ctx, 0); err != nil {
		t.Fatal(err)
	}
	list := b.searched(1)
	if found := OriginOf(&list[0]); found.State != "found" || found.Commits[0].SHA != shas[6] {
		t.Errorf("the finding: %+v", found)
	}
	for _, p := range list[0].Tried {
		if old := p.SHA != shas[5] && p.SHA != shas[6]; old != (p.Run == "") || old && p.Outcome != store.ProbeGood {
			t.Errorf("tried: %+v", p)
		}
	}
}

// TestBisectionNewFunction: a commit whose program generates no harness for the function of a finding is without it; one
// whose build ended badly says nothing.
func TestBisectionNewFunction(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	var shas []string
	for range 8 {
		shas = append(shas, b.commit(benchManifest))
	}
	search := b.violatedIn(prepare.AnyCall+"late", func(sha string) bool { return sha != shas[5] })
	search.Good, search.Bad = shas[0], shas[7]
	build := b.build
	b.build = func(ctx context.Context, req Request) (*Built, error) {
		built, err := build(ctx, req)
		if err != nil {
			return nil, err
		}
		if len(req.Options.Entries) > 0 || !slices.Equal(req.Only, []string{search.Entry}) {
			t.Errorf("asked for %v, only %v", req.Options.Entries, req.Only)
		}
		switch i := slices.Index(shas, built.Jobs[0].Plan.Assumptions[0].Text); {
		case i == 3: // the first one that is looked at
			return &Built{Jobs: []prepare.Job{{Settled: lost("i386", "*", verdict.Internal, "the build crashed")}}}, nil
		case i < 5:
			return &Built{}, nil
		}
		return built, nil
	}
	b.write(func(tx store.Tx) error { return tx.PutBisection(ctx, search) })
	time.Sleep(2 * time.Millisecond)
	if err := b.s.sweep(ctx, 0); err != nil {
		t.Fatal(err)
	}
	list := b.searched(1)
	if found := OriginOf(&list[0]); found.State != "found" || found.Commits[0].SHA != shas[6] {
		t.Errorf("the finding: %+v", found)
	}
	want := map[string]string{shas[3]: store.ProbeSkip, shas[4]: store.ProbeGood, shas[5]: store.ProbeGood}
	for _, p := range list[0].Tried {
		if w := want[p.SHA]; w != "" && p.Outcome != w {
			t.Errorf("tried: %+v", p)
		}
	}
}

// TestNewHarnessIsTraceable: a finding of a harness that the run before did not know, written or generated, is followed,
// unless that run left entries out.
func TestNewHarnessIsTraceable(t *testing.T) {
	for _, c := range []struct {
		entry string
		whole bool
		want  int
	}{{"late", true, 1}, {"late", false, 0}, {prepare.AnyCall + "late", true, 1}} {
		x := TargetChange{From: RunRef{Commit: "a"}, To: RunRef{Commit: "b"}, equal: true}
		x.fill(claimsOfRun{whole: c.whole},
			claimsOfRun{claims: map[string]verdict.Claim{"k": {Status: verdict.Violated}},
				entry: map[string]string{"k": c.entry}})
		if got := x.traceable(); len(got) != c.want {
			t.Errorf("%+v: %d are followed", c, len(got))
		}
	}
}
