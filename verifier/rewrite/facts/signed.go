package facts

import (
	"math"
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// span is a range of signed numbers of up to 64 bits.
type span struct{ lo, hi int64 }

// signedAll is the range of words of w bits, 1 to 64.
func signedAll(w int) span { return span{int64(-1) << uint(w-1), int64(Ones(w) >> 1)} }

// signedRange bounds t, a word of at most 64 bits, as a signed number.
func (fs *Table) signedRange(s *ilr.Store, t ilr.Term, depth int) span {
	w := s.Width(t)
	all := signedAll(w)
	f := fs.Of(s, t)
	switch {
	case f.Nonneg():
		return span{int64(f.Lo), int64(f.Hi)}
	case f.negative():
		high := ^Ones(w)
		return span{int64(f.Lo | high), int64(f.Hi | high)}
	case depth == 0:
		return all
	}
	arg := func(i int) span { return fs.signedRange(s, s.Arg(t, i), depth-1) }
	switch s.Kind(t) {
	case ilr.KSext:
		return arg(0)
	case ilr.KIte:
		x := fs.signedUnder(s, s.Arg(t, 0), true, s.Arg(t, 1), depth-1)
		y := fs.signedUnder(s, s.Arg(t, 0), false, s.Arg(t, 2), depth-1)
		return span{min(x.lo, y.lo), max(x.hi, y.hi)}
	case ilr.KNeg:
		return orAll(all)(span{}.minus(arg(0)))
	case ilr.KAdd:
		return orAll(all)(arg(0).plus(arg(1)))
	case ilr.KMul:
		return orAll(all)(arg(0).times(arg(1)))
	case ilr.KConcat: // a shift to the left by a constant is one
		low := fs.Of(s, s.Arg(t, 1))
		n := uint(low.Width)
		high := arg(0)
		return span{high.lo<<n + int64(low.Lo), high.hi<<n + int64(low.Hi)}
	case ilr.KExtract: // of the highest bits: a shift to the right
		if s.Width(s.Arg(t, 0)) > 64 {
			return all
		}
		low := uint(uint32(s.Imm(t)))
		x := arg(0)
		return orAll(all)(span{x.lo >> low, x.hi >> low}, true)
	case ilr.KAshr:
		x := arg(0)
		return span{min(x.lo, 0), max(x.hi, -1)}
	case ilr.KSdiv:
		return arg(0).over(arg(1), all)
	case ilr.KSrem:
		return arg(0).remainder(arg(1))
	}
	return all
}

// signedUnder bounds branch t of an if-then-else whose condition c is v: signed comparisons of t with a constant count.
func (fs *Table) signedUnder(s *ilr.Store, c ilr.Term, v bool, t ilr.Term, depth int) span {
	x := fs.signedRange(s, t, depth)
	if s.Kind(c) == ilr.KNot {
		c, v = s.Arg(c, 0), !v
	}
	if s.Kind(c) != ilr.KSlt {
		return x
	}
	in := x
	left, isLeft := number(s, s.Arg(c, 0))
	right, isRight := number(s, s.Arg(c, 1))
	switch {
	case s.Arg(c, 0) == t && isRight && v && right > math.MinInt64:
		in.hi = min(in.hi, right-1)
	case s.Arg(c, 0) == t && isRight && !v:
		in.lo = max(in.lo, right)
	case s.Arg(c, 1) == t && isLeft && v && left < math.MaxInt64:
		in.lo = max(in.lo, left+1)
	case s.Arg(c, 1) == t && isLeft && !v:
		in.hi = min(in.hi, left)
	}
	if in.lo > in.hi { // never comes to this branch
		return x
	}
	return in
}

// square improves f, what is known of t * t: no square is negative.
func (fs *Table) square(s *ilr.Store, t ilr.Term, f Fact) Fact {
	x := fs.signedRange(s, t, policy.SignedDepth)
	most := max(size(x.lo), size(x.hi))
	if over, p := mbits.Mul64(most, most); over == 0 && p <= f.Hi {
		f.Hi = p
		return f.tight()
	}
	return f
}

// number returns the value of a constant as a signed number.
func number(s *ilr.Store, t ilr.Term) (v int64, is bool) {
	c, is := s.ConstVal(t)
	if !is {
		return 0, false
	}
	return c.Int64()
}

// The ranges of sums, differences and products; ok is false where a number of more than 64 bits is one.

func (x span) plus(y span) (r span, ok bool) {
	lo, ok0 := sum(x.lo, y.lo)
	hi, ok1 := sum(x.hi, y.hi)
	return span{lo, hi}, ok0 && ok1
}

func (x span) minus(y span) (r span, ok bool) {
	lo, ok0 := difference(x.lo, y.hi)
	hi, ok1 := difference(x.hi, y.lo)
	return span{lo, hi}, ok0 && ok1
}

func (x span) times(y span) (r span, ok bool) {
	r, ok = span{math.MaxInt64, math.MinInt64}, true
	for _, a := range [2]int64{x.lo, x.hi} {
		for _, b := range [2]int64{y.lo, y.hi} {
			p, is := product(a, b)
			r, ok = span{min(r.lo, p), max(r.hi, p)}, ok && is
		}
	}
	return r, ok
}

// over is the range of quotients, rounded toward zero; of positive divisors alone.
func (x span) over(y, all span) span {
	if y.lo < 1 {
		return all
	}
	r := span{x.lo / y.lo, x.hi / y.lo}
	if x.lo > 0 {
		r.lo = x.lo / y.hi
	}
	if x.hi < 0 {
		r.hi = x.hi / y.hi
	}
	return r
}

// remainder is the range of x % y, which has the sign of x, and is x where y is 0.
func (x span) remainder(y span) span {
	r := span{min(x.lo, 0), max(x.hi, 0)}
	if y.lo > 0 {
		r = span{max(r.lo, 1-y.hi), min(r.hi, y.hi-1)}
	}
	return r
}

// within reports whether x is a part of all.
func (x span) within(all span) bool { return x.lo >= all.lo && x.hi <= all.hi }

// fits asks whether a range is of words of w bits.
func fits(w int) func(span, bool) bool {
	return func(x span, ok bool) bool { return ok && x.within(signedAll(w)) }
}

// orAll returns a range if it is within all, so that nothing wraps around; else all.
func orAll(all span) func(span, bool) span {
	return func(x span, ok bool) span {
		if ok && x.within(all) {
			return x
		}
		return all
	}
}

func sum(a, b int64) (v int64, ok bool) {
	v = a + b
	return v, (a < 0) != (b < 0) || (v < 0) == (a < 0)
}

func difference(a, b int64) (v int64, ok bool) {
	v = a - b
	return v, (a < 0) == (b < 0) || (v < 0) == (a < 0)
}

func product(a, b int64) (v int64, ok bool) {
	hi, lo := mbits.Mul64(size(a), size(b))
	v = int64(lo)
	if (a < 0) != (b < 0) {
		v = -v
	}
	return v, hi == 0 && (lo <= math.MaxInt64 || lo == 1<<63 && (a < 0) != (b < 0))
}

// size is |a|, which may be 2^63.
func size(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
