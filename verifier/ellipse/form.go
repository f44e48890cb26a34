package ellipse

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// one is the variable of forms that is the number 1.
const one = ilr.Term(0)

// form is a polynomial of degree two at most: coefficients, none 0, of products of two variables, the smaller first. A
// number is a multiple of one*one, a linear summand one of one*x.
type form map[[2]ilr.Term]exact.Rat

func constant(k exact.Rat) form { return form{}.plus(exact.R(1), form{{one, one}: k}) }

// plus returns f + k*g.
func (f form) plus(k exact.Rat, g form) form {
	out := form{}
	for m, c := range f {
		out[m] = c
	}
	for m, c := range g {
		if out[m] = out[m].Add(k.Mul(c)); out[m].IsZero() {
			delete(out, m)
		}
	}
	return out
}

// linear reports whether f has no product of two variables.
func (f form) linear() bool {
	for m := range f {
		if m[0] != one {
			return false
		}
	}
	return true
}

// number returns f's value; ok is false if it depends on variables.
func (f form) number() (k exact.Rat, ok bool) {
	_, has := f[[2]ilr.Term{one, one}]
	return f[[2]ilr.Term{one, one}], len(f) == 0 || len(f) == 1 && has
}

// times returns f*g; ok is false if that has a higher degree.
func (f form) times(g form) (out form, ok bool) {
	if k, ok := f.number(); ok {
		return form{}.plus(k, g), true
	}
	if k, ok := g.number(); ok {
		return form{}.plus(k, f), true
	}
	if !f.linear() || !g.linear() {
		return nil, false
	}
	out = form{}
	for a, c := range f {
		for b, d := range g {
			out = out.plus(c.Mul(d), form{{min(a[1], b[1]), max(a[1], b[1])}: exact.R(1)})
		}
	}
	return out, true
}

// same reports whether f and g are the same polynomial.
func (f form) same(g form) bool { return len(f.plus(exact.R(-1), g)) == 0 }

// most returns a number that |f| does not exceed where no variable exceeds its limit.
func (f form) most(limits map[ilr.Term]exact.Rat) exact.Rat {
	var sum exact.Rat
	for m, c := range f {
		for _, v := range m {
			if v != one {
				c = c.Mul(limits[v])
			}
		}
		sum = sum.Add(abs(c))
	}
	return sum
}

// neverNegative reports whether f, a form of vars, is a sum of squares with factors that are not negative: it completes
// squares.
func (f form) neverNegative(vars []ilr.Term) bool {
	n := len(vars)
	for m := range f {
		if !slices.Contains(vars, m[0]) || !slices.Contains(vars, m[1]) {
			return false
		}
	}
	a := make([][]exact.Rat, n)
	for i := range a {
		a[i] = make([]exact.Rat, n)
		for j := range n {
			c := f[[2]ilr.Term{min(vars[i], vars[j]), max(vars[i], vars[j])}]
			if i != j {
				c = c.Div(exact.R(2))
			}
			a[i][j] = c
		}
	}
	for k := range n {
		switch a[k][k].Sign() {
		case -1:
			return false
		case 0:
			for j := k + 1; j < n; j++ {
				if !a[k][j].IsZero() {
					return false
				}
			}
			continue
		}
		for i := k + 1; i < n; i++ {
			r := a[i][k].Div(a[k][k])
			for j := k + 1; j < n; j++ {
				a[i][j] = a[i][j].Sub(r.Mul(a[k][j]))
			}
		}
	}
	return true
}

func abs(a exact.Rat) exact.Rat {
	if a.Sign() < 0 {
		return a.Neg()
	}
	return a
}

func larger(a, b exact.Rat) exact.Rat {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func smaller(a, b exact.Rat) exact.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}
