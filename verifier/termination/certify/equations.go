package certify

import "github.com/firmproof/firmproof/verifier/exact"

// solved takes the equations with a coefficient of 1 or -1 out of the
// hypotheses: an integer multiple of such an equation is added to every other
// row and to the goal, so that its variable is gone. The same integers satisfy
// what is left, but an inequation may now round down further, and an equation
// may have no integer solution at all: then the result is false.
func solved(hyp []row, goal exact.Lin) (rest []row, left exact.Lin, solvable bool) {
	rest = append([]row(nil), hyp...)
	for {
		i, v := unitEquation(rest)
		if i < 0 {
			break
		}
		by := rest[i].lin.Scale(v.Coef) // v's coefficient is 1 now
		rest = append(rest[:i:i], rest[i+1:]...)
		for k := range rest {
			rest[k].lin = rest[k].lin.AddScaled(rest[k].lin.Coef(v.Var).Neg(), by)
		}
		goal = goal.AddScaled(goal.Coef(v.Var).Neg(), by)
	}
	for _, r := range rest {
		if r.eq && !dividesConst(r.lin) {
			return nil, goal, false
		}
	}
	return rest, goal, true
}

func unitEquation(rows []row) (int, exact.Term) {
	for i, r := range rows {
		if !r.eq {
			continue
		}
		for _, t := range r.lin.Terms {
			if t.Coef.Abs().IsOne() {
				return i, t
			}
		}
	}
	return -1, exact.Term{}
}

// dividesConst: the coefficients' common divisor divides the constant, without
// which no integers make the expression 0.
func dividesConst(l exact.Lin) bool {
	g := l.Content()
	if g.IsZero() {
		return l.Const.IsZero()
	}
	return l.Const.FloorDiv(g).Mul(g).Equal(l.Const)
}
