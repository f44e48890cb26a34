package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Lemmas that executions suggest, above all about the way back from calls: what a
// recursive function gives back, and what it leaves in memory, in terms of what it
// was given. Sums come from the constants that executions show, for all calls or
// turns, or for those that a condition on what does not change picks.

// suggestions proposes what the samples suggest.
func (p *proposer) suggestions() {
	var sums [][]summand
	if p.h.Calls {
		sums = slices.DeleteFunc(p.sums(), func(sum []summand) bool { return p.constant(sum, nil, p.samples) })
	}
	if len(p.samples) == 0 {
		return
	}
	p.equations(nil, p.samples)
	if !p.h.Calls {
		p.changes()
	}
	for _, g := range p.conditions() {
		var yes []sample
		for _, x := range p.samples {
			if (&Lemma{lits: []Literal{g}}).true(p.f.Store, &x) {
				yes = append(yes, x)
			}
		}
		if len(yes) < policy.FewSamples || len(yes) == len(p.samples) {
			continue
		}
		g.neg = !g.neg
		for _, sum := range sums {
			p.constant(sum, &g, yes)
		}
		p.equations(&g, yes)
		p.orders(g, yes)
	}
}

// true reports that l holds of x, which knows all that l is about.
func (l *Lemma) true(s *ilr.Store, x *sample) bool {
	return x.speaksOf(l) && s.IsTrue(l.term(s, x.vals, x.entry))
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
func (p *proposer) sums() [][]summand {
	after, before := p.ends()
	var out [][]summand
	add := func(s ...summand) {
		if len(out) < policy.MaxSums {
			out = append(out, s)
		}
	}
	for _, v := range after {
		add(summand{1, v})
		for _, u := range before {
			for _, c := range []int64{-1, 1, -2, 2} {
				add(summand{1, v}, summand{c, u})
			}
		}
	}
	for _, v := range after {
		for i, u := range before {
			for _, w := range before[i+1:] {
				for _, c := range [][2]int64{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}} {
					add(summand{1, v}, summand{c[0], u}, summand{c[1], w})
				}
			}
		}
	}
	return out
}

// constant proposes that sum, or its lowest bit, is what it is in all samples,
// unless other says that the condition does not hold. It reports whether the whole
// sum is.
func (p *proposer) constant(sum []summand, other *Literal, samples []sample) bool {
	s := p.f.Store
	a := &atom{kind: atomSum, v: sum[0].v, sum: sum}
	var first bits.Vec
	same, parity, n := true, true, 0
	for i := range samples {
		if !samples[i].speaksOf(&Lemma{lits: []Literal{{a, false}}}) {
			continue
		}
		k, ok := s.ConstVal(a.total(s, samples[i].vals))
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
		same, first = true, bits.New(a.sumWidth(p.h), 0)
	}
	switch {
	case same:
		a.k = first
	case parity && first.Width() > 1 && !slices.ContainsFunc(sum, func(m summand) bool { return m.coef != 1 }):
		a.kind, a.k = atomSumLow, bits.Trunc(first, 1)
	default:
		return false
	}
	if other == nil {
		p.suggest(Literal{a, false})
		return same
	}
	p.add(*other, Literal{a, false})
	p.found = append(p.found, a)
	return same
}

// conditions are on the arguments.
func (p *proposer) conditions() []Literal {
	_, before := p.ends()
	var out []Literal
	both := func(a *atom) { out = append(out, Literal{a, false}, Literal{a, true}) }
	for _, v := range before {
		for _, k := range p.h.Consts[p.width(v)] {
			both(&atom{kind: atomSle, v: v, k: k})
			if k.IsZero() || k.IsOne() {
				both(&atom{kind: atomEq, v: v, k: k})
			}
		}
		for _, u := range before {
			if u != v && p.width(u) == p.width(v) {
				both(&atom{kind: atomSleVar, v: v, w: u})
			}
		}
		for _, k := range p.few(v) {
			out = append(out, Literal{&atom{kind: atomEq, v: v, k: k}, false})
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
func (p *proposer) orders(other Literal, samples []sample) {
	after, before := p.ends()
	rule := func(a *atom, neg bool) {
		l := &Lemma{lits: []Literal{{a, neg}}}
		if p.rules < policy.MaxRules && !refuted(p.f.Store, l, samples) && refuted(p.f.Store, l, p.samples) {
			p.rules++
			p.add(other, Literal{a, neg})
		}
	}
	for _, v := range after {
		for _, k := range p.h.Consts[p.width(v)] {
			rule(&atom{kind: atomSle, v: v, k: k}, false)
			rule(&atom{kind: atomSle, v: v, k: bits.Sub(k, bits.New(p.width(v), 1))}, true)
		}
		for _, u := range before {
			if p.width(u) == p.width(v) {
				rule(&atom{kind: atomSleVar, v: v, w: u}, false)
				rule(&atom{kind: atomSleVar, v: u, w: v}, false)
			}
		}
	}
}
