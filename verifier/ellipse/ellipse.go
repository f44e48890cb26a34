// Package ellipse shows bounds of linear filters in floating point: where the state of a loop lies in an ellipse, a
// quadratic form of its numbers that is at most so much, what a turn makes of it lies there again, and each number of
// the turn within bounds. Coefficients that turns multiply with are compared as rational numbers, and all that rounding
// may add is counted. Solvers that look at bits find that hard.
package ellipse

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Ellipse is a condition on numbers of a loop, by index: none exceeds its limit, and the sum of the products with
// their coefficients is at most 1.
type Ellipse struct {
	Limits   []Limit
	Products []Product
}

// Limit bounds the magnitude of a number by Most, an encoding.
type Limit struct {
	Var  int
	Most bits.Vec
}

// Product is a multiple of two numbers, which may be the same.
type Product struct {
	A, B int
	Coef float64
}

// Term returns the condition on vals. Its sum is computed in double precision.
func (e *Ellipse) Term(s *ilr.Store, vals []ilr.Term) ilr.Term {
	out := s.True()
	for _, l := range e.Limits {
		out = s.And(out, within(s, vals[l.Var], l.Most))
	}
	if len(e.Products) == 0 {
		return out
	}
	double := ilr.BV(64)
	wide := func(v int) ilr.Term {
		if s.Width(vals[v]) == 64 {
			return vals[v]
		}
		return s.FloatOp(ilr.KFToF, double, ilr.RNE, vals[v])
	}
	sum := ilr.Term(0)
	for _, p := range e.Products {
		t := s.FloatOp(ilr.KFMul, double, ilr.RNE, wide(p.A), wide(p.B))
		t = s.FloatOp(ilr.KFMul, double, ilr.RNE, s.Const(encoding(p.Coef)), t)
		if sum != 0 {
			t = s.FloatOp(ilr.KFAdd, double, ilr.RNE, sum, t)
		}
		sum = t
	}
	return s.And(out, s.FloatOp(ilr.KFLe, ilr.Bool, ilr.RNE, sum, s.Const(encoding(1))))
}

// fact bounds the variables of a loop: sum <= most for a polynomial of degree two, and limits.
type fact struct {
	term   ilr.Term
	inside ilr.Term // the comparison of the sum
	poly   form
	most   exact.Rat
	vars   []ilr.Term // of poly
	limits map[ilr.Term]exact.Rat
}

// factOf reads a condition as Ellipse.Term makes it, nil if t is none.
func factOf(s *ilr.Store, t ilr.Term) *fact {
	f := &fact{term: t, limits: map[ilr.Term]exact.Rat{}}
	high, low := map[ilr.Term]exact.Rat{}, map[ilr.Term]exact.Rat{}
	for _, c := range conjuncts(s, t) {
		if s.Kind(c) == ilr.KFLe {
			f.inside = c
			continue
		}
		if v, k, above, ok := bound(s, c); ok && above {
			high[v] = k
		} else if ok {
			low[v] = k
		}
	}
	for v, k := range high {
		if l, ok := low[v]; ok {
			f.limits[v] = larger(k, l)
		}
	}
	if f.inside == 0 {
		return nil
	}
	c, ok := s.ConstVal(s.Arg(f.inside, 1))
	if !ok {
		return nil
	}
	x := &reader{surroundings: survey(s, nil, nil), limits: f.limits, assumed: map[ilr.Term]ilr.Term{},
		memo: map[ilr.Term]*number{}}
	n := x.read(s.Arg(f.inside, 0), 0)
	k, ok := valueOf(c)
	if n == nil || !ok || len(x.assumed) > 0 {
		return nil
	}
	f.poly, f.most = n.poly, k.Add(n.err)
	for m := range f.poly {
		if m[0] == one {
			return nil
		}
		for _, v := range m {
			if !slices.Contains(f.vars, v) {
				f.vars = append(f.vars, v)
			}
		}
	}
	slices.Sort(f.vars)
	return f
}

