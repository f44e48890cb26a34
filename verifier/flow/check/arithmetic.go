package check

import (
	"math/bits"

	"github.com/firmproof/firmproof/verifier/ir"
)

// binary is what x op y may be, of words of w bits (LangRef: add, sub, ...).
func binary(op ir.Op, x, y words, w int) words {
	xl, xh := x.unsigned(w)
	yl, yh := y.unsigned(w)
	switch op {
	case ir.OpAdd, ir.OpSub:
		n, over := past(x.n, y.n, w)
		if over {
			return all(w)
		}
		if op == ir.OpSub {
			return words{(x.lo - y.lo - y.n) & mask(w), n}
		}
		return words{(x.lo + y.lo) & mask(w), n}
	case ir.OpShl:
		if yl != yh || yl >= uint64(w) {
			return all(w)
		}
		return product(xl, xh, 1<<yl, 1<<yl, w)
	case ir.OpMul:
		return product(xl, xh, yl, yh, w)
	case ir.OpAnd:
		return words{0, min(xh, yh)}
	case ir.OpOr, ir.OpXor:
		return words{0, uint64(1)<<bits.Len64(max(xh, yh)) - 1}
	case ir.OpUdiv:
		if yl > 0 {
			return words{xl / yh, xh/yl - xl/yh}
		}
	case ir.OpUrem:
		switch {
		case yl == 0:
		case xh < yl:
			return x
		default:
			return words{0, min(xh, yh-1)}
		}
	case ir.OpLshr:
		if yl == yh && yl < uint64(w) {
			return words{xl >> yl, xh>>yl - xl>>yl}
		}
	case ir.OpSdiv, ir.OpSrem, ir.OpAshr:
		return withSign(op, x, y, w)
	}
	return all(w)
}

// product is the products of numbers, if none of them is more than w bits hold.
func product(xl, xh, yl, yh uint64, w int) words {
	if over, high := bits.Mul64(xh, yh); over > 0 || high > mask(w) {
		return all(w)
	}
	return words{xl * yl, xh*yh - xl*yl}
}

// withSign is binary for operations on numbers with a sign, by a constant above zero.
func withSign(op ir.Op, x, y words, w int) words {
	low, high := x.signed(w)
	k, last := y.signed(w)
	switch {
	case k != last:
	case op == ir.OpAshr && k >= 0 && k < int64(w):
		return between(low>>k, high>>k, w)
	case op == ir.OpSdiv && k > 0:
		return between(low/k, high/k, w)
	case op == ir.OpSrem && k > 0 && low >= 0:
		return between(0, min(high, k-1), w)
	case op == ir.OpSrem && k > 0:
		return between(max(low, 1-k), max(min(high, k-1), 0), w)
	}
	return all(w)
}

// converted is what x, of from bits, may be as a word of w bits.
func converted(op ir.Op, x words, from, w int) words {
	switch op {
	case ir.OpZext:
		low, high := x.unsigned(from)
		return words{low, high - low}
	case ir.OpSext:
		low, high := x.signed(from)
		return between(low, high, w)
	}
	return words{x.lo & mask(w), min(x.n, mask(w))}
}

// compared is the words for which `x pred y` can hold; ok is false where there are none.
func compared(pred ir.Pred, y words, w int) (out words, ok bool) {
	low, high := y.unsigned(w)
	least, most := y.signed(w)
	last := int64(mask(w) >> 1)
	switch pred {
	case ir.EQ:
		return y, true
	case ir.NE:
		if y.n == 0 && w > 1 {
			return words{(y.lo + 1) & mask(w), mask(w) - 1}, true
		}
	case ir.ULE:
		return words{0, high}, true
	case ir.ULT:
		return words{0, high - 1}, high > 0
	case ir.UGE:
		return words{low, mask(w) - low}, true
	case ir.UGT:
		return words{low + 1, mask(w) - low - 1}, low < mask(w)
	case ir.SLE:
		return between(-last-1, most, w), true
	case ir.SLT:
		return between(-last-1, most-1, w), most > -last-1
	case ir.SGE:
		return between(least, last, w), true
	case ir.SGT:
		return between(least+1, last, w), least < last
	}
	return all(w), true
}
