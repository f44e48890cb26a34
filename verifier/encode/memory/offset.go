package memory

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

func Log2(n int64) int { return mbits.TrailingZeros64(uint64(n)) }

// LowZeros is how many low bits of t are surely 0.
func (e *Space) LowZeros(t ilr.Term) int { return e.lowZerosTo(t, policy.OffsetDepth) }

func (e *Space) lowZerosTo(t ilr.Term, depth int) int {
	w := e.s.Width(t)
	if c, ok := e.s.ConstVal(t); ok {
		return c.TrailingZeros()
	}
	if depth == 0 {
		return 0
	}
	arg := func(i int) int { return e.lowZerosTo(e.s.Arg(t, i), depth-1) }
	switch e.s.Kind(t) {
	case ilr.KAdd, ilr.KBvOr, ilr.KBvXor:
		return min(arg(0), arg(1))
	case ilr.KMul:
		return min(w, arg(0)+arg(1))
	case ilr.KBvAnd:
		return max(arg(0), arg(1))
	case ilr.KNeg, ilr.KSext:
		return arg(0)
	case ilr.KIte:
		return min(arg(1), arg(2))
	case ilr.KZext:
		if z := arg(0); z < e.s.Width(e.s.Arg(t, 0)) {
			return z
		}
		return w
	case ilr.KConcat:
		if z, lo := arg(1), e.s.Width(e.s.Arg(t, 1)); z < lo {
			return z
		} else {
			return lo + arg(0)
		}
	case ilr.KShl:
		if c, ok := e.ConstOf(e.s.Arg(t, 1)); ok && c < uint64(w) {
			return min(w, arg(0)+int(c))
		}
		return arg(0)
	case ilr.KExtract:
		if e.s.Imm(t)&0xffffffff == 0 {
			return min(w, arg(0))
		}
	}
	return 0
}

// divPow2 is t's bits from k up; where those below are known to be 0 it divides
// inside sums and products, so that an index comes back as it was.
func (e *Space) divPow2(t ilr.Term, k int) ilr.Term { return e.divTo(t, k, policy.OffsetDepth) }

func (e *Space) divTo(t ilr.Term, k, depth int) ilr.Term {
	if k == 0 {
		return t
	}
	w := e.s.Width(t)
	if depth == 0 || e.LowZeros(t) < k {
		return e.s.Extract(t, w-1, k)
	}
	switch e.s.Kind(t) {
	case ilr.KAdd:
		a, b := e.s.Arg(t, 0), e.s.Arg(t, 1)
		if e.LowZeros(a) >= k && e.LowZeros(b) >= k {
			return e.s.Add(e.divTo(a, k, depth-1), e.divTo(b, k, depth-1))
		}
	case ilr.KMul:
		if c, ok := e.s.ConstVal(e.s.Arg(t, 1)); ok && c.TrailingZeros() >= k {
			return e.s.Mul(e.Low(e.s.Arg(t, 0), w-k), e.s.Const(bits.Extract(c, w-1, k)))
		}
	case ilr.KShl:
		if c, ok := e.ConstOf(e.s.Arg(t, 1)); ok && c >= uint64(k) && c < uint64(w) {
			return e.s.Shl(e.Low(e.s.Arg(t, 0), w-k), e.s.Int(w-k, int64(c)-int64(k)))
		}
	case ilr.KIte:
		return e.s.Ite(e.s.Arg(t, 0), e.divTo(e.s.Arg(t, 1), k, depth-1), e.divTo(e.s.Arg(t, 2), k, depth-1))
	}
	return e.s.Extract(t, w-1, k)
}

// Low is the low w bits of t, pushed into sums and products.
func (e *Space) Low(t ilr.Term, w int) ilr.Term { return e.lowTo(t, w, policy.OffsetDepth) }

func (e *Space) lowTo(t ilr.Term, w, depth int) ilr.Term {
	if w >= e.s.Width(t) {
		return t
	}
	arg := func(i int) ilr.Term { return e.lowTo(e.s.Arg(t, i), w, depth-1) }
	if depth > 0 {
		switch e.s.Kind(t) {
		case ilr.KAdd:
			return e.s.Add(arg(0), arg(1))
		case ilr.KMul:
			return e.s.Mul(arg(0), arg(1))
		case ilr.KNeg:
			return e.s.Neg(arg(0))
		case ilr.KIte:
			return e.s.Ite(e.s.Arg(t, 0), arg(1), arg(2))
		}
	}
	return e.s.Trunc(t, w)
}

// residue says that t is c modulo 2^z, for the largest z that is easily seen;
// the memory claim before the use bounds t, so z can be the whole width.
func (e *Space) residue(t ilr.Term) (c uint64, z int) {
	if e.s.Kind(t) == ilr.KAdd {
		if k, ok := e.ConstOf(e.s.Arg(t, 1)); ok {
			z := e.LowZeros(e.s.Arg(t, 0))
			if z >= 63 {
				return k, 63
			}
			return k & (1<<uint(z) - 1), z
		}
	}
	return 0, min(63, e.LowZeros(t))
}