// bound reads one side of what within makes: v is at most k, or at least -k.
func bound(s *ilr.Store, t ilr.Term) (v ilr.Term, k exact.Rat, above, ok bool) {
	if s.Kind(t) != ilr.KNot {
		return 0, k, false, false
	}
	t = s.Arg(t, 0)
	if kind := s.Kind(t); kind != ilr.KSlt && kind != ilr.KUlt {
		return 0, k, false, false
	}
	c, ok := s.ConstVal(s.Arg(t, 0))
	if !ok {
		return 0, k, false, false
	}
	above = s.Kind(t) == ilr.KSlt
	k, ok = valueOf(c)
	return s.Arg(t, 1), abs(k), above, ok && c.Sign() != above
}

// conjuncts lists what t says at once.
func conjuncts(s *ilr.Store, t ilr.Term) []ilr.Term {
	if s.Kind(t) != ilr.KAnd {
		return []ilr.Term{t}
	}
	return append(conjuncts(s, s.Arg(t, 0)), conjuncts(s, s.Arg(t, 1))...)
}

// Consequences returns formulas that hold for all values of their variables: that one of known, which are conditions
// of ellipses or not, implies another one that occurs in roots, or bounds of floating-point numbers that do.
func Consequences(s *ilr.Store, known, roots []ilr.Term) []ilr.Term {
	var facts []*fact
	var vars []ilr.Term
	for _, t := range known {
		if f := factOf(s, t); f != nil {
			facts = append(facts, f)
			for v := range f.limits {
				vars = append(vars, v)
			}
		}
	}
	if len(facts) == 0 {
		return nil
	}
	around := survey(s, slices.Concat(roots, known), vars)
	numbers, conditions := around.goals(roots)
	var out []ilr.Term
	for _, f := range facts {
		x := &reader{surroundings: around, limits: f.limits, assumed: map[ilr.Term]ilr.Term{},
			memo: map[ilr.Term]*number{}}
		for _, t := range numbers {
			x.with().cases(t, func(x *reader, n *number) {
				if k, ok := f.bound(x, n); ok {
					if v, ok := above(s.Width(t), k); ok {
						out = append(out, f.implies(x, within(s, t, v)))
					}
				}
			})
		}
		for _, t := range conditions {
			x.with().cases(s.Arg(t, 0), func(x *reader, n *number) {
				c, _ := s.ConstVal(s.Arg(t, 1))
				k, ok := valueOf(c)
				if is := x.inCase(t); ok && t != f.inside && (is == f.inside || s.IsTrue(is) || f.keeps(x, n, k)) {
					out = append(out, f.implies(x, t))
				}
			})
		}
	}
	return out
}

// implies returns the formula: f and the conditions of x imply t.
func (f *fact) implies(x *reader, t ilr.Term) ilr.Term {
	return x.s.Implies(x.s.And(append(x.conditions(), f.term)...), t)
}

// goals lists the floating-point numbers in roots, and the comparisons of sums of products, that depend on the loop.
func (x *surroundings) goals(roots []ilr.Term) (numbers, conditions []ilr.Term) {
	s := x.s
	seen := map[ilr.Term]bool{}
	number := func(t ilr.Term) {
		t = x.magnitude(t)
		if w := s.Width(t); x.depends[t] && !seen[t] && (w == 32 || w == 64) &&
			len(seen) < policy.EllipseGoals {
			seen[t] = true
			numbers = append(numbers, t)
		}
	}
	s.Walk(roots, func(t ilr.Term) {
		switch s.Kind(t) {
		case ilr.KFLe, ilr.KFLt, ilr.KFEq:
			if _, ok := s.ConstVal(s.Arg(t, 1)); ok && s.Kind(t) == ilr.KFLe && x.squared[s.Arg(t, 0)] {
				conditions = append(conditions, t)
				return
			}
			number(s.Arg(t, 0))
			number(s.Arg(t, 1))
		case ilr.KFToS, ilr.KFToU, ilr.KFAdd, ilr.KFMul, ilr.KFFma:
			if !x.squared[t] {
				number(t)
			}
		}
	})
	return numbers, conditions
}
