package check

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

// each calls do with all words of w bits that x holds.
func (x words) each(w int, do func(n uint64)) {
	for i := uint64(0); i <= x.n; i++ {
		do((x.lo + i) & mask(w))
	}
}

func (x words) has(n uint64, w int) bool { return x.holds(words{n, 0}, w) }

// sets calls do with all sets of words of w bits.
func sets(w int, do func(x words)) {
	for lo := range mask(w) + 1 {
		for n := range mask(w) + 1 {
			do(words{lo, n})
		}
	}
}

// evaluate is x op y of words of w bits; ok is false where it is undefined. It is written from the LangRef.
func evaluate(op ir.Op, x, y uint64, w int) (n uint64, ok bool) {
	sign := func(n uint64) int64 { return int64(n<<(64-w)) >> (64 - w) }
	switch op {
	case ir.OpAdd:
		n = x + y
	case ir.OpSub:
		n = x - y
	case ir.OpMul:
		n = x * y
	case ir.OpAnd:
		n = x & y
	case ir.OpOr:
		n = x | y
	case ir.OpXor:
		n = x ^ y
	case ir.OpUdiv, ir.OpUrem, ir.OpSdiv, ir.OpSrem:
		switch {
		case y == 0:
			return 0, false
		case op == ir.OpUdiv:
			n = x / y
		case op == ir.OpUrem:
			n = x % y
		case op == ir.OpSdiv:
			n = uint64(sign(x) / sign(y))
		default:
			n = uint64(sign(x) % sign(y))
		}
	default:
		if y >= uint64(w) {
			return 0, false
		}
		switch op {
		case ir.OpShl:
			n = x << y
		case ir.OpLshr:
			n = x >> y
		default:
			n = uint64(sign(x) >> y)
		}
	}
	return n & mask(w), true
}

// All operations hold what they make of all words of three bits in all sets.
func TestOperations(t *testing.T) {
	const w = 3
	for _, op := range []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpUdiv, ir.OpSdiv, ir.OpUrem, ir.OpSrem, ir.OpShl, ir.OpLshr,
		ir.OpAshr, ir.OpAnd, ir.OpOr, ir.OpXor} {
		sets(w, func(x words) {
			sets(w, func(y words) {
				out := binary(op, x, y, w)
				x.each(w, func(a uint64) {
					y.each(w, func(b uint64) {
						if n, ok := evaluate(op, a, b, w); ok && !out.has(n, w) {
							t.Fatalf("%s of %v and %v is %v, but of %d and %d %d", op, x, y, out, a, b, n)
						}
					})
				})
			})
		})
	}
}

// Sets that are joined, met, grown and converted hold what they have to, and a meeting no more than the smaller one.
func TestSets(t *testing.T) {
	const w = 4
	sets(w, func(x words) {
		low, high := x.unsigned(w)
		least, most := x.signed(w)
		x.each(w, func(n uint64) {
			s := int64(n<<(64-w)) >> (64 - w)
			if n < low || n > high || s < least || s > most {
				t.Fatalf("%v is %d..%d, %d..%d, without %d", x, low, high, least, most, n)
			}
			if !converted(ir.OpZext, x, w, 6).has(n, 6) || !converted(ir.OpSext, x, w, 6).has(uint64(s)&mask(6), 6) ||
				!converted(ir.OpTrunc, x, w, 2).has(n&3, 2) {
				t.Fatalf("%v without %d where it is converted", x, n)
			}
		})
		sets(w, func(y words) {
			join := x.join(y, w)
			wide := x.wider(join, w)
			both, ok := x.meet(y, w)
			if !join.holds(x, w) || !join.holds(y, w) || !wide.holds(join, w) || ok && both.n > min(x.n, y.n) {
				t.Fatalf("%v and %v: %v, wider %v, both %v", x, y, join, wide, both)
			}
			inside := true
			x.each(w, func(n uint64) {
				in := y.has(n, w)
				if inside = inside && in; in && !(ok && both.has(n, w)) {
					t.Fatalf("%v and %v meet in %v, without %d", x, y, both, n)
				}
			})
			y.each(w, func(n uint64) {
				if got := y.has(n, w); !got {
					t.Fatalf("%v is without %d", y, n)
				}
			})
			if y.holds(x, w) != inside {
				t.Fatalf("%v in %v: %v", x, y, !inside)
			}
		})
	})
}

// What a comparison leaves of words holds all that can be, of words of three bits.
func TestCompared(t *testing.T) {
	const w = 3
	for _, pred := range []ir.Pred{ir.EQ, ir.NE, ir.ULT, ir.ULE, ir.UGT, ir.UGE, ir.SLT, ir.SLE, ir.SGT, ir.SGE} {
		sets(w, func(y words) {
			out, ok := compared(pred, y, w)
			other, ok2 := compared(pred.Swapped(), y, w)
			against, ok3 := compared(pred.Negated(), y, w)
			for a := range mask(w) + 1 {
				y.each(w, func(b uint64) {
					s, r := int64(a<<61)>>61, int64(b<<61)>>61
					is := map[ir.Pred]bool{ir.EQ: a == b, ir.NE: a != b, ir.ULT: a < b, ir.ULE: a <= b, ir.UGT: a > b,
						ir.UGE: a >= b, ir.SLT: s < r, ir.SLE: s <= r, ir.SGT: s > r, ir.SGE: s >= r}
					if is[pred] && !(ok && out.has(a, w)) || !is[pred] && !(ok3 && against.has(a, w)) {
						t.Fatalf("%d %s %d, but %v of %v", a, pred, b, out, y)
					}
					if back := is[pred.Swapped()]; back && !(ok2 && other.has(a, w)) {
						t.Fatalf("%d %s %d, but %v of %v", b, pred, a, other, y)
					}
				})
			}
		})
	}
}
