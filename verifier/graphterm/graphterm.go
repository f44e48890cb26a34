// Package graphterm decides termination and bounds of the runtime on the symbolic
// execution graph: the graph becomes an integer transition system, whose ranking
// functions, recurrent sets and bounds are those of the program.
package graphterm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Termination decides whether every run ends. What undefined behaviour would do is
// not asked: it ends a run (docs/SEMANTICS.md, cut).
type Termination struct {
	// Proves waits for the safety claims of this run, and reports whether all claims of a check are proved.
	Proves func(ctx context.Context, c verdict.Check) bool
}

// Run implements problem.Engine.
func (t Termination) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	e := &engine{p: p, a: a}
	claim, g := e.decideTermination(ctx, t.Proves)
	switch claim.Status {
	case verdict.Unknown:
		a.LeaveOpen(claim)
		return problem.ErrOpen
	case verdict.Proved:
		a.Settle(&problem.Settled{Claim: claim, Assumptions: assumptionsOf(g)})
	default:
		a.Settle(&problem.Settled{Claim: claim})
	}
	return nil
}

// assumptionsOf lists what proofs of termination on g rest on.
func assumptionsOf(g *seg.Graph) []verdict.Assumption {
	var out []verdict.Assumption
	if g.Recursive {
		out = append(out, verdict.Assume("", verdict.Meaning, verdict.Read, "the stack is large enough for the recursion"))
	}
	if !g.Defined() {
		out = append(out, problem.UndefinedEnds)
	}
	return out
}

// engine works on one problem.
type engine struct {
	p *problem.Problem
	a *problem.Answers

	byNull  bool // graphs tell null pointers apart
	modular bool // functions called from many places have one graph (seg.Options.Modular)

	turns func(ctx context.Context, p *problem.Problem) map[*ir.Block]int64 // Complexity.Turns
}

// decideTermination decides on the graph; where that leaves it open, also on one that tells null pointers apart, if the
// program has pointers that may be. It returns the graph that the claim is about.
func (e *engine) decideTermination(ctx context.Context, proves func(context.Context, verdict.Check) bool) (
	verdict.Claim, *seg.Graph) {
	if claim, g := e.terminationModularly(ctx); claim.Status == verdict.Proved {
		return claim, g
	}
	if !growsMemory(e.p) || !e.p.On(byNullsApart) {
		return e.decideByOverflow(ctx, proves)
	}
	part, cancel := firstTry(ctx, true)
	defer cancel()
	claim, g := e.decideByOverflow(part, proves)
	if claim.Status != verdict.Unknown || ctx.Err() != nil {
		return claim, g
	}
	e.byNull = true
	if second, h := e.decideByOverflow(ctx, proves); second.Status != verdict.Unknown {
		return second, h
	}
	return claim, g
}

// decideByOverflow decides on the graph without wrap-around, then with it if that
// matters. It returns the graph that the claim is about.
func (e *engine) decideByOverflow(ctx context.Context, proves func(context.Context, verdict.Check) bool) (
	verdict.Claim, *seg.Graph) {
	claim, g := e.prove(ctx, false)
	if claim.Status == verdict.Proved && g.Overflows && !e.p.MathInts() && !proves(ctx, verdict.SignedOverflow) {
		claim, g = e.withoutOverflow(ctx, claim, g)
	}
	return claim, g
}

// withoutOverflow settles a claim whose proof ends runs at signed overflow: a loop
// that only ends by undefined behaviour is no loop that ends. Either no run
// overflows, or the proof is given again with wrap-around. A run that never ends
// then is one only if it does so whatever the overflow does.
func (e *engine) withoutOverflow(ctx context.Context, claim verdict.Claim, g *seg.Graph) (verdict.Claim,
	*seg.Graph) {
	if e.neverOverflows(ctx, g, false, &claim) {
		return claim, g
	}
	if !e.p.On(byWrapping) {
		return e.overflowOpen("not asked"), g
	}
	wrapped, err := e.graph(ctx, true)
	if err == nil && e.neverOverflows(ctx, wrapped, true, &claim) {
		return claim, wrapped
	}
	second := e.proveOn(ctx, wrapped, err, true)
	if second.Status == verdict.Unknown {
		return e.overflowOpen(second.Reason.Detail), g
	}
	return second, wrapped
}

