package ilr

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
)

// True returns the constant true.
func (s *Store) True() Term { return s.tt }

// False returns the constant false.
func (s *Store) False() Term { return s.ff }

// BoolConst returns True or False.
func (s *Store) BoolConst(b bool) Term {
	if b {
		return s.tt
	}
	return s.ff
}

// Var makes a new variable; two calls with one name make two variables.
func (s *Store) Var(name string, sort Sort) Term {
	s.names = append(s.names, name)
	return s.intern(KVar, sort, uint64(len(s.names)-1), nil)
}

// Fresh makes a new variable named prefix!n.
func (s *Store) Fresh(prefix string, sort Sort) Term {
	s.fresh++
	return s.Var(fmt.Sprintf("%s!%d", prefix, s.fresh), sort)
}

// Const returns the constant v.
func (s *Store) Const(v bits.Vec) Term {
	if v.Width() <= 64 {
		return s.intern(KConst, BV(v.Width()), v.Low64(), nil)
	}
	ix, ok := s.wideIx[v]
	if !ok {
		ix = uint64(len(s.wide))
		s.wide = append(s.wide, v)
		s.wideIx[v] = ix
	}
	return s.intern(KConst, BV(v.Width()), ix, nil)
}

// Int returns the constant v modulo 2^w.
func (s *Store) Int(w int, v int64) Term { return s.Const(bits.NewInt(w, v)) }

// Make builds a term of kind k through its constructor: for rewriters and
// readers. sort is needed where the arguments do not tell it.
func (s *Store) Make(k Kind, sort Sort, imm uint64, a []Term) Term {
	switch k {
	case KTrue, KFalse, KVar, KConst, KArrTable:
		return s.intern(k, sort, imm, a)
	case KNot:
		return s.Not(a[0])
	case KAnd:
		return s.And(a[0], a[1])
	case KEq:
		return s.Eq(a[0], a[1])
	case KIte:
		return s.Ite(a[0], a[1], a[2])
	case KExtract:
		return s.Extract(a[0], int(imm>>32), int(uint32(imm)))
	case KZext:
		return s.Zext(a[0], sort.W)
	case KSext:
		return s.Sext(a[0], sort.W)
	case KConcat:
		return s.Concat(a[0], a[1])
	case KSelect:
		return s.Select(a[0], a[1])
	case KStore:
		return s.Store(a[0], a[1], a[2])
	case KArrConst:
		return s.ArrConst(sort.Idx, a[0])
	case KArrSet:
		return s.ArrSet(a[0], a[1], a[2], a[3])
	case KArrCopy:
		return s.ArrCopy(a[0], a[1], a[2], a[3], a[4])
	}
	if k >= KFAdd {
		return s.float(k, sort, imm, a)
	}
	if len(a) == 1 {
		return s.unary(k, a[0])
	}
	return s.binary(k, a[0], a[1])
}

// Not returns the negation of a Bool.
func (s *Store) Not(a Term) Term {
	switch {
	case a == s.tt:
		return s.ff
	case a == s.ff:
		return s.tt
	case s.Kind(a) == KNot:
		return s.Arg(a, 0)
	}
	return s.mk(KNot, Bool, 0, a)
}

// And returns the conjunction of Bools; And() is true.
func (s *Store) And(ts ...Term) Term {
	r := s.tt
	for _, t := range ts {
		r = s.and2(r, t)
	}
	return r
}

func (s *Store) and2(a, b Term) Term {
	switch {
	case a == s.ff || b == s.ff || s.opposite(a, b):
		return s.ff
	case a == s.tt || a == b:
		return b
	case b == s.tt:
		return a
	}
	if a > b {
		a, b = b, a
	}
	return s.mk(KAnd, Bool, 0, a, b)
}

// opposite reports whether one of two Bools is the negation of the other.
func (s *Store) opposite(a, b Term) bool {
	return s.Kind(a) == KNot && s.Arg(a, 0) == b || s.Kind(b) == KNot && s.Arg(b, 0) == a
}

// Or returns the disjunction of Bools, as the negation of a conjunction; Or() is false.
func (s *Store) Or(ts ...Term) Term {
	r := s.tt
	for _, t := range ts {
		r = s.and2(r, s.Not(t))
	}
	return s.Not(r)
}

// Implies returns the term Or(Not(a), b).
func (s *Store) Implies(a, b Term) Term { return s.Not(s.and2(a, s.Not(b))) }

// Xor returns the exclusive or of two Bools.
func (s *Store) Xor(a, b Term) Term { return s.Not(s.Eq(a, b)) }

// Eq returns the term a = b, of one sort, Bool or BV.
func (s *Store) Eq(a, b Term) Term {
	if s.Sort(a) != s.Sort(b) || s.Sort(a).Kind == SortArray {
		panic(fmt.Sprintf("ilr: = of %s and %s", s.Sort(a), s.Sort(b)))
	}
	if a == b {
		return s.tt
	}
	if s.Sort(a) == Bool {
		for _, p := range [2][2]Term{{a, b}, {b, a}} {
			switch p[0] {
			case s.tt:
				return p[1]
			case s.ff:
				return s.Not(p[1])
			}
		}
		if s.Kind(a) == KNot && s.Kind(b) == KNot {
			a, b = s.Arg(a, 0), s.Arg(b, 0)
		}
		if s.opposite(a, b) {
			return s.ff
		}
	} else if _, ok := s.ConstVal(a); ok {
		if _, ok := s.ConstVal(b); ok {
			return s.ff // constants are canonical: different terms, different values
		}
	}
	a, b = s.order(a, b)
	return s.mk(KEq, Bool, 0, a, b)
}

// order puts a constant right and otherwise the older term left.
func (s *Store) order(a, b Term) (Term, Term) {
	ca, cb := s.Kind(a) == KConst, s.Kind(b) == KConst
	if ca != cb {
		if ca {
			return b, a
		}
		return a, b
	}
	if a > b {
		return b, a
	}
	return a, b
}

// Ite returns a if c holds, else b; a and b have one sort.
func (s *Store) Ite(c, a, b Term) Term {
	switch {
	case s.Sort(a) != s.Sort(b):
		panic(fmt.Sprintf("ilr: ite of %s and %s", s.Sort(a), s.Sort(b)))
	case c == s.tt || a == b:
		return a
	case c == s.ff:
		return b
	case s.Kind(c) == KNot:
		return s.Ite(s.Arg(c, 0), b, a)
	}
	if s.Sort(a) == Bool {
		switch {
		case a == s.tt:
			return s.Or(c, b)
		case a == s.ff:
			return s.and2(s.Not(c), b)
		case b == s.tt:
			return s.Or(s.Not(c), a)
		case b == s.ff:
			return s.and2(c, a)
		}
	}
	return s.mk(KIte, s.Sort(a), 0, c, a, b)
}

// BoolToBV returns 1 or 0 of width w.
func (s *Store) BoolToBV(b Term, w int) Term { return s.Ite(b, s.Int(w, 1), s.Int(w, 0)) }

// NonZero returns the term a != 0.
func (s *Store) NonZero(a Term) Term { return s.Not(s.Eq(a, s.Int(s.Width(a), 0))) }

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
