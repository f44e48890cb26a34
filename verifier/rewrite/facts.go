package rewrite

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// fact says what holds of every value of a bit-vector of w <= 64 bits: bits that are
// 0, bits that are 1, and an unsigned range. w is 0 when nothing was computed.
type fact struct {
	zero, one uint64
	lo, hi    uint64
	w         int8
}

func ones(w int) uint64 { return ^uint64(0) >> uint(64-w) }

func anything(w int) fact { return fact{hi: ones(w), w: int8(w)} }

func (f fact) nonneg() bool   { return f.w > 0 && f.hi <= ones(int(f.w))>>1 }
func (f fact) negative() bool { return f.w > 0 && f.lo > ones(int(f.w))>>1 }

// tight returns f with its bits and its range improved by each other.
func (f fact) tight() fact {
	m := ones(int(f.w))
	f.lo = max(f.lo, f.one)
	f.hi = min(f.hi, m&^f.zero)
	if f.lo <= f.hi { // bits above the highest difference are known
		same := ^(ones(64) >> uint(mbits.LeadingZeros64(f.lo^f.hi))) & m
		if f.lo == f.hi {
			same = m
		}
		f.one |= f.lo & same
		f.zero |= ^f.lo & same
	}
	return f
}

// facts remembers the facts of terms that were asked for, in pages: many terms are Booleans and never are.
type facts struct{ memo []*[factPage]fact }

const factPage = 128

const factDepth = 40

func (fs *facts) of(s *ilr.Store, t ilr.Term) fact { return fs.deep(s, t, factDepth) }

