package bits

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// canon gives hardware results the one NaN.
func canon(f Format, v Vec) Vec {
	if n := f.decode(v); n.nan {
		return f.NaN()
	}
	return v
}

func random64(rng *rand.Rand) uint64 {
	switch rng.Intn(6) {
	case 0:
		return math.Float64bits(float64(rng.Intn(64) - 32))
	case 1:
		return rng.Uint64() & 0x800fffffffffffff // subnormal
	case 2:
		return rng.Uint64()&0x800fffffffffffff | uint64(1019+rng.Intn(10))<<52
	case 3:
		return []uint64{0, 1 << 63, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7fefffffffffffff, 1,
			0x10000000000000}[rng.Intn(8)]
	}
	return rng.Uint64()
}

func random32(rng *rand.Rand) uint32 {
	switch rng.Intn(6) {
	case 0:
		return math.Float32bits(float32(rng.Intn(64) - 32))
	case 1:
		return rng.Uint32() & 0x807fffff
	case 2:
		return rng.Uint32()&0x807fffff | uint32(124+rng.Intn(10))<<23
	case 3:
		return []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 1, 0x800000}[rng.Intn(8)]
	}
	return rng.Uint32()
}

func TestFloat64Hardware(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	f, s := FormatOf(64), FormatOf(32)
	vec := func(x float64) Vec { return canon(f, New(64, math.Float64bits(x))) }
	for i := 0; i < 20000; i++ {
		ua, ub, uc := random64(rng), random64(rng), random64(rng)
		a, b, c := New(64, ua), New(64, ub), New(64, uc)
		x, y, z := math.Float64frombits(ua), math.Float64frombits(ub), math.Float64frombits(uc)
		for _, tc := range []struct {
			name      string
			got, want Vec
		}{
			{"add", f.Add(0, a, b), vec(x + y)},
			{"mul", f.Mul(0, a, b), vec(x * y)},
			{"div", f.Div(0, a, b), vec(x / y)},
			{"fma", f.FMA(0, a, b, c), vec(math.FMA(x, y, z))},
			{"sqrt", f.Sqrt(0, a), vec(math.Sqrt(x))},
			{"rem", f.Rem(a, b), vec(math.Mod(x, y))},
			{"floor", f.Integral(TowardNegative, a), vec(math.Floor(x))},
			{"ceil", f.Integral(TowardPositive, a), vec(math.Ceil(x))},
			{"trunc", f.Integral(TowardZero, a), vec(math.Trunc(x))},
			{"rint", f.Integral(NearestEven, a), vec(math.RoundToEven(x))},
			{"round", f.Integral(NearestAway, a), vec(math.Round(x))},
			{"float", f.Convert(0, a, s), canon(s, New(32, uint64(math.Float32bits(float32(x)))))},
			{"from int64", f.FromInt(0, a, true), vec(float64(int64(ua)))},
			{"from uint64", f.FromInt(0, a, false), vec(float64(ua))},
		} {
			if tc.got != tc.want {
				t.Fatalf("%s of %x %x %x: %s, want %s", tc.name, ua, ub, uc, tc.got.Hex(), tc.want.Hex())
			}
		}
		cmp, ok := f.Compare(a, b)
		if ok != (x == x && y == y) || ok && ((cmp < 0) != (x < y) || (cmp == 0) != (x == y)) {
			t.Fatalf("compare %x %x: %d %v", ua, ub, cmp, ok)
		}
		if v, ok := f.ToInt(TowardZero, a, 64, true); ok && v != New(64, uint64(int64(x))) {
			t.Fatalf("to int64 of %x: %v", ua, v)
		} else if ok != (x >= -0x1p63 && x < 0x1p63) {
			t.Fatalf("to int64 of %x: ok %v", ua, ok)
		}
	}
}

