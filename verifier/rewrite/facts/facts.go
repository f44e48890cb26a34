// Package facts knows which bits of a term are fixed and between which numbers it lies (known bits and unsigned
// ranges), whatever its variables are. What it knows decides comparisons and folds terms to constants.
package facts

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Fact says what holds of every value of a bit-vector of at most 64 bits: bits that are
// 0, bits that are 1, and an unsigned range. Width is 0 when nothing was computed.
type Fact struct {
	Zero, One uint64
	Lo, Hi    uint64
	Width     int8
}

// Ones returns the largest number of w bits, 1 to 64.
func Ones(w int) uint64 { return ^uint64(0) >> uint(64-w) }

func anything(w int) Fact { return Fact{Hi: Ones(w), Width: int8(w)} }

// Nonneg reports whether the sign bit is known to be 0.
func (f Fact) Nonneg() bool { return f.Width > 0 && f.Hi <= Ones(int(f.Width))>>1 }

func (f Fact) negative() bool { return f.Width > 0 && f.Lo > Ones(int(f.Width))>>1 }

// Excludes reports whether no value of one width has both facts.
func (f Fact) Excludes(g Fact) bool {
	return f.Width != 0 && (f.Hi < g.Lo || g.Hi < f.Lo || f.One&g.Zero != 0 || f.Zero&g.One != 0)
}

// tight returns f with its bits and its range improved by each other.
func (f Fact) tight() Fact {
	m := Ones(int(f.Width))
	f.Lo = max(f.Lo, f.One)
	f.Hi = min(f.Hi, m&^f.Zero)
	if f.Lo <= f.Hi { // bits above the highest difference are known
		same := ^(Ones(64) >> uint(mbits.LeadingZeros64(f.Lo^f.Hi))) & m
		if f.Lo == f.Hi {
			same = m
		}
		f.One |= f.Lo & same
		f.Zero |= ^f.Lo & same
	}
	return f
}

// Table remembers the facts of terms of one store that were asked for, in pages: many terms are Booleans and never are.
type Table struct{ memo []*[factPage]Fact }

const factPage = 0x80

// Of returns what is known of t.
func (fs *Table) Of(s *ilr.Store, t ilr.Term) Fact { return fs.deep(s, t, policy.FactDepth) }

func (fs *Table) deep(s *ilr.Store, t ilr.Term, depth int) Fact {
	w := s.Width(t)
	if w > 64 || s.Sort(t).Kind != ilr.SortBV {
		return Fact{}
	}
	if p := int(t) / factPage; p < len(fs.memo) && fs.memo[p] != nil && fs.memo[p][t%factPage].Width != 0 {
		return fs.memo[p][t%factPage]
	}
	if depth == 0 {
		return anything(w)
	}
	if v, ok := s.ConstVal(t); ok {
		u := v.Low64()
		return Fact{Zero: ^u & Ones(w), One: u, Lo: u, Hi: u, Width: int8(w)}
	}
	var args [3]ilr.Term
	n := s.NumArgs(t)
	if n > 3 {
		return anything(w)
	}
	for i := 0; i < n; i++ {
		args[i] = s.Arg(t, i)
	}
	f := fs.compute(s, s.Kind(t), w, s.Imm(t), args[:n], depth-1)
	fs.remember(t, f)
	return f
}

func (fs *Table) remember(t ilr.Term, f Fact) {
	p := int(t) / factPage
	for p >= len(fs.memo) {
		fs.memo = append(fs.memo, nil)
	}
	if fs.memo[p] == nil {
		fs.memo[p] = new([factPage]Fact)
	}
	fs.memo[p][t%factPage] = f
}

