package encode

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

var binaryKinds = map[ir.Op]ilr.Kind{
	ir.OpAdd: ilr.KAdd, ir.OpMul: ilr.KMul, ir.OpUdiv: ilr.KUdiv, ir.OpSdiv: ilr.KSdiv, ir.OpUrem: ilr.KUrem,
	ir.OpSrem: ilr.KSrem,
	ir.OpShl:  ilr.KShl, ir.OpLshr: ilr.KLshr, ir.OpAshr: ilr.KAshr, ir.OpAnd: ilr.KBvAnd, ir.OpOr: ilr.KBvOr,
	ir.OpXor: ilr.KBvXor,
}

// binary evaluates integer arithmetic (LangRef: Binary Operations, Bitwise
// Binary Operations), with the claims of its flags and operands first.
func (e *encoder) binary(fr *frame, st *state, in *ir.Instr) val {
	a, b := e.arg(fr, st, in, 0), e.arg(fr, st, in, 1)
	if in.T.Kind != ir.KindVector {
		switch in.Op {
		case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl:
			a.t, b.t = e.narrow(st.pc, a.t), e.narrow(st.pc, b.t)
		}
		e.binaryClaims(fr, st, in, []val{a}, []val{b})
		if st.pc == nil {
			return val{}
		}
		return e.overflowed(st, in, a, b, e.overShift(st, in, a, b, in.T, e.binaryOne(in, a, b, in.T)))
	}
	e.binaryClaims(fr, st, in, a.el, b.el)
	if st.pc == nil {
		return val{}
	}
	out := val{el: make([]val, len(a.el))}
	for i := range a.el {
		out.el[i] = e.overShift(st, in, a.el[i], b.el[i], in.T.Elem, e.binaryOne(in, a.el[i], b.el[i], in.T.Elem))
	}
	return out
}

func (e *encoder) binaryClaims(fr *frame, st *state, in *ir.Instr, a, b []val) {
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		e.checkOverflow(fr, st, in, a, b)
		if in.Flags.Has(ir.PtrDiff) && a[0].p != nil && b[0].p != nil {
			e.checkSameObject(fr, st, in, a[0].p, b[0].p, "subtracted")
		}
	case ir.OpUdiv, ir.OpSdiv, ir.OpUrem, ir.OpSrem:
		e.checkDivision(fr, st, in, a, b)
		e.checkExact(fr, st, in, a, b)
	case ir.OpShl, ir.OpLshr, ir.OpAshr:
		e.checkShift(fr, st, in, a, b)
		e.checkExact(fr, st, in, a, b)
	}
}

func (e *encoder) binaryOne(in *ir.Instr, a, b val, t *ir.Type) val {
	out := e.binaryValue(in, a, b, t)
	if a.u != 0 || b.u != 0 {
		out.u = e.tidy(e.binaryShadow(in.Op, a, b, t.Width))
	}
	return out
}

// overflowed is v, but any value where signed arithmetic overflows, if that is asked for.
func (e *encoder) overflowed(st *state, in *ir.Instr, a, b, v val) val {
	if !e.opts.AnyOverflow || !in.Flags.Has(ir.NSW) || in.T.Width == 1 || e.opts.Checks.Has(verdict.SignedOverflow) {
		return v
	}
	x, y := e.num(a), e.num(b)
	over := e.s.False()
	switch in.Op {
	case ir.OpAdd:
		over = e.s.SaddO(x, y)
	case ir.OpSub:
		over = e.s.SsubO(x, y)
	case ir.OpMul:
		over = e.s.SmulO(x, y)
	case ir.OpShl:
		over = e.s.Not(e.s.Eq(e.s.Ashr(e.s.Shl(x, y), y), x))
	}
	other := e.fork(st, over)
	if other == nil {
		return v
	}
	return e.pick(e.s.Not(over), v, e.fresh(other, input.Undef, in, in.T, "overflow"))
}

// overShift is v, but any value where the amount of a shift is not below the width
// and nobody asks (LangRef: poison).
func (e *encoder) overShift(st *state, in *ir.Instr, a, b val, t *ir.Type, v val) val {
	if in.Op != ir.OpShl && in.Op != ir.OpLshr && in.Op != ir.OpAshr || t.Width == 1 || e.asks(in, verdict.Shift) {
		return v
	}
	y := e.num(b)
	other := e.fork(st, e.s.Not(e.s.Ult(y, e.s.Const(bits.New(t.Width, uint64(t.Width))))))
	if other == nil {
		return v
	}
	return e.pick(e.s.Ult(y, e.s.Const(bits.New(t.Width, uint64(t.Width)))), v, e.fresh(other, input.Undef, in, t,
		"shift"))
}

