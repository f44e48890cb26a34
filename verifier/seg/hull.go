package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// hull relates a number that was one constant and is another one now to those that the turn left alone, and whose
// bounds it moved all the same: behind the first turn of `for (i = 0; i != n; i++)`, i is 1 and n at least 1; before
// it they were 0 and at least 0, so n >= i in both (the convex hull of two half-lines).
func (b *builder) hull(m *matcher) {
	slots := map[string]exact.Var{}
	for _, sl := range m.c.slots {
		slots[sl.key] = sl.v
	}
	related := 0
	for _, p := range m.places {
		was, now := m.old.know.interval(p.was), m.s.know.interval(p.other)
		if !was.constant() || !now.constant() || was.lo.Equal(now.lo) {
			continue
		}
		for _, q := range m.places {
			i, j := m.old.know.interval(q.was), m.s.know.interval(q.other)
			if v, had := slots[q.key]; !had || !q.other.IsVar(v) { // changed, or the path is none from here
				continue
			}
			if q == p || i.constant() && j.constant() || related >= policy.MergeSteps {
				continue
			}
			if i.hasLo && j.hasLo && !i.lo.Equal(j.lo) {
				m.j.know.ge(slope(p, q, was.lo, now.lo, i.lo, j.lo))
				related++
			}
			if i.hasHi && j.hasHi && !i.hi.Equal(j.hi) {
				m.j.know.ge(slope(p, q, was.lo, now.lo, i.hi, j.hi).Neg())
				related++
			}
		}
	}
}

// slope is at least 0 where q is on or above the line through (x, y) and (x2, y2), over p.
func slope(p, q *place, x, x2, y, y2 exact.Int) exact.Lin {
	dx, dy := x2.Sub(x), y2.Sub(y)
	e := exact.V(q.v).Add(constInt(y.Neg())).Scale(dx).Sub(exact.V(p.v).Add(constInt(x.Neg())).Scale(dy))
	if dx.Sign() < 0 {
		return e.Neg()
	}
	return e
}
