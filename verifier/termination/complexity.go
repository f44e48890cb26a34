package termination

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// Cost is an upper bound of a system's cost over its start values.
type Cost struct {
	Bound *Bound   // of all runs; nil when none was found
	Steps []*Bound // per transition of the system, how often it runs; nil: unknown
	Text  string   // the argument in plain words
	Types bool     // a range of a machine type was needed: the bound may be astronomical
	Rungs linear.Rungs
	By    []string // Techniques that had a part in it
}

// Order is "O(n^k)", "O(1)", "O(EXP)" or "O(INF)" for no bound; a logarithm counts as n.
func (c Cost) Order() string { return c.Bound.Order() }

// Visits bounds how often a run arrives at a location of the system that the cost
// is of; nil: unknown.
func (c Cost) Visits(sys *its.System, at its.Loc) *Bound {
	out := Zero()
	for i := range sys.Trans {
		for _, t := range sys.Trans[i].Targets() {
			if t.To == at {
				out = out.add(c.Steps[i])
			}
		}
	}
	return out
}

// Class is Order with logarithms.
func (c Cost) Class() string { return c.Bound.Class() }

// Bounds finds an upper bound of the cost of every run from the start.
func Bounds(ctx context.Context, sys *its.System, opts Options) Cost {
	return boundsUnless(ctx, sys, opts, func() bool { return false })
}

// boundsUnless is Bounds; it asks hopeless before it spends more on a system that
// the first analysis gave no bound.
func boundsUnless(ctx context.Context, sys *its.System, opts Options, hopeless func() bool) Cost {
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = budget.WithTimeout(ctx, opts.Timeout)
		defer cancel()
	}
	if opts.Z3Millis == 0 {
		opts.Z3Millis = 1000
	}
	ladder := linear.NewLadder(opts.Z3Millis)
	defer ladder.Close()
	t := newTally(opts.Off)
	b := bounded(ctx, sys, ladder, mode{narrow: true}, t)
	c := b.result()
	if c.Bound != nil || !hopeless() {
		c = b.refineFurther(ctx, ladder, c)
		if c.Bound == nil && mentionsTypes(sys) && t.on(byTypeRanges) {
			wide := bounded(ctx, sys, ladder, mode{}, t)
			c = c.orElse(wide.refineFurther(ctx, ladder, wide.result()))
			t.did(byTypeRanges, c.Bound != nil)
		}
	}
	c.Rungs, c.By = ladder.Rungs, t.list()
	return c
}

// mentionsTypes reports whether a guard has a constant like a type's range.
func mentionsTypes(sys *its.System) bool {
	for i := range sys.Trans {
		for _, a := range sys.Trans[i].Guard {
			if aboutTypes(a) {
				return true
			}
		}
	}
	return false
}

// aboutTypes reports whether an atom has a constant like a type's range.
func aboutTypes(a its.Atom) bool {
	return len(a.Poly.Monos) > 0 && len(a.Poly.Monos[0].Vars) == 0 && typeLike(a.Poly.Monos[0].Coef)
}

// orElse takes bounds that are missing from d, which used the ranges of types.
func (c Cost) orElse(d Cost) Cost {
	if d.Bound == nil {
		return c
	}
	d.Types = true
	d.Text = "The ranges of machine types were needed.\n" + d.Text
	for i, b := range c.Steps {
		if b != nil {
			d.Steps[i] = b
		}
	}
	return d
}

// refineFurther improves a result by refining the system, if its runs are paths.
func (b *bounder) refineFurther(ctx context.Context, ladder *linear.Ladder, c Cost) Cost {
	if len(b.forks) > 0 || !b.p.on(byRefinement) {
		return c
	}
	for round := 0; round < policy.RefineRounds; round++ {
		next, ok := b.again(ctx, ladder, refineLimit(c.Bound.growth()), mode{narrow: b.mode.narrow, hasty: true})
		if !ok {
			break
		}
		if d := next.result(); d.Bound.growth().less(c.Bound.growth()) {
			c = d
			b.p.did(byRefinement, true)
		}
		b = next
	}
	return c
}

