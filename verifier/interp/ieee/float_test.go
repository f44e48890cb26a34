package ieee

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// TestHalfRoundTrip: every half is a double and comes back.
func TestHalfRoundTrip(t *testing.T) {
	for u := uint64(0); u < 1<<16; u++ {
		h := bits.New(16, u)
		want := h
		if u>>10&0x1f == 31 && u&0x3ff != 0 {
			want = bits.New(16, 0x7e00)
		}
		if got := FromDouble(Double(h), 16); got != want {
			t.Fatalf("0x%04x: got 0x%s, want 0x%s", u, got.Hex(), want.Hex())
		}
	}
}

// TestRoundingOnce compares operations with exact arithmetic rounded once.
func TestRoundingOnce(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	compared := 0
	for n := 0; n < 20000; n++ {
		for _, w := range []int{16, 32} {
			a, b, c := bits.New(w, rng.Uint64()), bits.New(w, rng.Uint64()), bits.New(w, rng.Uint64())
			p, q, r := Double(a), Double(b), Double(c)
			if math.IsNaN(p+q+r) || math.IsInf(p+q+r, 0) {
				continue
			}
			compared++
			exact := func() *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(p) }
			check := func(op string, got bits.Vec, want *big.Float) {
				if want.Sign() != 0 && got != roundTo(want, w) {
					t.Fatalf("%s %v %v %v at %d bits: got 0x%s, want 0x%s", op, p, q, r, w, got.Hex(),
						roundTo(want, w).Hex())
				}
			}
			bq, br := new(big.Float).SetFloat64(q), new(big.Float).SetFloat64(r)
			check("add", Binary(ir.OpFadd, a, b), exact().Add(exact(), bq))
			check("mul", Binary(ir.OpFmul, a, b), exact().Mul(exact(), bq))
			product := exact().Mul(exact(), bq)
			check("fma", FMA([]bits.Vec{a, b, c}), product.Add(product, br))
		}
	}
	if compared < 20000 {
		t.Errorf("only %d of 40000 operands are finite", compared)
	}
}

// roundTo rounds an exact value to nearest even by trying neighbours: the
// nearest encoding is next to that of the double-rounded value.
func roundTo(x *big.Float, w int) bits.Vec {
	d, _ := x.Float64()
	guess := FromDouble(d, w)
	best, bestDist := guess, (*big.Float)(nil)
	for k := int64(-2); k <= 2; k++ {
		cand := bits.Add(guess, bits.NewInt(w, k))
		f := Double(cand)
		if math.IsNaN(f) || cand.Sign() != guess.Sign() {
			continue
		}
		if math.IsInf(f, 0) { // stands for the next power of two
			f = math.Copysign(math.Ldexp(1, map[int]int{16: 16, 32: 128}[w]), f)
		}
		dist := new(big.Float).SetPrec(1000).Sub(x, new(big.Float).SetFloat64(f))
		dist.Abs(dist)
		if bestDist == nil || dist.Cmp(bestDist) < 0 || dist.Cmp(bestDist) == 0 && cand.Low64()&1 == 0 {
			best, bestDist = cand, dist
		}
	}
	return best
}
