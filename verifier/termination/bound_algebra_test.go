package termination

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
)

// algebra makes random bounds beside a direct computation of what they bound.
type algebra struct {
	r     *rand.Rand
	value [3]exact.Int
}

func (g *algebra) at(v exact.Var) exact.Int { return g.value[v] }

func (g *algebra) linear() exact.Lin {
	l := exact.C(int64(g.r.Intn(9) - 4))
	for v := exact.Var(0); v < 3; v++ {
		l = l.AddScaled(exact.I(int64(2*g.r.Intn(4)-3)), exact.V(v))
	}
	return l
}

// least is max(0, a).
func least(a exact.Int) *big.Int {
	if a.Sign() < 0 {
		return new(big.Int)
	}
	return a.Big()
}

// make returns a bound and the number that it must not be below: the same number, unless operations that only bound
// (over) took part.
func (g *algebra) make(depth int) (b *Bound, n *big.Int, over bool) {
	if depth == 0 {
		if g.r.Intn(3) == 0 {
			c := exact.I(int64(g.r.Intn(7) - 2))
			return constBound(c), least(c), false
		}
		l := g.linear()
		return posBound(l), least(l.Eval(g.at)), false
	}
	x, n, xo := g.make(depth - 1)
	switch g.r.Intn(7) {
	case 2:
		return digitsBound(x), big.NewInt(int64(n.BitLen())), xo
	case 0:
		k := int64(g.r.Intn(4))
		return x.scale(exact.I(k)), new(big.Int).Mul(n, big.NewInt(k)), xo
	case 1:
		k := int64(1 + g.r.Intn(3))
		if !n.IsInt64() || n.Int64() > 200 {
			return x, n, xo
		}
		p := powBound(exact.I(k), x)
		return p, new(big.Int).Exp(big.NewInt(k), n, nil), xo || digitPower(exact.I(k), x) != nil
	}
	y, m, yo := g.make(depth - 1)
	switch g.r.Intn(5) {
	case 0:
		if n.Cmp(m) < 0 {
			n = m
		}
		return x.upperOf(y), n, true
	case 1, 2:
		return x.add(y), new(big.Int).Add(n, m), xo || yo
	}
	return x.mul(y), new(big.Int).Mul(n, m), xo || yo
}

// TestBoundAlgebra: sums, products, powers and upper bounds are no less than what they stand for, and no more where
// nothing is rounded.
func TestBoundAlgebra(t *testing.T) {
	exactly, coarse, digits := 0, 0, 0
	for seed := int64(0); seed < 9000; seed++ {
		g := &algebra{r: rand.New(rand.NewSource(seed))}
		for i := range g.value {
			g.value[i] = exact.I(int64(g.r.Intn(13) - 6))
		}
		b, want, over := g.make(1 + int(seed%6))
		got := b.Eval(g.at)
		if got == nil {
			continue // too large to write down
		}
		text := b.Format(func(v exact.Var) string { return fmt.Sprint("x", v) })
		if got.Cmp(want) < 0 {
			t.Fatalf("seed %d: %s is %s, below %s", seed, text, got, want)
		}
		rounded := over
		for _, m := range b.monos {
			for _, a := range m.atoms {
				rounded = rounded || a.kind != linearAtom
				if a.kind == digitsAtom {
					digits++
				}
			}
		}
		if rounded {
			coarse++
			continue
		}
		if exactly++; got.Cmp(want) != 0 {
			t.Fatalf("seed %d: %s is %s, not %s", seed, text, got, want)
		}
	}
	if exactly < 2000 || coarse < 500 || digits < 100 {
		t.Errorf("%d exact, %d coarse, %d with digits", exactly, coarse, digits)
	}
}

// TestBoundTexts: how bounds are written, how fast they grow, and which are constant.
func TestBoundTexts(t *testing.T) {
	x, y := posBound(exact.V(0)), posBound(exact.V(1).AddInt(-3))
	three := constBound(exact.I(3))
	for _, c := range []struct {
		b    *Bound
		text string
		want growth
	}{
		{nil, "inf", growth{infinite: true}},
		{Zero(), "0", growth{}},
		{constBound(exact.I(-5)), "0", growth{}},
		{three, "3", growth{}},
		{posBound(exact.C(2)), "2", growth{}},
		{x, "max(0, x0)", growth{degree: 1}},
		{posBound(exact.V(0).Scale(exact.I(4))), "4*max(0, x0)", growth{degree: 1}},
		{x.add(three), "max(0, x0) + 3", growth{degree: 1}},
		{x.mul(y).scale(exact.I(2)).add(x), "2*max(0, x0)*max(0, x1 - 3) + max(0, x0)", growth{degree: 2}},
		{powBound(exact.I(2), x), "2^(max(0, x0))", growth{exponential: true, degree: 0}},
		{powBound(exact.I(2), three), "8", growth{}},
		{powBound(exact.I(1), x), "1", growth{}},
		{powBound(exact.I(2), Zero()), "1", growth{}},
		{powBound(exact.I(2), x).add(powBound(exact.I(2), y)), "2^(max(0, x1 - 3)) + 2^(max(0, x0))",
			growth{exponential: true}},
	} {
		if got := c.b.Format(func(v exact.Var) string { return fmt.Sprint("x", v) }); got != c.text {
			t.Errorf("%s, want %s", got, c.text)
		}
		if got := c.b.growth(); got != c.want {
			t.Errorf("%s grows as %+v, want %+v", c.text, got, c.want)
		}
		n, isConst := c.b.Constant()
		if want := c.b != nil && c.want == (growth{}); isConst != want || want && n.String() != c.text {
			t.Errorf("%s is constant: %v %s", c.text, isConst, n)
		}
	}
	many := Zero()
	for i := range 50 {
		many = many.add(powBound(exact.I(2), posBound(exact.V(0).AddInt(int64(i)))))
	}
	if g := many.growth(); !g.exponential || g.infinite {
		t.Errorf("a coarse sum of powers grows as %+v", g)
	}
}
