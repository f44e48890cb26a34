package invariant

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/ellipse"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/ring"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Cut is a program whose loops and recursions are cut: its formula starts each turn
// in an unknown state (encode.Cuts). What the formula calls a violation need not be
// one: only proofs come out of it.
type Cut struct {
	Formula *encode.Formula

	p      *problem.Problem
	opts   CutOptions
	cuts   *encode.Cuts
	solver *solve.Own
	core   []ilr.Term   // what the last question used, if it was Unsat
	words  *ilr.Mapping // takes products for any words; nil: they are followed
}

// CutOptions of OpenCut.
type CutOptions struct {
	All         bool // cut also loops that end by themselves
	Turns       int  // for how many turns, 0 for one
	AnyOverflow bool // signed overflow gives any value, instead of wrapping around
}

// OpenCut walks p until the unknown states at the headers cover what the turns do.
// Close what it returns.
func OpenCut(ctx context.Context, p *problem.Problem, opts CutOptions) (*Cut, error) {
	c := &Cut{p: p, opts: opts, cuts: &encode.Cuts{All: opts.All, Turns: opts.Turns}}
	for range policy.MaxWalks {
		f, solver, err := c.encode(ctx)
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("encoding: %w", err)
		}
		c.Close()
		c.Formula, c.solver = f, solver
		if !f.Grown {
			return c, nil
		}
	}
	c.Close()
	return nil, errors.New("the unknown states keep growing")
}

// asWords returns c with products taken for any words of which facts hold.
func (c *Cut) asWords(facts []ilr.Term) *Cut {
	w := *c
	w.solver, w.core, w.words = c.p.OpenOwn(c.Formula.Store), nil, ring.Words(c.Formula.Store)
	w.assert(c.Formula.Assumptions...)
	w.assert(facts...)
	return &w
}

// assert has the solver assume ts in all questions.
func (c *Cut) assert(ts ...ilr.Term) {
	for _, t := range c.view(ts...) {
		c.solver.Assert(t)
	}
}

// view returns terms as the solver gets them.
func (c *Cut) view(ts ...ilr.Term) []ilr.Term {
	if c.words == nil {
		return ts
	}
	return c.words.In(ts...)
}

// Close frees the solver.
func (c *Cut) Close() {
	if c.solver != nil {
		c.solver.Close()
	}
}

// Recursive reports that a recursive function was cut.
func (c *Cut) Recursive() bool { return len(c.cuts.Funcs()) > 0 }

func (c *Cut) encode(ctx context.Context) (*encode.Formula, *solve.Own, error) {
	store := ilr.NewStore(nil)
	solver := c.p.OpenOwn(store)
	opts := c.p.Encoding()
	opts.Depth, opts.MaxUnwind = policy.CutDepth, policy.ProbedTurns
	if d := c.p.Depth; d > 0 {
		opts.Depth = min(opts.Depth, d)
	}
	opts.Cuts, opts.AnyOverflow = c.cuts, c.opts.AnyOverflow
	f, err := encode.Encode(ctx, c.p.Module, c.p.Entry, store, opts, &problem.Prober{Solver: solver, Store: store})
	if err != nil {
		solver.Close()
		return nil, nil, err
	}
	f.Assumptions = append(f.Assumptions, f.Remainders()...)
	for _, a := range f.Assumptions {
		solver.Assert(a)
	}
	return f, solver, nil
}

// LimitConflicts sets how many conflicts each later question may take, 0 for any number.
func (c *Cut) LimitConflicts(n int) { c.solver.LimitConflicts(n) }

// Check asks whether one of bad is possible where with is assumed. The evaluator
// is of the model, if the answer is Sat.
func (c *Cut) Check(ctx context.Context, with []ilr.Term, bad ...ilr.Term) (solve.Answer, *ilr.Evaluator) {
	s := c.Formula.Store
	q := s.Or(bad...)
	c.core = nil
	if s.IsFalse(q) {
		return solve.Unsat, nil
	}
	return c.Ask(ctx, append(slices.Clone(with), q)...)
}

// Ask asks whether all of assumed is possible at once.
func (c *Cut) Ask(ctx context.Context, assumed ...ilr.Term) (solve.Answer, *ilr.Evaluator) {
	ans, err := c.solver.Check(ctx, c.view(assumed...)...)
	if err != nil {
		return solve.Unknown, nil
	}
	if ans != solve.Sat {
		c.core = c.solver.Core()
		return ans, nil
	}
	return ans, c.Formula.Store.NewEvaluator(c.solver.Model(), ilr.EvalFloat)
}

// Unmodelled returns the term: some path leaves what is modelled, or nests calls too deep.
func Unmodelled(f *encode.Formula) ilr.Term {
	var ts []ilr.Term
	for _, e := range exits(f) {
		ts = append(ts, e.guard)
	}
	return f.Store.Or(ts...)
}

// exit is a place where paths leave what is modelled, or nest calls too deep.
type exit struct {
	guard ilr.Term
	at    *ir.Instr // nil: anywhere
}

