package invariant

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// orders holds how the program compares elements.
type orders struct {
	kinds  []lemma.Kind      // orders
	with   map[ilr.Term]bool // what elements are compared with, or set to
	bounds map[ilr.Term]bool // variables that index arrays, or are compared with such
	moved  map[ilr.Term]bool // variables that turns change
}

// orders returns how the program compares elements; nil where no claim, and nothing that turns test where that counts,
// compares two.
func (p *Prover) orders() *orders {
	if !p.f.Neighbours {
		return nil
	}
	var roots, all []ilr.Term
	for _, g := range p.goals() {
		if g.asserted {
			roots = append(roots, g.bad)
		}
	}
	if p.Branches {
		roots = append(roots, tested(p.f)...)
	}
	o := &orders{with: map[ilr.Term]bool{}, bounds: map[ilr.Term]bool{}, moved: map[ilr.Term]bool{}}
	for i := range p.f.Headers {
		h := &p.f.Headers[i]
		for v := range h.Vars {
			if h.Vars[v].Moves && len(h.Sites) > 0 {
				o.moved[h.Sites[0].Values[v]] = true
			}
		}
		for _, a := range turns(h) {
			all = append(append(all, a.Guard), a.Values...)
		}
	}
	x := &comparer{s: p.f.Store, orders: o}
	if x.look(roots); !x.two {
		return nil
	}
	x.look(slices.Concat(roots, all))
	x.spread()
	return o
}

// comparer finds the comparisons of elements.
type comparer struct {
	*orders
	s     *ilr.Store
	two   bool          // two elements are compared
	other [][2]ilr.Term // comparisons of what is no element
}

// look looks at all terms in roots.
func (x *comparer) look(roots []ilr.Term) {
	s := x.s
	kinds := map[ilr.Kind]lemma.Kind{ilr.KSlt: lemma.SleVar, ilr.KUlt: lemma.UleVar}
	s.Walk(roots, func(t ilr.Term) {
		switch s.Kind(t) {
		case ilr.KSelect, ilr.KStore:
			for _, v := range summands(s, s.Arg(t, 1)) {
				x.bounds[v] = true
			}
			if s.Kind(t) == ilr.KStore {
				x.with[narrow(s, s.Arg(t, 2))] = true
			}
			return
		}
		kind, ok := kinds[s.Kind(t)]
		if !ok && s.Kind(t) != ilr.KEq {
			return
		}
		a, b := s.Arg(t, 0), s.Arg(t, 1)
		left, right := readsElement(s, a), readsElement(s, b)
		if !left && !right {
			x.other = append(x.other, [2]ilr.Term{a, b})
			return
		}
		x.with[narrow(s, a)], x.with[narrow(s, b)] = true, true
		if !ok {
			return
		}
		if kind == lemma.SleVar && (s.Kind(a) == ilr.KZext || s.Kind(b) == ilr.KZext) {
			kind = lemma.UleVar
		}
		if x.two = x.two || left && right; !slices.Contains(x.kinds, kind) {
			x.kinds = append(x.kinds, kind)
		}
	})
}

// spread takes what is compared with an index for a bound, too.
func (x *comparer) spread() {
	var more []ilr.Term
	for _, c := range x.other {
		all := append(summands(x.s, c[0]), summands(x.s, c[1])...)
		if slices.ContainsFunc(all, func(t ilr.Term) bool { return x.bounds[t] }) {
			more = append(more, all...)
		}
	}
	for _, t := range more {
		x.bounds[t] = true
	}
}

// summands lists the terms that t is a sum of multiples of.
func summands(s *ilr.Store, t ilr.Term) []ilr.Term {
	switch s.Kind(t) {
	case ilr.KConst:
		return nil
	case ilr.KAdd, ilr.KMul, ilr.KNeg, ilr.KSext, ilr.KZext, ilr.KExtract, ilr.KConcat:
		var out []ilr.Term
		for i := range s.NumArgs(t) {
			out = append(out, summands(s, s.Arg(t, i))...)
		}
		return out
	}
	return []ilr.Term{t}
}

// readsElement reports that t is an element of an array, perhaps extended.
func readsElement(s *ilr.Store, t ilr.Term) bool {
	t = narrow(s, t)
	return !s.Larger(t, policy.MaxTree) && hasSelect(s, []ilr.Term{t})
}

// narrow returns t before it was extended, or cut into parts.
func narrow(s *ilr.Store, t ilr.Term) ilr.Term {
	for s.Kind(t) == ilr.KZext || s.Kind(t) == ilr.KSext || s.Kind(t) == ilr.KExtract {
		t = s.Arg(t, 0)
	}
	return t
}

// inOrder adds what holds of neighbouring elements, in a share of the time. It reports whether bad is excluded then.
func (p *Prover) inOrder(ctx context.Context, bad []ilr.Term) bool {
	if len(p.ordered) == 0 {
		return false
	}
	part, cancel := budget.Share(ctx, policy.NeighbourPercent)
	defer cancel()
	p.effort = policy.SuggestEffort
	for _, more := range [][]*lemma.Lemma{nil, p.related, p.parts} {
		if p.admit(part, slices.Concat(p.ordered, more)); p.exclude(ctx, bad) {
			return true
		}
	}
	return false
}
