package verifier

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination"
	"github.com/firmproof/firmproof/verifier/termination/certify"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// unbounded is the state of one run of the unbounded lane.
type unbounded struct {
	m     *ir.Module
	entry *ir.Func
	plan  Plan
	res   *verdict.Result

	others func() *verdict.Result // the bounded lane's result, when it is there
}

// run answers termination and complexity: symbolic execution graph,
// transition system, ranking functions or a run that never ends. What undefined
// behaviour would do is not asked: it ends a run (docs/SEMANTICS.md, cut).
func (u *unbounded) run(ctx context.Context) {
	if u.plan.Checks.Has(verdict.Termination) {
		u.addClaim(u.termination(ctx))
	}
	if u.plan.Checks.Has(verdict.ComplexityBound) {
		u.addClaim(u.complexity(ctx))
	}
	if u.plan.Integers == "unbounded" {
		u.res.Assumptions = append(u.res.Assumptions,
			"integers are mathematical ones, without overflow, in the answers about termination and complexity")
	}
}

func (u *unbounded) addClaim(c verdict.Claim) {
	c.ID = string(c.Check) + "@" + u.plan.Entry
	if c.Pos == (verdict.Pos{}) {
		c.Pos = u.entry.Pos
	}
	u.res.Claims = append(u.res.Claims, c)
}

func (u *unbounded) mathInts() bool { return u.plan.Integers == "unbounded" }

// termination tries to find a run that repeats its state, then the proof.
func (u *unbounded) termination(ctx context.Context) verdict.Claim {
	if !u.mathInts() {
		if c, ok := u.stage("lasso", func() (verdict.Claim, bool) { return u.guessLasso(ctx) }); ok {
			return c
		}
	}
	claim, g := u.byEither(ctx)
	if g == nil {
		return claim
	}
	if claim.Status != verdict.Proved {
		return claim
	}
	if g.Recursive {
		u.res.Assumptions = append(u.res.Assumptions, "the stack is large enough for the recursion")
	}
	if !g.MemorySafe {
		u.res.Assumptions = append(u.res.Assumptions, undefinedEnds)
	}
	return claim
}

// undefinedEnds is an assumption of proofs of termination.
const undefinedEnds = "runs with undefined behaviour end there: its absence is the matter of other checks"

// byEither decides by the graph, or by bits where that tells nothing or takes
// longer; then there is no graph.
func (u *unbounded) byEither(ctx context.Context) (verdict.Claim, *seg.Graph) {
	if u.mathInts() {
		return u.byGraph(ctx)
	}
	part, end := context.WithCancel(ctx)
	defer end()
	bits := u.startBits(ctx, end)
	claim, g := u.byGraph(part)
	if c, ok := bits.finish(claim.Status == verdict.Unknown, u.res); ok {
		return c, nil
	}
	return claim, g
}

// byBits proves by measures over bit vectors.
func (u *unbounded) byBits(ctx context.Context) (verdict.Claim, bool) {
	cert, why := u.bitPrecise(ctx)
	if cert == nil {
		slog.Debug("no bit-precise ranking", "why", why)
		return verdict.Claim{}, false
	}
	u.res.Assumptions = append(u.res.Assumptions, undefinedEnds)
	return verdict.Claim{Check: verdict.Termination, Message: everyRunEnds, Status: verdict.Proved, Certificate: cert},
		true
}

// everyRunEnds is the claim of termination.
const everyRunEnds = "every run ends"

// byGraph decides termination by the symbolic execution graph.
func (u *unbounded) byGraph(ctx context.Context) (verdict.Claim, *seg.Graph) {
	claim, g := u.prove(ctx, false)
	if claim.Status == verdict.Proved && g.Overflows && !u.mathInts() && !u.provedByOthers(verdict.SignedOverflow) {
		claim, g = u.withoutOverflow(ctx, claim, g)
	}
	return claim, g
}

// withoutOverflow settles a claim whose proof ends runs at signed overflow: a loop
// that only ends by undefined behaviour is no loop that ends. Either no run
// overflows, or the proof is given again with wrap-around. A run that never ends
// then is one only if it does so whatever the overflow does.
func (u *unbounded) withoutOverflow(ctx context.Context, claim verdict.Claim, g *seg.Graph) (verdict.Claim,
	*seg.Graph) {
	if u.neverOverflows(ctx, g, &claim) {
		return claim, g
	}
	wrapped, err := u.graph(ctx, true)
	if err == nil && u.neverOverflows(ctx, wrapped, &claim) {
		return claim, wrapped
	}
	again := u.proveOn(ctx, wrapped, err, true)
	if again.Status == verdict.Unknown {
		return unknown(verdict.Claim{Check: claim.Check, Message: claim.Message},
			&verdict.Reason{Kind: verdict.Incomplete,
				Detail: "the proof rests on the absence of signed overflow, which was not shown; with wrap-around: " +
					again.Reason.Detail,
				Remedy: "prove the check signed-overflow in the same run"}), g
	}
	return again, wrapped
}

