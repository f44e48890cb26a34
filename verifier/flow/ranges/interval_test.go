package ranges

import (
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// someWords is a random set of words of w bits, often next to each other, and the interval around it.
func someWords(r *rand.Rand, w int) ([]uint64, Interval) {
	var out []uint64
	var x Interval
	if w > 60 && r.Intn(4) == 0 { // all from a number on, such as what a comparison leaves
		from := uint64(r.Intn(16))
		return []uint64{from, from + 1, 1<<(w-1) - 1}, Interval{slow: int64(from), shigh: most, Ulow: int64(from), Uhigh: most}
	}
	first, n := r.Uint64()&(1<<w-1), 1+r.Intn(5)
	if w > 60 && r.Intn(4) > 0 {
		first = uint64(r.Intn(16)-8) & (1<<w - 1) // on both sides of 0
	}
	for k := range n {
		v := (first + uint64(k)*uint64(1+r.Intn(2))) & (1<<w - 1)
		c := exactly(&ir.Const{Kind: ir.ConstInt, T: ir.Int(w), Bits: bits.New(w, v)}, w)
		if out = append(out, v); k == 0 {
			x = c
		} else {
			x = x.join(c)
		}
	}
	return out, x
}

func (x Interval) has(w int, v uint64) bool {
	s, u := bits.New(w, v).Signed().Int64(), int64(min(v, uint64(most)))
	s = max(min(s, most), -most) // what is beyond counts as that
	return x.slow <= s && s <= x.shigh && x.Ulow <= u && u <= x.Uhigh
}

// TestIntervalsHold: what an operation gives of two words is in the interval that it gives of theirs, and a comparison
// leaves the words for which it holds.
func TestIntervalsHold(t *testing.T) {
	type op struct {
		op ir.Op
		of func(x, y bits.Vec) bits.Vec
	}
	ops := []op{{ir.OpAdd, bits.Add}, {ir.OpSub, bits.Sub}, {ir.OpMul, bits.Mul}, {ir.OpUdiv, bits.Udiv},
		{ir.OpSdiv, bits.Sdiv}, {ir.OpUrem, bits.Urem}, {ir.OpSrem, bits.Srem}, {ir.OpAnd, bits.And}, {ir.OpOr, bits.Or},
		{ir.OpXor, bits.Xor},
		{ir.OpShl, func(x, y bits.Vec) bits.Vec { return bits.Shl(x, uint(y.Low64())) }},
		{ir.OpLshr, func(x, y bits.Vec) bits.Vec { return bits.Lshr(x, uint(y.Low64())) }},
		{ir.OpAshr, func(x, y bits.Vec) bits.Vec { return bits.Ashr(x, uint(y.Low64())) }}}
	preds := map[ir.Pred]func(x, y bits.Vec) bool{
		ir.EQ:  func(x, y bits.Vec) bool { return x == y },
		ir.NE:  func(x, y bits.Vec) bool { return x != y },
		ir.ULT: bits.Ult, ir.ULE: bits.Ule, ir.SLT: bits.Slt, ir.SLE: bits.Sle,
		ir.UGT: func(x, y bits.Vec) bool { return bits.Ult(y, x) }, ir.UGE: func(x, y bits.Vec) bool { return bits.Ule(y, x) },
		ir.SGT: func(x, y bits.Vec) bool { return bits.Slt(y, x) }, ir.SGE: func(x, y bits.Vec) bool { return bits.Sle(y, x) }}
	r := rand.New(rand.NewSource(1))
	for range 40000 {
		w := []int{3, 4, 5, 6, 61, 64}[r.Intn(6)]
		xs, x := someWords(r, w)
		ys, y := someWords(r, w)
		for _, a := range xs {
			for _, b := range ys {
				va, vb := bits.New(w, a), bits.New(w, b)
				for _, o := range ops {
					division := o.op == ir.OpUdiv || o.op == ir.OpSdiv || o.op == ir.OpUrem || o.op == ir.OpSrem
					shift := o.op == ir.OpShl || o.op == ir.OpLshr || o.op == ir.OpAshr
					if division && b == 0 || shift && b >= uint64(w) {
						continue
					}
					if got := binary(o.op, w, x, y); !got.has(w, o.of(va, vb).Low64()) {
						t.Fatalf("%v of %d bits: %d of %+v, %d of %+v gives %+v without %v", o.op, w, a, x, b, y, got,
							o.of(va, vb))
					}
				}
				for p, holds := range preds {
					if got := compared(x, p, y, w); holds(va, vb) && !got.has(w, a) {
						t.Fatalf("%v of %d bits: %d of %+v is lost in %+v, compared with %d of %+v", p, w, a, x, got, b, y)
					}
				}
			}
			for _, to := range []int{w - 1, w + 3} {
				if w > 60 {
					break
				}
				for op, v := range map[ir.Op]bits.Vec{ir.OpZext: bits.Zext(bits.New(w, a), w+3),
					ir.OpSext: bits.Sext(bits.New(w, a), w+3), ir.OpTrunc: bits.Trunc(bits.New(w, a), w-1)} {
					if (op == ir.OpTrunc) == (to < w) && !converted(op, x, w, to).has(to, v.Low64()) {
						t.Fatalf("%v of %d of %+v, %d bits, gives %+v", op, a, x, w, converted(op, x, w, to))
					}
				}
			}
			if wide := x.widened(x.join(y), w, []int64{1, 3, 4}); !wide.has(w, a) || !x.join(y).within(wide) {
				t.Fatalf("%+v widened by %+v is %+v", x, y, wide)
			}
		}
	}
}