// mode is how a bounder works: without the ranges of machine types, or only
// until the first component that stays without a bound.
type mode struct{ narrow, hasty bool }

// refineLimit is how many transitions a refined system may have, given what is
// known without it: the less there is to win, the less it may cost.
func refineLimit(g growth) int {
	switch {
	case g.infinite || g.exponential:
		return 250
	case g.degree >= 2:
		return 60
	case g.degree == 1:
		return 12
	}
	return 0
}

// bounded runs the whole analysis on one system. Invariants count only if the
// checker accepts them.
func bounded(ctx context.Context, sys *its.System, ladder *linear.Ladder, m mode, t *tally) *bounder {
	p := newProblem(ctx, sys, ladder, false, forkEnds(sys))
	if p.tally = t; t.on(byInvariants) {
		p.computeInvariants(ctx)
	}
	if err := certify.Invariants(ctx, sys, &certify.Termination{Cuts: p.cuts, Inv: p.inv}); err != nil {
		p.inv = map[its.Loc][]exact.Lin{}
	}
	for _, inv := range p.inv {
		t.did(byInvariants, len(inv) > 0)
	}
	b := newBounder(p)
	b.forks, b.trunk = p.forks(), p.trunkOf()
	b.mode, b.r.narrow = m, m.narrow
	b.run(ctx)
	return b
}

// again bounds the refined system. Its transitions are the edges of b.
func (b *bounder) again(ctx context.Context, ladder *linear.Ladder, limit int, m mode) (*bounder, bool) {
	sys, origin, ok := b.p.refined(ctx, limit)
	if !ok {
		return nil, false
	}
	next := bounded(ctx, sys, ladder, m, b.p.tally)
	next.outer, next.origin = b, origin
	return next, true
}

// result collects what a bounder found.
func (b *bounder) result() Cost {
	c := Cost{Bound: b.total(), Steps: b.steps()}
	for o := b; o.outer != nil; o = o.outer {
		c.Bound = o.outer.closed(c.Bound)
		c.Steps = o.lift(c.Steps)
	}
	c.Text = b.explain(c)
	return c
}

// lift turns bounds of the refined system's transitions into bounds of the
// transitions of the system before: each refined transition is an edge there.
func (b *bounder) lift(steps []*Bound) []*Bound {
	out := make([]*Bound, len(b.outer.p.sys.Trans))
	cut := b.outer.p.isCut()
	for i := range out {
		out[i] = Zero()
		if !cut[b.outer.p.sys.Trans[i].To] {
			out[i] = constBound(exact.I(1))
		}
	}
	for i, e := range b.origin {
		for _, s := range e.path {
			out[s.Trans] = out[s.Trans].add(steps[i])
		}
	}
	return out
}

// total is the sum over edges of runs times cost, plus the steps of a last path
// that does not reach a cut location.
func (b *bounder) total() *Bound {
	out := Zero()
	for _, e := range b.p.edges {
		if b.stands(e) {
			out = out.add(b.time[e].mul(b.cost(e)))
		}
	}
	return b.closed(out)
}

// closed is the cost of a run whose edges cost at most sum: its last path is one
// from the start, and then the run has no edges, or from another cut location.
func (b *bounder) closed(sum *Bound) *Bound {
	dearest, ok := b.tails()
	if !ok {
		return nil
	}
	if len(b.forks) > 0 {
		cost, _ := b.lastPaths(dearest)
		return sum.add(cost)
	}
	var later exact.Int
	for _, l := range b.p.cuts {
		if l != b.p.sys.Start && dearest[l].Cmp(later) > 0 {
			later = dearest[l]
		}
	}
	return sum.add(constBound(later)).upperOf(constBound(dearest[b.p.sys.Start]))
}

// cost bounds the cost of one run of an edge.
func (b *bounder) cost(e *edge) *Bound {
	return b.sizes.polyValue(e, e.cost.Monos)
}

