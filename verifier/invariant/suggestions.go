package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Lemmas that executions suggest, above all about the way back from calls: what a
// recursive function gives back, and what it leaves in memory, in terms of what it
// was given. Sums come from the constants that executions show, for all calls or
// turns, or for those that a condition on what does not change picks.

// suggestions proposes what the samples suggest.
func (p *proposer) suggestions() {
	var sums [][]lemma.Summand
	if p.h.Calls {
		sums = slices.DeleteFunc(p.sums(), func(sum []lemma.Summand) bool { return p.constant(sum, nil, p.samples) })
	}
	if len(p.samples) == 0 {
		return
	}
	p.equations(nil, p.samples)
	if !p.h.Calls {
		p.changes()
	}
	for _, g := range p.conditions() {
		yes := p.samplesOf(g)
		if len(yes) < policy.FewSamples || len(yes) == len(p.samples) {
			continue
		}
		g.Neg = !g.Neg
		for _, sum := range sums {
			p.constant(sum, &g, yes)
		}
		p.equations(&g, yes)
		p.orders(g, yes)
	}
}

// samplesOf lists the samples that know all that g is about, and of which it holds.
func (p *proposer) samplesOf(g lemma.Literal) []sample {
	l := &lemma.Lemma{Literals: []lemma.Literal{g}}
	var out []sample
	for _, x := range p.samples {
		if x.speaksOf(l) && p.f.Store.IsTrue(l.Term(p.f.Store, x.vals, x.entry)) {
			out = append(out, x)
		}
	}
	return out
}

// ends lists some numbers after the call and some before it.
func (p *proposer) ends() (after, before []int) {
	for v, x := range p.h.Vars {
		switch {
		case x.Width < 8 || x.Ghost || x.Cell:
		case x.Moves && len(after) < policy.MaxResults:
			after = append(after, v)
		case !x.Moves && len(before) < policy.MaxInputs:
			before = append(before, v)
		}
	}
	return after, before
}

// sums lists linear sums of one number after the call and up to two before it.
func (p *proposer) sums() [][]lemma.Summand {
	after, before := p.ends()
	var out [][]lemma.Summand
	add := func(s ...lemma.Summand) {
		if len(out) < policy.MaxSums {
			out = append(out, s)
		}
	}
	for _, v := range after {
		add(lemma.Summand{Coef: 1, V: v})
		for _, u := range before {
			for _, c := range []int64{-1, 1, -2, 2} {
				add(lemma.Summand{Coef: 1, V: v}, lemma.Summand{Coef: c, V: u})
			}
		}
	}
	for _, v := range after {
		for i, u := range before {
			for _, w := range before[i+1:] {
				for _, c := range [][2]int64{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}} {
					add(lemma.Summand{Coef: 1, V: v}, lemma.Summand{Coef: c[0], V: u}, lemma.Summand{Coef: c[1], V: w})
				}
			}
		}
	}
	return out
}

// constant proposes that sum, or its lowest bit, is what it is in all samples,
// unless other says that the condition does not hold. It reports whether the whole
// sum is.
func (p *proposer) constant(sum []lemma.Summand, other *lemma.Literal, samples []sample) bool {
	s := p.f.Store
	a := &lemma.Atom{Kind: lemma.Sum, V: sum[0].V, Sum: sum}
	var first bits.Vec
	same, parity, n := true, true, 0
	for i := range samples {
		if !samples[i].speaksOf(&lemma.Lemma{Literals: []lemma.Literal{{Atom: a}}}) {
			continue
		}
		k, ok := s.ConstVal(a.Total(s, samples[i].vals))
		if !ok {
			return false
		}
		if n++; n == 1 {
			first = k
		}
		same = same && k == first
		parity = parity && k.Bit(0) == first.Bit(0)
	}
	switch {
	case n < policy.FewSamples && (other != nil || len(sum) == 1):
		return false
	case n < policy.FewSamples:
		same, first = true, bits.New(a.SumWidth(p.h), 0)
	}
	switch {
	case same:
		a.K = first
	case parity && first.Width() > 1 && !slices.ContainsFunc(sum, func(m lemma.Summand) bool { return m.Coef != 1 }):
		a.Kind, a.K = lemma.SumLow, bits.Trunc(first, 1)
	default:
		return false
	}
	if other == nil {
		p.suggest(lemma.Is(a))
		return same
	}
	p.add(*other, lemma.Is(a))
	p.found = append(p.found, a)
	return same
}

// conditions are on the arguments.
func (p *proposer) conditions() []lemma.Literal {
	_, before := p.ends()
	var out []lemma.Literal
	both := func(a *lemma.Atom) { out = append(out, lemma.Is(a), lemma.Not(a)) }
	for _, v := range before {
		for _, k := range p.h.Consts[p.width(v)] {
			both(&lemma.Atom{Kind: lemma.Sle, V: v, K: k})
			if k.IsZero() || k.IsOne() {
				both(&lemma.Atom{Kind: lemma.Eq, V: v, K: k})
			}
		}
		for _, u := range before {
			if u != v && p.width(u) == p.width(v) {
				both(&lemma.Atom{Kind: lemma.SleVar, V: v, W: u})
			}
		}
		for _, k := range p.few(v) {
			out = append(out, lemma.Is(&lemma.Atom{Kind: lemma.Eq, V: v, K: k}))
		}
	}
	return out
}

// few lists the values above 1 that v has in samples; nothing if they are many.
func (p *proposer) few(v int) []bits.Vec {
	var out []bits.Vec
	for _, x := range p.samples {
		if k := x.nums[v]; k.Width() > 0 && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	if len(out) > policy.MaxFewValues {
		return nil
	}
	return slices.DeleteFunc(out, func(k bits.Vec) bool { return k.IsZero() || k.IsOne() })
}

// orders proposes bounds and orders of numbers after the call, unless other.
func (p *proposer) orders(other lemma.Literal, samples []sample) {
	after, before := p.ends()
	rule := func(a *lemma.Atom, neg bool) {
		l := &lemma.Lemma{Literals: []lemma.Literal{{Atom: a, Neg: neg}}}
		if p.rules < policy.MaxRules && !refuted(p.f.Store, l, samples) && refuted(p.f.Store, l, p.samples) {
			p.rules++
			p.add(other, lemma.Literal{Atom: a, Neg: neg})
		}
	}
	for _, v := range after {
		for _, k := range p.h.Consts[p.width(v)] {
			rule(&lemma.Atom{Kind: lemma.Sle, V: v, K: k}, false)
			rule(&lemma.Atom{Kind: lemma.Sle, V: v, K: bits.Sub(k, bits.New(p.width(v), 1))}, true)
		}
		for _, u := range before {
			if p.width(u) == p.width(v) {
				rule(&lemma.Atom{Kind: lemma.SleVar, V: v, W: u}, false)
				rule(&lemma.Atom{Kind: lemma.SleVar, V: u, W: v}, false)
			}
		}
	}
}
