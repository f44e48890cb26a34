package invariant

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/ring"
)

// Equations between products of two numbers: those that hold of all samples are found like linear ones (hull.go), and
// those stay that follow from each other, a turn later, by arithmetic modulo 2^w alone (verifier/ring).

// factor is a number of a header, now or on entry, made as wide as the equation.
type factor struct {
	v        int
	entry    bool
	unsigned bool
}

// product is coef times the factors, none to two.
type product struct {
	coef    int64
	factors []factor
}

// wide returns the factor's value among vals, or entry, as a word of n bits.
func (x factor) wide(s *ilr.Store, n int, vals, entry []ilr.Term) ilr.Term {
	t := vals[x.v]
	if x.entry {
		t = entry[x.v]
	}
	if x.unsigned {
		return s.Zext(t, n)
	}
	return s.Sext(t, n)
}

// productsWidth is the width of a's products.
func (a *atom) productsWidth(s *ilr.Store, vals []ilr.Term) int {
	n := 0
	for _, m := range a.products {
		for _, x := range m.factors {
			n = max(n, s.Width(vals[x.v]))
		}
	}
	return n
}

// productsTerm returns an atomProducts: its first summand, a number, is the sum of the others with opposite signs.
func (a *atom) productsTerm(s *ilr.Store, vals, entry []ilr.Term) ilr.Term {
	n := a.productsWidth(s, vals)
	term := func(m product, coef int64) ilr.Term {
		t := s.Int(n, coef)
		for _, x := range m.factors {
			t = s.Mul(t, x.wide(s, n, vals, entry))
		}
		return t
	}
	rest := s.Int(n, 0)
	for _, m := range a.products[1:] {
		rest = s.Add(rest, term(m, -m.coef))
	}
	return s.Eq(term(a.products[0], a.products[0].coef), rest)
}

// productsText words an atomProducts.
func (a *atom) productsText(h *encode.Header, op string) string {
	text := func(m product, coef int64) string {
		var parts []string
		if coef != 1 || len(m.factors) == 0 {
			parts = append(parts, fmt.Sprint(coef))
		}
		for _, x := range m.factors {
			name := h.Vars[x.v].Name
			if x.entry {
				name += " on entry"
			}
			parts = append(parts, name)
		}
		return strings.Join(parts, "*")
	}
	var rest []string
	for _, m := range a.products[1:] {
		rest = append(rest, text(m, -m.coef))
	}
	if len(rest) == 0 {
		rest = []string{"0"}
	}
	return text(a.products[0], a.products[0].coef) + op + strings.ReplaceAll(strings.Join(rest, " + "), "+ -", "- ")
}

