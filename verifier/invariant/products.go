package invariant

import (
	"cmp"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/ring"
)

// Equations between products of two numbers: those that hold of all samples are found like linear ones (hull.go), and
// those stay that follow from each other, a turn later, by arithmetic modulo 2^w alone (verifier/ring).

// factorsOf lists numbers that samples know, and values on entry that are not constants.
func (p *proposer) factorsOf(x *comparisons) []lemma.Factor {
	var now, then []lemma.Factor
	related := p.related()
	for _, v := range slices.Backward(related) { // those that move first
		site := p.h.Sites[0].Values[v]
		now = append(now, lemma.Factor{V: v, Unsigned: x.extended[site] == ilr.KZext})
		known := !slices.ContainsFunc(p.samples, func(s sample) bool { return s.entry[v] == 0 })
		if _, constant := p.f.Store.ConstVal(p.h.Arrivals[0].Values[v]); p.h.Vars[v].Moves && known && !constant {
			then = append(then, lemma.Factor{V: v, Entry: true})
		}
	}
	out := append(now, then...)
	return out[:min(len(out), policy.MaxFactors)]
}

// products proposes the equations of degree two that hold of all samples, but none of numbers that a linear equation
// gives.
func (p *proposer) products(x *comparisons) {
	if len(p.samples) == 0 || p.h.Loop == nil || len(p.h.Sites) != 1 {
		return
	}
	fs := p.factorsOf(x)
	columns := []lemma.Product{{}}
	for _, a := range fs {
		columns = append(columns, lemma.Product{Factors: []lemma.Factor{a}})
	}
	var given []lemma.Factor
	for _, a := range p.vanishing(fs, columns) {
		last := a[len(a)-1]
		if p.suggestProducts(a) && (last.Coef == 1 || last.Coef == -1) {
			given = append(given, last.Factors[0])
		}
	}
	fs = slices.DeleteFunc(fs, func(a lemma.Factor) bool { return slices.Contains(given, a) })
	columns = []lemma.Product{{}}
	for i, a := range fs {
		columns = append(columns, lemma.Product{Factors: []lemma.Factor{a}})
		for _, b := range fs[i:] {
			columns = append(columns, lemma.Product{Factors: []lemma.Factor{a, b}})
		}
	}
	slices.SortStableFunc(columns, func(x, y lemma.Product) int { return len(x.Factors) - len(y.Factors) })
	for _, a := range p.vanishing(fs, columns) {
		p.suggestProducts(a)
	}
}

// vanishing lists sums of columns, products of fs, that are 0 in all samples. The last summand of each is in no other.
func (p *proposer) vanishing(fs []lemma.Factor, columns []lemma.Product) [][]lemma.Product {
	var rows [][]uint64
	for i := range p.samples {
		if row := p.values(&p.samples[i], fs, columns); row != nil {
			rows = append(rows, row)
		}
	}
	var out [][]lemma.Product
	for _, c := range fieldKernel(rows, len(columns)) {
		var sum []lemma.Product
		for j, m := range columns {
			if m.Coef = c[j]; m.Coef != 0 {
				sum = append(sum, m)
			}
		}
		out = append(out, sum)
	}
	return out
}

// suggestProducts proposes that sum is 0, and reports whether that is a lemma.
func (p *proposer) suggestProducts(sum []lemma.Product) bool {
	a := &lemma.Atom{Kind: lemma.Products, Products: slices.Clone(sum)}
	if !p.arrange(a) {
		return false
	}
	p.equal = append(p.equal, &lemma.Lemma{Header: p.index, Maker: p.maker, Literals: []lemma.Literal{{Atom: a}}})
	return true
}

// values returns the columns in sample x, modulo the prime of fieldKernel; nil if one may have wrapped around.
func (p *proposer) values(x *sample, fs []lemma.Factor, columns []lemma.Product) []uint64 {
	nums := map[lemma.Factor]int64{}
	for _, f := range fs {
		n := x.nums[f.V]
		if f.Entry {
			n, _ = p.f.Store.ConstVal(x.entry[f.V])
		}
		k, ok := n.Int64()
		if f.Unsigned {
			n = bits.Zext(n, n.Width()+1)
			k, ok = n.Int64()
		}
		if !ok || k > policy.SmallFactor || k < -policy.SmallFactor {
			return nil
		}
		nums[f] = k
	}
	var row []uint64
	for _, m := range columns {
		k := int64(1)
		for _, f := range m.Factors {
			k *= nums[f]
		}
		if k > policy.SmallFactor || k < -policy.SmallFactor {
			return nil
		}
		row = append(row, residue(k))
	}
	return row
}

// arrange brings a number that moves, with the coefficient 1, to the front of a's products. It reports whether a
// relates numbers that move, and has such a number or a coefficient 1 at least.
func (p *proposer) arrange(a *lemma.Atom) bool {
	moves := slices.ContainsFunc(a.Products, func(m lemma.Product) bool {
		return slices.ContainsFunc(m.Factors, func(x lemma.Factor) bool { return !x.Entry && p.h.Vars[x.V].Moves })
	})
	slices.SortStableFunc(a.Products, func(x, y lemma.Product) int { return cmp.Compare(p.rank(x), p.rank(y)) })
	first := a.Products[0]
	if a.V = 0; len(first.Factors) > 0 {
		a.V = first.Factors[0].V
	}
	if first.Coef == -1 {
		for i := range a.Products {
			a.Products[i].Coef *= -1
		}
	}
	return moves && a.Products[0].Coef == 1
}

// rank orders products by how good they are as the left side of an equation.
func (p *proposer) rank(m lemma.Product) int {
	switch {
	case len(m.Factors) == 1 && (m.Coef == 1 || m.Coef == -1) && !m.Factors[0].Entry && p.h.Vars[m.Factors[0].V].Moves:
		return 0
	case len(m.Factors) > 0 && (m.Coef == 1 || m.Coef == -1):
		return 1
	}
	return 2
}

// followed returns those of the lemmas that follow from each other: on every way to its header, or in a case of what
// calls choose by, one is a sum of multiples of those of a turn before, perhaps if two numbers are equal there.
func followed(f *encode.Formula, ls []*lemma.Lemma) []*lemma.Lemma {
	for {
		d := ring.NewIdeal(f.Store, atSites(f, ls))
		left := slices.DeleteFunc(slices.Clone(ls), func(l *lemma.Lemma) bool {
			return slices.ContainsFunc(f.Headers[l.Header].Arrivals, func(a encode.Arrival) bool {
				equation := l.Literals[len(l.Literals)-1].Term(f.Store, a.Values, a.Entry)
				_, ok := d.Implies(equation)
				return !ok && (!f.Headers[l.Header].Calls || len(d.Cases(equation)) == 0)
			})
		})
		if len(left) == len(ls) {
			return ls
		}
		ls = left
	}
}

// atSites lists what the lemmas say of the unknown states.
func atSites(f *encode.Formula, ls []*lemma.Lemma) []ilr.Term {
	var out []ilr.Term
	for _, l := range ls {
		for _, x := range f.Headers[l.Header].Sites {
			out = append(out, l.Term(f.Store, x.Values, x.Entry))
		}
	}
	return out
}
