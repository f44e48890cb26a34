package ranges

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// Interval is between which numbers a word is: taken as one with a sign, and as one without. Widths above 60 bits have
// bounds up to most, which stand for any beyond.
type Interval struct {
	slow, shigh int64
	Ulow, Uhigh int64
	limited     bool // by a comparison, a mask or a remainder, not by types alone
}

// most is beyond the numbers that intervals are made of.
const most int64 = 1 << 61

// Full is any word of w bits.
func Full(w int) Interval {
	if w > 60 {
		return Interval{slow: -most, shigh: most, Uhigh: most}
	}
	return Interval{slow: -1 << (w - 1), shigh: 1<<(w-1) - 1, Uhigh: 1<<w - 1}
}

// exactly is one constant.
func exactly(c *ir.Const, w int) Interval {
	s, u := c.Bits.Signed(), c.Bits.Unsigned()
	x := Full(w)
	if s.IsInt64() && s.Int64() > -most && s.Int64() < most {
		x.slow, x.shigh = s.Int64(), s.Int64()
	}
	if u.IsInt64() && u.Int64() < most {
		x.Ulow, x.Uhigh = u.Int64(), u.Int64()
	}
	return x
}

// positive returns the greatest number of w bits that has no sign bit, and stands for itself alone.
func positive(w int) int64 { return 1<<(min(w, 62)-1) - 1 }

// unsigned returns the words of w bits from low to high, without sign, if these are some; else any.
func unsigned(w int, low, high int64) Interval {
	x := Full(w)
	if low >= 0 && high <= x.Uhigh && high < most {
		x.Ulow, x.Uhigh = low, high
	}
	return x
}

// signed returns the words of w bits from low to high, with sign, if these are some; else any.
func signed(w int, low, high int64) Interval {
	x := Full(w)
	if low >= x.slow && high <= x.shigh && (w <= 60 || low >= -positive(w) && high <= positive(w)) {
		x.slow, x.shigh = low, high
	}
	return x
}

// meet returns what is in both.
func (x Interval) meet(y Interval) Interval {
	return Interval{max(x.slow, y.slow), min(x.shigh, y.shigh), max(x.Ulow, y.Ulow), min(x.Uhigh, y.Uhigh),
		x.limited || y.limited}
}

// join returns what is in either.
func (x Interval) join(y Interval) Interval {
	if x.empty() {
		return y
	}
	if y.empty() {
		return x
	}
	return Interval{min(x.slow, y.slow), max(x.shigh, y.shigh), min(x.Ulow, y.Ulow), max(x.Uhigh, y.Uhigh),
		x.limited || y.limited}
}

func (x Interval) empty() bool { return x.slow > x.shigh || x.Ulow > x.Uhigh }

// tight lets each view of x, of w bits, narrow the other.
func (x Interval) tight(w int) Interval {
	all := Full(w)
	if x.Uhigh <= positive(w) {
		x.slow, x.shigh = max(x.slow, x.Ulow), min(x.shigh, x.Uhigh)
	}
	if x.slow >= 0 {
		x.Ulow, x.Uhigh = max(x.Ulow, x.slow), min(x.Uhigh, x.shigh)
	}
	if x.shigh < 0 && w <= 60 {
		x.Ulow, x.Uhigh = max(x.Ulow, x.slow+all.Uhigh+1), min(x.Uhigh, x.shigh+all.Uhigh+1)
	}
	return x
}

// isFull reports whether x says nothing of words of w bits.
func (x Interval) isFull(w int) bool {
	all := Full(w)
	return x.slow <= all.slow && x.shigh >= all.shigh && x.Ulow <= all.Ulow && x.Uhigh >= all.Uhigh
}

// within reports whether all of x is in y.
func (x Interval) within(y Interval) bool {
	return x.slow >= y.slow && x.shigh <= y.shigh && x.Ulow >= y.Ulow && x.Uhigh <= y.Uhigh
}

// widened returns x, which y grew to, with the bounds that grew at the next of the numbers in at (ascending), or at the
// end of what words of w bits can be.
func (x Interval) widened(y Interval, w int, at []int64) Interval {
	all := Full(w)
	up := func(old, now, end int64) int64 {
		if now <= old {
			return old
		}
		for _, n := range at {
			if n >= now && n < end {
				return n
			}
		}
		return end
	}
	down := func(old, now, end int64) int64 {
		if now >= old {
			return old
		}
		if now >= 0 && end <= 0 {
			return 0
		}
		return end
	}
	return Interval{down(x.slow, y.slow, all.slow), up(x.shigh, y.shigh, all.shigh),
		down(x.Ulow, y.Ulow, 0), up(x.Uhigh, y.Uhigh, all.Uhigh), x.limited || y.limited}
}

// plus returns the words of x, of w bits, and d more.
func (x Interval) plus(d int64, w int) Interval {
	out := signed(w, sum(x.slow, d), sum(x.shigh, d)).meet(unsigned(w, sum(x.Ulow, d), sum(x.Uhigh, d)))
	out.limited = x.limited
	return out
}

