package termination

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
)

// growth is the order of a bound: infinite, exponential, or the degree and the power of the logarithm.
type growth struct {
	infinite, exponential bool
	degree, logs          int
}

func (b *Bound) growth() growth {
	if b == nil {
		return growth{infinite: true}
	}
	var g growth
	for _, m := range b.monos {
		d, logs := 0, 0
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
				d, logs = d+inner.degree, logs+inner.logs
				g.exponential = g.exponential || inner.exponential
			case digitsAtom:
				switch inner := a.arg.growth(); {
				case inner.exponential:
					e := a.arg.exponent()
					g.exponential = g.exponential || e.exponential
					d, logs = d+e.degree, logs+e.logs
				case inner.degree > 0 || inner.logs > 0:
					logs++
				}
			}
		}
		if d > g.degree || d == g.degree && logs > g.logs {
			g.degree, g.logs = d, logs
		}
	}
	return g
}

// exponent is the order of the logarithm of a bound that grows exponentially.
func (b *Bound) exponent() growth {
	most := growth{logs: 1}
	for _, m := range b.monos {
		for _, a := range m.atoms {
			inner := growth{}
			switch {
			case a.kind == powerAtom:
				inner = a.arg.growth()
			case a.kind == wholeAtom && a.arg.growth().exponential:
				inner = a.arg.exponent()
			case a.kind == digitsAtom:
				inner.exponential = a.arg.growth().exponential // its order is not worth an argument here
			}
			if most.less(inner) {
				most = inner
			}
		}
	}
	return most
}

// less compares orders of growth.
func (g growth) less(h growth) bool {
	if g.infinite != h.infinite {
		return h.infinite
	}
	if g.exponential != h.exponential {
		return h.exponential
	}
	return g.degree < h.degree || g.degree == h.degree && g.logs < h.logs
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

// Order is the bound's order as O(1), O(n^k) or O(EXP); a logarithm counts as n.
func (b *Bound) Order() string {
	switch g := b.growth(); {
	case g.infinite:
		return "O(INF)"
	case g.exponential:
		return "O(EXP)"
	case g.degree+g.logs == 0:
		return "O(1)"
	default:
		return fmt.Sprintf("O(n^%d)", g.degree+g.logs)
	}
}

// Class is the order with logarithms: O(log(n)), O(n^1*log(n)), O(log(n)^2).
func (b *Bound) Class() string {
	g := b.growth()
	if g.infinite || g.exponential || g.logs == 0 {
		return b.Order()
	}
	log := "log(n)"
	if g.logs > 1 {
		log = fmt.Sprintf("log(n)^%d", g.logs)
	}
	if g.degree == 0 {
		return "O(" + log + ")"
	}
	return fmt.Sprintf("O(n^%d*%s)", g.degree, log)
}
