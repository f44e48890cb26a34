package facts

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/ilr"
)

func arithmetic(k ilr.Kind, w int, a, b Fact) Fact {
	m := Ones(w)
	f := anything(w)
	switch k {
	case ilr.KNeg:
		if a.Lo > 0 {
			f.Lo, f.Hi = (-a.Hi)&m, (-a.Lo)&m
		}
		f.Zero = low(a) & m
	case ilr.KAdd:
		f.Zero, f.One = addBits(a, b, m)
		least, c0 := mbits.Add64(a.Lo, b.Lo, 0)
		most, c1 := mbits.Add64(a.Hi, b.Hi, 0)
		switch w0, w1 := c0 == 1 || least > m, c1 == 1 || most > m; {
		case !w1: // never wraps
			f.Lo, f.Hi = least, most
		case w0: // always wraps
			f.Lo, f.Hi = least&m, most&m
		}
	case ilr.KMul:
		if hi, lo := mbits.Mul64(a.Hi, b.Hi); hi == 0 && lo <= m {
			f.Lo, f.Hi = a.Lo*b.Lo, lo
		}
		z := mbits.OnesCount64(low(a)) + mbits.OnesCount64(low(b))
		f.Zero = m
		if z < w {
			f.Zero = 1<<uint(z) - 1
		}
	case ilr.KUdiv:
		if b.Lo > 0 {
			f.Lo, f.Hi = a.Lo/b.Hi, a.Hi/b.Lo
		}
	case ilr.KUrem:
		f.Hi = a.Hi
		if b.Lo > 0 {
			f.Hi = min(f.Hi, b.Hi-1)
		}
	case ilr.KLshr:
		f.Hi = a.Hi
		if b.Lo < 64 {
			f.Hi >>= b.Lo
		} else {
			f.Hi = 0
		}
	}
	return f.tight()
}

// low returns the mask of trailing bits known to be 0.
func low(a Fact) uint64 { return trailing(a.Zero) }

func trailing(z uint64) uint64 {
	n := mbits.TrailingZeros64(^z)
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<uint(n) - 1
}

// addBits returns the known bits of a sum: a bit is known where both operands and the carry are.
func addBits(a, b Fact, m uint64) (zero, one uint64) {
	most, least := (m&^a.Zero)+(m&^b.Zero), a.One+b.One
	carry0 := ^(most ^ (m &^ a.Zero) ^ (m &^ b.Zero))
	carry1 := least ^ a.One ^ b.One
	known := (a.Zero | a.One) & (b.Zero | b.One) & (carry0 | carry1) & m
	return ^most & known, least & known
}
