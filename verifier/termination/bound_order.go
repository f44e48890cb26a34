package termination

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
)

// growth is the order of a bound: infinite, exponential, or the degree.
type growth struct {
	infinite, exponential bool
	degree                int
}

func (b *Bound) growth() growth {
	if b == nil {
		return growth{infinite: true}
	}
	var g growth
	for _, m := range b.monos {
		d := 0
		for _, a := range m.atoms {
			switch a.kind {
			case linearAtom:
				if a.cap == nil {
					d++
				}
			case powerAtom:
				if _, isConst := a.arg.constant(); !isConst {
					g.exponential = true
				}
			case wholeAtom:
				inner := a.arg.growth()
				d += inner.degree
				g.exponential = g.exponential || inner.exponential
			}
		}
		g.degree = max(g.degree, d)
	}
	return g
}

// less compares orders of growth.
func (g growth) less(h growth) bool {
	if g.infinite != h.infinite {
		return h.infinite
	}
	if g.exponential != h.exponential {
		return h.exponential
	}
	return g.degree < h.degree
}

// better is the bound of lower growth, then the shorter one.
func better(a, c *Bound) *Bound {
	ga, gc := a.growth(), c.growth()
	switch {
	case ga.less(gc):
		return a
	case gc.less(ga):
		return c
	case a == nil:
		return c
	case c.explains(a):
		return c
	case a.explains(c):
		return a
	case len(c.monos) < len(a.monos):
		return c
	case len(c.monos) == len(a.monos) && c.weight().Cmp(a.weight()) < 0:
		return c
	}
	return a
}

func (b *Bound) weight() exact.Int {
	var w exact.Int
	for _, m := range b.monos {
		w = w.Add(m.coef)
	}
	return w
}

// Order is the bound's order as O(1), O(n^k) or O(EXP).
func (b *Bound) Order() string {
	switch g := b.growth(); {
	case g.infinite:
		return "O(INF)"
	case g.exponential:
		return "O(EXP)"
	case g.degree == 0:
		return "O(1)"
	default:
		return fmt.Sprintf("O(n^%d)", g.degree)
	}
}