func TestFloat32Hardware(t *testing.T) {
	rng := rand.New(rand.NewSource(8))
	f, d := FormatOf(32), FormatOf(64)
	vec := func(x float32) Vec { return canon(f, New(32, uint64(math.Float32bits(x)))) }
	for i := 0; i < 20000; i++ {
		ua, ub := random32(rng), random32(rng)
		a, b := New(32, uint64(ua)), New(32, uint64(ub))
		x, y := math.Float32frombits(ua), math.Float32frombits(ub)
		got := []Vec{f.Add(0, a, b), f.Mul(0, a, b), f.Div(0, a, b), f.Sqrt(0, a), f.FromInt(0, a, true)}
		want := []Vec{vec(x + y), vec(x * y), vec(x / y), vec(float32(math.Sqrt(float64(x)))), vec(float32(int32(ua)))}
		for j := range got {
			if got[j] != want[j] {
				t.Fatalf("case %d of %x %x: %s, want %s", j, ua, ub, got[j].Hex(), want[j].Hex())
			}
		}
		if g, w := f.Convert(0, a, d), canon(d, New(64, math.Float64bits(float64(x)))); g != w {
			t.Fatalf("widening %x: %s, want %s", ua, g.Hex(), w.Hex())
		}
	}
}

// TestRoundingDirections compares every direction with its definition: the
// neighbours of the exact value among all numbers of a small format.
func TestRoundingDirections(t *testing.T) {
	f := Format{3, 3}
	var finite []Vec
	for i := uint64(0); i < 1<<6; i++ {
		if n := f.decode(New(6, i)); !n.nan && !n.inf {
			finite = append(finite, New(6, i))
		}
	}
	rat := func(v Vec) *big.Rat {
		n := f.decode(v)
		r := new(big.Rat).SetFrac(n.scaled(min(n.exp, 0)), big.NewInt(1))
		return r.Quo(r, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(-min(n.exp, 0)))))
	}
	for _, a := range finite {
		for _, b := range finite {
			x, y := rat(a), rat(b)
			checkDirections(t, f, finite, rat, new(big.Rat).Add(x, y), func(r Rounding) Vec { return f.Add(r, a, b) })
			checkDirections(t, f, finite, rat, new(big.Rat).Mul(x, y), func(r Rounding) Vec { return f.Mul(r, a, b) })
			if y.Sign() != 0 {
				checkDirections(t, f, finite, rat, new(big.Rat).Quo(x, y),
					func(r Rounding) Vec { return f.Div(r, a, b) })
			}
		}
	}
}

func checkDirections(t *testing.T, f Format, finite []Vec, rat func(Vec) *big.Rat, exact *big.Rat,
	op func(Rounding) Vec) {
	t.Helper()
	var below, above *big.Rat
	for _, v := range finite {
		r := rat(v)
		if r.Cmp(exact) <= 0 && (below == nil || r.Cmp(below) > 0) {
			below = r
		}
		if r.Cmp(exact) >= 0 && (above == nil || r.Cmp(above) < 0) {
			above = r
		}
	}
	expect := func(r Rounding, want *big.Rat, overflow Vec) {
		t.Helper()
		got := op(r)
		if want == nil && got == overflow || want != nil && !f.decode(got).inf && rat(got).Cmp(want) == 0 {
			return
		}
		t.Fatalf("direction %d of %v: %v, want %v", r, exact, got, want)
	}
	expect(TowardNegative, below, f.Inf(true))
	expect(TowardPositive, above, f.Inf(false))
	if exact.Sign() >= 0 {
		expect(TowardZero, below, Vec{})
	} else {
		expect(TowardZero, above, Vec{})
	}
	if below == nil || above == nil || below.Cmp(above) == 0 {
		return
	}
	lo, hi := new(big.Rat).Sub(exact, below), new(big.Rat).Sub(above, exact)
	switch c := lo.Cmp(hi); {
	case c < 0:
		expect(NearestEven, below, Vec{})
		expect(NearestAway, below, Vec{})
	case c > 0:
		expect(NearestEven, above, Vec{})
		expect(NearestAway, above, Vec{})
	default:
		if got := op(NearestEven); got.Bit(0) {
			t.Fatalf("tie %v rounded to odd %v", exact, got)
		}
		if exact.Sign() > 0 {
			expect(NearestAway, above, Vec{})
		} else {
			expect(NearestAway, below, Vec{})
		}
	}
}
