// Package invariant proves claims for any number of loop turns and nested calls.
// Loops are cut (Cut), lemmas about their headers are guessed from templates and
// executions and those that are not inductive dropped (Houdini: Flanagan and Leino
// 2001), clauses are learned from states that lead to a violation (property directed
// reachability), and what the survivors prove is checked on a second encoding.
package invariant

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/ellipse"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/ring"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Engine looks for an inductive proof of the safety claims.
type Engine struct {
	CutAll bool // cut also loops that end by themselves
	Turns  int  // for how many turns, 0 for one
	Plain  bool // without lemmas
}

// Run implements problem.Engine.
func (e Engine) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	if !p.Unbounded() {
		return problem.ErrOpen
	}
	stop := a.Stage("induction")
	invariants, err := e.prove(ctx, p, a)
	stop(map[string]int64{"invariants": int64(invariants)})
	if err != nil {
		return err
	}
	if !a.Proofs().All() {
		return problem.ErrOpen
	}
	return nil
}

// prove adds what it proved to a, and returns how many lemmas held at last.
func (e Engine) prove(ctx context.Context, p *problem.Problem, a *problem.Answers) (invariants int, err error) {
	cut, err := OpenCut(ctx, p, CutOptions{All: e.CutAll, Turns: e.Turns})
	if err != nil {
		return 0, err
	}
	defer cut.Close()
	if !cut.cuts.Any() {
		return 0, errors.New("no loop or recursion has to be cut")
	}
	if e.Turns > 1 && len(cut.cuts.Loops()) == 0 {
		return 0, errors.New("no loop has to be cut")
	}
	goals := NewProver(cut).goals()
	order := orderOf(cut, goals)
	if len(order) > 0 && !e.Plain && !cut.Formula.ComesBack() {
		words := cut.asWords(order)
		defer words.Close()
		proofs, n, err := e.proveIn(ctx, words, goals)
		if err == nil {
			if a.AddProofs(proofs); a.Proofs().All() {
				return n, nil
			}
		}
	}
	cut.assert(order...)
	proofs, invariants, err := e.proveIn(ctx, cut, goals)
	if err == nil {
		a.AddProofs(proofs)
	}
	return invariants, err
}

// orderOf returns what holds of any words, of the order of the products that goals of cut are about.
func orderOf(cut *Cut, goals []goal) []ilr.Term {
	if !cut.p.On(MakeProducts) {
		return nil
	}
	return ring.Ordered(cut.Formula.Store, bads(goals))
}

// proveIn returns which of the goals it proved in cut, and how many lemmas held at last.
func (e Engine) proveIn(ctx context.Context, cut *Cut, goals []goal) (proofs *problem.Proofs, invariants int, err error) {
	v := NewProver(cut)
	if e.Plain {
		x := &refutation{open: map[string]bool{}}
		v.goalByGoal(ctx, goals, x, policy.ConflictsOfStretch)
		proofs, err = v.decide(ctx, goals, x)
		return proofs, 0, err
	}
	v.tabulate(ctx, goals, policy.FirstTabulation)
	part, cancel := budget.Share(ctx, policy.LemmaPercent)
	v.Lemmas(part, bads(goals))
	v.underStates(part, bads(goals))
	cancel()
	v.tabulate(ctx, goals, policy.LastTabulation)
	v.Instantiate()
	proofs, err = v.decide(ctx, goals, v.refute(ctx, goals))
	return proofs, len(v.alive), err
}

// Prover finds lemmas about the headers of a cut program.
type Prover struct {
	Branches bool // lemmas also of what turns test of elements
	Products bool // try equations between products before all others

	cut   *Cut
	f     *encode.Formula
	alive []*candidate // lemmas that hold
	shown []ilr.Term   // what they exclude, as equationsExclude found
	hold  ilr.Term     // assuming it assumes all of alive

	entries   []*lemma.Lemma  // about the entries of functions, where products that calls give back may need them
	equal     []*lemma.Lemma  // equations between products
	suggested []*lemma.Lemma  // those of the templates that executions suggest
	others    []*lemma.Lemma  // the other ones
	ordered   []*lemma.Lemma  // about neighbouring elements, and what those may need
	parts     []*lemma.Lemma  // the same about parts of what ordered is about
	related   []*lemma.Lemma  // equations that executions suggest, which ordered may need
	states    []*lemma.Lemma  // those under a value of a control variable
	sums      [][]*lemma.Atom // by header: sums that executions agree on
	hidden    ellipse.Hidden  // comparisons of ellipses, which the solver does not see
	effort    int             // times as many conflicts for candidates
}

