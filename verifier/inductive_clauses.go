package verifier

import (
	"context"
	"log/slog"
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/solve"
)

// Clauses about the headers of cut loops, by property directed reachability over
// atoms (Bradley, SAT-based model checking without unrolling, 2011; Cimatti and
// others, IC3 modulo theories via implicit predicate abstraction, 2014).
//
// A frame of level i holds of every state that a header can be in after at most i
// visits of headers. A violation that frame i does not exclude names the state of
// the last header before it; that state is excluded from the frame, if need be
// after the states that lead to it, by a clause as short as the solver allows. When
// all clauses of one level hold in the next, they are invariants.

const (
	maxLevels  = 400
	maxDropped = 16 // literals of a cube that are tried to be left out one by one
)

// goal is something to refute: instance of the claim id, or the gaps.
type goal struct {
	id    string
	bad   ilr.Term
	after int // headers before it
}

// reach is the state of the search.
type reach struct {
	*prover
	hs      []*reachHeader
	acts    []ilr.Term // acts[i] assumes the clauses of level i; acts[0] that no header is passed
	clauses []*clause
}

type reachHeader struct {
	guard ilr.Term
	atoms []*atom
	head  []ilr.Term
	ways  []way
}

// way is an arrival at a header.
type way struct {
	guard ilr.Term
	after int
	vals  []ilr.Term // of the atoms
}

// clause excludes a cube from the frames up to its level. A cube lists atoms by
// number from 1, negative where they are false.
type clause struct {
	header int
	cube   []int
	level  int
}

// refute finds clauses that exclude the goals. failed names the claims for which
// it could not; it is nil when time ran out.
func (p *prover) refute(ctx context.Context, goals []goal) (more []*lemma, failed map[string]bool) {
	failed = map[string]bool{}
	r := &reach{prover: p}
	p.solver.LimitConflicts(conflictsOfAll)
	ans, _ := r.check(ctx, []ilr.Term{r.hold}, bads(goals)...)
	p.solver.LimitConflicts(0)
	switch {
	case ans == solve.Unsat:
		return nil, failed
	case ctx.Err() != nil:
		p.why = "out of time"
		return nil, nil
	case ans == solve.Unknown:
		r.goalByGoal(ctx, goals, failed)
		return nil, failed
	}
	r.start()
	r.level()
	for n := 1; n <= maxLevels; n++ {
		if !r.exclude(ctx, n, goals, failed) {
			p.why = "out of time"
			return nil, nil
		}
		if failed[""] || len(live(goals, failed)) == 0 {
			return nil, failed
		}
		slog.Debug("frame", "n", n, "clauses", len(r.clauses), "questions", r.solver.Stats().Calls, "failed", len(failed))
		r.level()
		done, ok := r.push(ctx, n)
		if !ok {
			p.why = "out of time"
			return nil, nil
		}
		if done >= 0 {
			for _, c := range r.clauses {
				if c.level > done {
					more = append(more, r.lemma(c))
				}
			}
			return more, failed
		}
	}
	p.why = "too many levels"
	return nil, nil
}

// goalByGoal notes the goals that do not follow from the lemmas of the templates,
// where all at once are too hard.
func (r *reach) goalByGoal(ctx context.Context, goals []goal, failed map[string]bool) {
	defer r.solver.LimitConflicts(0)
	r.solver.LimitConflicts(conflictsOfOne)
	for _, g := range goals {
		if ans, _ := r.check(ctx, []ilr.Term{r.hold}, g.bad); ans != solve.Unsat {
			failed[g.id] = true
		}
	}
}

func live(goals []goal, failed map[string]bool) []goal {
	return slices.DeleteFunc(slices.Clone(goals), func(g goal) bool { return failed[g.id] })
}

func bads(goals []goal) []ilr.Term {
	out := make([]ilr.Term, len(goals))
	for i := range goals {
		out[i] = goals[i].bad
	}
	return out
}

