package termination

import "github.com/firmproof/firmproof/verifier/exact"

// cappedBound is min(c, max(0, l)).
func cappedBound(l exact.Lin, c exact.Int) *Bound {
	if l.IsConst() {
		return posBound(l)
	}
	a := &atom{kind: linearAtom, lin: l, cap: &c, key: "c" + c.String() + " " + l.String()}
	return &Bound{[]boundMono{{exact.I(1), []*atom{a}}}}
}

// explains reports whether b says by the values at the start what c says by the range of a
// machine type, and is nowhere greater.
func (b *Bound) explains(c *Bound) bool {
	top, ok := b.ceiling()
	most, isConst := c.constant()
	return ok && isConst && typeLike(most) && top.Cmp(most) <= 0
}

// ceiling is the greatest value of a bound all of whose atoms are capped.
func (b *Bound) ceiling() (exact.Int, bool) {
	var sum exact.Int
	capped := false
	for _, m := range b.monos {
		p := m.coef
		for _, a := range m.atoms {
			if a.cap == nil {
				return sum, false
			}
			p, capped = p.Mul(*a.cap), true
		}
		sum = sum.Add(p)
	}
	return sum, capped
}

// atStart is the better of bound b of max(0, l) and that value itself, for l over
// the values at the start. Where b is the range of a machine type, it becomes the cap.
func atStart(b *Bound, l exact.Lin) *Bound {
	if c, ok := b.constant(); ok && typeLike(c) {
		return cappedBound(l, c)
	}
	return better(b, posBound(l))
}
