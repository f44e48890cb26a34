package encode

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

var floatKinds = map[ir.Op]ilr.Kind{ir.OpFadd: ilr.KFAdd, ir.OpFmul: ilr.KFMul, ir.OpFdiv: ilr.KFDiv,
	ir.OpFrem: ilr.KFRem}

// plainFloat reports whether t, or its lanes, is a float of 16, 32 or 64 bits.
func plainFloat(t *ir.Type) bool {
	if t.Kind == ir.KindVector {
		t = t.Elem
	}
	return t.Kind != ir.KindFloat || t.Width <= 64
}

// float evaluates floating-point arithmetic: IEEE 754, round to nearest even.
func (e *encoder) float(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	if !followed(in.T) {
		e.gap(st, in, verdict.Unsupported, "floating point of more than 64 bits")
		return memory.Val{}
	}
	a := e.operand(st, in, e.arg(fr, st, in, 0), in.T)
	b := a
	if len(in.Args) > 1 {
		b = e.operand(st, in, e.arg(fr, st, in, 1), in.T)
	}
	if st.PC == nil {
		return memory.Val{}
	}
	e.floats = true
	if in.T.Kind != ir.KindVector {
		return e.result(e.floatOne(in.Op, a, b), in.T)
	}
	out := memory.Val{Elems: make([]memory.Val, len(a.Elems))}
	for i := range a.Elems {
		out.Elems[i] = e.floatOne(in.Op, a.Elems[i], b.Elems[i])
	}
	return out
}

func (e *encoder) floatOne(op ir.Op, a, b memory.Val) memory.Val {
	w := e.s.Width(a.Term)
	out := memory.Val{}
	switch op {
	case ir.OpFneg:
		out.Term = e.floatNeg(a.Term)
	case ir.OpFsub:
		out.Term = e.s.FloatOp(ilr.KFAdd, ilr.BV(w), ilr.RNE, a.Term, e.floatNeg(b.Term))
	default:
		out.Term = e.s.FloatOp(floatKinds[op], ilr.BV(w), ilr.RNE, a.Term, b.Term)
	}
	if a.Undef != 0 || b.Undef != 0 {
		out.Undef = e.spreadOver(w, a.Undef, b.Undef)
	}
	return out
}

// floatNeg flips the sign bit; NaN has one encoding.
func (e *encoder) floatNeg(t ilr.Term) ilr.Term {
	w := e.s.Width(t)
	return e.s.Ite(e.isNaN(t), e.s.Const(e.nan(w)), e.s.BvXor(t, e.s.Const(bits.MinSigned(w))))
}

// nan is the quiet NaN without sign or payload.
func (e *encoder) nan(w int) bits.Vec {
	return bits.Or(e.infinity(w), bits.Shl(bits.New(w, 1), uint(fraction(w)-1)))
}

// fraction is the number of stored significand bits.
func fraction(w int) int { return bits.FormatOf(w).Prec - 1 }

func (e *encoder) fcmp(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	t := in.Args[0].Type()
	if !followed(t) {
		e.gap(st, in, verdict.Unsupported, "floating point of more than 64 bits")
		return memory.Val{}
	}
	a, b := e.operand(st, in, e.arg(fr, st, in, 0), t), e.operand(st, in, e.arg(fr, st, in, 1), t)
	if st.PC == nil {
		return memory.Val{}
	}
	if a.Elems == nil {
		return e.fcmpOne(in.Pred, a, b)
	}
	out := memory.Val{Elems: make([]memory.Val, len(a.Elems))}
	for i := range a.Elems {
		out.Elems[i] = e.fcmpOne(in.Pred, a.Elems[i], b.Elems[i])
	}
	return out
}

