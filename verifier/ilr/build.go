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
