package invariant

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
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

// Where calls of recursive functions come back there are several sites for one
// header, and what follows depends on all that the path passed: when the state of the last
// one cannot be excluded, those before it are tried.

// reach is the state of the search.
type reach struct {
	p       *Prover
	hs      []*reachHeader
	acts    []ilr.Term // acts[i] assumes the clauses of level i; acts[0] that no header is passed
	clauses []*clause
	calls   bool            // some header is the way back from calls
	open    map[string]bool // states that could not be excluded
}

type reachHeader struct {
	atoms []*lemma.Atom
	sites []reachSite
	ways  []way
}

type reachSite struct {
	guard ilr.Term
	vals  []ilr.Term // of the atoms
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

// start evaluates the atoms that picked names, or all, at all headers and ways.
func (r *reach) start(picked *comparisons) {
	s := r.p.f.Store
	var none []ilr.Term
	for i := range r.p.f.Headers {
		h := &r.p.f.Headers[i]
		rh := &reachHeader{sites: make([]reachSite, len(h.Sites))}
		for j, x := range h.Sites {
			none = append(none, s.Not(x.Guard))
			rh.sites[j].guard = x.Guard
		}
		for _, a := range atomsOf(r.p.f, i, picked, r.p.sums[i]) {
			rh.add(s, h, a)
		}
		for _, x := range h.Arrivals {
			w := way{guard: x.Guard, after: x.After}
			for _, a := range rh.atoms {
				w.vals = append(w.vals, a.Term(s, x.Values, x.Entry))
			}
			rh.ways = append(rh.ways, w)
		}
		r.hs = append(r.hs, rh)
	}
	r.acts = []ilr.Term{s.And(none...)}
}

// add takes a among the atoms of h, unless it says nothing or the same as another.
func (rh *reachHeader) add(s *ilr.Store, h *encode.Header, a *lemma.Atom) {
	vals := make([]ilr.Term, len(h.Sites))
	same := -1
	for j, x := range h.Sites {
		vals[j] = a.Term(s, x.Values, x.Entry)
		if j == 0 {
			same = slices.Index(rh.sites[0].vals, vals[0])
		}
		if same >= 0 && rh.sites[j].vals[same] != vals[j] {
			same = -1
		}
	}
	if same >= 0 || !slices.ContainsFunc(vals, func(t ilr.Term) bool { return !s.IsTrue(t) }) ||
		!slices.ContainsFunc(vals, func(t ilr.Term) bool { return !s.IsFalse(t) }) {
		return
	}
	rh.atoms = append(rh.atoms, a)
	for j, t := range vals {
		rh.sites[j].vals = append(rh.sites[j].vals, t)
	}
}

// level opens one more frame.
func (r *reach) level() {
	s := r.p.f.Store
	r.acts = append(r.acts, s.Eq(s.Fresh("frame", ilr.BV(1)), s.Int(1, 1)))
}

// frame returns what frame i assumes.
func (r *reach) frame(i int) []ilr.Term {
	if i == 0 {
		return []ilr.Term{r.acts[0]}
	}
	return append([]ilr.Term{r.p.hold}, r.acts[i:]...)
}

// exclude refutes all goals in frame n, or notes those that fail in x. It is false
// when time is up.
func (r *reach) exclude(ctx context.Context, n int, goals []goal, x *refutation) bool {
	for {
		open := x.live(goals)
		ans, ev := r.p.cut.Check(ctx, r.frame(n), bads(open)...)
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
		ok, late := r.blockOne(ctx, ev, open[i].after, n)
		if late {
			return false
		}
		if !ok {
			if open[i].exit && x.why == "" {
				x.why = "a construct that is not modelled may be reached: " + r.reachedGap(ev)
			}
			r.p.fail(x, open[i], goals)
			if len(x.live(goals)) == 0 {
				return true
			}
		}
	}
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

// persists asks whether c can fail one level up: Unsat if it holds there.
func (r *reach) persists(ctx context.Context, c *clause) solve.Answer {
	for _, w := range r.hs[c.header].ways {
		if r.p.f.Store.IsFalse(w.guard) {
			continue
		}
		ans, _ := r.p.cut.Ask(ctx, append(append(r.frame(c.level), w.guard), r.literals(c.cube, w.vals)...)...)
		if ans != solve.Unsat {
			return ans
		}
	}
	return solve.Unsat
}

// lemma returns the clause as a lemma.
func (r *reach) lemma(c *clause) *lemma.Lemma {
	l := &lemma.Lemma{Header: c.header, Maker: MakeClauses}
	for _, x := range c.cube {
		if x > 0 {
			l.Literals = append(l.Literals, lemma.Not(r.hs[c.header].atoms[x-1]))
		} else {
			l.Literals = append(l.Literals, lemma.Is(r.hs[c.header].atoms[-x-1]))
		}
	}
	return l
}

// reachedGap words the first gap that ev reaches.
func (r *reach) reachedGap(ev *ilr.Evaluator) string {
	for i := range r.p.f.Gaps {
		if ev.Holds(r.p.f.Gaps[i].Guard) {
			return r.p.f.Gaps[i].Reason.String()
		}
	}
	return "calls nest too deep, or a loop has no end"
}
