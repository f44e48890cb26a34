package invariant

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Lemmas under a value of a control variable: one that the program sets to constants alone, as the state of a state
// machine. In each of its states other numbers keep bounds and orders of their own (got < length while data comes in).
// What control variables say of each other is left to clauses, which are quick at it.

// underStates adds the lemmas under values of control variables, if the others do not exclude bad and these do:
// otherwise they would make each question about clauses longer.
func (p *Prover) underStates(ctx context.Context, bad []ilr.Term) {
	part, cancel := budget.Share(ctx, policy.StatePercent)
	defer cancel()
	if len(p.states) == 0 || p.exclude(part, bad) {
		return
	}
	before := slices.Clone(p.alive)
	p.admit(part, p.states)
	if p.exclude(part, bad) {
		return
	}
	p.keep(slices.DeleteFunc(before, func(c *candidate) bool { return !slices.Contains(p.alive, c) }))
	p.assumeAlive()
}

// place names variable [1] at header [0].
type place = [2]int

// values returns what each control variable can be, as far as the places tell that it is set at.
func (x *comparisons) values() map[place][]bits.Vec {
	consts, from, other := map[place][]bits.Vec{}, map[place][]place{}, map[place]bool{}
	for i := range x.f.Headers {
		for _, a := range x.f.Headers[i].Arrivals {
			for v, t := range a.Values {
				p := place{i, v}
				for _, l := range x.leavesOf(t) {
					if k, ok := x.f.Store.ConstVal(l); ok && !slices.Contains(consts[p], k) {
						consts[p] = append(consts[p], k)
					} else if !ok && len(x.vars[l]) == 0 {
						other[p] = true
					}
					from[p] = append(from[p], x.vars[l]...)
				}
			}
		}
	}
	out := map[place][]bits.Vec{}
	for p := range from {
		if list := spread(p, consts, from, other); len(list) > 1 && len(list) <= policy.MaxStates {
			out[p] = list
		}
	}
	return out
}

// spread lists the constants that may come to p; nil where something else may.
func spread(p place, consts map[place][]bits.Vec, from map[place][]place, other map[place]bool) []bits.Vec {
	var out []bits.Vec
	reached := []place{p}
	for i := 0; i < len(reached); i++ {
		q := reached[i]
		if other[q] || len(reached) > policy.MaxPlaces {
			return nil
		}
		for _, k := range consts[q] {
			if len(out) > 0 && k.Width() != out[0].Width() {
				return nil
			}
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
		for _, r := range from[q] {
			if !slices.Contains(reached, r) {
				reached = append(reached, r)
			}
		}
	}
	return out
}

// controlled proposes what holds under a value of a control variable of the header.
func (p *proposer) controlled(x *comparisons, values map[place][]bits.Vec) []*lemma.Lemma {
	if !p.on(MakeControl) {
		return nil
	}
	p.maker = MakeControl
	others := p.out
	p.out = nil
	for c := range p.h.Vars {
		for _, k := range values[place{p.index, c}] {
			if !p.h.Vars[c].Moves || p.width(c) != k.Width() {
				continue
			}
			not := lemma.Not(&lemma.Atom{Kind: lemma.Eq, V: c, K: k})
			for v := range p.h.Vars {
				if u := &p.h.Vars[v]; v != c && u.Moves && !u.Ghost && !u.Cell && u.Width > 1 &&
					len(values[place{p.index, v}]) == 0 && !x.floats[place{p.index, v}] && x.carried(p.index, v) {
					p.under(not, v, x, values)
				}
			}
		}
	}
	out := p.out
	p.out = others
	return out
}

// carried reports whether v at header i may depend on what numbers were a turn before: an input that is read in each turn
// does not.
func (x *comparisons) carried(i, v int) bool {
	return slices.ContainsFunc(x.f.Headers[i].Arrivals, func(a encode.Arrival) bool {
		return slices.ContainsFunc(x.leavesOf(a.Values[v]), func(l ilr.Term) bool {
			_, known := x.f.Store.ConstVal(l)
			return len(x.vars[l]) > 0 || !known && x.f.Store.Kind(l) != ilr.KVar
		})
	})
}

// under proposes what v keeps unless not.
func (p *proposer) under(not lemma.Literal, v int, x *comparisons, values map[place][]bits.Vec) {
	few := len(p.h.Vars) <= policy.MaxFree
	for w := range p.h.Vars {
		if u := &p.h.Vars[w]; w == v || u.Width != p.width(v) || len(values[place{p.index, w}]) > 0 || u.Ghost || u.Cell ||
			!few && !x.pairs[[3]int{p.index, min(v, w), max(v, w)}] {
			continue
		}
		for _, kind := range []lemma.Kind{lemma.SleVar, lemma.UleVar} {
			p.add(not, lemma.Is(&lemma.Atom{Kind: kind, V: v, W: w}))
			p.add(not, lemma.Not(&lemma.Atom{Kind: kind, V: w, W: v}))
		}
		if v < w {
			p.add(not, lemma.Is(&lemma.Atom{Kind: lemma.EqVar, V: v, W: w}))
		}
	}
	ks := x.out[place{p.index, v}]
	if few {
		ks = p.h.Consts[p.width(v)]
	}
	for _, k := range ks {
		p.add(not, lemma.Is(&lemma.Atom{Kind: lemma.Eq, V: v, K: k}))
		p.add(not, lemma.Is(&lemma.Atom{Kind: lemma.Ule, V: v, K: k}))
		p.add(not, lemma.Is(&lemma.Atom{Kind: lemma.Sle, V: v, K: k}))
		p.add(not, lemma.Not(&lemma.Atom{Kind: lemma.Sle, V: v, K: bits.Sub(k, bits.New(k.Width(), 1))}))
	}
}
