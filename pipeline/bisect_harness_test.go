package pipeline

import (
	"context"
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

// TestNewHarnessIsTraceable: a finding of a harness that the run before did not know is followed, unless that run left
// entries out, or the harness is a generated one.
func TestNewHarnessIsTraceable(t *testing.T) {
	for _, c := range []struct {
		entry string
		whole bool
		want  int
	}{{"late", true, 1}, {"late", false, 0}, {prepare.AnyCall + "late", true, 0}} {
		x := TargetChange{From: RunRef{Commit: "a"}, To: RunRef{Commit: "b"}, equal: true}
		x.fill(claimsOfRun{whole: c.whole},
			claimsOfRun{claims: map[string]verdict.Claim{"k": {Status: verdict.Violated}},
				entry: map[string]string{"k": c.entry}})
		if got := x.traceable(); len(got) != c.want {
			t.Errorf("%+v: %d are followed", c, len(got))
		}
	}
}
