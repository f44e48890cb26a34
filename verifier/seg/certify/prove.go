package certify

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// Checker checks edges with a decision procedure.
type Checker struct {
	Ctx    context.Context
	Ladder *linear.Ladder
	Asked  int // questions that intervals did not answer
}

// plain puts numbers for the variables of which only one value is possible.
func (k *Knowledge) plain(e exact.Lin) exact.Lin {
	for _, t := range e.Terms {
		if i := k.Intervals[t.Var]; i.single() {
			return e.Subst(func(v exact.Var) exact.Lin {
				if i := k.Intervals[v]; i.single() {
					return exact.Lin{Const: i.Lo}
				}
				return exact.V(v)
			})
		}
	}
	return e
}

func (i Interval) single() bool { return i.HasLo && i.HasHi && i.Lo.Equal(i.Hi) }

// contains reports that every number of j is in i.
func (i Interval) contains(j Interval) bool {
	return (!i.HasLo || j.HasLo && i.Lo.Cmp(j.Lo) <= 0) && (!i.HasHi || j.HasHi && i.Hi.Cmp(j.Hi) >= 0)
}

// least is the smallest value of e that the intervals allow, if they bound it.
func (k *Knowledge) least(e exact.Lin) (exact.Int, bool) {
	sum := e.Const
	for _, t := range e.Terms {
		i := k.Intervals[t.Var]
		switch {
		case t.Coef.Sign() > 0 && i.HasLo:
			sum = sum.Add(t.Coef.Mul(i.Lo))
		case t.Coef.Sign() < 0 && i.HasHi:
			sum = sum.Add(t.Coef.Mul(i.Hi))
		default:
			return exact.Int{}, false
		}
	}
	return sum, true
}

// entails reports that k implies e >= 0.
func (c *Checker) entails(k *Knowledge, e exact.Lin) bool {
	e = k.above(e)
	e = e.Tighten()
	if lo, ok := k.least(e); ok && lo.Sign() >= 0 {
		return true
	}
	if e.IsConst() {
		return false
	}
	rows := k.about(e)
	c.Asked++
	return c.Ladder.Entails(c.Ctx, rows, linear.AtLeast(e))
}

// Within reports that k implies that e is in the interval.
func (c *Checker) Within(k *Knowledge, e exact.Lin, i Interval) bool {
	return (!i.HasLo || c.entails(k, exact.Lin{Terms: e.Terms, Const: e.Const.Sub(i.Lo)})) &&
		(!i.HasHi || c.entails(k, exact.Lin{Terms: e.Neg().Terms, Const: i.Hi.Sub(e.Const)}))
}

// equal reports that k implies x = y.
func (c *Checker) equal(k *Knowledge, x, y exact.Lin) bool {
	d := x.Sub(y)
	if d.IsConst() {
		return d.Const.IsZero()
	}
	return c.entails(k, d) && c.entails(k, d.Neg())
}

// about returns the facts that can say something about e: the rows that are connected with it
// through variables that have more than one value, and the intervals of all their variables.
func (k *Knowledge) about(e exact.Lin) []linear.Row {
	linked := map[exact.Var]bool{}
	for _, t := range e.Terms {
		linked[t.Var] = true
	}
	taken := make([]bool, len(k.Rows))
	var rows []linear.Row
	for again := true; again; {
		again = false
		for n, r := range k.Rows {
			if taken[n] || !mentions(r.Lin, linked) {
				continue
			}
			taken[n], again = true, true
			rows = append(rows, r)
			for _, t := range r.Lin.Terms {
				if !k.Intervals[t.Var].single() {
					linked[t.Var] = true
				}
			}
		}
	}
	bounded := map[exact.Var]bool{}
	for _, r := range append(rows[:len(rows):len(rows)], linear.AtLeast(e)) {
		for _, t := range r.Lin.Terms {
			if !bounded[t.Var] {
				bounded[t.Var] = true
				rows = append(rows, k.Intervals[t.Var].rows(t.Var)...)
			}
		}
	}
	return rows
}

// rows says v is in the interval.
func (i Interval) rows(v exact.Var) []linear.Row {
	x := exact.V(v)
	if i.single() {
		return []linear.Row{linear.Equals(exact.Lin{Terms: x.Terms, Const: i.Lo.Neg()})}
	}
	var out []linear.Row
	if i.HasLo {
		out = append(out, linear.AtLeast(exact.Lin{Terms: x.Terms, Const: i.Lo.Neg()}))
	}
	if i.HasHi {
		out = append(out, linear.AtLeast(exact.Lin{Terms: x.Neg().Terms, Const: i.Hi}))
	}
	return out
}

func mentions(e exact.Lin, vars map[exact.Var]bool) bool {
	for _, t := range e.Terms {
		if vars[t.Var] {
			return true
		}
	}
	return false
}