func (e *encoder) binaryValue(in *ir.Instr, a, b val, t *ir.Type) val {
	if t.Width == 1 {
		return e.binaryBool(in.Op, a, b)
	}
	if v, ok := e.pointerInt(in.Op, a, b); ok {
		return v
	}
	x, y := e.num(a), e.num(b)
	if in.Op == ir.OpSub {
		return val{t: e.s.Sub(x, y)}
	}
	return val{t: e.s.Make(binaryKinds[in.Op], ilr.BV(t.Width), 0, []ilr.Term{x, y})}
}

func (e *encoder) binaryBool(op ir.Op, a, b val) val {
	x, y := e.cond(a), e.cond(b)
	switch op {
	case ir.OpAnd, ir.OpMul:
		return val{t: e.s.And(x, y)}
	case ir.OpOr:
		return val{t: e.s.Or(x, y)}
	case ir.OpXor, ir.OpAdd, ir.OpSub:
		return val{t: e.s.Xor(x, y)}
	case ir.OpUrem, ir.OpSrem: // the divisor is 1
		return val{t: e.s.False()}
	}
	return val{t: x} // division by 1, shift by 0
}

// pointerInt keeps track of what an integer points to through the arithmetic
// that C programs do on addresses: adding, aligning and tagging. As an integer
// the result is base + offset again, only the offset has moved.
func (e *encoder) pointerInt(op ir.Op, a, b val) (val, bool) {
	if a.p == nil && b.p == nil {
		return val{}, false
	}
	if a.p != nil && b.p != nil {
		if op != ir.OpSub {
			return val{}, false
		}
		return e.pointerDifference(a.p, b.p)
	}
	if b.p != nil {
		if op == ir.OpSub {
			return val{}, false
		}
		a, b = b, a
	}
	y := e.num(b)
	if e.s.Width(y) != e.w || !a.p.hasObject() {
		return val{}, false
	}
	switch op {
	case ir.OpAdd:
		return val{p: e.shift(a.p, y)}, true
	case ir.OpSub:
		return val{p: e.shift(a.p, e.s.Neg(y))}, true
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		if _, ok := e.s.ConstVal(y); !ok {
			return val{}, false
		}
	default:
		return val{}, false
	}
	x := e.num(a)
	r := e.s.Make(binaryKinds[op], ilr.BV(e.w), 0, []ilr.Term{x, y})
	if op == ir.OpAnd && e.clearsHigh(y) {
		return val{t: r}, true // the bits below an alignment: no longer an address
	}
	out := &ptr{}
	for _, alt0 := range a.p.alts {
		ax := e.address(&ptr{alts: []alt{{g: e.s.True(), obj: alt0.obj, off: alt0.off}}})
		ar := e.s.Make(binaryKinds[op], ilr.BV(e.w), 0, []ilr.Term{ax, y})
		off := ar
		if alt0.obj != nil {
			off = e.s.Add(alt0.off, e.lowDelta(op, ax, y))
		}
		out.alts = append(out.alts, alt{g: alt0.g, obj: alt0.obj, off: off})
	}
	return val{p: out, t: r}, true
}

// clearsHigh reports whether the mask y keeps only low bits.
func (e *encoder) clearsHigh(y ilr.Term) bool {
	v, ok := e.s.ConstVal(y)
	return ok && !v.Sign()
}

// lowDelta is op(x, y) - x for a constant y.
func (e *encoder) lowDelta(op ir.Op, x, y ilr.Term) ilr.Term {
	no := e.s.BvNot(y)
	switch op {
	case ir.OpAnd: // clears the bits of not y
		return e.s.Neg(e.s.BvAnd(x, no))
	case ir.OpOr: // sets the bits of y that are clear
		return e.s.BvAnd(e.s.BvNot(x), y)
	}
	return e.s.Sub(e.s.BvXor(x, y), x)
}

// pointerDifference subtracts addresses: offsets inside one object.
func (e *encoder) pointerDifference(p, q *ptr) (val, bool) {
	t := ilr.Term(0)
	for _, a := range p.alts {
		for _, b := range q.alts {
			var d ilr.Term
			if a.obj == b.obj {
				d = e.s.Sub(a.off, b.off)
			} else {
				one := func(x alt) ilr.Term {
					return e.address(&ptr{alts: []alt{{g: e.s.True(), obj: x.obj, off: x.off}}})
				}
				g := e.s.And(a.g, b.g)
				if e.s.IsFalse(g) {
					continue
				}
				d = e.s.Sub(one(a), one(b))
			}
			if t == 0 {
				t = d
			} else {
				t = e.s.Ite(e.s.And(a.g, b.g), d, t)
			}
		}
	}
	return val{t: t}, true
}
