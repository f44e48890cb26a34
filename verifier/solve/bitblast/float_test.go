package bitblast

import (
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
)

var directions = []bits.Rounding{bits.NearestEven, bits.TowardZero, bits.TowardPositive, bits.TowardNegative,
	bits.NearestAway}

// floatCase compares every floating-point circuit on the operands a, b, d.
func floatCase(t *testing.T, c circuit[bool], f, to bits.Format, r bits.Rounding, a, b, d bits.Vec) {
	t.Helper()
	x, y, z := toBits(a), toBits(b), toBits(d)
	check := func(name string, got []bool, want bits.Vec) {
		t.Helper()
		if fromBits(got) != want {
			t.Fatalf("%s %v, direction %d, of %s %s %s: %s, want %s", name, f, r, a.Hex(), b.Hex(), d.Hex(),
				fromBits(got).Hex(), want.Hex())
		}
	}
	check("add", c.fadd(f, r, x, y), f.Add(r, a, b))
	check("mul", c.fmul(f, r, x, y), f.Mul(r, a, b))
	check("div", c.fdiv(f, r, x, y), f.Div(r, a, b))
	check("fma", c.fma(f, r, x, y, z), f.FMA(r, a, b, d))
	check("sqrt", c.fsqrt(f, r, x), f.Sqrt(r, a))
	check("round", c.fround(f, r, x), f.Integral(r, a))
	check("convert", c.ftof(f, r, x, to), f.Convert(r, a, to))
	check("convert back", c.ftof(to, r, toBits(f.Convert(r, a, to)), f), to.Convert(r, f.Convert(r, a, to), f))
	for _, w := range []int{1, 3, 8, 33, 64} {
		for _, signed := range []bool{false, true} {
			want, _ := f.ToInt(r, a, w, signed)
			check("to int", c.ftoi(f, r, x, w, signed), want)
		}
	}
	check("from int", c.itof(r, x, true, f), f.FromInt(r, a, true))
	check("from uint", c.itof(r, x, false, f), f.FromInt(r, a, false))
	check("from int, other", c.itof(r, x[:len(x)/2], true, to), to.FromInt(r, bits.Trunc(a, len(x)/2), true))
	cmp, ok := f.Compare(a, b)
	eq, lt := c.fcompare(f, x, y)
	check("compare", []bool{eq, lt}, bits.Concat(bits.Bool(ok && cmp < 0), bits.Bool(ok && cmp == 0)))
}

// TestFloatSmallExhaustive runs all pairs of small formats in all directions.
func TestFloatSmallExhaustive(t *testing.T) {
	c := circuit[bool]{opaque{}}
	rng := rand.New(rand.NewSource(3))
	for _, fs := range [][2]bits.Format{{{Exp: 3, Prec: 3}, {Exp: 4, Prec: 2}}, {{Exp: 2, Prec: 4}, {Exp: 3, Prec: 6}},
		{{Exp: 4, Prec: 2}, {Exp: 2, Prec: 3}}} {
		f, w := fs[0], fs[0].Width()
		for i := uint64(0); i < 1<<uint(2*w); i++ {
			a, b, d := bits.New(w, i>>uint(w)), bits.New(w, i), bits.New(w, rng.Uint64())
			for _, r := range directions {
				floatCase(t, c, f, fs[1], r, a, b, d)
			}
			if got, want := fromBits(c.frem(f, toBits(a), toBits(b))), f.Rem(a, b); got != want {
				t.Fatalf("rem %v of %s %s: %s, want %s", f, a.Hex(), b.Hex(), got.Hex(), want.Hex())
			}
		}
	}
}

// interesting floats: small integers, subnormals, close exponents, specials, anything.
func interesting(rng *rand.Rand, f bits.Format) bits.Vec {
	w := f.Width()
	v := bits.New(w, rng.Uint64())
	exp := func(e uint64) bits.Vec {
		sign := bits.Extract(v, w-1, w-1)
		return bits.Concat(bits.Concat(sign, bits.New(f.Exp, e)), bits.Extract(v, f.Prec-2, 0))
	}
	switch rng.Intn(5) {
	case 0:
		return f.FromInt(0, bits.NewInt(8, rng.Int63()), true)
	case 1:
		return exp(0)
	case 2:
		return exp(uint64(f.Bias() + rng.Intn(8) - 4))
	case 3:
		return []bits.Vec{f.Zero(false), f.Zero(true), f.Inf(false), f.Inf(true), f.NaN(), bits.Sub(f.Inf(false),
			bits.New(w, 1)), bits.New(w, 1)}[rng.Intn(7)]
	}
	return v
}

func TestFloatRandom(t *testing.T) {
	c := circuit[bool]{Bools{}}
	rng := rand.New(rand.NewSource(4))
	for _, ws := range [][2]int{{16, 32}, {32, 64}, {64, 16}, {32, 16}, {64, 32}} {
		f, to := bits.FormatOf(ws[0]), bits.FormatOf(ws[1])
		for i := 0; i < 300; i++ {
			a, b, d := interesting(rng, f), interesting(rng, f), interesting(rng, f)
			floatCase(t, c, f, to, directions[i%5], a, b, d)
			if ws[0] < 64 || i < 20 {
				if got, want := fromBits(c.frem(f, toBits(a), toBits(b))), f.Rem(a, b); got != want {
					t.Fatalf("rem %v of %s %s: %s, want %s", f, a.Hex(), b.Hex(), got.Hex(), want.Hex())
				}
			}
		}
	}
}
