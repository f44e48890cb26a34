package ilr

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
)

func (s *Store) unary(k Kind, a Term) Term {
	if v, ok := s.ConstVal(a); ok {
		return s.Const(foldUnary(k, v))
	}
	if s.Kind(a) == k { // bvnot and bvneg are involutions
		return s.Arg(a, 0)
	}
	return s.mk(k, s.Sort(a), 0, a)
}

func (s *Store) binary(k Kind, a, b Term) Term {
	if s.Sort(a) != s.Sort(b) || s.Sort(a).Kind != SortBV {
		panic(fmt.Sprintf("ilr: %s of %s and %s", k, s.Sort(a), s.Sort(b)))
	}
	va, ca := s.ConstVal(a)
	vb, cb := s.ConstVal(b)
	pred := k >= KUlt && k <= KSmulO
	if ca && cb {
		if pred {
			return s.BoolConst(foldPred(k, va, vb))
		}
		return s.Const(foldBinary(k, va, vb))
	}
	if k.Commutative() {
		a, b = s.order(a, b)
		if ca {
			vb, ca, cb = va, cb, ca
		}
	}
	if pred {
		if t := s.localPred(k, a, b, vb, cb); t != 0 {
			return t
		}
		return s.mk(k, Bool, 0, a, b)
	}
	if t := s.localBinary(k, a, b, vb, cb); t != 0 {
		return t
	}
	return s.mk(k, s.Sort(a), 0, a, b)
}

// localBinary applies identities with a constant right or equal operands.
func (s *Store) localBinary(k Kind, a, b Term, vb bits.Vec, cb bool) Term {
	w := s.Width(a)
	if a == b {
		switch k {
		case KBvAnd, KBvOr:
			return a
		case KBvXor:
			return s.Int(w, 0)
		}
	}
	if !cb {
		return 0
	}
	switch {
	case vb.IsZero() && (k == KAdd || k == KBvOr || k == KBvXor || k == KShl || k == KLshr || k == KAshr ||
		k == KUrem || k == KSrem):
		return a
	case vb.IsZero() && (k == KMul || k == KBvAnd):
		return b
	case vb.IsOne() && (k == KMul || k == KUdiv || k == KSdiv && w > 1):
		return a
	case vb.IsOnes() && k == KBvAnd:
		return a
	case vb.IsOnes() && k == KBvOr:
		return b
	case vb.IsOnes() && k == KBvXor:
		return s.BvNot(a)
	case k == KAdd && s.Kind(a) == KAdd: // (x + c) + d
		if c, ok := s.ConstVal(s.Arg(a, 1)); ok {
			return s.Add(s.Arg(a, 0), s.Const(bits.Add(c, vb)))
		}
	}
	return 0
}

func (s *Store) localPred(k Kind, a, b Term, vb bits.Vec, cb bool) Term {
	if a == b && (k == KUlt || k == KSlt || k == KSsubO) {
		return s.ff
	}
	if va, ok := s.ConstVal(a); ok {
		switch {
		case k == KUlt && va.IsOnes(), k == KSlt && va == bits.MaxSigned(va.Width()):
			return s.ff
		}
	}
	if !cb {
		return 0
	}
	switch {
	case vb.IsZero() && (k == KUlt || k == KUaddO || k == KSaddO || k == KSsubO || k == KUmulO || k == KSmulO):
		return s.ff
	case vb.IsOne() && (k == KUmulO || k == KSmulO && vb.Width() > 1):
		return s.ff
	case k == KUlt && vb.IsOne():
		return s.Eq(a, s.Int(vb.Width(), 0))
	case k == KSlt && vb == bits.MinSigned(vb.Width()):
		return s.ff
	}
	return 0
}

// BvNot returns the term bvnot; it and the rest are SMT-LIB's operations of the same name.
func (s *Store) BvNot(a Term) Term { return s.unary(KBvNot, a) }

// Neg returns the term bvneg.
func (s *Store) Neg(a Term) Term { return s.unary(KNeg, a) }

// BvAnd returns the term bvand.
func (s *Store) BvAnd(a, b Term) Term { return s.binary(KBvAnd, a, b) }

// BvOr returns the term bvor.
func (s *Store) BvOr(a, b Term) Term { return s.binary(KBvOr, a, b) }

// BvXor returns the term bvxor.
func (s *Store) BvXor(a, b Term) Term { return s.binary(KBvXor, a, b) }

// Add returns the term bvadd.
func (s *Store) Add(a, b Term) Term { return s.binary(KAdd, a, b) }

// Sub returns the term a + (-b).
func (s *Store) Sub(a, b Term) Term {
	if a == b {
		return s.Int(s.Width(a), 0)
	}
	return s.Add(a, s.Neg(b))
}

// Mul returns the term bvmul.
func (s *Store) Mul(a, b Term) Term { return s.binary(KMul, a, b) }

// Udiv returns the term bvudiv.
func (s *Store) Udiv(a, b Term) Term { return s.binary(KUdiv, a, b) }

// Urem returns the term bvurem.
func (s *Store) Urem(a, b Term) Term { return s.binary(KUrem, a, b) }

// Sdiv returns the term bvsdiv.
func (s *Store) Sdiv(a, b Term) Term { return s.binary(KSdiv, a, b) }

// Srem returns the term bvsrem.
func (s *Store) Srem(a, b Term) Term { return s.binary(KSrem, a, b) }

