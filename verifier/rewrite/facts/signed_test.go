package facts

import (
	"math"
	"math/big"
	"testing"
)

// TestSpansOf64Bits: ranges of results hold what each two numbers of the ranges give, and say that they fit where all do.
func TestSpansOf64Bits(t *testing.T) {
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, -1<<32 - 1, -1 << 31, -3, -1, 0, 1, 2, 5,
		1<<31 - 1, 1 << 31, 1 << 32, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}
	var spans []span
	for i, lo := range ends {
		for _, hi := range ends[i:] {
			spans = append(spans, span{lo, hi})
		}
	}
	in := func(x span) (out []int64) {
		for _, v := range ends {
			if v >= x.lo && v <= x.hi {
				out = append(out, v)
			}
		}
		return out
	}
	for _, x := range spans {
		for _, y := range spans {
			for _, op := range []struct {
				name  string
				of    func() (span, bool)
				exact func(r, a, b *big.Int) *big.Int
			}{
				{"+", func() (span, bool) { return x.plus(y) }, (*big.Int).Add},
				{"-", func() (span, bool) { return x.minus(y) }, (*big.Int).Sub},
				{"*", func() (span, bool) { return x.times(y) }, (*big.Int).Mul},
			} {
				r, ok := op.of()
				all := true
				for _, a := range in(x) {
					for _, b := range in(y) {
						v := op.exact(new(big.Int), big.NewInt(a), big.NewInt(b))
						all = all && v.IsInt64()
						if ok && (!v.IsInt64() || v.Int64() < r.lo || v.Int64() > r.hi) {
							t.Fatalf("%d %s %d is %v, out of %+v", a, op.name, b, v, r)
						}
					}
				}
				if ok != all {
					t.Fatalf("%+v %s %+v: fits is %v", x, op.name, y, ok)
				}
			}
			quotient, rest := x.over(y, signedAll(64)), x.remainder(y)
			for _, a := range in(x) {
				for _, b := range in(y) {
					m := a // that is a % 0
					if b != 0 {
						m = a % b
						if q := a / b; q < quotient.lo || q > quotient.hi {
							t.Fatalf("%d / %d is out of %+v", a, b, quotient)
						}
					}
					if m < rest.lo || m > rest.hi {
						t.Fatalf("%d %% %d is out of %+v", a, b, rest)
					}
				}
			}
		}
	}
}
