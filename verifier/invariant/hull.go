package invariant

import (
	"math/big"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Linear equations that hold of all samples: the affine hull of the points that
// executions pass (Karr, Affine relationships among variables of a program, 1976,
// the other way round). They are lemmas to be tried, no facts.

// equations proposes the equations of samples, unless other says that the
// condition does not hold.
func (p *proposer) equations(other *lemma.Literal, samples []sample) {
	vars := p.related()
	var rows [][]*big.Rat
	for i := range samples {
		row := []*big.Rat{big.NewRat(1, 1)}
		for _, v := range vars {
			row = append(row, ratOf(samples[i].nums[v]))
		}
		rows = append(rows, row)
	}
	if len(rows) < len(vars)+1+policy.SpareSamples {
		return
	}
	for _, c := range kernel(rows, len(vars)+1) {
		var sum []lemma.Summand
		for j, v := range vars {
			if c[j+1] != 0 {
				sum = append(sum, lemma.Summand{Coef: c[j+1], V: v})
			}
		}
		a := &lemma.Atom{Kind: lemma.Sum, Sum: sum}
		slices.Reverse(sum) // what moves comes first
		if a.V = sum[0].V; len(sum) == 1 && (other == nil || !p.h.Vars[a.V].Moves) {
			continue // templates say that
		}
		if sum[0].Coef < 0 {
			for j := range sum {
				sum[j].Coef = -sum[j].Coef
			}
			c[0] = -c[0]
		}
		a.K = bits.NewInt(a.SumWidth(p.h), -c[0])
		if other == nil {
			p.suggest(lemma.Is(a))
		} else if refuted(p.f.Store, &lemma.Lemma{Literals: []lemma.Literal{{Atom: a}}}, p.samples) {
			p.add(*other, lemma.Is(a))
			p.found = append(p.found, a)
		}
	}
}

// suggest proposes what samples suggest.
func (p *proposer) suggest(l lemma.Literal) {
	before := len(p.out)
	p.add(l)
	p.suggested = append(p.suggested, p.out[before:]...)
	p.out = p.out[:before]
	p.found = append(p.found, l.Atom)
}

// related lists the numbers that samples know, those that move last.
func (p *proposer) related() []int {
	var still, moving []int
	for v, x := range p.h.Vars {
		known := !slices.ContainsFunc(p.samples, func(s sample) bool { return s.nums[v].Width() == 0 })
		switch {
		case x.Width < 8 || x.Ghost || x.Cell || !known:
		case x.Moves:
			moving = append(moving, v)
		default:
			still = append(still, v)
		}
	}
	moving = moving[:min(len(moving), policy.MaxHullVars)]
	still = still[:min(len(still), policy.MaxHullVars-len(moving))]
	return append(still, moving...)
}

// changes proposes equations between what has changed since the entry, and how
// many low bits stay.
func (p *proposer) changes() {
	vars := slices.DeleteFunc(p.related(), func(v int) bool {
		return !p.h.Vars[v].Moves || slices.ContainsFunc(p.samples, func(x sample) bool { return x.entry[v] == 0 })
	})
	s := p.f.Store
	var rows [][]*big.Rat
	zeros := make([]int, len(vars))
	for i := range zeros {
		zeros[i] = p.width(vars[i])
	}
	same := true
	for _, x := range p.samples {
		var row []*big.Rat
		for i, v := range vars {
			e, _ := s.ConstVal(x.entry[v])
			first, _ := s.ConstVal(p.samples[0].entry[v])
			same = same && e == first
			row = append(row, new(big.Rat).Sub(ratOf(x.nums[v]), ratOf(e)))
			zeros[i] = min(zeros[i], bits.Sub(x.nums[v], e).TrailingZeros())
		}
		rows = append(rows, row)
	}
	for i, v := range vars {
		if z := zeros[i]; z > 3 && z < p.width(v) {
			p.suggest(lemma.Is(&lemma.Atom{Kind: lemma.Low, V: v, K: bits.New(z, 0)}))
		}
	}
	if same || len(rows) < len(vars)+policy.SpareSamples {
		return
	}
	for _, c := range kernel(rows, len(vars)) {
		a := &lemma.Atom{Kind: lemma.Linear}
		for j, v := range vars {
			if c[j] != 0 {
				a.Sum = append(a.Sum, lemma.Summand{Coef: c[j], V: v})
			}
		}
		if a.V = a.Sum[0].V; len(a.Sum) > 1 {
			p.suggest(lemma.Is(a))
		}
	}
}

func ratOf(v bits.Vec) *big.Rat { return new(big.Rat).SetInt(v.Signed()) }

// kernel is a basis of the integer vectors that are orthogonal to all rows of n
// numbers, each with one number that the others of the basis do not have.
func kernel(rows [][]*big.Rat, n int) [][]int64 {
	pivots := reduce(rows, n)
	var out [][]int64
	for f := range n {
		if slices.Contains(pivots, f) {
			continue
		}
		c := make([]*big.Rat, n)
		for j := range c {
			c[j] = new(big.Rat)
		}
		c[f].SetInt64(1)
		for i, j := range pivots {
			c[j].Neg(rows[i][f])
		}
		if v := integers(c); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// reduce brings rows into reduced echelon form and gives the pivot columns of the
// first rows.
func reduce(rows [][]*big.Rat, n int) []int {
	var pivots []int
	for j := 0; j < n && len(pivots) < len(rows); j++ {
		at := len(pivots)
		i := slices.IndexFunc(rows[at:], func(r []*big.Rat) bool { return r[j].Sign() != 0 })
		if i < 0 {
			continue
		}
		rows[at], rows[at+i] = rows[at+i], rows[at]
		inv := new(big.Rat).Inv(rows[at][j])
		for k := range n {
			rows[at][k] = new(big.Rat).Mul(rows[at][k], inv)
		}
		for i := range rows {
			if i == at || rows[i][j].Sign() == 0 {
				continue
			}
			by := rows[i][j]
			next := make([]*big.Rat, n)
			for k := range n {
				next[k] = new(big.Rat).Sub(rows[i][k], new(big.Rat).Mul(by, rows[at][k]))
			}
			rows[i] = next
		}
		pivots = append(pivots, j)
	}
	return pivots
}

// integers scales c to small integers; nil if that is not possible.
func integers(c []*big.Rat) []int64 {
	den := big.NewInt(1)
	for _, x := range c {
		g := new(big.Int).GCD(nil, nil, den, x.Denom())
		den.Mul(den, new(big.Int).Div(x.Denom(), g))
	}
	out := make([]int64, len(c))
	for i, x := range c {
		v := new(big.Rat).Mul(x, new(big.Rat).SetInt(den))
		if !v.Num().IsInt64() || v.Num().Int64() > policy.MaxCoefficient || v.Num().Int64() < -policy.MaxCoefficient {
			return nil
		}
		out[i] = v.Num().Int64()
	}
	return out
}
