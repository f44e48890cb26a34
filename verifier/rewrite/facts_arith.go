package rewrite

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/ilr"
)

func arithmetic(k ilr.Kind, w int, a, b fact) fact {
	m := ones(w)
	f := anything(w)
	switch k {
	case ilr.KNeg:
		if a.lo > 0 {
			f.lo, f.hi = (-a.hi)&m, (-a.lo)&m
		}
		f.zero = low(a) & m
	case ilr.KAdd:
		f.zero, f.one = addBits(a, b, m)
		least, c0 := mbits.Add64(a.lo, b.lo, 0)
		most, c1 := mbits.Add64(a.hi, b.hi, 0)
		switch w0, w1 := c0 == 1 || least > m, c1 == 1 || most > m; {
		case !w1: // never wraps
			f.lo, f.hi = least, most
		case w0: // always wraps
			f.lo, f.hi = least&m, most&m
		}
	case ilr.KMul:
		if hi, lo := mbits.Mul64(a.hi, b.hi); hi == 0 && lo <= m {
			f.lo, f.hi = a.lo*b.lo, lo
		}
		z := mbits.OnesCount64(low(a)) + mbits.OnesCount64(low(b))
		f.zero = m
		if z < w {
			f.zero = 1<<uint(z) - 1
		}
	case ilr.KUdiv:
		if b.lo > 0 {
			f.lo, f.hi = a.lo/b.hi, a.hi/b.lo
		}
	case ilr.KUrem:
		f.hi = a.hi
		if b.lo > 0 {
			f.hi = min(f.hi, b.hi-1)
		}
	case ilr.KLshr:
		f.hi = a.hi
		if b.lo < 64 {
			f.hi >>= b.lo
		} else {
			f.hi = 0
		}
	}
	return f.tight()
}

// low returns the mask of trailing bits known to be 0.
func low(a fact) uint64 { return trailing(a.zero) }

func trailing(z uint64) uint64 {
	n := mbits.TrailingZeros64(^z)
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<uint(n) - 1
}

// addBits returns the known bits of a sum: a bit is known where both operands and the carry are.
func addBits(a, b fact, m uint64) (zero, one uint64) {
	most, least := (m&^a.zero)+(m&^b.zero), a.one+b.one
	carry0 := ^(most ^ (m &^ a.zero) ^ (m &^ b.zero))
	carry1 := least ^ a.one ^ b.one
	known := (a.zero | a.one) & (b.zero | b.one) & (carry0 | carry1) & m
	return ^most & known, least & known
}
