package encode

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// memory evaluates LangRef's Memory Access and Addressing Operations.
func (e *encoder) memory(fr *frame, st *state, in *ir.Instr) val {
	switch in.Op {
	case ir.OpAlloca:
		return e.alloca(fr, st, in)
	case ir.OpLoad:
		v := e.load(fr, st, in, e.arg(fr, st, in, 0), in.Access, int64(in.Align), in.Flags.Has(ir.Volatile))
		if v.p != nil && st.pc != nil {
			v.p = e.pruned(st, v.p)
		}
		return v
	case ir.OpStore:
		e.store(fr, st, in, e.arg(fr, st, in, 1), e.arg(fr, st, in, 0), in.Access, int64(in.Align))
	case ir.OpGep:
		return e.gep(fr, st, in)
	case ir.OpCmpXchg:
		return e.cmpxchg(fr, st, in)
	case ir.OpAtomicRMW:
		return e.atomicRMW(fr, st, in)
	}
	return val{} // fence: one thread
}

func (e *encoder) alloca(fr *frame, st *state, in *ir.Instr) val {
	count := e.s.Int(e.w, 1)
	if len(in.Args) > 0 {
		n := e.arg(fr, st, in, 0)
		e.checkDefined(fr, st, in, n, "array length is indeterminate")
		count = e.num(e.resize(n, e.w))
		e.checkLength(fr, st, in, count)
		if st.pc == nil {
			return val{}
		}
	}
	size := e.s.Mul(count, e.s.Int(e.w, e.lay.SizeOf(in.Access)))
	t := in.Access
	if c, ok := e.constOf(count); ok && c != 1 {
		t = &ir.Type{Kind: ir.KindArray, Len: int64(c), Elem: in.Access}
	} else if !ok {
		t = nil
	}
	return val{p: e.newLocal(fr, st, in, localName(in), size, t, int64(in.Align))}
}

// newLocal makes an automatic object that dies with fr.
func (e *encoder) newLocal(fr *frame, st *state, in *ir.Instr, name string, size ilr.Term, t *ir.Type,
	align int64) *ptr {
	o := e.newObject(object{kind: objStack, name: name, align: align, elem: t, in: in, born: st.pc.all}, size)
	o.first = e.unknownBase(o)
	st.put(o, &content{live: e.s.True(), base: o.first})
	fr.objs = append(fr.objs, o)
	return e.to(o, 0)
}

// localName is the C name of what an alloca holds, else its register's.
func localName(in *ir.Instr) string {
	for _, v := range in.Block.Func.Vars {
		if v.Slot == ir.Value(in) {
			return v.Name
		}
	}
	return in.Name
}

func (e *encoder) gep(fr *frame, st *state, in *ir.Instr) val {
	if in.T.Kind == ir.KindVector {
		e.gap(st, in, "unsupported", "getelementptr on vectors")
		return val{}
	}
	p := e.arg(fr, st, in, 0)
	d := e.s.Int(e.w, in.Off)
	u := p.u
	for i, scale := range in.Scales {
		x := e.arg(fr, st, in, i+1)
		d = e.s.Add(d, e.s.Mul(e.signed(x, e.w), e.s.Int(e.w, scale)))
		u = e.spreadOver(e.w, u, x.u)
	}
	out := val{p: e.shift(p.p, d), u: u}
	e.checkPointerOverflow(fr, st, in, p.p, out.p, d)
	return out
}

// signed is v sign-extended or truncated to w bits.
func (e *encoder) signed(v val, w int) ilr.Term {
	t := e.num(v)
	if e.s.Width(t) > w {
		return e.s.Trunc(t, w)
	}
	return e.s.Sext(t, w)
}

func (e *encoder) cmpxchg(fr *frame, st *state, in *ir.Instr) val {
	p := e.arg(fr, st, in, 0)
	align := int64(in.Align)
	old := e.load(fr, st, in, p, in.Access, align, in.Flags.Has(ir.Volatile))
	if st.pc == nil {
		return val{}
	}
	want, repl := e.arg(fr, st, in, 1), e.arg(fr, st, in, 2)
	same := e.sameScalar(old, want)
	e.store(fr, st, in, p, e.pick(same, repl, old), in.Access, align)
	return val{el: []val{old, {t: same}}}
}

func (e *encoder) sameScalar(a, b val) ilr.Term {
	if a.p != nil && b.p != nil {
		return e.comparePtr(ir.EQ, a.p, b.p)
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