func (fs *facts) deep(s *ilr.Store, t ilr.Term, depth int) fact {
	w := s.Width(t)
	if w > 64 || s.Sort(t).Kind != ilr.SortBV {
		return fact{}
	}
	if p := int(t) / factPage; p < len(fs.memo) && fs.memo[p] != nil && fs.memo[p][t%factPage].w != 0 {
		return fs.memo[p][t%factPage]
	}
	if depth == 0 {
		return anything(w)
	}
	if v, ok := s.ConstVal(t); ok {
		u := v.Low64()
		return fact{zero: ^u & ones(w), one: u, lo: u, hi: u, w: int8(w)}
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

func (fs *facts) remember(t ilr.Term, f fact) {
	p := int(t) / factPage
	for p >= len(fs.memo) {
		fs.memo = append(fs.memo, nil)
	}
	if fs.memo[p] == nil {
		fs.memo[p] = new([factPage]fact)
	}
	fs.memo[p][t%factPage] = f
}

// compute derives the fact of the term of kind k with these arguments.
func (fs *facts) compute(s *ilr.Store, k ilr.Kind, w int, imm uint64, args []ilr.Term, depth int) fact {
	arg := func(i int) fact { return fs.deep(s, args[i], depth) }
	switch k {
	case ilr.KBvNot:
		a := arg(0)
		m := ones(w)
		return fact{zero: a.one, one: a.zero, lo: m - a.hi, hi: m - a.lo, w: int8(w)}
	case ilr.KBvAnd:
		a, b := arg(0), arg(1)
		return fact{zero: a.zero | b.zero, one: a.one & b.one, hi: min(a.hi, b.hi), w: int8(w)}.tight()
	case ilr.KBvOr:
		a, b := arg(0), arg(1)
		return fact{zero: a.zero & b.zero, one: a.one | b.one, lo: max(a.lo, b.lo), hi: ones(w), w: int8(w)}.tight()
	case ilr.KBvXor:
		a, b := arg(0), arg(1)
		return fact{zero: a.zero&b.zero | a.one&b.one, one: a.zero&b.one | a.one&b.zero, hi: ones(w),
			w: int8(w)}.tight()
	case ilr.KIte:
		a, b := fs.under(s, args[0], true, args[1], depth), fs.under(s, args[0], false, args[2], depth)
		return fact{zero: a.zero & b.zero, one: a.one & b.one, lo: min(a.lo, b.lo), hi: max(a.hi, b.hi), w: int8(w)}
	case ilr.KConcat, ilr.KExtract, ilr.KZext, ilr.KSext:
		return fs.reshape(s, k, w, imm, args, depth)
	case ilr.KNeg, ilr.KAdd, ilr.KMul, ilr.KUdiv, ilr.KUrem, ilr.KLshr:
		a := arg(0)
		b := a
		if k != ilr.KNeg {
			b = arg(1)
		}
		return arithmetic(k, w, a, b)
	}
	return anything(w)
}

// under returns the fact of branch t of an if-then-else whose condition c is v: a
// comparison of some x with a constant narrows x, and x plus a constant.
func (fs *facts) under(s *ilr.Store, c ilr.Term, v bool, t ilr.Term, depth int) fact {
	f := fs.deep(s, t, depth)
	if s.Kind(c) == ilr.KNot {
		c, v = s.Arg(c, 0), !v
	}
	if k := s.Kind(c); k != ilr.KUlt && k != ilr.KEq || f.w == 0 {
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
		n.lo, n.hi = right.Low64(), right.Low64()
	case s.Kind(c) == ilr.KEq:
	case isRight && v:
		n.hi = min(n.hi, right.Low64()-1)
	case isRight:
		n.lo = max(n.lo, right.Low64())
	case v:
		n.lo = max(n.lo, left.Low64()+1)
	default:
		n.hi = min(n.hi, left.Low64())
	}
	if n.lo > n.hi {
		return f
	}
	n = n.tight()
	if sum {
		n = arithmetic(ilr.KAdd, int(f.w), n, fs.deep(s, s.Arg(t, 1), depth))
	}
	n.lo, n.hi = max(n.lo, f.lo), min(n.hi, f.hi)
	n.zero, n.one = n.zero|f.zero, n.one|f.one
	if n.lo > n.hi {
		return f
	}
	return n
}

func (fs *facts) reshape(s *ilr.Store, k ilr.Kind, w int, imm uint64, args []ilr.Term, depth int) fact {
	a := fs.deep(s, args[0], depth)
	if a.w == 0 {
		return anything(w)
	}
	m := ones(w)
	switch k {
	case ilr.KConcat:
		b := fs.deep(s, args[1], depth)
		n := uint(b.w)
		return fact{zero: a.zero<<n | b.zero, one: a.one<<n | b.one, lo: a.lo<<n | b.lo, hi: a.hi<<n | b.hi, w: int8(w)}
	case ilr.KExtract:
		hi, lo := uint(imm>>32), uint(uint32(imm))
		f := fact{zero: a.zero >> lo & m, one: a.one >> lo & m, hi: m, w: int8(w)}
		if a.hi <= ones(int(hi)+1) {
			f.lo, f.hi = a.lo>>lo, a.hi>>lo
		}
		return f.tight()
	}
	if high := m &^ ones(int(a.w)); k == ilr.KZext || a.nonneg() {
		return fact{zero: a.zero | high, one: a.one, lo: a.lo, hi: a.hi, w: int8(w)}
	} else if a.negative() {
		return fact{zero: a.zero, one: a.one | high, lo: a.lo | high, hi: a.hi | high, w: int8(w)}
	}
	low := ones(int(a.w)) >> 1
	return fact{zero: a.zero & low, one: a.one & low, hi: m, w: int8(w)}
}

// signedRange bounds t as a signed number of at most 62 bits; ok is false beyond.
func (m *match) signedRange(t ilr.Term, depth int) (lo, hi int64, ok bool) {
	s, w := m.s, m.s.Width(t)
	if w > 62 {
		return 0, 0, false
	}
	lo, hi = -1<<uint(w-1), 1<<uint(w-1)-1
	f := m.r.facts.of(s, t)
	switch {
	case f.nonneg():
		return int64(f.lo), int64(f.hi), true
	case f.negative():
		return int64(f.lo) - 1<<uint(w), int64(f.hi) - 1<<uint(w), true
	case depth == 0:
		return lo, hi, true
	}
	var l, h int64
	switch s.Kind(t) {
	case ilr.KSext:
		return m.signedRange(s.Arg(t, 0), depth-1)
	case ilr.KNeg:
		l0, h0, _ := m.signedRange(s.Arg(t, 0), depth-1)
		l, h = -h0, -l0
	case ilr.KAdd:
		l0, h0, _ := m.signedRange(s.Arg(t, 0), depth-1)
		l1, h1, _ := m.signedRange(s.Arg(t, 1), depth-1)
		l, h = l0+l1, h0+h1
	case ilr.KIte:
		l0, h0, _ := m.signedRange(s.Arg(t, 1), depth-1)
		l1, h1, _ := m.signedRange(s.Arg(t, 2), depth-1)
		l, h = min(l0, l1), max(h0, h1)
	default:
		return lo, hi, true
	}
	if l < lo || h > hi { // may wrap
		return lo, hi, true
	}
	return l, h, true
}

// byFacts applies (R2): it returns the term simplified by known bits and ranges of args, or 0.
func (m *match) byFacts(k ilr.Kind, imm uint64, args []ilr.Term) ilr.Term {
	s := m.s
	if m.sort.Kind == ilr.SortBV {
		if m.sort.W > 64 || k >= ilr.KSelect || k == ilr.KIte {
			return 0
		}
		f := m.r.facts.compute(s, k, m.sort.W, imm, args, factDepth)
		if f.lo == f.hi {
			return s.Const(bits.New(m.sort.W, f.lo))
		}
		return 0
	}
	if k != ilr.KEq && (k < ilr.KUlt || k > ilr.KSmulO) {
		return 0
	}
	a, b := m.r.facts.of(s, args[0]), m.r.facts.of(s, args[1])
	if a.w == 0 || b.w == 0 {
		return 0
	}
	if v, known := m.decide(k, args, a, b); known {
		return s.BoolConst(v)
	}
	return 0
}

// decide decides a predicate by what is known of its arguments.
func (m *match) decide(k ilr.Kind, args []ilr.Term, a, b fact) (v, known bool) {
	all := ones(int(a.w))
	switch k {
	case ilr.KEq:
		return false, a.hi < b.lo || b.hi < a.lo || a.one&b.zero != 0 || a.zero&b.one != 0
	case ilr.KUlt:
		return a.hi < b.lo, a.hi < b.lo || a.lo >= b.hi
	case ilr.KUaddO:
		_, c := mbits.Add64(a.hi, b.hi, 0)
		least, d := mbits.Add64(a.lo, b.lo, 0)
		always := d == 1 || least > all
		return always, always || c == 0 && a.hi+b.hi <= all
	case ilr.KUmulO:
		hi, lo := mbits.Mul64(a.hi, b.hi)
		hi2, lo2 := mbits.Mul64(a.lo, b.lo)
		always := hi2 != 0 || lo2 > all
		return always, always || hi == 0 && lo <= all
	}
	l0, h0, ok0 := m.signedRange(args[0], 6)
	l1, h1, ok1 := m.signedRange(args[1], 6)
	if !ok0 || !ok1 {
		return false, false
	}
	w := uint(a.w)
	min, max := int64(-1)<<(w-1), int64(1)<<(w-1)-1
	switch k {
	case ilr.KSlt:
		return h0 < l1, h0 < l1 || l0 >= h1
	case ilr.KSaddO:
		return false, l0+l1 >= min && h0+h1 <= max
	case ilr.KSsubO:
		return false, l0-h1 >= min && h0-l1 <= max
	case ilr.KSmulO:
		if w > 32 && (l0 < -1<<31 || h0 > 1<<31-1 || l1 < -1<<31 || h1 > 1<<31-1) {
			return false, false
		}
		for _, p := range [4]int64{l0 * l1, l0 * h1, h0 * l1, h0 * h1} {
			if p < min || p > max {
				return false, false
			}
		}
		return false, true
	}
	return false, false
}
