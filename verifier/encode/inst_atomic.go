package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

func (e *encoder) cmpxchg(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	p := e.arg(fr, st, in, 0)
	align := int64(in.Align)
	old := e.load(fr, st, in, p, in.Access, align, in.Flags.Has(ir.Volatile))
	if st.PC == nil {
		return memory.Val{}
	}
	want, repl := e.arg(fr, st, in, 1), e.arg(fr, st, in, 2)
	same := e.sameScalar(st, old, want)
	if other := e.fork(st, same); other != nil && in.Flags.Has(ir.Weak) { // C17 7.17.7.4p4
		spurious := e.Fresh(other, input.Unspecified, in, ir.Int(1), "weak exchange fails")
		same = e.s.And(same, e.s.Not(e.Cond(spurious)))
	}
	e.store(fr, st, in, p, e.Pick(same, repl, old), in.Access, align)
	return memory.Val{Elems: []memory.Val{old, {Term: same}}}
}

func (e *encoder) sameScalar(st *memory.State, a, b memory.Val) ilr.Term {
	if a.Ptr != nil && b.Ptr != nil {
		return e.ComparePtr(st, ir.EQ, a.Ptr, b.Ptr)
	}
	return e.Eq(e.Num(a), e.Num(b))
}

func (e *encoder) atomicRMW(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	p := e.arg(fr, st, in, 0)
	align := int64(in.Align)
	old := e.load(fr, st, in, p, in.Access, align, in.Flags.Has(ir.Volatile))
	if st.PC == nil {
		return memory.Val{}
	}
	v, ok := e.rmw(in.RMW, old, e.arg(fr, st, in, 1))
	if !ok {
		e.gap(st, in, "unsupported", "atomicrmw %s", in.RMW)
		return memory.Val{}
	}
	e.store(fr, st, in, p, v, in.Access, align)
	return old
}

// rmw is the value that LangRef's atomicrmw operation stores.
func (e *encoder) rmw(op string, old, arg memory.Val) (memory.Val, bool) {
	if op == "xchg" {
		return arg, true
	}
	x, y := e.Num(old), e.Num(arg)
	pickNum := func(c, a, b ilr.Term) (memory.Val, bool) { return e.Scalar(e.s.Ite(c, a, b)), true }
	switch op {
	case "add":
		return e.Scalar(e.s.Add(x, y)), true
	case "sub":
		return e.Scalar(e.s.Sub(x, y)), true
	case "and":
		return e.Scalar(e.s.BvAnd(x, y)), true
	case "nand":
		return e.Scalar(e.s.BvNot(e.s.BvAnd(x, y))), true
	case "or":
		return e.Scalar(e.s.BvOr(x, y)), true
	case "xor":
		return e.Scalar(e.s.BvXor(x, y)), true
	case "max":
		return pickNum(e.s.Slt(x, y), y, x)
	case "min":
		return pickNum(e.s.Slt(y, x), y, x)
	case "umax":
		return pickNum(e.s.Ult(x, y), y, x)
	case "umin":
		return pickNum(e.s.Ult(y, x), y, x)
	case "fadd":
		return memory.Val{Term: e.s.FloatOp(ilr.KFAdd, ilr.BV(e.s.Width(x)), ilr.RNE, x, y)}, true
	case "fsub":
		return memory.Val{Term: e.s.FloatOp(ilr.KFAdd, ilr.BV(e.s.Width(x)), ilr.RNE, x, e.floatNeg(y))}, true
	}
	return memory.Val{}, false
}
