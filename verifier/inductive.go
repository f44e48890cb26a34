package verifier

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// The proof beyond the bound: loops are cut (encode.Cuts), invariants are guessed
// and those that are not inductive dropped (Houdini: Flanagan and Leino 2001), and
// what the survivors prove holds for any number of turns. What the cut formula
// calls a violation need not be one: only proofs come out of here.

const (
	maxWalks       = 80   // walks until the cut loops are known
	conflictsOfAll = 4000 // of the SAT solver, for a question about all candidates
	conflictsOfOne = 2000 // for a question about one
	earlyEffort    = 10   // times as many conflicts for the few lemmas that executions suggest
	maxThinned     = 8    // invariants of a certificate that are tried to do without, one by one
	maxProbes      = 6    // turns of loops that are not cut
	cutDepth       = 24   // nested calls
	alonePercent   = 40   // of the time left, for the only execution
	lemmaPercent   = 40   // of the time left, for the lemmas of the templates
	otherPercent   = 40   // of the time left, for another solver that checks the proof
)

// proofs is what was proved for any number of loop turns.
type proofs struct {
	groups []*group        // all claims of the cut program
	holds  map[string]bool // by claim ID
	known  map[string]bool // the IDs of groups
	cert   *verdict.Certificate
}

// covers reports that claim id was proved: it holds, or nothing gets there.
func (p *proofs) covers(id string) bool { return p != nil && (p.holds[id] || !p.known[id]) }

// all reports that every claim but the bounds was proved.
func (p *proofs) all() bool {
	return p != nil && !slices.ContainsFunc(p.groups,
		func(g *group) bool { return g.first.Check != verdict.Unwinding && !p.holds[g.id] })
}

// share is a context with a part of the time that ctx has left.
func share(ctx context.Context, percent time.Duration) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithTimeout(ctx, time.Minute)
	}
	return context.WithTimeout(ctx, time.Until(end)*percent/100)
}

// prover proves claims of the cut program.
type prover struct {
	*bounded
	cuts   *encode.Cuts
	f      *encode.Formula
	solver *solve.Own
	core   []ilr.Term   // what the last check used, if it was Unsat
	alive  []*candidate // lemmas that hold
	hold   ilr.Term     // assuming it assumes all of alive
	early  []*lemma     // those of the templates that executions suggest
	rest   []*lemma     // the others
	found  [][]*atom    // by header: sums that executions agree on
	gaps   ilr.Term
	effort int    // times as many conflicts for candidates
	why    string // what stopped the proof

	anyOverflow bool // signed overflow gives any value
}

// induct tries to prove the claims for any number of loop turns; nil when it
// could not.
func (b *bounded) induct(ctx context.Context) *proofs {
	stop := b.stage("induction")
	p := &prover{bounded: b, cuts: &encode.Cuts{All: b.cutAll}, effort: 1}
	out := p.prove(ctx)
	counts := map[string]int64{"invariants": int64(len(p.alive))}
	if p.solver != nil {
		p.solver.Close()
	}
	stop(counts)
	if out == nil {
		slog.Debug("no inductive proof", "why", p.why)
	}
	return out
}

// prove walks the program with its loops cut, finds lemmas by templates, then by
// clauses that exclude the states that lead to a violation.
func (p *prover) prove(ctx context.Context) *proofs {
	if !p.walk(ctx) {
		return nil
	}
	if !p.cuts.Any() {
		p.why = "no loop or recursion has to be cut"
		return nil
	}
	p.gaps = gapsOf(p.f)
	out := &proofs{groups: append(groupClaims(p.f.Claims), groupClaims(p.f.Dead)...), holds: map[string]bool{},
		known: map[string]bool{}}
	goals := p.goals(out)
	part, cancel := share(ctx, lemmaPercent)
	p.lemmas(part, bads(goals))
	cancel()
	return p.decideCut(ctx, out, goals)
}