// Shl returns the term bvshl.
func (s *Store) Shl(a, b Term) Term { return s.binary(KShl, a, b) }

// Lshr returns the term bvlshr.
func (s *Store) Lshr(a, b Term) Term { return s.binary(KLshr, a, b) }

// Ashr returns the term bvashr.
func (s *Store) Ashr(a, b Term) Term { return s.binary(KAshr, a, b) }

// Ult returns the term bvult.
func (s *Store) Ult(a, b Term) Term { return s.binary(KUlt, a, b) }

// Ule returns the term not (b < a), unsigned.
func (s *Store) Ule(a, b Term) Term { return s.Not(s.Ult(b, a)) }

// Slt returns the term bvslt.
func (s *Store) Slt(a, b Term) Term { return s.binary(KSlt, a, b) }

// Sle returns the term not (b < a), signed.
func (s *Store) Sle(a, b Term) Term { return s.Not(s.Slt(b, a)) }

// UaddO returns the term: the unsigned sum exceeds the width.
func (s *Store) UaddO(a, b Term) Term { return s.binary(KUaddO, a, b) }

// SaddO returns the term: the signed sum leaves the range.
func (s *Store) SaddO(a, b Term) Term { return s.binary(KSaddO, a, b) }

// UsubO returns the term a < b, unsigned.
func (s *Store) UsubO(a, b Term) Term { return s.Ult(a, b) }

// SsubO returns the term: the signed difference leaves the range.
func (s *Store) SsubO(a, b Term) Term { return s.binary(KSsubO, a, b) }

// UmulO returns the term: the unsigned product exceeds the width.
func (s *Store) UmulO(a, b Term) Term { return s.binary(KUmulO, a, b) }

// SmulO returns the term: the signed product leaves the range.
func (s *Store) SmulO(a, b Term) Term { return s.binary(KSmulO, a, b) }

// Concat puts hi above lo.
func (s *Store) Concat(hi, lo Term) Term {
	vh, ch := s.ConstVal(hi)
	vl, cl := s.ConstVal(lo)
	w := s.Width(hi) + s.Width(lo)
	switch {
	case ch && cl:
		return s.Const(bits.Concat(vh, vl))
	case ch && vh.IsZero():
		return s.Zext(lo, w)
	case s.Kind(hi) == KExtract && s.Kind(lo) == KExtract && s.Arg(hi, 0) == s.Arg(lo, 0):
		hh, hl := s.bounds(hi)
		lh, ll := s.bounds(lo)
		if hl == lh+1 {
			return s.Extract(s.Arg(hi, 0), hh, ll)
		}
	}
	return s.mk(KConcat, BV(w), 0, hi, lo)
}

func (s *Store) bounds(t Term) (hi, lo int) {
	imm := s.Imm(t)
	return int(imm >> 32), int(uint32(imm))
}

// Extract returns bits hi..lo inclusive.
func (s *Store) Extract(a Term, hi, lo int) Term {
	w := s.Width(a)
	if lo < 0 || hi < lo || hi >= w {
		panic(fmt.Sprintf("ilr: extract %d..%d of %s", hi, lo, s.Sort(a)))
	}
	if lo == 0 && hi == w-1 {
		return a
	}
	if v, ok := s.ConstVal(a); ok {
		return s.Const(bits.Extract(v, hi, lo))
	}
	switch s.Kind(a) {
	case KExtract:
		_, l := s.bounds(a)
		return s.Extract(s.Arg(a, 0), hi+l, lo+l)
	case KConcat:
		lw := s.Width(s.Arg(a, 1))
		if hi < lw {
			return s.Extract(s.Arg(a, 1), hi, lo)
		}
		if lo >= lw {
			return s.Extract(s.Arg(a, 0), hi-lw, lo-lw)
		}
	case KZext, KSext:
		x := s.Arg(a, 0)
		switch xw := s.Width(x); {
		case hi < xw:
			return s.Extract(x, hi, lo)
		case lo == 0 && s.Kind(a) == KZext:
			return s.Zext(x, hi+1)
		case lo == 0:
			return s.Sext(x, hi+1)
		case lo >= xw && s.Kind(a) == KZext:
			return s.Int(hi-lo+1, 0)
		}
	}
	return s.mk(KExtract, BV(hi-lo+1), uint64(hi)<<32|uint64(lo), a)
}

// Trunc keeps the low w bits.
func (s *Store) Trunc(a Term, w int) Term { return s.Extract(a, w-1, 0) }

// Zext widens with zeros to w bits.
func (s *Store) Zext(a Term, w int) Term {
	if w == s.Width(a) {
		return a
	}
	if v, ok := s.ConstVal(a); ok {
		return s.Const(bits.Zext(v, w))
	}
	if s.Kind(a) == KZext {
		return s.Zext(s.Arg(a, 0), w)
	}
	return s.mk(KZext, BV(w), 0, a)
}

// Sext widens with the sign to w bits.
func (s *Store) Sext(a Term, w int) Term {
	if w == s.Width(a) {
		return a
	}
	if v, ok := s.ConstVal(a); ok {
		return s.Const(bits.Sext(v, w))
	}
	switch s.Kind(a) {
	case KSext:
		return s.Sext(s.Arg(a, 0), w)
	case KZext:
		return s.Zext(s.Arg(a, 0), w)
	}
	return s.mk(KSext, BV(w), 0, a)
}