// overflowOpen returns the claim left open by a proof that ends runs at signed overflow; why says what stopped the one
// with wrap-around.
func (e *engine) overflowOpen(why string) verdict.Claim {
	return unknown(e.p.TerminationClaim(), &verdict.Reason{Kind: verdict.Incomplete,
		Detail: "the proof rests on the absence of signed overflow, which was not shown; with wrap-around: " + why,
		Remedy: "prove the check signed-overflow in the same run"})
}

// neverOverflows shows in one proof that every run ends and that none overflows
// on its way, as far as overflow matters for where it goes.
func (e *engine) neverOverflows(ctx context.Context, g *seg.Graph, wrap bool, claim *verdict.Claim) bool {
	if !e.p.On(byNoOverflow) {
		return false
	}
	sys, _, err := g.System(seg.SystemOptions{Overflow: true})
	if err != nil || !g.Complete {
		return false
	}
	part, cancel := firstTry(ctx, true)
	defer cancel()
	answer := e.decide(part, sys)
	if answer.Verdict != termination.Terminating {
		return false
	}
	claim.Certificate = e.rankingCertificate(answer, g, sys, wrap)
	claim.Certificate.Makers = append(claim.Certificate.Makers, byNoOverflow)
	claim.Evidence = certificate.RankingOf(e.kind(wrap), true, sys, answer.Proof)
	return true
}

// prove runs graph, system, and proof or refutation once.
func (e *engine) prove(ctx context.Context, wrap bool) (verdict.Claim, *seg.Graph) {
	g, err := e.graph(ctx, wrap)
	return e.proveOn(ctx, g, err, wrap), g
}

func (e *engine) proveOn(ctx context.Context, g *seg.Graph, err error, wrap bool) verdict.Claim {
	claim := e.p.TerminationClaim()
	if err != nil {
		return unknown(claim, giveUpReason(ctx, err))
	}
	if e.byNull && !g.ByNull {
		return unknown(claim, &verdict.Reason{Kind: verdict.Incomplete, Detail: "no pointers to tell apart"})
	}
	sys, legend, err := g.System(seg.SystemOptions{})
	if err != nil {
		return unknown(claim, &verdict.Reason{Kind: verdict.Internal, Detail: err.Error()})
	}
	e.dump(g, sys)
	answer := e.decide(ctx, sys)
	switch {
	case answer.Verdict == termination.Terminating && g.Complete:
		claim.Learn(verdict.Always)
		claim.Certificate = e.rankingCertificate(answer, g, sys, wrap)
		claim.Evidence = certificate.RankingOf(e.kind(wrap), false, sys, answer.Proof)
		return claim
	case answer.Verdict == termination.NonTerminating && (!wrap || g.Independent(legend, sys,
		answer.Run.Transitions())):
		return e.infinite(ctx, claim, g, sys, legend, answer, wrap)
	case answer.Verdict == termination.NonTerminating:
		answer.Reason = "a run goes on for ever by signed overflow"
	case !g.Complete:
		r := g.GaveUp[0]
		return unknown(claim, &r)
	}
	if answer.Late {
		return unknown(claim, late(answer.Reason))
	}
	return unknown(claim, giveUpReason(ctx, errors.New(answer.Reason)))
}

// decide asks for termination of a system.
func (e *engine) decide(ctx context.Context, sys *its.System) termination.Answer {
	stop := e.a.Stage("termination")
	answer := termination.Prove(ctx, sys, termination.Options{Off: e.p.Off})
	stop(rungCounts(answer.Rungs))
	return answer
}