func exits(f *encode.Formula) []exit {
	var out []exit
	for i := range f.Gaps {
		out = append(out, exit{f.Gaps[i].Guard, f.Gaps[i].Instr})
	}
	for i := range f.Claims {
		if c := &f.Claims[i]; c.Check == verdict.Unwinding {
			out = append(out, exit{c.Violated, c.Instr})
		}
	}
	return slices.DeleteFunc(out, func(e exit) bool { return f.Store.IsFalse(e.guard) })
}

// Recheck encodes the program a second time and has another solver decide there
// that under the lemmas of keep none of the goals is possible, and that the lemmas
// hold on entry and are preserved. It returns who decided it.
func (c *Cut) Recheck(ctx context.Context, keep []*lemma.Lemma, goals func(f *encode.Formula) []ilr.Term) (string,
	error) {
	f, solver, err := c.encode(ctx)
	if err != nil {
		return "", fmt.Errorf("second encoding: %w", err)
	}
	defer solver.Close()
	if f.Grown || !sameHeaders(c.Formula, f) {
		return "", errors.New("the second encoding differs")
	}
	facts, bad := f.Assumptions, goals(f)
	for _, l := range keep {
		facts = append(facts, l.Assumed(f)...)
		bad = append(bad, l.Fails(f))
	}
	more := append(ring.Ordered(f.Store, bad), ring.Consequences(f.Store, atSites(f, keep), bad, f.ComesBack())...)
	if len(more) > 0 {
		facts = append(facts, more...)
		x := ring.Abstract(f.Store, facts, bad)
		words := c.p.OpenOwn(f.Store)
		defer words.Close()
		words.LimitConflicts(policy.ConflictsOfAll)
		part, cancel := budget.WithTimeout(ctx, policy.RecheckWords)
		defer cancel()
		by, ok := z3Refutes(part, f.Store, x[0], f.Store.Or(x[1]...))
		if by == "" { // Z3 found no model
			by, ok = secondRun, refutes(ctx, words, x[0], x[1])
		}
		if ok {
			return by, nil
		}
	}
	if more := ellipse.Consequences(f.Store, atSites(f, keep), bad); len(more) > 0 {
		hidden := ellipse.Hidden{}
		hidden.Hide(f.Store, ellipseConditions(f, keep))
		x := hidden.In(f.Store, append(facts, more...), bad)
		facts, bad = x[0], x[1]
		x = ellipse.Abstract(f.Store, facts, bad)
		if by, ok := z3Refutes(ctx, f.Store, x[0], f.Store.Or(x[1]...)); ok {
			return by, nil
		}
	}
	by, ok := refuteAll(ctx, f.Store, solver, facts, bad)
	if !ok {
		return "", errors.New("the second check did not agree")
	}
	return by, nil
}

// refuteAll proves that each of bad is impossible under facts, with Z3, or with
// solver, which has the facts of the formula already, if Z3 is missing or gives up.
func refuteAll(ctx context.Context, s *ilr.Store, solver solve.Solver, facts, bad []ilr.Term) (by string, ok bool) {
	q := s.Or(bad...)
	if s.IsFalse(q) {
		return "a second encoding, by simplification alone", true
	}
	if by, ok := z3Refutes(ctx, s, facts, q); by != "" {
		return by, ok // Z3 may have found a model
	}
	return secondRun, refutes(ctx, solver, facts, bad)
}

const secondRun = "a second encoding, decided by a second run of the solver"

// refutes reports whether solver proves that each of bad is impossible under facts.
func refutes(ctx context.Context, solver solve.Solver, facts, bad []ilr.Term) bool {
	for _, a := range facts {
		solver.Assert(a)
	}
	for _, t := range bad {
		if ans, err := solver.Check(ctx, t); err != nil || ans != solve.Unsat {
			return false
		}
	}
	return true
}

// z3Refutes reports whether Z3 proves that q is impossible under facts; by is empty if it is missing or gives up.
func z3Refutes(ctx context.Context, s *ilr.Store, facts []ilr.Term, q ilr.Term) (by string, ok bool) {
	z3, err := solve.Open("z3", s, solve.Options{})
	if err != nil {
		return "", false
	}
	defer z3.Close()
	for _, a := range facts {
		z3.Assert(a)
	}
	part, cancel := budget.Share(ctx, policy.RecheckPercent)
	defer cancel()
	switch ans, _ := z3.Check(part, q); ans {
	case solve.Unsat:
		return "a second encoding, decided by z3", true
	case solve.Sat:
		return "z3", false
	}
	return "", false
}

// sameHeaders reports that lemmas about the headers of f speak of the same in g.
func sameHeaders(f, g *encode.Formula) bool {
	if len(f.Headers) != len(g.Headers) {
		return false
	}
	for i := range f.Headers {
		a, b := &f.Headers[i], &g.Headers[i]
		if a.Key != b.Key || len(a.Sites) != len(b.Sites) || len(a.Arrivals) != len(b.Arrivals) ||
			!slices.Equal(a.Vars, b.Vars) {
			return false
		}
	}
	return true
}

// Portable writes the lemmas down for a certificate.
func (c *Cut) Portable(keep []*lemma.Lemma) []certificate.Lemma {
	var out []certificate.Lemma
	for _, l := range keep {
		h := &c.Formula.Headers[l.Header]
		out = append(out, certificate.Lemma{Place: certificate.PlaceAt(h), Holds: certificate.Express(h, l.Term)})
	}
	return out
}