// start evaluates the atoms at all headers and ways.
func (r *reach) start() {
	s := r.f.Store
	var none []ilr.Term
	for i := range r.f.Headers {
		h := &r.f.Headers[i]
		none = append(none, s.Not(h.Guard))
		rh := &reachHeader{guard: h.Guard}
		entry, now := h.Arrivals[0].Values, heads(h)
		for _, a := range atomsOf(r.f, i) {
			t := a.term(s, now, entry)
			if s.IsTrue(t) || s.IsFalse(t) || slices.Contains(rh.head, t) {
				continue
			}
			rh.atoms = append(rh.atoms, a)
			rh.head = append(rh.head, t)
		}
		for _, x := range h.Arrivals {
			w := way{guard: x.Guard, after: x.After}
			for _, a := range rh.atoms {
				w.vals = append(w.vals, a.term(s, x.Values, entry))
			}
			rh.ways = append(rh.ways, w)
		}
		r.hs = append(r.hs, rh)
	}
	r.acts = []ilr.Term{s.And(none...)}
}

// level opens one more frame.
func (r *reach) level() {
	s := r.f.Store
	r.acts = append(r.acts, s.Eq(s.Fresh("frame", ilr.BV(1)), s.Int(1, 1)))
}

// frame is what frame i assumes.
func (r *reach) frame(i int) []ilr.Term {
	if i == 0 {
		return []ilr.Term{r.acts[0]}
	}
	return append([]ilr.Term{r.hold}, r.acts[i:]...)
}

// exclude refutes all goals in frame n, or notes them in failed. It is false when
// time is up.
func (r *reach) exclude(ctx context.Context, n int, goals []goal, failed map[string]bool) bool {
	for {
		open := live(goals, failed)
		ans, ev := r.check(ctx, r.frame(n), bads(open)...)
		if ans == solve.Unsat {
			return true
		}
		if ans != solve.Sat {
			return false
		}
		i := slices.IndexFunc(open, func(g goal) bool { return ev.Holds(g.bad) })
		if i < 0 {
			return false
		}
		h := r.passed(ev, open[i].after)
		ok, late := false, false
		if h >= 0 {
			ok, late = r.block(ctx, h, r.cubeOf(ev, h), n)
		}
		if late {
			return false
		}
		if !ok {
			failed[open[i].id] = true
			if open[i].id == "" {
				r.why = "a construct that is not modelled may be reached: " + r.reachedGap(ev)
				return true
			}
		}
	}
}

// passed is the last header on the path of ev among the first after, or -1.
func (r *reach) passed(ev *ilr.Evaluator, after int) int {
	for h := after - 1; h >= 0; h-- {
		if ev.Holds(r.hs[h].guard) {
			return h
		}
	}
	return -1
}

// cubeOf is the state of header h in ev.
func (r *reach) cubeOf(ev *ilr.Evaluator, h int) []int {
	var cube []int
	for i, t := range r.hs[h].head {
		if ev.Holds(t) {
			cube = append(cube, i+1)
		} else {
			cube = append(cube, -i-1)
		}
	}
	return cube
}

func (r *reach) literals(cube []int, vals []ilr.Term) []ilr.Term {
	out := make([]ilr.Term, len(cube))
	for i, x := range cube {
		if x > 0 {
			out[i] = vals[x-1]
		} else {
			out[i] = r.f.Store.Not(vals[-x-1])
		}
	}
	return out
}

// block excludes cube from header h up to frame level. ok is false when the
// program's start leads there, as far as the atoms can tell.
func (r *reach) block(ctx context.Context, h int, cube []int, level int) (ok, late bool) {
	for {
		short, ev, from, late := r.leads(ctx, h, cube, level)
		if late {
			return false, true
		}
		if ev == nil {
			short, late = r.shorten(ctx, h, short, level)
			if late {
				return false, true
			}
			r.add(&clause{header: h, cube: short, level: level})
			return true, false
		}
		if from < 0 {
			return false, false
		}
		if ok, late := r.block(ctx, from, r.cubeOf(ev, from), level-1); !ok || late {
			return ok, late
		}
	}
}