// compute derives the fact of the term of kind k with these arguments.
func (fs *Table) compute(s *ilr.Store, k ilr.Kind, w int, imm uint64, args []ilr.Term, depth int) Fact {
	arg := func(i int) Fact { return fs.deep(s, args[i], depth) }
	switch k {
	case ilr.KBvNot:
		a := arg(0)
		m := Ones(w)
		return Fact{Zero: a.One, One: a.Zero, Lo: m - a.Hi, Hi: m - a.Lo, Width: int8(w)}
	case ilr.KBvAnd:
		a, b := arg(0), arg(1)
		return Fact{Zero: a.Zero | b.Zero, One: a.One & b.One, Hi: min(a.Hi, b.Hi), Width: int8(w)}.tight()
	case ilr.KBvOr:
		a, b := arg(0), arg(1)
		return Fact{Zero: a.Zero & b.Zero, One: a.One | b.One, Lo: max(a.Lo, b.Lo), Hi: Ones(w), Width: int8(w)}.tight()
	case ilr.KBvXor:
		a, b := arg(0), arg(1)
		return Fact{Zero: a.Zero&b.Zero | a.One&b.One, One: a.Zero&b.One | a.One&b.Zero, Hi: Ones(w),
			Width: int8(w)}.tight()
	case ilr.KIte:
		a, b := fs.under(s, args[0], true, args[1], depth), fs.under(s, args[0], false, args[2], depth)
		return Fact{Zero: a.Zero & b.Zero, One: a.One & b.One, Lo: min(a.Lo, b.Lo), Hi: max(a.Hi, b.Hi), Width: int8(w)}
	case ilr.KConcat, ilr.KExtract, ilr.KZext, ilr.KSext:
		return fs.reshape(s, k, w, imm, args, depth)
	case ilr.KNeg, ilr.KAdd, ilr.KMul, ilr.KUdiv, ilr.KUrem, ilr.KLshr:
		a := arg(0)
		b := a
		if k != ilr.KNeg {
			b = arg(1)
		}
		f := arithmetic(k, w, a, b)
		if k == ilr.KMul && args[0] == args[1] {
			return fs.square(s, args[0], f)
		}
		return f
	}
	return anything(w)
}

// under returns the fact of branch t of an if-then-else whose condition c is v: a
// comparison of some x with a constant narrows x, and x plus a constant.
func (fs *Table) under(s *ilr.Store, c ilr.Term, v bool, t ilr.Term, depth int) Fact {
	f := fs.deep(s, t, depth)
	if s.Kind(c) == ilr.KNot {
		c, v = s.Arg(c, 0), !v
	}
	if k := s.Kind(c); k != ilr.KUlt && k != ilr.KEq || f.Width == 0 {
		return f
	}
	x, y := s.Arg(c, 0), s.Arg(c, 1)
	left, isLeft := s.ConstVal(x)
	right, isRight := s.ConstVal(y)
	if isLeft {
		x = y
	}
	sum := s.Kind(t) == ilr.KAdd && s.Arg(t, 0) == x
	if isLeft == isRight || s.Width(x) > 64 || t != x && !sum {
		return f
	}
	n := fs.deep(s, x, depth)
	switch {
	case s.Kind(c) == ilr.KEq && v:
		n.Lo, n.Hi = right.Low64(), right.Low64()
	case s.Kind(c) == ilr.KEq:
	case isRight && v:
		n.Hi = min(n.Hi, right.Low64()-1)
	case isRight:
		n.Lo = max(n.Lo, right.Low64())
	case v:
		n.Lo = max(n.Lo, left.Low64()+1)
	default:
		n.Hi = min(n.Hi, left.Low64())
	}
	if n.Lo > n.Hi {
		return f
	}
	n = n.tight()
	if sum {
		n = arithmetic(ilr.KAdd, int(f.Width), n, fs.deep(s, s.Arg(t, 1), depth))
	}
	n.Lo, n.Hi = max(n.Lo, f.Lo), min(n.Hi, f.Hi)
	n.Zero, n.One = n.Zero|f.Zero, n.One|f.One
	if n.Lo > n.Hi {
		return f
	}
	return n
}

func (fs *Table) reshape(s *ilr.Store, k ilr.Kind, w int, imm uint64, args []ilr.Term, depth int) Fact {
	a := fs.deep(s, args[0], depth)
	if a.Width == 0 {
		return anything(w)
	}
	m := Ones(w)
	switch k {
	case ilr.KConcat:
		b := fs.deep(s, args[1], depth)
		n := uint(b.Width)
		return Fact{Zero: a.Zero<<n | b.Zero, One: a.One<<n | b.One, Lo: a.Lo<<n | b.Lo, Hi: a.Hi<<n | b.Hi, Width: int8(w)}
	case ilr.KExtract:
		hi, lo := uint(imm>>32), uint(uint32(imm))
		f := Fact{Zero: a.Zero >> lo & m, One: a.One >> lo & m, Hi: m, Width: int8(w)}
		if a.Hi <= Ones(int(hi)+1) {
			f.Lo, f.Hi = a.Lo>>lo, a.Hi>>lo
		}
		return f.tight()
	}
	if high := m &^ Ones(int(a.Width)); k == ilr.KZext || a.Nonneg() {
		return Fact{Zero: a.Zero | high, One: a.One, Lo: a.Lo, Hi: a.Hi, Width: int8(w)}
	} else if a.negative() {
		return Fact{Zero: a.Zero, One: a.One | high, Lo: a.Lo | high, Hi: a.Hi | high, Width: int8(w)}
	}
	low := Ones(int(a.Width)) >> 1
	return Fact{Zero: a.Zero & low, One: a.One & low, Hi: m, Width: int8(w)}
}