// factorsOf lists numbers that samples know, and values on entry that are not constants.
func (p *proposer) factorsOf(x *comparisons) []factor {
	var now, then []factor
	related := p.related()
	for _, v := range slices.Backward(related) { // those that move first
		site := p.h.Sites[0].Values[v]
		now = append(now, factor{v: v, unsigned: x.extended[site] == ilr.KZext})
		known := !slices.ContainsFunc(p.samples, func(s sample) bool { return s.entry[v] == 0 })
		if _, constant := p.f.Store.ConstVal(p.h.Arrivals[0].Values[v]); p.h.Vars[v].Moves && known && !constant {
			then = append(then, factor{v: v, entry: true})
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
	columns := []product{{}}
	for _, a := range fs {
		columns = append(columns, product{factors: []factor{a}})
	}
	var given []factor
	for _, a := range p.vanishing(fs, columns) {
		last := a[len(a)-1]
		if p.suggestProducts(a) && (last.coef == 1 || last.coef == -1) {
			given = append(given, last.factors[0])
		}
	}
	fs = slices.DeleteFunc(fs, func(a factor) bool { return slices.Contains(given, a) })
	columns = []product{{}}
	for i, a := range fs {
		columns = append(columns, product{factors: []factor{a}})
		for _, b := range fs[i:] {
			columns = append(columns, product{factors: []factor{a, b}})
		}
	}
	slices.SortStableFunc(columns, func(x, y product) int { return len(x.factors) - len(y.factors) })
	for _, a := range p.vanishing(fs, columns) {
		p.suggestProducts(a)
	}
}

// vanishing lists sums of columns, products of fs, that are 0 in all samples. The last summand of each is in no other.
func (p *proposer) vanishing(fs []factor, columns []product) [][]product {
	var rows [][]uint64
	for i := range p.samples {
		if row := p.values(&p.samples[i], fs, columns); row != nil {
			rows = append(rows, row)
		}
	}
	var out [][]product
	for _, c := range fieldKernel(rows, len(columns)) {
		var sum []product
		for j, m := range columns {
			if m.coef = c[j]; m.coef != 0 {
				sum = append(sum, m)
			}
		}
		out = append(out, sum)
	}
	return out
}

// suggestProducts proposes that sum is 0, and reports whether that is a lemma.
func (p *proposer) suggestProducts(sum []product) bool {
	a := &atom{kind: atomProducts, products: slices.Clone(sum)}
	if !p.arrange(a) {
		return false
	}
	p.equal = append(p.equal, &Lemma{header: p.index, maker: p.maker, lits: []Literal{{a, false}}})
	return true
}

// values returns the columns in sample x, modulo the prime of fieldKernel; nil if one may have wrapped around.
func (p *proposer) values(x *sample, fs []factor, columns []product) []uint64 {
	nums := map[factor]int64{}
	for _, f := range fs {
		n := x.nums[f.v]
		if f.entry {
			n, _ = p.f.Store.ConstVal(x.entry[f.v])
		}
		k, ok := n.Int64()
		if f.unsigned {
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
		for _, f := range m.factors {
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
func (p *proposer) arrange(a *atom) bool {
	moves := slices.ContainsFunc(a.products, func(m product) bool {
		return slices.ContainsFunc(m.factors, func(x factor) bool { return !x.entry && p.h.Vars[x.v].Moves })
	})
	slices.SortStableFunc(a.products, func(x, y product) int { return cmp.Compare(p.rank(x), p.rank(y)) })
	first := a.products[0]
	if a.v = 0; len(first.factors) > 0 {
		a.v = first.factors[0].v
	}
	if first.coef == -1 {
		for i := range a.products {
			a.products[i].coef *= -1
		}
	}
	return moves && a.products[0].coef == 1
}

// rank orders products by how good they are as the left side of an equation.
func (p *proposer) rank(m product) int {
	switch {
	case len(m.factors) == 1 && (m.coef == 1 || m.coef == -1) && !m.factors[0].entry && p.h.Vars[m.factors[0].v].Moves:
		return 0
	case len(m.factors) > 0 && (m.coef == 1 || m.coef == -1):
		return 1
	}
	return 2
}

// followed returns those of the lemmas that follow from each other: on every way to its header, or in a case of what
// calls choose by, one is a sum of multiples of those of a turn before, perhaps if two numbers are equal there.
func followed(f *encode.Formula, ls []*Lemma) []*Lemma {
	for {
		d := ring.NewIdeal(f.Store, atSites(f, ls))
		left := slices.DeleteFunc(slices.Clone(ls), func(l *Lemma) bool {
			return slices.ContainsFunc(f.Headers[l.header].Arrivals, func(a encode.Arrival) bool {
				equation := l.lits[len(l.lits)-1].Term(f.Store, a.Values, a.Entry)
				_, ok := d.Implies(equation)
				return !ok && (!f.Headers[l.header].Calls || len(d.Cases(equation)) == 0)
			})
		})
		if len(left) == len(ls) {
			return ls
		}
		ls = left
	}
}

// atSites lists what the lemmas say of the unknown states.
func atSites(f *encode.Formula, ls []*Lemma) []ilr.Term {
	var out []ilr.Term
	for _, l := range ls {
		for _, x := range f.Headers[l.header].Sites {
			out = append(out, l.term(f.Store, x.Values, x.Entry))
		}
	}
	return out
}