// neverOverflows shows in one proof that every run ends and that none overflows
// on its way, as far as overflow matters for where it goes.
func (u *unbounded) neverOverflows(ctx context.Context, g *seg.Graph, claim *verdict.Claim) bool {
	sys, _, err := g.System(seg.SystemOptions{Overflow: true})
	if err != nil || !g.Complete {
		return false
	}
	part, cancel := u.share(ctx, true)
	defer cancel()
	answer := u.decide(part, sys)
	if answer.Verdict != termination.Terminating {
		return false
	}
	claim.Certificate = rankingCertificate(answer, g)
	return true
}

// provedByOthers: the bounded lane proved every claim of check c in this run.
func (u *unbounded) provedByOthers(c verdict.Check) bool {
	if !u.plan.Checks.Has(c) || u.others == nil {
		return false
	}
	res := u.others()
	if res == nil || res.Reason != nil {
		return false
	}
	for i := range res.Claims {
		if cl := &res.Claims[i]; cl.Status != verdict.Proved && (cl.Check == c || cl.Check == verdict.Unwinding) {
			return false
		}
	}
	return true
}

// prove is one round: graph, system, proof or refutation.
func (u *unbounded) prove(ctx context.Context, wrap bool) (verdict.Claim, *seg.Graph) {
	g, err := u.graph(ctx, wrap)
	return u.proveOn(ctx, g, err, wrap), g
}

func (u *unbounded) proveOn(ctx context.Context, g *seg.Graph, err error, wrap bool) verdict.Claim {
	claim := verdict.Claim{Check: verdict.Termination, Message: everyRunEnds}
	if err != nil {
		return unknown(claim, giveUpReason(ctx, err))
	}
	sys, legend, err := g.System(seg.SystemOptions{})
	if err != nil {
		return unknown(claim, &verdict.Reason{Kind: verdict.Internal, Detail: err.Error()})
	}
	u.dump(g, sys)
	answer := u.decide(ctx, sys)
	switch {
	case answer.Verdict == termination.Terminating && g.Complete:
		claim.Status = verdict.Proved
		claim.Certificate = rankingCertificate(answer, g)
		return claim
	case answer.Verdict == termination.NonTerminating && (!wrap || g.Independent(legend, sys, transitions(answer.Run))):
		return u.infinite(ctx, claim, g, sys, legend, answer, wrap)
	case answer.Verdict == termination.NonTerminating:
		answer.Reason = "a run goes on for ever by signed overflow"
	case !g.Complete:
		r := g.GaveUp[0]
		return unknown(claim, &r)
	}
	return unknown(claim, giveUpReason(ctx, fmt.Errorf("%s", answer.Reason)))
}

// decide asks for termination of a system.
func (u *unbounded) decide(ctx context.Context, sys *its.System) termination.Answer {
	start := time.Now()
	answer := termination.Prove(ctx, sys, termination.Options{})
	u.res.Stages = append(u.res.Stages, verdict.Stage{Name: "termination", Seconds: time.Since(start).Seconds(),
		Counts: rungCounts(answer.Rungs)})
	return answer
}

// transitions are those that a recurrence takes.
func transitions(r *certify.Recurrence) []int {
	var out []int
	for _, s := range append(append([]certify.Step(nil), r.Stem...), r.Cycle...) {
		out = append(out, s.Trans)
	}
	return out
}

// rankingCertificate is the proof that the graph's system ends.
func rankingCertificate(a termination.Answer, g *seg.Graph) *verdict.Certificate {
	return &verdict.Certificate{Method: "ranking function", Detail: lines(a.Text),
		Checked: fmt.Sprintf("termination/certify, and seg/certify: %d edges of the graph", g.Stats.Certified)}
}

// complexity bounds the instructions of any run.
func (u *unbounded) complexity(ctx context.Context) verdict.Claim {
	claim := verdict.Claim{Check: verdict.ComplexityBound,
		Message: "the number of executed instructions has an upper bound"}
	g, err := u.graph(ctx, false)
	if err != nil {
		return unknown(claim, giveUpReason(ctx, err))
	}
	if !g.Complete {
		r := g.GaveUp[0]
		return unknown(claim, &r)
	}
	if g.Recursive {
		return unknown(claim, &verdict.Reason{Kind: verdict.Incomplete,
			Detail: "the cost of recursive functions is not bounded by this method"})
	}
	sys, legend, cost, err := u.bounds(ctx, g)
	if err != nil {
		return unknown(claim, &verdict.Reason{Kind: verdict.Internal, Detail: err.Error()})
	}
	if cost.Bound == nil {
		return unknown(claim, giveUpReason(ctx, fmt.Errorf("no bound of the runtime was found")))
	}
	bound := cost.Bound.Format(sys.VarName)
	u.res.Complexity = &verdict.Complexity{Bound: bound, Class: cost.Order(), Loops: loopTurns(sys, legend, cost)}
	claim.Status = verdict.Proved
	claim.Message = fmt.Sprintf("at most %s instructions, in %s", bound, cost.Order())
	claim.Certificate = &verdict.Certificate{Method: "runtime bounds", Detail: lines(cost.Text)}
	return claim
}

