package encode

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

func (e *encoder) cmpxchg(fr *frame, st *state, in *ir.Instr) val {
	p := e.arg(fr, st, in, 0)
	align := int64(in.Align)
	old := e.load(fr, st, in, p, in.Access, align, in.Flags.Has(ir.Volatile))
	if st.pc == nil {
		return val{}
	}
	want, repl := e.arg(fr, st, in, 1), e.arg(fr, st, in, 2)
	same := e.sameScalar(st, old, want)
	if other := e.fork(st, same); other != nil && in.Flags.Has(ir.Weak) { // C17 7.17.7.4p4
		spurious := e.fresh(other, input.Unspecified, in, ir.Int(1), "weak exchange fails")
		same = e.s.And(same, e.s.Not(e.cond(spurious)))
	}
	e.store(fr, st, in, p, e.pick(same, repl, old), in.Access, align)
	return val{el: []val{old, {t: same}}}
}

func (e *encoder) sameScalar(st *state, a, b val) ilr.Term {
	if a.p != nil && b.p != nil {
		return e.comparePtr(st, ir.EQ, a.p, b.p)
	}
	return e.eq(e.num(a), e.num(b))
}

func (e *encoder) atomicRMW(fr *frame, st *state, in *ir.Instr) val {
	p := e.arg(fr, st, in, 0)
	align := int64(in.Align)
	old := e.load(fr, st, in, p, in.Access, align, in.Flags.Has(ir.Volatile))
	if st.pc == nil {
		return val{}
	}
	v, ok := e.rmw(in.RMW, old, e.arg(fr, st, in, 1))
	if !ok {
		e.gap(st, in, "unsupported", "atomicrmw %s", in.RMW)
		return val{}
	}
	e.store(fr, st, in, p, v, in.Access, align)
	return old
}

// rmw is the value that LangRef's atomicrmw operation stores.
func (e *encoder) rmw(op string, old, arg val) (val, bool) {
	if op == "xchg" {
		return arg, true
	}
	x, y := e.num(old), e.num(arg)
	pickNum := func(c, a, b ilr.Term) (val, bool) { return e.scalar(e.s.Ite(c, a, b)), true }
	switch op {
	case "add":
		return e.scalar(e.s.Add(x, y)), true
	case "sub":
		return e.scalar(e.s.Sub(x, y)), true
	case "and":
		return e.scalar(e.s.BvAnd(x, y)), true
	case "nand":
		return e.scalar(e.s.BvNot(e.s.BvAnd(x, y))), true
	case "or":
		return e.scalar(e.s.BvOr(x, y)), true
	case "xor":
		return e.scalar(e.s.BvXor(x, y)), true
	case "max":
		return pickNum(e.s.Slt(x, y), y, x)
	case "min":
		return pickNum(e.s.Slt(y, x), y, x)
	case "umax":
		return pickNum(e.s.Ult(x, y), y, x)
	case "umin":
		return pickNum(e.s.Ult(y, x), y, x)
	case "fadd":
		return val{t: e.s.FloatOp(ilr.KFAdd, ilr.BV(e.s.Width(x)), ilr.RNE, x, y)}, true
	case "fsub":
		return val{t: e.s.FloatOp(ilr.KFAdd, ilr.BV(e.s.Width(x)), ilr.RNE, x, e.floatNeg(y))}, true
	}
	return val{}, false
}
