package weave

import "github.com/firmproof/firmproof/verifier/ir"

// interval is between which numbers a word is: taken as one with a sign, and as one without. Widths above 60 bits have
// bounds up to most, which stand for any beyond.
type interval struct {
	slow, shigh int64
	ulow, uhigh int64
	limited     bool // by a comparison, a mask or a remainder, not by types alone
}

// most is beyond the numbers that intervals are made of.
const most = 1 << 61

// full is any word of w bits.
func full(w int) interval {
	if w > 60 {
		return interval{slow: -most, shigh: most, uhigh: most}
	}
	return interval{slow: -1 << (w - 1), shigh: 1<<(w-1) - 1, uhigh: 1<<w - 1}
}

// exactly is one constant.
func exactly(c *ir.Const, w int) interval {
	s, u := c.Bits.Signed(), c.Bits.Unsigned()
	x := full(w)
	if s.IsInt64() && s.Int64() > -most && s.Int64() < most {
		x.slow, x.shigh = s.Int64(), s.Int64()
	}
	if u.IsInt64() && u.Int64() < most {
		x.ulow, x.uhigh = u.Int64(), u.Int64()
	}
	return x
}

// unsigned returns the words of w bits from low to high, without sign, if these are some; else any.
func unsigned(w int, low, high int64) interval {
	x := full(w)
	if low >= 0 && high <= x.uhigh && high < most {
		x.ulow, x.uhigh = low, high
	}
	return x
}

// signed returns the words of w bits from low to high, with sign, if these are some; else any.
func signed(w int, low, high int64) interval {
	x := full(w)
	if low >= x.slow && high <= x.shigh && low > -most && high < most {
		x.slow, x.shigh = low, high
	}
	return x
}

// meet returns what is in both.
func (x interval) meet(y interval) interval {
	return interval{max(x.slow, y.slow), min(x.shigh, y.shigh), max(x.ulow, y.ulow), min(x.uhigh, y.uhigh),
		x.limited || y.limited}
}

// join returns what is in either.
func (x interval) join(y interval) interval {
	if x.empty() {
		return y
	}
	if y.empty() {
		return x
	}
	return interval{min(x.slow, y.slow), max(x.shigh, y.shigh), min(x.ulow, y.ulow), max(x.uhigh, y.uhigh),
		x.limited || y.limited}
}

func (x interval) empty() bool { return x.slow > x.shigh || x.ulow > x.uhigh }

// tight lets each view of x, of w bits, narrow the other.
func (x interval) tight(w int) interval {
	all := full(w)
	if x.uhigh <= all.shigh {
		x.slow, x.shigh = max(x.slow, x.ulow), min(x.shigh, x.uhigh)
	}
	if x.slow >= 0 {
		x.ulow, x.uhigh = max(x.ulow, x.slow), min(x.uhigh, x.shigh)
	}
	if x.shigh < 0 && w <= 60 {
		x.ulow, x.uhigh = max(x.ulow, x.slow+all.uhigh+1), min(x.uhigh, x.shigh+all.uhigh+1)
	}
	return x
}

// isFull reports whether x says nothing of words of w bits.
func (x interval) isFull(w int) bool {
	all := full(w)
	return x.slow <= all.slow && x.shigh >= all.shigh && x.ulow <= all.ulow && x.uhigh >= all.uhigh
}

// within reports whether all of x is in y.
func (x interval) within(y interval) bool {
	return x.slow >= y.slow && x.shigh <= y.shigh && x.ulow >= y.ulow && x.uhigh <= y.uhigh
}

// widened returns x, which y grew to, with the bounds that grew at the next of the numbers in at (ascending), or at the
// end of what words of w bits can be.
func (x interval) widened(y interval, w int, at []int64) interval {
	all := full(w)
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
	return interval{down(x.slow, y.slow, all.slow), up(x.shigh, y.shigh, all.shigh),
		down(x.ulow, y.ulow, 0), up(x.uhigh, y.uhigh, all.uhigh), x.limited || y.limited}
}

// plus returns the words of x, of w bits, and d more.
func (x interval) plus(d int64, w int) interval {
	out := signed(w, x.slow+d, x.shigh+d).meet(unsigned(w, x.ulow+d, x.uhigh+d))
	out.limited = x.limited
	return out
}