// lemmas finds lemmas by the templates, in stages: none, those that executions
// suggest, all. It ends when they exclude bad.
func (p *prover) lemmas(ctx context.Context, bad []ilr.Term) {
	p.propose(ctx)
	stages := [][]*lemma{nil, p.early, p.rest}
	for i, stage := range stages {
		if i > 0 && len(stage) == 0 && i < len(stages)-1 {
			continue
		}
		before := slices.Clone(p.alive)
		for _, l := range stage {
			p.alive = append(p.alive, p.candidate(l))
		}
		p.effort = 1
		if i == 1 {
			p.effort = earlyEffort
		}
		if len(p.alive) > 0 && !p.houdini(ctx) {
			p.alive = slices.DeleteFunc(before, func(c *candidate) bool { return !slices.Contains(p.alive, c) })
		}
		p.holdAll()
		if i == len(stages)-1 {
			return
		}
		p.solver.LimitConflicts(conflictsOfAll)
		ans, _ := p.check(ctx, []ilr.Term{p.hold}, bad...)
		p.solver.LimitConflicts(0)
		slog.Debug("stage", "n", i, "lemmas", len(stage), "hold", len(p.alive), "enough", ans == solve.Unsat)
		if ans == solve.Unsat {
			return
		}
	}
}

// walk encodes until the unknown states at the headers cover what the turns do.
func (p *prover) walk(ctx context.Context) bool {
	for range maxWalks {
		f, solver, err := p.encodeCut(ctx)
		if err != nil {
			p.why = "encoding: " + err.Error()
			return false
		}
		if p.solver != nil {
			p.solver.Close()
		}
		p.f, p.solver = f, solver
		if !f.Grown {
			return true
		}
	}
	p.why = "the unknown states keep growing"
	return false
}

func (p *prover) encodeCut(ctx context.Context) (*encode.Formula, *solve.Own, error) {
	store := ilr.NewStore(nil)
	solver := solve.NewOwn(store, solve.Options{Memory: uint64(p.plan.Memory), Config: manyQuestions()})
	depth := cutDepth
	if d := p.plan.Depth; d > 0 && d < depth {
		depth = d
	}
	opts := p.plan.encodeOptions()
	opts.Depth, opts.MaxUnwind, opts.Cuts, opts.AnyOverflow = depth, maxProbes, p.cuts, p.anyOverflow
	f, err := encode.Encode(ctx, p.m, p.entry, store, opts, &prober{solver: solver})
	if err != nil {
		solver.Close()
		return nil, nil, err
	}
	for _, a := range f.Assumptions {
		solver.Assert(a)
	}
	return f, solver, nil
}

// manyQuestions are settings of CaDiCaL for many small questions: what it does
// before a long search costs more than their search.
func manyQuestions() map[string]int {
	return map[string]int{"walk": 0, "lucky": 0, "inprocessing": 0}
}

// check asks whether one of bad is possible where with is assumed.
func (p *prover) check(ctx context.Context, with []ilr.Term, bad ...ilr.Term) (solve.Answer, *ilr.Evaluator) {
	s := p.f.Store
	q := s.Or(bad...)
	p.core = nil
	if s.IsFalse(q) {
		return solve.Unsat, nil
	}
	return p.ask(ctx, append(slices.Clone(with), q)...)
}

// ask is Check with the model at hand.
func (p *prover) ask(ctx context.Context, assumed ...ilr.Term) (solve.Answer, *ilr.Evaluator) {
	ans, err := p.solver.Check(ctx, assumed...)
	if err != nil {
		return solve.Unknown, nil
	}
	if ans != solve.Sat {
		p.core = p.solver.Core()
		return ans, nil
	}
	return ans, p.f.Store.NewEvaluator(p.solver.Model(), ilr.EvalFloat)
}

// candidate makes a lemma assumable under a selector of its own.
func (p *prover) candidate(l *lemma) *candidate {
	s := p.f.Store
	c := &candidate{lemma: l, head: l.holds(p.f), fails: l.fails(p.f)}
	c.selector = s.Eq(s.Fresh("keep", ilr.BV(1)), s.Int(1, 1))
	p.solver.Assert(s.Implies(c.selector, c.head))
	return c
}

// holdAll makes a new hold for those alive: one assumption costs the solver less
// than hundreds.
func (p *prover) holdAll() {
	s := p.f.Store
	p.hold = s.Eq(s.Fresh("hold", ilr.BV(1)), s.Int(1, 1))
	for _, c := range p.alive {
		p.solver.Assert(s.Implies(p.hold, c.selector))
	}
}