// rankingCertificate returns the proof that the graph's system ends.
func (e *engine) rankingCertificate(a termination.Answer, g *seg.Graph, sys *its.System, wrap bool) *verdict.Certificate {
	return &verdict.Certificate{Method: "ranking function", Detail: lines(a.Text),
		Checked:  fmt.Sprintf("termination/certify, and seg/certify: %d edges of the graph", g.Stats.Certified),
		Makers:   techniques(a.By, e.kind(wrap)),
		Diagrams: diagrams(g, sys)}
}

// diagrams returns the graph and the system of a proof as far as they are small enough.
func diagrams(g *seg.Graph, sys *its.System) []verdict.Diagram {
	var out []verdict.Diagram
	for _, d := range []verdict.Diagram{g.Diagram(), sys.Diagram()} {
		n := len(d.Edges) // one says nothing
		if len(d.Nodes) <= policy.DiagramNodes && 1 < n && n <= policy.DiagramArrows {
			out = append(out, d)
		}
	}
	return out
}

// firstTry returns a context with a part of the time left, if a second try is to follow.
func firstTry(ctx context.Context, more bool) (context.Context, context.CancelFunc) {
	if _, limited := budget.Left(ctx); !more || !limited {
		return context.WithCancel(ctx)
	}
	return budget.Share(ctx, policy.FirstTryPercent)
}

// kind says which graph e works on.
func (e *engine) kind(wrap bool) certificate.Graph {
	return certificate.Graph{Wrap: wrap, ByNull: e.byNull, Modular: e.modular}
}

// graph builds the symbolic execution graph, and leaves time for the proof.
func (e *engine) graph(ctx context.Context, wrap bool) (*seg.Graph, error) {
	return e.build(ctx, e.kind(wrap).Options(e.p))
}

func (e *engine) build(ctx context.Context, opts seg.Options) (*seg.Graph, error) {
	if _, limited := budget.Left(ctx); limited {
		var cancel context.CancelFunc
		ctx, cancel = budget.Share(ctx, policy.GraphPercent)
		defer cancel()
	}
	stop := e.a.Stage("graph")
	g, err := seg.Build(ctx, e.p.Module, opts)
	var counts map[string]int64
	if g != nil {
		counts = rungCounts(g.Stats.Rungs)
		for k, n := range map[string]int{"steps": g.Stats.Steps, "cuts": g.Stats.Cuts, "edges": g.Stats.Edges,
			"merges": g.Stats.Merges, "certified": g.Stats.Certified, "repairs": g.Stats.Repairs,
			"certify-us": int(g.Stats.Certifying.Microseconds()), "quick": g.Stats.Quick, "asked": g.Stats.Asked} {
			counts[k] = int64(n)
		}
	}
	stop(counts)
	return g, err
}

func rungCounts(r linear.Rungs) map[string]int64 {
	return map[string]int64{"syntactic": int64(r.Syntactic), "interval": int64(r.Interval), "cached": int64(r.Cached),
		"exact-ms": r.Exact.Milliseconds(), "z3-ms": r.Solver.Milliseconds(), "rational": int64(r.Rational),
		"integer": int64(r.Integer), "z3": int64(r.Z3), "open": int64(r.Open)}
}

func unknown(c verdict.Claim, r *verdict.Reason) verdict.Claim {
	c.Learn(verdict.Undecided)
	c.Reason = r
	return c
}

func giveUpReason(ctx context.Context, err error) *verdict.Reason {
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return late(err.Error())
	}
	return &verdict.Reason{Kind: verdict.Incomplete, Detail: err.Error()}
}

func late(detail string) *verdict.Reason {
	return &verdict.Reason{Kind: verdict.TimedOut, Detail: detail, Remedy: "a longer --timeout"}
}

func lines(text string) []string {
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

func (e *engine) dump(g *seg.Graph, sys *its.System) {
	if e.p.Dump == nil {
		return
	}
	for _, stage := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"seg", g.DOT},
		{"its", func(w io.Writer) error { return its.WriteDOT(w, sys) }},
	} {
		if e.p.Dumps[stage.name] {
			var w bytes.Buffer
			if stage.write(&w) == nil {
				e.p.Dump(stage.name, w.String())
			}
		}
	}
}
