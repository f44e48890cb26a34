package rewrite_test

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
)

// growClock makes a quotient or a remainder by a small constant, or a sum of multiples of such and of their products, most
// of which do not wrap.
func (g *grower) growClock(w int, small []ilr.Term) ilr.Term {
	s, rng := g.s, g.rng
	steps := []int64{2, 3, 4, 6, 7, 12, 21, 60}
	by := func() ilr.Term { return s.Int(w, steps[rng.Intn(len(steps))]) }
	x := g.pick(ilr.BV(w))
	switch rng.Intn(9) {
	case 0, 1:
		return s.Udiv(x, by())
	case 2, 3:
		return s.Urem(x, by())
	case 4:
		return s.Sdiv(x, by())
	case 5:
		return s.Srem(x, by())
	case 6:
		return s.Zext(s.Trunc(x, 6), w)
	}
	sum := s.Zext(small[rng.Intn(len(small))], w)
	for range 1 + rng.Intn(2) {
		y := s.Urem(x, by())
		if rng.Intn(3) == 0 {
			y = s.Zext(small[rng.Intn(len(small))], w)
		}
		if rng.Intn(3) == 0 { // a product of two
			y = s.Mul(y, s.Zext(small[rng.Intn(len(small))], w))
		}
		sum = s.Add(s.Mul(sum, by()), y)
		if rng.Intn(4) == 0 {
			sum = s.Mul(sum, s.Zext(small[rng.Intn(len(small))], w))
		}
	}
	return sum
}

// TestRandomClocks: quotients, remainders and sums of their multiples keep their values, and comparisons of them.
func TestRandomClocks(t *testing.T) {
	made, divisions := 0, 0
	for seed := int64(0); seed < 900; seed++ {
		g := newGrower(seed)
		g.by = map[ilr.Sort][]ilr.Term{}
		w := []int{8, 9, 12, 16, 32}[seed%5]
		for _, n := range []string{"x", "y"} {
			g.add(g.s.Var(n, ilr.BV(w)))
		}
		small := []ilr.Term{g.s.Var("a", ilr.BV(2)), g.s.Var("b", ilr.BV(4))}
		c := &copier{from: g.s, to: rewrite.NewStore(), memo: map[ilr.Term]ilr.Term{}}
		for range 40 {
			u := g.growClock(w, small)
			g.add(u)
			c.copy(u)
			d := g.s.Const(bits.New(w, g.rng.Uint64()>>(64-uint(w))>>uint(g.rng.Intn(w))))
			for _, p := range []ilr.Term{g.s.Ult(u, d), g.s.Ult(d, u), g.s.Slt(u, d), g.s.Slt(d, u), g.s.Eq(u, g.pick(ilr.BV(w)))} {
				c.copy(p)
			}
			if k := g.s.Kind(u); k == ilr.KUdiv || k == ilr.KUrem {
				made++
				if k := c.to.Kind(c.memo[u]); k == ilr.KUdiv || k == ilr.KUrem {
					divisions++
				}
			}
		}
		for range 12 {
			checkValues(t, seed, g, c)
		}
	}
	if divisions > made*3/4 {
		t.Errorf("of %d quotients and remainders %d are left", made, divisions)
	}
}

// TestProductsOfRemainders: a product of a remainder stays one where the sum that it is part of is extended, and keeps its
// other factor.
func TestProductsOfRemainders(t *testing.T) {
	for seed := int64(0); seed < 40; seed++ {
		g := newGrower(seed)
		g.by = map[ilr.Sort][]ilr.Term{}
		s, w := g.s, 8
		v, y, z := s.Var("v", ilr.BV(w)), s.Var("y", ilr.BV(w)), s.Var("z", ilr.BV(w))
		by := s.Mul(s.Mul(y, z), s.Mul(s.Var("n", ilr.BV(w)), s.Var("o", ilr.BV(w)))) // times a quotient: too high a degree
		x, u := s.Zext(s.Var("x", ilr.BV(3)), w), s.Zext(s.Var("u", ilr.BV(2)), w)
		rest, ten := s.Urem(x, by), s.Urem(v, s.Int(w, 10))
		sum := s.Add(s.Mul(rest, u), ten)
		c := &copier{from: s, to: rewrite.NewStore(), memo: map[ilr.Term]ilr.Term{}}
		long := func(t ilr.Term) ilr.Term { return s.Zext(t, 2*w) }
		c.copy(s.Eq(long(sum), s.Add(long(ten), s.Sub(long(x), s.Mul(long(s.Udiv(x, by)), long(by))))))
		for range 20 {
			checkValues(t, seed, g, c)
		}
	}
}