// tails is per cut location what a run costs at most after its last visit there:
// the dearest path through removed locations, of which none lies on a cycle.
func (b *bounder) tails() (map[its.Loc]exact.Int, bool) {
	cut := b.p.isCut()
	from := map[its.Loc][]*its.Transition{}
	for i := range b.p.sys.Trans {
		if t := &b.p.sys.Trans[i]; !cut[t.To] {
			if c, ok := t.Cost.Lin(); !ok || !c.IsConst() {
				return nil, false
			}
			from[t.From] = append(from[t.From], t)
		}
	}
	dearest := map[its.Loc]exact.Int{}
	onPath := map[its.Loc]bool{}
	var after func(l its.Loc) bool
	after = func(l its.Loc) bool {
		if _, done := dearest[l]; done || onPath[l] {
			return done
		}
		onPath[l] = true
		var most exact.Int
		for _, t := range from[l] {
			if !after(t.To) {
				return false
			}
			c, _ := t.Cost.Lin()
			if sum := c.Const.Add(dearest[t.To]); sum.Cmp(most) > 0 {
				most = sum
			}
		}
		dearest[l] = most
		return true
	}
	for _, l := range b.p.cuts {
		if !after(l) {
			return nil, false
		}
	}
	return dearest, true
}

// steps is how often each transition of the system runs.
func (b *bounder) steps() []*Bound {
	out := make([]*Bound, len(b.p.sys.Trans))
	cut := b.p.isCut()
	last := constBound(exact.I(1)) // how often a run ends between cut locations
	if len(b.forks) > 0 {
		_, last = b.lastPaths(nil)
	}
	for i := range out {
		out[i] = Zero()
		if !cut[b.p.sys.Trans[i].To] {
			out[i] = last
		}
	}
	for _, e := range b.p.edges {
		for _, s := range e.path {
			if b.stands(e) {
				out[s.Trans] = out[s.Trans].add(b.time[e])
			}
		}
	}
	return out
}

func (b *bounder) explain(c Cost) string {
	var w strings.Builder
	name := b.p.sys.VarName
	fmt.Fprintf(&w, "Bounds over the values at %s, where max(0, x) counts x from 0.\n", b.p.sys.Locs[b.p.sys.Start])
	for _, e := range b.p.edges {
		fmt.Fprintf(&w, "  %s runs at most %s times\n", b.p.pathText(e.path), b.time[e].Format(name))
	}
	if c.Bound == nil {
		w.WriteString("No bound for the whole was found.\n")
		return w.String()
	}
	if c.Bound.growth().logs > 0 {
		w.WriteString("bits(x) is the number of binary digits of x: its logarithm, rounded down, and 1.\n")
	}
	fmt.Fprintf(&w, "Cost of any run: at most %s, in %s.\n", c.Bound.Format(name), c.Class())
	return w.String()
}

// runComplexity answers a complexity question for RunFile: a bound; else NO when
// some run never ends. That every run ends is no answer: with unbounded choice
// there may still be no bound over the inputs.
func runComplexity(ctx context.Context, sys *its.System, opts Options) (last, text string, by []string) {
	a := Answer{Verdict: Unknown, Reason: "no time to ask whether every run ends"}
	c := boundsUnless(ctx, sys, opts, func() bool {
		a = Prove(ctx, sys, Options{Timeout: time.Duration(float64(opts.Timeout) * policy.BoundProveShare), Off: opts.Off})
		return a.Verdict == NonTerminating
	})
	switch {
	case c.Bound != nil:
		return "WORST_CASE(?," + c.Order() + ")", c.Text, c.By
	case a.Verdict == NonTerminating:
		return a.Verdict.String(), c.Text + a.Text, a.By
	case a.Verdict == Terminating:
		return Unknown.String(), c.Text + "Yet every run ends:\n" + a.Text, nil
	}
	return Unknown.String(), c.Text + "Unknown: " + a.Reason + ".\n", nil
}