// binary returns x op y, of words of w bits (LangRef: add, sub, ...).
func binary(op ir.Op, w int, x, y interval) interval {
	out := full(w)
	out.limited = x.limited || y.limited
	k, one := y.ulow, y.ulow == y.uhigh
	switch op {
	case ir.OpAdd:
		out = out.meet(signed(w, x.slow+y.slow, x.shigh+y.shigh)).meet(unsigned(w, x.ulow+y.ulow, x.uhigh+y.uhigh))
	case ir.OpSub:
		out = out.meet(signed(w, x.slow-y.shigh, x.shigh-y.slow)).meet(unsigned(w, x.ulow-y.uhigh, x.uhigh-y.ulow))
	case ir.OpShl:
		if !one || k > 30 {
			return out
		}
		return binary(ir.OpMul, w, x, interval{slow: 1 << k, shigh: 1 << k, ulow: 1 << k, uhigh: 1 << k})
	case ir.OpMul:
		if x.uhigh < 1<<31 && y.uhigh < 1<<31 {
			out = out.meet(unsigned(w, x.ulow*y.ulow, x.uhigh*y.uhigh))
		}
	case ir.OpAnd:
		if out.uhigh = min(x.uhigh, y.uhigh); one || x.ulow == x.uhigh {
			out.limited = true
		}
	case ir.OpOr, ir.OpXor:
		n := int64(1)
		for n <= max(x.uhigh, y.uhigh) && n < most {
			n <<= 1
		}
		out.uhigh = min(out.uhigh, n-1)
	case ir.OpUrem:
		if out.uhigh = x.uhigh; y.uhigh > 0 && y.uhigh <= x.uhigh {
			out.uhigh, out.limited = y.uhigh-1, true
		}
	case ir.OpSrem:
		n := max(y.shigh, -y.slow)
		if out.shigh = x.shigh; n > 0 && n <= x.shigh {
			out.shigh, out.limited = n-1, true
		}
		if out.slow = min(0, x.slow); n > 0 && -n >= x.slow {
			out.slow, out.limited = 1-n, true
		}
		out.shigh = max(out.shigh, 0)
	case ir.OpUdiv:
		if y.ulow > 0 && x.uhigh < most {
			out.ulow, out.uhigh = x.ulow/y.uhigh, x.uhigh/y.ulow
		}
	case ir.OpSdiv:
		if y.slow > 0 && x.slow >= 0 && x.shigh < most {
			out.slow, out.shigh = x.slow/y.shigh, x.shigh/y.slow
		}
	case ir.OpLshr:
		if one && k < 62 && x.uhigh < most {
			out.ulow, out.uhigh = x.ulow>>k, x.uhigh>>k
		}
	case ir.OpAshr:
		if one && k < 62 && x.shigh < most && x.slow > -most {
			out.slow, out.shigh = x.slow>>k, x.shigh>>k
		}
	}
	return out.tight(w)
}

// converted returns x, of words of from bits, as one of w bits.
func converted(op ir.Op, x interval, from, w int) interval {
	out := full(w)
	out.limited = x.limited
	switch {
	case op == ir.OpZext && from <= 60:
		out.ulow, out.uhigh, out.slow, out.shigh = x.ulow, x.uhigh, x.ulow, x.uhigh
	case op == ir.OpSext && from <= 60:
		out.slow, out.shigh = x.slow, x.shigh
	case op == ir.OpTrunc:
		out = out.meet(signed(w, x.slow, x.shigh)).meet(unsigned(w, x.ulow, x.uhigh))
	}
	return out.tight(w)
}

// compared returns the part of x, of words of w bits, for which `x pred y` can hold.
func compared(x interval, pred ir.Pred, y interval, w int) interval {
	was := x
	switch pred {
	case ir.EQ:
		x = x.meet(interval{y.slow, y.shigh, y.ulow, y.uhigh, false})
	case ir.NE:
		if y.slow == y.shigh {
			x = x.without(y.slow, y.ulow)
		}
	case ir.SLT:
		x.shigh = min(x.shigh, y.shigh-1)
	case ir.SLE:
		x.shigh = min(x.shigh, y.shigh)
	case ir.SGT:
		x.slow = max(x.slow, y.slow+1)
	case ir.SGE:
		x.slow = max(x.slow, y.slow)
	case ir.ULT:
		x.uhigh = min(x.uhigh, y.uhigh-1)
	case ir.ULE:
		x.uhigh = min(x.uhigh, y.uhigh)
	case ir.UGT:
		x.ulow = max(x.ulow, y.ulow+1)
	case ir.UGE:
		x.ulow = max(x.ulow, y.ulow)
	}
	if x = x.tight(w); x != was {
		x.limited = true
	}
	return x
}

// without returns x without a number at one of its ends, which is s with a sign and u without.
func (x interval) without(s, u int64) interval {
	if x.slow == s {
		x.slow++
	}
	if x.shigh == s {
		x.shigh--
	}
	if x.ulow == u {
		x.ulow++
	}
	if x.uhigh == u {
		x.uhigh--
	}
	return x
}