func selectors(cs []*candidate) []ilr.Term {
	out := make([]ilr.Term, len(cs))
	for i, c := range cs {
		out[i] = c.selector
	}
	return out
}

func failsOf(cs []*candidate) []ilr.Term {
	out := make([]ilr.Term, len(cs))
	for i, c := range cs {
		out[i] = c.fails
	}
	return out
}

// gapsOf is that some path leaves what is modelled, or nests calls too deep.
func gapsOf(f *encode.Formula) ilr.Term {
	var ts []ilr.Term
	for i := range f.Gaps {
		ts = append(ts, f.Gaps[i].Guard)
	}
	for i := range f.Claims {
		if f.Claims[i].Check == verdict.Unwinding {
			ts = append(ts, f.Claims[i].Violated)
		}
	}
	return f.Store.Or(ts...)
}

// goals lists what has to be impossible for the claims of out: the gaps are a
// claim that all others need.
func (p *prover) goals(out *proofs) []goal {
	var goals []goal
	if !p.f.Store.IsFalse(p.gaps) {
		goals = append(goals, goal{bad: p.gaps, after: len(p.f.Sites)})
	}
	for _, g := range out.groups {
		out.known[g.id] = true
		if g.first.Check == verdict.Unwinding {
			continue
		}
		for _, c := range g.instances {
			if bad := violation(p.f, c); !p.f.Store.IsFalse(bad) {
				goals = append(goals, goal{id: g.id, bad: bad, after: c.After})
			}
		}
	}
	return goals
}

// decideCut finds the claims that hold and the lemmas that they need, and has
// both checked once more.
func (p *prover) decideCut(ctx context.Context, out *proofs, goals []goal) *proofs {
	more, failed := p.refute(ctx, goals)
	if failed == nil || failed[""] {
		p.why = "clauses: " + p.why
		return nil
	}
	var bad []ilr.Term
	for _, g := range goals {
		if !failed[g.id] {
			bad = append(bad, g.bad)
		}
	}
	open := 0
	for _, g := range out.groups {
		if g.first.Check == verdict.Unwinding {
			continue
		}
		if open++; !failed[g.id] {
			out.holds[g.id] = true
		}
	}
	if len(out.holds) == 0 && open > 0 {
		p.why = "no claim could be proved"
		return nil
	}
	for _, l := range more {
		p.alive = append(p.alive, p.candidate(l))
	}
	keep := p.needed(ctx, bad)
	checker, ok := p.verify(ctx, keep, out)
	if !ok {
		p.why = "the second check did not agree"
		return nil
	}
	out.cert = &verdict.Certificate{Method: "inductive invariants", Detail: p.detail(keep), Checked: checker}
	return out
}

// claim is the answer for a claim that was proved.
func (p *proofs) claim(g *group) verdict.Claim {
	return verdict.Claim{ID: g.id, Check: g.first.Check, Message: g.first.Message, Pos: g.first.Pos,
		Status: verdict.Proved, Replay: verdict.NotRun,
		Certificate: p.cert, Unreachable: !p.known[g.id]}
}

// reportBeyond reports when no round of unwinding ended.
func (b *bounded) reportBeyond() {
	if !b.beyond.all() {
		b.reportSettled()
		return
	}
	b.res.Reason = nil
	for _, g := range b.beyond.groups {
		if c := b.settled[g.id]; c != nil {
			b.res.Claims = append(b.res.Claims, *c)
		} else if g.first.Check != verdict.Unwinding {
			b.res.Claims = append(b.res.Claims, b.beyond.claim(g))
		}
	}
}

// forgetBounds leaves out the claims that bounds suffice when no other claim
// depends on them and nobody asked for them.
func (b *bounded) forgetBounds() {
	if b.beyond == nil || b.plan.Checks.Has(verdict.Unwinding) || slices.ContainsFunc(b.res.Claims,
		func(c verdict.Claim) bool {
			return c.Check != verdict.Unwinding && c.Status != verdict.Proved && c.Status != verdict.Violated
		}) {
		return
	}
	b.res.Claims = slices.DeleteFunc(b.res.Claims, func(c verdict.Claim) bool { return c.Check == verdict.Unwinding })
}
