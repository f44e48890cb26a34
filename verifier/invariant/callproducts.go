package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/policy"
)

// callProducts proposes what calls give back as sums of products of two numbers that they are given, where that holds
// of all samples, or of those that a condition on these numbers picks: `result == n*m`, if m > 0.
func (p *proposer) callProducts() {
	if len(p.samples) == 0 {
		return
	}
	p.callProductsOf(nil, p.samples)
	for _, g := range p.conditions() {
		var yes []sample
		for _, x := range p.samples {
			if (&Lemma{lits: []Literal{g}}).true(p.f.Store, &x) {
				yes = append(yes, x)
			}
		}
		if len(yes) < len(p.samples) && len(p.equal) < policy.MaxCallProducts {
			g.neg = !g.neg
			p.callProductsOf([]Literal{g}, yes)
		}
	}
}

// callProductsOf proposes the equations of samples, unless other.
func (p *proposer) callProductsOf(other []Literal, samples []sample) {
	var fs []factor
	for _, v := range slices.Backward(p.related()) { // those that move first
		fs = append(fs, factor{v: v})
	}
	fs = fs[:min(len(fs), policy.MaxCallFactors)]
	columns := []product{{}}
	for i, a := range fs {
		columns = append(columns, product{factors: []factor{a}})
		for _, b := range fs[i:] {
			if p.h.Vars[a.v].Moves || p.h.Vars[b.v].Moves {
				continue
			}
			columns = append(columns, product{factors: []factor{a, b}})
		}
	}
	slices.SortStableFunc(columns, func(x, y product) int { return len(x.factors) - len(y.factors) })
	some := *p
	some.samples = samples
	for _, sum := range some.vanishing(fs, columns) {
		a := &atom{kind: atomProducts, products: sum}
		l := &Lemma{header: p.index, maker: p.maker, lits: append(slices.Clone(other), Literal{a, false})}
		if slices.ContainsFunc(sum, func(m product) bool { return len(m.factors) == 2 }) && p.arrange(a) &&
			(other == nil || refuted(p.f.Store, &Lemma{lits: []Literal{{a, false}}}, p.samples)) {
			p.equal = append(p.equal, l)
		}
	}
}