// leads asks whether some way leads to cube at h from the frame below level,
// other than from cube itself. If not, ev is nil and short the part of cube that
// was needed; else from is the last header on that way, or -1.
func (r *reach) leads(ctx context.Context, h int, cube []int, level int) (short []int, ev *ilr.Evaluator, from int, late bool) {
	s, rh := r.f.Store, r.hs[h]
	not := s.Implies(rh.guard, s.Not(s.And(r.literals(cube, rh.head)...)))
	need := map[int]bool{}
	for _, w := range rh.ways {
		if s.IsFalse(w.guard) {
			continue
		}
		lits := r.literals(cube, w.vals)
		with := append(append(r.frame(level-1), not, w.guard), lits...)
		if slices.Contains(lits, s.False()) { // one literal is enough
			need[cube[slices.Index(lits, s.False())]] = true
			continue
		}
		ans, model := r.ask(ctx, with...)
		switch ans {
		case solve.Sat:
			return nil, model, r.passed(model, w.after), false
		case solve.Unknown:
			return nil, nil, 0, true
		}
		core := r.solver.Core()
		for i, l := range lits {
			if slices.Contains(core, l) {
				need[cube[i]] = true
			}
		}
	}
	for _, x := range cube {
		if need[x] {
			short = append(short, x)
		}
	}
	return short, nil, 0, false
}

// shorten leaves literals out of cube as long as nothing leads to it.
func (r *reach) shorten(ctx context.Context, h int, cube []int, level int) ([]int, bool) {
	tried := 0
	for i := len(cube) - 1; i >= 0 && tried < maxDropped; i-- {
		if i >= len(cube) {
			continue
		}
		tried++
		less := slices.Delete(slices.Clone(cube), i, i+1)
		short, ev, _, late := r.leads(ctx, h, less, level)
		if late {
			return nil, true
		}
		if ev == nil {
			cube = short
		}
	}
	return cube, false
}

// add makes c part of its frame.
func (r *reach) add(c *clause) {
	r.clauses = append(r.clauses, c)
	r.enter(c)
}

func (r *reach) enter(c *clause) {
	s, rh := r.f.Store, r.hs[c.header]
	r.solver.Assert(s.Implies(r.acts[c.level], s.Implies(rh.guard, s.Not(s.And(r.literals(c.cube, rh.head)...)))))
}

// push moves clauses up to the frame where they still hold; n is the last frame
// that excludes the goals. done is a level all of whose clauses hold in the next,
// or -1.
func (r *reach) push(ctx context.Context, n int) (done int, ok bool) {
	for level := 1; level <= n; level++ {
		left := false
		for _, c := range r.clauses {
			if c.level != level {
				continue
			}
			ans := r.persists(ctx, c)
			if ans == solve.Unknown {
				return -1, false
			}
			if ans == solve.Sat {
				left = true
				continue
			}
			c.level = level + 1
			r.enter(c)
		}
		if !left {
			return level, true
		}
	}
	return -1, true
}

// persists is Unsat if c holds one level up.
func (r *reach) persists(ctx context.Context, c *clause) solve.Answer {
	for _, w := range r.hs[c.header].ways {
		if r.f.Store.IsFalse(w.guard) {
			continue
		}
		ans, _ := r.ask(ctx, append(append(r.frame(c.level), w.guard), r.literals(c.cube, w.vals)...)...)
		if ans != solve.Unsat {
			return ans
		}
	}
	return solve.Unsat
}

// lemma is the clause as a lemma.
func (r *reach) lemma(c *clause) *lemma {
	l := &lemma{header: c.header}
	for _, x := range c.cube {
		if x > 0 {
			l.lits = append(l.lits, literal{r.hs[c.header].atoms[x-1], true})
		} else {
			l.lits = append(l.lits, literal{r.hs[c.header].atoms[-x-1], false})
		}
	}
	return l
}

// reachedGap words the first gap that ev reaches.
func (r *reach) reachedGap(ev *ilr.Evaluator) string {
	for i := range r.f.Gaps {
		if ev.Holds(r.f.Gaps[i].Guard) {
			return r.f.Gaps[i].Reason.String()
		}
	}
	return "calls nest too deep, or a loop has no end"
}