// NewProver returns a prover without lemmas.
func NewProver(cut *Cut) *Prover {
	return &Prover{cut: cut, f: cut.Formula, hold: cut.Formula.Store.True(), effort: 1}
}

// Hold returns the term that assumes the lemmas found.
func (p *Prover) Hold() ilr.Term { return p.hold }

// Any reports whether any lemma holds.
func (p *Prover) Any() bool { return len(p.alive) > 0 }

// Lemmas finds lemmas by the templates, in stages: none, those that executions
// suggest, all. It ends when they exclude bad.
func (p *Prover) Lemmas(ctx context.Context, bad []ilr.Term) {
	p.propose(ctx, bad)
	if p.exclude(ctx, bad) || p.Products && p.equationsExclude(ctx, bad) {
		return
	}
	if p.inOrder(ctx, bad) {
		return
	}
	p.admit(ctx, p.entries)
	if len(p.suggested) > 0 {
		p.effort = policy.SuggestEffort
		p.admit(ctx, p.suggested)
		if p.exclude(ctx, bad) {
			return
		}
	}
	p.effort = 1
	p.admit(ctx, p.others)
}

// admit adds those of the lemmas that hold.
func (p *Prover) admit(ctx context.Context, lemmas []*lemma.Lemma) {
	before := slices.Clone(p.alive)
	for _, l := range lemmas {
		if !slices.ContainsFunc(before, func(c *candidate) bool { return c.Lemma == l }) {
			p.alive = append(p.alive, p.candidate(l))
		}
	}
	if len(p.alive) > 0 && !p.houdini(ctx) {
		p.alive = slices.DeleteFunc(before, func(c *candidate) bool { return !slices.Contains(p.alive, c) })
	}
	p.assumeAlive()
}

// exclude reports whether the lemmas found exclude bad.
func (p *Prover) exclude(ctx context.Context, bad []ilr.Term) bool {
	defer p.cut.LimitConflicts(0)
	p.cut.LimitConflicts(policy.ConflictsOfAll)
	ans, _ := p.cut.Check(ctx, []ilr.Term{p.hold}, bad...)
	slog.Debug("lemmas", "hold", len(p.alive), "enough", ans == solve.Unsat)
	return ans == solve.Unsat
}

// propose has the templates make lemmas, which are to exclude bad.
func (p *Prover) propose(ctx context.Context, bad []ilr.Term) {
	samples := collect(ctx, p.cut.p, p.f)
	p.sums = make([][]*lemma.Atom, len(p.f.Headers))
	picked := compared(p.f)
	values := picked.values()
	asserted := assertions(p.f)
	if p.Branches {
		asserted = append(asserted, branches(p.f)...)
	}
	orders := p.orders()
	var equal []*lemma.Lemma
	for i := range p.f.Headers {
		x := propose(p.f, picked, i, samples[i], p.cut.p.On)
		ordered, parts := x.neighbours(orders)
		p.ordered, p.parts = append(p.ordered, ordered...), append(p.parts, parts...)
		p.related = append(p.related, x.suggested...)
		about := x.assert(asserted)
		p.suggested = slices.Concat(p.suggested, x.suggested, about)
		p.others = slices.Concat(p.others, x.out, about)
		p.sums[i] = x.found
		p.states = append(p.states, x.controlled(picked, values)...)
		equal = append(equal, x.equal...)
		slog.Debug("templates", "header", p.f.Headers[i].Key, "vars", len(p.f.Headers[i].Vars), "lemmas", len(x.out),
			"samples", len(samples[i]), "sums", len(x.found), "asserted", len(about))
	}
	p.multiplied(followed(p.f, equal), bad)
	p.inEllipses(ctx, picked, bad)
}

// multiplied suggests equations between products, and has the solver assume what follows from such by arithmetic.
func (p *Prover) multiplied(equal []*lemma.Lemma, bad []ilr.Term) {
	if len(equal) == 0 {
		return
	}
	if p.f.ComesBack() {
		for _, l := range p.others {
			if h := &p.f.Headers[l.Header]; h.Func != nil && !h.Calls {
				p.entries = append(p.entries, l)
			}
		}
	}
	p.equal = equal
	p.suggested = append(p.suggested, equal...)
	p.others = append(p.others, equal...) // they may need bounds
	roots := append(bads(p.goals()), bad...)
	for _, l := range equal {
		roots = append(roots, l.Fails(p.f))
	}
	p.cut.assert(ring.Consequences(p.f.Store, atSites(p.f, equal), roots, p.f.ComesBack())...)
}