// fcmpOne is LangRef's fcmp: ordered predicates are false on NaN, the others true.
func (e *encoder) fcmpOne(pred ir.Pred, a, b memory.Val) memory.Val {
	s := e.s
	x, y := a.Term, b.Term
	cmp := func(k ilr.Kind, x, y ilr.Term) ilr.Term { return s.FloatOp(k, ilr.Bool, ilr.RNE, x, y) }
	nan := func() ilr.Term { return s.Or(e.isNaN(x), e.isNaN(y)) }
	out := memory.Val{}
	switch pred {
	case ir.FFalse:
		out.Term = s.False()
	case ir.FOEQ:
		out.Term = cmp(ilr.KFEq, x, y)
	case ir.FOGT:
		out.Term = cmp(ilr.KFLt, y, x)
	case ir.FOGE:
		out.Term = cmp(ilr.KFLe, y, x)
	case ir.FOLT:
		out.Term = cmp(ilr.KFLt, x, y)
	case ir.FOLE:
		out.Term = cmp(ilr.KFLe, x, y)
	case ir.FONE:
		out.Term = s.Or(cmp(ilr.KFLt, x, y), cmp(ilr.KFLt, y, x))
	case ir.FORD:
		out.Term = s.Not(nan())
	case ir.FUEQ:
		out.Term = s.Not(s.Or(cmp(ilr.KFLt, x, y), cmp(ilr.KFLt, y, x)))
	case ir.FUGT:
		out.Term = s.Not(cmp(ilr.KFLe, x, y))
	case ir.FUGE:
		out.Term = s.Not(cmp(ilr.KFLt, x, y))
	case ir.FULT:
		out.Term = s.Not(cmp(ilr.KFLe, y, x))
	case ir.FULE:
		out.Term = s.Not(cmp(ilr.KFLt, y, x))
	case ir.FUNE:
		out.Term = s.Not(cmp(ilr.KFEq, x, y))
	case ir.FUNO:
		out.Term = nan()
	default:
		out.Term = s.True()
	}
	if a.Undef != 0 || b.Undef != 0 {
		out.Undef = e.spreadOver(1, a.Undef, b.Undef)
	}
	return out
}

// isNaN: exponent all ones, fraction not zero.
func (e *encoder) isNaN(t ilr.Term) ilr.Term {
	w := e.s.Width(t)
	abs := e.s.Trunc(t, w-1)
	return e.s.Ult(e.s.Const(bits.Trunc(e.infinity(w), w-1)), abs)
}

// infinity is the encoding of positive infinity.
func (e *encoder) infinity(w int) bits.Vec {
	return bits.Lshr(bits.Shl(bits.Ones(w), uint(fraction(w))+1), 1)
}

// floatConversion evaluates the conversions to and from floating point. What
// does not fit an integer is the environment's choice.
func (e *encoder) floatConversion(st *memory.State, in *ir.Instr, a memory.Val, from, to *ir.Type) memory.Val {
	sort := e.interchange(to)
	switch in.Op {
	case ir.OpFpTrunc, ir.OpFpExt:
		return memory.Val{Term: e.s.FloatOp(ilr.KFToF, sort, ilr.RNE, a.Term)}
	case ir.OpUiToFp:
		return memory.Val{Term: e.s.FloatOp(ilr.KUToF, sort, ilr.RNE, e.Num(a))}
	case ir.OpSiToFp:
		return memory.Val{Term: e.s.FloatOp(ilr.KSToF, sort, ilr.RNE, e.Num(a))}
	}
	k := ilr.KFToU
	if in.Op == ir.OpFpToSi {
		k = ilr.KFToS
	}
	r := e.s.FloatOp(k, sort, ilr.RTZ, a.Term)
	ok := e.Decide(st.PC, e.fits(a.Term, sort.W, in.Op == ir.OpFpToSi))
	if other := e.fork(st, e.s.Not(ok)); other != nil {
		return e.Pick(ok, e.Scalar(r), e.Fresh(other, input.Unspecified, in, to, "does not fit"))
	}
	return e.Scalar(r)
}

// powerOfTwo is the encoding of 2^k in width w, if it is finite.
func (e *encoder) powerOfTwo(w, k int) (bits.Vec, bool) {
	bias := 1<<(w-2-fraction(w)) - 1
	if k > bias {
		return bits.Vec{}, false
	}
	return bits.Shl(bits.New(w, uint64(bias+k)), uint(fraction(w))), true
}

// negative sets the sign of an encoding.
func (e *encoder) negative(v bits.Vec) bits.Vec { return bits.Or(v, bits.MinSigned(v.Width())) }

// magnitude is an encoding without its sign bit.
func (e *encoder) magnitude(v bits.Vec) bits.Vec { return bits.Trunc(v, v.Width()-1) }

// belowNegative is the encoding of -2^k - 1, which width w has exactly: k is at
// most its number of fraction bits.
func (e *encoder) belowNegative(w, k int) bits.Vec {
	p, _ := e.powerOfTwo(w, k)
	unit := fraction(w) - k // the place of the bit worth 1
	if k == 0 {
		p, _ = e.powerOfTwo(w, 1) // -2
		return e.negative(p)
	}
	return e.negative(bits.Add(p, bits.Shl(bits.New(w, 1), uint(unit))))
}