// bounds looks for a bound that does not rest on the ranges of types, then for any.
func (u *unbounded) bounds(ctx context.Context, g *seg.Graph) (*its.System, seg.Legend, termination.Cost, error) {
	start := time.Now()
	var sys *its.System
	var legend seg.Legend
	var cost termination.Cost
	for _, free := range []bool{true, false} {
		s, l, err := g.System(seg.SystemOptions{Costs: true, NoTypeBounds: free})
		if err != nil {
			return nil, l, cost, err
		}
		part, cancel := u.share(ctx, free)
		sys, legend, cost = s, l, termination.Bounds(part, s, termination.Options{Z3Millis: 200})
		cancel()
		if cost.Bound != nil {
			break
		}
	}
	u.dump(g, sys)
	u.res.Stages = append(u.res.Stages, verdict.Stage{Name: "bounds", Seconds: time.Since(start).Seconds(),
		Counts: rungCounts(cost.Rungs)})
	return sys, legend, cost, nil
}

// share is two thirds of the time left, if a second try is to follow.
func (u *unbounded) share(ctx context.Context, more bool) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !more || !ok {
		return context.WithCancel(ctx)
	}
	now := time.Now()
	return context.WithDeadline(ctx, now.Add(deadline.Sub(now)*2/3))
}

func (u *unbounded) graph(ctx context.Context, wrap bool) (*seg.Graph, error) {
	start := time.Now()
	if deadline, ok := ctx.Deadline(); ok { // leave time for the proof
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, start.Add(deadline.Sub(start)*6/10))
		defer cancel()
	}
	g, err := seg.Build(ctx, u.m, seg.Options{Semantics: u.plan.Semantics, Entry: u.entry, MathInts: u.mathInts(),
		Wrap: wrap})
	st := verdict.Stage{Name: "graph", Seconds: time.Since(start).Seconds()}
	if g != nil {
		st.Counts = rungCounts(g.Stats.Rungs)
		for k, n := range map[string]int{"steps": g.Stats.Steps, "cuts": g.Stats.Cuts, "edges": g.Stats.Edges,
			"merges": g.Stats.Merges, "certified": g.Stats.Certified, "repairs": g.Stats.Repairs,
			"certify-us": int(g.Stats.Certifying.Microseconds()), "quick": g.Stats.Quick, "asked": g.Stats.Asked} {
			st.Counts[k] = int64(n)
		}
	}
	u.res.Stages = append(u.res.Stages, st)
	return g, err
}

func (u *unbounded) stage(name string, f func() (verdict.Claim, bool)) (verdict.Claim, bool) {
	start := time.Now()
	c, ok := f()
	u.res.Stages = append(u.res.Stages, verdict.Stage{Name: name, Seconds: time.Since(start).Seconds()})
	return c, ok
}

func rungCounts(r linear.Rungs) map[string]int64 {
	return map[string]int64{"syntactic": int64(r.Syntactic), "interval": int64(r.Interval), "cached": int64(r.Cached),
		"exact-ms": r.Exact.Milliseconds(), "z3-ms": r.Solver.Milliseconds(), "rational": int64(r.Rational),
		"integer": int64(r.Integer), "z3": int64(r.Z3), "open": int64(r.Open)}
}

func unknown(c verdict.Claim, r *verdict.Reason) verdict.Claim {
	c.Status, c.Reason = verdict.Unknown, r
	return c
}

func giveUpReason(ctx context.Context, err error) *verdict.Reason {
	if ctx.Err() != nil || strings.Contains(err.Error(), context.DeadlineExceeded.Error()) ||
		strings.Contains(err.Error(), "out of time") {
		return &verdict.Reason{Kind: verdict.TimedOut, Detail: err.Error(), Remedy: "a longer --timeout"}
	}
	return &verdict.Reason{Kind: verdict.Incomplete, Detail: err.Error()}
}

func lines(text string) []string {
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

func (u *unbounded) dump(g *seg.Graph, sys *its.System) {
	if u.plan.Dump == nil {
		return
	}
	for _, stage := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"seg", g.DOT},
		{"its", func(w io.Writer) error { return its.WriteDOT(w, sys) }},
	} {
		if u.plan.Dumps[stage.name] {
			var w bytes.Buffer
			if stage.write(&w) == nil {
				u.plan.Dump(stage.name, w.String())
			}
		}
	}
}
