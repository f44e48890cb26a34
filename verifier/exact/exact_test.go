package exact

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// edge values around the overflow of machine words
func sample(r *rand.Rand) Int {
	switch r.Intn(5) {
	case 0:
		return I(int64(r.Intn(21) - 10))
	case 1:
		return I(math.MaxInt64 - int64(r.Intn(3)))
	case 2:
		return I(math.MinInt64 + int64(r.Intn(3)))
	case 3:
		return I(r.Int63() - r.Int63())
	}
	return FromBig(new(big.Int).Lsh(big.NewInt(r.Int63()-r.Int63()), uint(r.Intn(70))))
}

// TestIntAgainstBig compares every operation with math/big.
func TestIntAgainstBig(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for n := 0; n < 20000; n++ {
		a, b := sample(r), sample(r)
		x, y := a.Big(), b.Big()
		check := func(op string, got Int, want *big.Int) {
			if got.Big().Cmp(want) != 0 {
				t.Fatalf("%v %s %v = %v, want %v", a, op, b, got, want)
			}
			if _, small := got.Int64(); small != want.IsInt64() {
				t.Fatalf("%v %s %v is kept in the wrong form", a, op, b)
			}
		}
		check("+", a.Add(b), new(big.Int).Add(x, y))
		check("-", a.Sub(b), new(big.Int).Sub(x, y))
		check("*", a.Mul(b), new(big.Int).Mul(x, y))
		check("neg", a.Neg(), new(big.Int).Neg(x))
		check("gcd", a.GCD(b), new(big.Int).GCD(nil, nil, new(big.Int).Abs(x), new(big.Int).Abs(y)))
		if a.Cmp(b) != x.Cmp(y) || a.Sign() != x.Sign() || a.BitLen() != x.BitLen() {
			t.Fatalf("%v against %v", a, b)
		}
		if b.IsZero() {
			continue
		}
		floor := new(big.Int)
		if y.Sign() > 0 {
			floor.Div(x, y)
		} else {
			floor.Div(new(big.Int).Neg(x), new(big.Int).Neg(y))
		}
		check("floordiv", a.FloorDiv(b), floor)
		if got, want := Frac(a, b).Big(), new(big.Rat).SetFrac(x, y); got.Cmp(want) != 0 {
			t.Fatalf("%v/%v = %v, want %v", a, b, got, want)
		}
	}
}

func TestRat(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	pick := func() Rat {
		d := I(int64(r.Intn(9) + 1))
		return Frac(sample(r), d)
	}
	for n := 0; n < 5000; n++ {
		a, b := pick(), pick()
		x, y := a.Big(), b.Big()
		if a.Add(b).Big().Cmp(new(big.Rat).Add(x, y)) != 0 || a.Sub(b).Big().Cmp(new(big.Rat).Sub(x, y)) != 0 ||
			a.Mul(b).Big().Cmp(new(big.Rat).Mul(x, y)) != 0 {
			t.Fatalf("%v and %v", a, b)
		}
		if a.Cmp(b) != x.Cmp(y) {
			t.Fatalf("%v against %v", a, b)
		}
		if f, c := RatOf(a.Floor()), RatOf(a.Ceil()); f.Cmp(a) > 0 || a.Sub(f).Cmp(R(1)) >= 0 || c.Cmp(a) < 0 ||
			c.Sub(a).Cmp(R(1)) >= 0 {
			t.Fatalf("floor %v and ceiling %v of %v", f, c, a)
		}
		if !b.IsZero() && a.Div(b).Mul(b).Cmp(a) != 0 {
			t.Fatalf("%v / %v", a, b)
		}
	}
}

func TestLinAndPoly(t *testing.T) {
	x, y := Var(0), Var(1)
	e := V(x).Scale(I(2)).Add(V(y)).AddInt(-3)
	if got := e.String(); got != "2*x0 + x1 - 3" {
		t.Error(got)
	}
	sub := e.Subst(func(v Var) Lin {
		if v == x {
			return V(y).AddInt(1)
		}
		return V(v)
	})
	if got := sub.String(); got != "3*x1 - 1" {
		t.Error(got)
	}
	if got := V(x).Scale(I(6)).Add(V(y).Scale(I(-4))).AddInt(-7).Tighten().String(); got != "3*x0 - 2*x1 - 4" {
		t.Errorf("6x-4y >= 7 tightens to %s >= 0", got)
	}
	if !e.Sub(e).Equal(Lin{}) || !LinOf(I(1), Term{y, I(2)}, Term{x, I(1)}, Term{y, I(-2)}).Equal(V(x).AddInt(1)) {
		t.Error("terms do not cancel")
	}
	p := PolyOf(V(x).Add(V(y)))
	if got := p.Mul(p).String(); got != "x0^2 + 2*x0*x1 + x1^2" {
		t.Error(got)
	}
	if _, ok := p.Mul(p).Lin(); ok || p.Mul(p).Degree() != 2 {
		t.Error("a square is not linear")
	}
	if back, ok := p.Mul(p).Sub(p.Mul(p)).Add(PolyOf(e)).Lin(); !ok || !back.Equal(e) {
		t.Error("linear part lost")
	}
	value := func(v Var) Int { return I(int64(v) + 2) }
	if got := p.Mul(p).Eval(value); !got.Equal(I(25)) {
		t.Error(got)
	}
}
