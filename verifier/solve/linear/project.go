package linear

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Project eliminates variables over the rationals (Gauss for equations, then
// Fourier and Motzkin): the result is implied by rows and does not mention the
// variables. It is exact over Q unless it grew beyond a limit; then rows with the
// variable were dropped, and exact is false.
func Project(ctx context.Context, rows []Row, drop []exact.Var) (out []Row, isExact bool) {
	isExact = true
	for _, v := range drop {
		var done bool
		if rows, done = substitute(rows, v); done {
			continue
		}
		var keep, low, high []Row
		for _, r := range rows {
			switch r.Lin.Coef(v).Sign() {
			case 0:
				keep = append(keep, r)
			case 1:
				low = append(low, r)
			default:
				high = append(high, r)
			}
		}
		if len(keep)+len(low)*len(high) > policy.LinearProjected || ctx.Err() != nil {
			rows, isExact = keep, false
			continue
		}
		for _, l := range low {
			for _, h := range high {
				sum := l.Lin.Scale(h.Lin.Coef(v).Neg()).AddScaled(l.Lin.Coef(v), h.Lin)
				if sum = reduce(sum); !sum.IsConst() || sum.Const.Sign() < 0 {
					keep = append(keep, AtLeast(sum))
				}
			}
		}
		rows = Irredundant(ctx, keep)
	}
	return rows, isExact
}

// substitute uses an equation with v to remove v from the other rows.
func substitute(rows []Row, v exact.Var) ([]Row, bool) {
	for i, e := range rows {
		c := e.Lin.Coef(v)
		if !e.EQ || c.IsZero() {
			continue
		}
		by := e.Lin
		if c.Sign() < 0 {
			by, c = by.Neg(), c.Neg()
		}
		var out []Row
		for j, r := range rows {
			if j == i {
				continue
			}
			if k := r.Lin.Coef(v); !k.IsZero() {
				r.Lin = reduce(r.Lin.Scale(c).AddScaled(k.Neg(), by))
			}
			out = append(out, r)
		}
		return out, true
	}
	return rows, false
}

// reduce divides by the common divisor of coefficients and constant.
func reduce(l exact.Lin) exact.Lin {
	g := l.Content().GCD(l.Const)
	if g.IsZero() || g.IsOne() {
		return l
	}
	terms := make([]exact.Term, len(l.Terms))
	for i, t := range l.Terms {
		terms[i] = exact.Term{Var: t.Var, Coef: t.Coef.Quo(g)}
	}
	return exact.Lin{Terms: terms, Const: l.Const.Quo(g)}
}

// Irredundant drops inequations that the other rows imply over the rationals.
func Irredundant(ctx context.Context, rows []Row) []Row {
	for i := len(rows) - 1; i >= 0 && ctx.Err() == nil; i-- {
		if rows[i].EQ {
			continue
		}
		t := NewTableau(false)
		for j, r := range rows {
			if j != i {
				t.Add(r)
			}
		}
		if m, kind := t.Maximise(ctx, rows[i].Lin.Neg()); kind == Attained && m.Sign() <= 0 {
			rows = append(rows[:i:i], rows[i+1:]...)
		}
	}
	return rows
}