// goals lists what has to be impossible for the claims. An exit is a goal that all those need which an execution may
// come to behind it.
func (p *Prover) goals() []goal {
	var goals []goal
	for _, e := range exits(p.f) {
		i := slices.IndexFunc(goals, func(g goal) bool { return g.at == e.at })
		if i < 0 {
			i = len(goals)
			goals = append(goals, goal{exit: true, at: e.at, bad: p.f.Store.False(), after: len(p.f.Sites)})
		}
		goals[i].bad = p.f.Store.Or(goals[i].bad, e.guard)
	}
	for _, g := range problem.GroupsOf(p.f) {
		if g.First.Check == verdict.Unwinding {
			continue
		}
		for _, c := range g.Instances {
			if bad := p.f.ViolationAtGhost(c, policy.MaxReads); !p.f.Store.IsFalse(bad) {
				goals = append(goals, goal{id: g.ID, at: c.Instr, bad: bad, after: c.After,
					asserted: g.First.Check == verdict.Assert})
			}
		}
	}
	return goals
}

// decide finds the claims that hold by x and the lemmas that they need, and has both
// checked once more.
func (p *Prover) decide(ctx context.Context, goals []goal, x *refutation) (*problem.Proofs, error) {
	if x.gaveUp || x.unplaced {
		return nil, fmt.Errorf("clauses: %s", x.why)
	}
	behind := p.behind(x.passed...)
	var bad []ilr.Term
	for _, g := range goals {
		if !x.failed(g) {
			bad = append(bad, g.bad)
		}
	}
	groups := problem.GroupsOf(p.f)
	var claims []verdict.Claim
	for _, g := range groups {
		claims = append(claims, problem.ClaimOf(g.First))
	}
	for _, g := range groups {
		x.open[g.ID] = x.open[g.ID] || reaches(g, behind)
	}
	out := problem.NewProofs(claims, p.cut.p.ListClaims())
	asked := 0
	for _, g := range groups {
		if g.First.Check == verdict.Unwinding {
			continue
		}
		if asked++; !x.open[g.ID] {
			out.Holds[g.ID] = true
		}
	}
	switch {
	case len(out.Holds) == 0 && len(x.passed) > 0:
		return nil, fmt.Errorf("clauses: %s", x.why)
	case len(out.Holds) == 0 && asked > 0:
		return nil, errors.New("no claim could be proved")
	}
	for _, l := range x.lemmas {
		p.alive = append(p.alive, p.candidate(l))
	}
	keep := p.Needed(ctx, bad)
	checked, err := p.cut.Recheck(ctx, keep, func(f *encode.Formula) []ilr.Term {
		var bad []ilr.Term
		for _, e := range exits(f) {
			if e.at == nil || !behind.Has(e.at) {
				bad = append(bad, e.guard)
			}
		}
		for _, g := range problem.GroupsOf(f) {
			if !out.Holds[g.ID] {
				continue
			}
			for _, c := range g.Instances {
				bad = append(bad, f.ViolationAtGhost(c, policy.MaxReads))
			}
			if reaches(g, behind) { // another walk
				bad = append(bad, f.Store.True())
			}
		}
		return bad
	})
	if err != nil {
		return nil, err
	}
	out.Evidence = &certificate.Inductive{Past: p.cut.p.Past,
		Cut: certificate.Cut{All: p.cut.opts.All, Turns: p.cut.opts.Turns, Lemmas: p.cut.Portable(keep)}}
	out.Certificate = &verdict.Certificate{Method: "inductive invariants", Detail: p.cut.detail(keep), Checked: checked,
		Always: lemma.OfLoops(p.cut.Formula, keep), Invariants: lemma.InC(p.cut.Formula, keep), Makers: makersOf(keep)}
	return out, nil
}

// detail words the certificate.
func (c *Cut) detail(keep []*lemma.Lemma) []string {
	out := c.Text(keep)
	if len(out) == 0 {
		for _, l := range c.cuts.Loops() {
			out = append(out, fmt.Sprintf("loop %s: holds in every turn from any state", l))
		}
		for _, f := range c.cuts.Funcs() {
			out = append(out, fmt.Sprintf("recursion of %s: holds in every call from any state", f))
		}
	}
	return out
}

// Text lists the lemmas as people read them, with their places.
func (c *Cut) Text(keep []*lemma.Lemma) []string {
	var out []string
	for _, l := range keep {
		pos := c.Formula.Headers[l.Header].Pos
		out = append(out, fmt.Sprintf("%s:%d: %s", pos.File, pos.Line, l.Text(c.Formula)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
