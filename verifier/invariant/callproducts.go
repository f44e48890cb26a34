package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/invariant/lemma"
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
		yes := p.samplesOf(g)
		if len(yes) < len(p.samples) && len(p.equal) < policy.MaxCallProducts {
			g.Neg = !g.Neg
			p.callProductsOf([]lemma.Literal{g}, yes)
		}
	}
}

// callProductsOf proposes the equations of samples, unless other.
func (p *proposer) callProductsOf(other []lemma.Literal, samples []sample) {
	var fs []lemma.Factor
	for _, v := range slices.Backward(p.related()) { // those that move first
		fs = append(fs, lemma.Factor{V: v})
	}
	fs = fs[:min(len(fs), policy.MaxCallFactors)]
	columns := []lemma.Product{{}}
	for i, a := range fs {
		columns = append(columns, lemma.Product{Factors: []lemma.Factor{a}})
		for _, b := range fs[i:] {
			if p.h.Vars[a.V].Moves || p.h.Vars[b.V].Moves {
				continue
			}
			columns = append(columns, lemma.Product{Factors: []lemma.Factor{a, b}})
		}
	}
	slices.SortStableFunc(columns, func(x, y lemma.Product) int { return len(x.Factors) - len(y.Factors) })
	some := *p
	some.samples = samples
	for _, sum := range some.vanishing(fs, columns) {
		a := &lemma.Atom{Kind: lemma.Products, Products: sum}
		l := &lemma.Lemma{Header: p.index, Maker: p.maker, Literals: append(slices.Clone(other), lemma.Is(a))}
		if slices.ContainsFunc(sum, func(m lemma.Product) bool { return len(m.Factors) == 2 }) && p.arrange(a) &&
			(other == nil || refuted(p.f.Store, &lemma.Lemma{Literals: []lemma.Literal{{Atom: a}}}, p.samples)) {
			p.equal = append(p.equal, l)
		}
	}
}