// binary returns x op y, of words of w bits (LangRef: add, sub, ...).
func binary(op ir.Op, w int, x, y Interval) Interval {
	out := Full(w)
	out.limited = x.limited || y.limited
	k, one := y.Ulow, y.Ulow == y.Uhigh
	switch op {
	case ir.OpAdd:
		out = out.meet(signed(w, sum(x.slow, y.slow), sum(x.shigh, y.shigh))).meet(
			unsigned(w, sum(x.Ulow, y.Ulow), sum(x.Uhigh, y.Uhigh)))
	case ir.OpSub:
		out = out.meet(signed(w, sum(x.slow, -y.shigh), sum(x.shigh, -y.slow))).meet(
			unsigned(w, sum(x.Ulow, -y.Uhigh), sum(x.Uhigh, -y.Ulow)))
	case ir.OpShl:
		if !one || k > 30 {
			return out
		}
		return binary(ir.OpMul, w, x, Interval{slow: 1 << k, shigh: 1 << k, Ulow: 1 << k, Uhigh: 1 << k})
	case ir.OpMul:
		if x.Uhigh < 1<<31 && y.Uhigh < 1<<31 {
			out = out.meet(unsigned(w, x.Ulow*y.Ulow, x.Uhigh*y.Uhigh))
		}
	case ir.OpAnd:
		if out.Uhigh = min(x.Uhigh, y.Uhigh); one || x.Ulow == x.Uhigh {
			out.limited = true
		}
	case ir.OpOr, ir.OpXor:
		if high := max(x.Uhigh, y.Uhigh); high < most {
			n := int64(1)
			for n <= high {
				n <<= 1
			}
			out.Uhigh = min(out.Uhigh, n-1)
		}
	case ir.OpUrem:
		if out.Uhigh = x.Uhigh; y.Uhigh > 0 && y.Uhigh <= x.Uhigh && y.Uhigh < most {
			out.Uhigh, out.limited = y.Uhigh-1, true
		}
	case ir.OpSrem:
		n := max(y.shigh, -y.slow)
		if out.shigh = x.shigh; n > 0 && n <= x.shigh && n < most {
			out.shigh, out.limited = n-1, true
		}
		if out.slow = min(0, x.slow); n > 0 && -n >= x.slow && n < most {
			out.slow, out.limited = 1-n, true
		}
		out.shigh = max(out.shigh, 0)
	case ir.OpUdiv:
		if y.Ulow > 0 && x.Uhigh < most {
			out.Ulow, out.Uhigh = x.Ulow/y.Uhigh, x.Uhigh/y.Ulow
		}
	case ir.OpSdiv:
		if y.slow > 0 && x.slow >= 0 && x.shigh < most {
			out.slow, out.shigh = x.slow/y.shigh, x.shigh/y.slow
		}
	case ir.OpLshr:
		if one && k < 62 && x.Uhigh < most {
			out.Ulow, out.Uhigh = x.Ulow>>k, x.Uhigh>>k
		}
	case ir.OpAshr:
		if one && k < 62 && x.shigh < most && x.slow > -most {
			out.slow, out.shigh = x.slow>>k, x.shigh>>k
		}
	}
	return out.tight(w)
}

// converted returns x, of words of from bits, as one of w bits.
func converted(op ir.Op, x Interval, from, w int) Interval {
	out := Full(w)
	out.limited = x.limited
	switch {
	case op == ir.OpZext && from <= 60:
		out.Ulow, out.Uhigh, out.slow, out.shigh = x.Ulow, x.Uhigh, x.Ulow, x.Uhigh
	case op == ir.OpSext && from <= 60:
		out.slow, out.shigh = x.slow, x.shigh
	case op == ir.OpTrunc:
		out = out.meet(signed(w, x.slow, x.shigh)).meet(unsigned(w, x.Ulow, x.Uhigh))
	}
	return out.tight(w)
}

// compared returns the part of x, of words of w bits, for which `x pred y` can hold.
func compared(x Interval, pred ir.Pred, y Interval, w int) Interval {
	was := x
	switch pred {
	case ir.EQ:
		x = x.meet(Interval{y.slow, y.shigh, y.Ulow, y.Uhigh, false})
	case ir.NE:
		x = x.without(y)
	case ir.SLT:
		x.shigh = min(x.shigh, less(y.shigh))
	case ir.SLE:
		x.shigh = min(x.shigh, y.shigh)
	case ir.SGT:
		x.slow = max(x.slow, -less(-y.slow))
	case ir.SGE:
		x.slow = max(x.slow, y.slow)
	case ir.ULT:
		x.Uhigh = min(x.Uhigh, less(y.Uhigh))
	case ir.ULE:
		x.Uhigh = min(x.Uhigh, y.Uhigh)
	case ir.UGT:
		x.Ulow = max(x.Ulow, -less(-y.Ulow))
	case ir.UGE:
		x.Ulow = max(x.Ulow, y.Ulow)
	}
	if x = x.tight(w); x != was {
		x.limited = true
	}
	return x
}

// sum returns a + b; where one of them stands for any beyond, so does that.
func sum(a, b int64) int64 {
	switch {
	case a >= most || b >= most:
		return most
	case a <= -most || b <= -most:
		return -most
	}
	return a + b
}

// less returns the number in front of n, which may stand for any beyond.
func less(n int64) int64 { return sum(n, -1) }

// without returns x without a number at one of its ends, which y is, if it is one: as one with a sign, and without.
func (x Interval) without(y Interval) Interval {
	if n := y.slow; n == y.shigh && n > -most && n < most {
		if x.slow == n {
			x.slow++
		}
		if x.shigh == n {
			x.shigh--
		}
	}
	if n := y.Ulow; n == y.Uhigh && n < most {
		if x.Ulow == n {
			x.Ulow++
		}
		if x.Uhigh == n {
			x.Uhigh--
		}
	}
	return x
}
