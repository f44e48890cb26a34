package pipeline

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestBisectionResumes: a search whose notice was lost goes on, past a commit that does not build; one in a history that
// was rewritten ends.
func TestBisectionResumes(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	var shas []string
	for range 6 {
		shas = append(shas, b.commit(benchManifest))
	}
	b.git("switch", "-q", "--orphan", "other")
	other := b.commit(benchManifest + "# another beginning\n")
	b.git("switch", "-q", "main")
	search := b.violatedIn("main", func(sha string) bool { return sha == shas[4] })
	search.Good, search.Bad = shas[0], shas[4]
	build := b.build
	b.build = func(ctx context.Context, req Request) (*Built, error) {
		built, err := build(ctx, req)
		if err == nil && built.Jobs[0].Plan.Assumptions[0].Text == shas[2] { // halves the others best
			return nil, &BuildError{"failure", errors.New("a.c:1:1: error: x")}
		}
		return built, err
	}
	b.write(func(tx store.Tx) error {
		rewritten := search
		rewritten.Kind, rewritten.Good = store.ProofGone, other
		if err := tx.PutBisection(ctx, rewritten); err != nil {
			return err
		}
		return tx.PutBisection(ctx, search)
	})
	time.Sleep(2 * time.Millisecond)
	if err := b.s.sweep(ctx, 0); err != nil {
		t.Fatal(err)
	}
	list := b.searched(2)
	found := OriginOf(&list[0])
	if found.State != "found" || found.Commits[0].SHA != shas[4] || len(found.Tried) > 3 || list[0].Tried[0] !=
		(store.Probe{SHA: shas[2], Outcome: store.ProbeSkip, Run: list[0].Tried[0].Run}) {
		t.Errorf("the finding: %+v", found)
	}
	if o := OriginOf(&list[1]); o.State != "stopped" || o.Why != "The history of the branch was rewritten." {
		t.Errorf("a rewritten history: %+v", o)
	}
}

// TestBisectionOfFix: who mended a finding is found as who brought it, between the commits of a run with it and of one
// without.
func TestBisectionOfFix(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	var shas []string
	for range 8 {
		shas = append(shas, b.commit(benchManifest))
	}
	search := b.violatedIn("main", func(sha string) bool { return slices.Index(shas, sha) < 5 })
	search.Kind, search.Good, search.Bad = store.FindingGone, shas[0], shas[7]
	b.write(func(tx store.Tx) error { return tx.PutBisection(ctx, search) })
	time.Sleep(2 * time.Millisecond)
	if err := b.s.sweep(ctx, 0); err != nil {
		t.Fatal(err)
	}
	list := b.searched(1)
	found := OriginOf(&list[0])
	if found.State != "found" || found.Commits[0].SHA != shas[5] || len(found.Tried) > 3 || found.Line() != "Commit that mended it:" {
		t.Errorf("the fix: %+v", found)
	}
	for _, p := range found.Tried {
		if there, known := found.There(p); !known || there != (slices.Index(shas, p.SHA) < 5) {
			t.Errorf("%s: there %v, known %v", p.SHA, there, known)
		}
	}
}

// violatedIn lets a claim of an entry be violated at some commits and proved at the others, in a run of the night and
// in runs to come; it returns the search for the first of these commits, without the commits between which to look.
func (b *bench) violatedIn(entry string, violated func(sha string) bool) store.Bisection {
	b.t.Helper()
	claim := verdict.Claim{ID: "memory@f#1", Check: verdict.Memory, Pos: verdict.Pos{File: "a.c", Line: 3,
		Function: "f"}}
	b.check = func(_ context.Context, t Task) (*verdict.Result, error) {
		r, c := &verdict.Result{Target: t.Job.Plan.Target, Entry: entry}, claim
		c.Status = verdict.Proved
		if violated(t.Job.Plan.Assumptions[0].Text) {
			c.Status = verdict.Violated
		}
		r.Claims = append(r.Claims, c)
		return r, nil
	}
	b.build = func(ctx context.Context, req Request) (*Built, error) {
		var run store.Run
		err := b.st.Read(ctx, func(tx store.Tx) (err error) { run, err = tx.Run(ctx, req.Run); return err })
		return &Built{Jobs: []prepare.Job{{Plan: verifier.Plan{Target: req.Target, Entry: entry,
			Assumptions: []verdict.Assumption{verdict.Assume("", verdict.Meaning, verdict.Read, run.HeadSHA)}}, Timeout: time.Minute}}}, err
	}
	search := store.Bisection{Repo: 1, Target: "i386", Kind: store.FindingCame, Open: true, Entry: entry,
		Fingerprint: reports.Fingerprint(&verdict.Result{Target: "i386", Entry: entry}, &claim)}
	b.write(func(tx store.Tx) (err error) {
		search.Night, err = tx.AddRun(context.Background(), store.Run{Repo: 1, Installation: 2, State: store.Done,
			Conclusion: "failure", Ref: "refs/heads/main", Trigger: "nightly"})
		return err
	})
	return search
}

// searched waits until so many bisections are over.
func (b *bench) searched(n int) (list []store.Bisection) {
	b.t.Helper()
	ctx := context.Background()
	for range 400 {
		if err := b.st.Read(ctx, func(tx store.Tx) (err error) {
			list, err = tx.Bisections(ctx, 1)
			return err
		}); err != nil {
			b.t.Fatal(err)
		}
		if len(list) == n && !slices.ContainsFunc(list, func(x store.Bisection) bool { return x.Open }) {
			return list
		}
		time.Sleep(25 * time.Millisecond)
	}
	return list
}

// TestProbe: only an answer that looked as deep as the night says that a claim is well without a proof.
func TestProbe(t *testing.T) {
	claim := verdict.Claim{ID: "memory@f#1", Check: verdict.Memory, Pos: verdict.Pos{Function: "f"}}
	res := verdict.Result{Target: "i386", Entry: "main"}
	b := store.Bisection{Fingerprint: reports.Fingerprint(&res, &claim)}
	opposite := map[string]string{"good": "bad", "bad": "good"}
	for _, c := range []struct {
		status             verdict.Status
		equal              bool
		ofFinding, ofProof string
	}{
		{verdict.Violated, false, "bad", "bad"}, {verdict.Proved, false, "good", "good"},
		{verdict.Bounded, true, "good", "bad"}, {verdict.Bounded, false, "", ""},
		{verdict.Unknown, true, "", "bad"}, {verdict.Unknown, false, "", ""},
		{verdict.Invalid, true, "good", ""}, {verdict.Invalid, false, "", ""}, // no such claim
	} {
		with := res
		if claim.Status = c.status; c.status != verdict.Invalid {
			with.Claims = []verdict.Claim{claim}
		}
		for kind, want := range map[string]string{store.FindingCame: c.ofFinding, store.ProofGone: c.ofProof,
			store.FindingGone: opposite[c.ofFinding]} {
			if b.Kind = kind; judgeProbe(&with, &b, c.equal) != want {
				t.Errorf("%v, equal %v, a %s: %q, want %q", c.status, c.equal, kind, judgeProbe(&with, &b, c.equal),
					want)
			}
		}
	}
	res.Reason, b.Kind = &verdict.Reason{Kind: verdict.TimedOut}, store.FindingCame
	if got := judgeProbe(&res, &b, true); got != "" {
		t.Errorf("without a full answer: %q", got)
	}
}
