package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// conversion evaluates LangRef's Conversion Operations, lane by lane.
func (e *encoder) conversion(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	a := e.arg(fr, st, in, 0)
	from, to := in.Args[0].Type(), in.T
	if in.Op == ir.OpBitcast && (from.Kind == ir.KindVector || to.Kind == ir.KindVector) {
		return e.bitcast(a, from, to)
	}
	if in.Op != ir.OpBitcast {
		if a = e.operand(st, in, a, from); st.PC == nil {
			return memory.Val{}
		}
	}
	if in.Op == ir.OpFpToSi || in.Op == ir.OpFpToUi {
		e.checkConversion(fr, st, in, a)
		if st.PC == nil {
			return memory.Val{}
		}
	}
	if narrowsPointer(in) {
		e.checkNarrow(fr, st, in, a)
		if st.PC == nil {
			return memory.Val{}
		}
	}
	if !followed(from) || !followed(to) {
		e.gap(st, in, verdict.Unsupported, "floating point of more than 64 bits")
		return memory.Val{}
	}
	if from.Kind != ir.KindVector {
		return e.convert(st, in, a, from, to)
	}
	out := memory.Val{Elems: make([]memory.Val, len(a.Elems))}
	for i := range a.Elems {
		out.Elems[i] = e.convert(st, in, a.Elems[i], from.Elem, to.Elem)
	}
	return out
}

func (e *encoder) convert(st *memory.State, in *ir.Instr, a memory.Val, from, to *ir.Type) memory.Val {
	out := e.convertValue(st, in, a, from, to)
	if in.Op != ir.OpBitcast {
		out = e.result(out, to)
	}
	if a.Undef != 0 {
		u := e.Tidy(e.convertShadow(in.Op, a.Undef, e.BitsOf(to)))
		if out.Undef != 0 {
			u = e.spreadOver(e.BitsOf(to), u, out.Undef)
		}
		out.Undef = u
	}
	return out
}

func (e *encoder) convertValue(st *memory.State, in *ir.Instr, a memory.Val, from, to *ir.Type) memory.Val {
	switch in.Op {
	case ir.OpTrunc:
		if e.s.Sort(orTrue(e, a.Term)) == ilr.Bool {
			return a
		}
		return e.Scalar(e.s.Trunc(e.Num(a), to.Width))
	case ir.OpZext:
		return memory.Val{Term: e.s.Zext(e.Num(a), to.Width)}
	case ir.OpSext:
		if from.Width == 1 {
			return memory.Val{Term: e.s.Ite(e.Cond(a), e.s.Int(to.Width, -1), e.s.Int(to.Width, 0))}
		}
		return memory.Val{Term: e.s.Sext(e.Num(a), to.Width)}
	case ir.OpPtrToInt:
		if to.Width == e.w {
			return memory.Val{Ptr: a.Ptr}
		}
		return e.Resize(memory.Val{Term: e.Address(a.Ptr)}, to.Width)
	case ir.OpIntToPtr:
		if from.Width == e.w {
			return memory.Val{Ptr: e.Staying(st, e.AlivePlaces(st, e.AsPtr(a)))}
		}
		return memory.Val{Ptr: e.Staying(st, e.AlivePlaces(st, e.FromInt(e.Num(e.Resize(a, e.w)))))}
	case ir.OpBitcast:
		return e.bitcast(a, from, to)
	}
	return e.floatConversion(st, in, a, from, to)
}

// orTrue stands in for a missing term when only its sort is asked.
func orTrue(e *encoder, t ilr.Term) ilr.Term {
	if t == 0 {
		return e.s.Int(8, 0)
	}
	return t
}

// bitcast reinterprets bits; between vectors by LangRef's rule that it is a
// store of one type and a load of the other.
func (e *encoder) bitcast(a memory.Val, from, to *ir.Type) memory.Val {
	if from.Kind == ir.KindPtr && to.Kind == ir.KindPtr {
		return a
	}
	if from.Kind != ir.KindVector && to.Kind != ir.KindVector {
		if to.Kind == ir.KindInt {
			return e.Scalar(e.Num(a))
		}
		return memory.Val{Term: e.Num(a)}
	}
	t, u := e.flat(a, from)
	return e.unflat(t, u, to)
}

// flat is a scalar or vector as one bit-vector, in memory order.
func (e *encoder) flat(a memory.Val, t *ir.Type) (bv, u ilr.Term) {
	if t.Kind != ir.KindVector {
		return e.Num(a), a.Undef
	}
	hasU := false
	for _, x := range a.Elems {
		hasU = hasU || x.Undef != 0
	}
	for _, x := range a.Elems {
		n := e.Num(x)
		bv = e.Append(bv, n)
		if hasU {
			xu := x.Undef
			if xu == 0 {
				xu = e.s.Int(e.s.Width(n), 0)
			}
			u = e.Append(u, xu)
		}
	}
	return bv, u
}

func (e *encoder) unflat(bv, u ilr.Term, t *ir.Type) memory.Val {
	one := func(bv, u ilr.Term, t *ir.Type) memory.Val {
		v := memory.Val{Term: bv, Undef: u}
		switch t.Kind {
		case ir.KindInt:
			v = e.Scalar(bv)
			v.Undef = u
		case ir.KindPtr:
			v = memory.Val{Ptr: e.FromInt(bv), Undef: u}
		}
		return v
	}
	if t.Kind != ir.KindVector {
		return one(bv, u, t)
	}
	w := e.BitsOf(t.Elem)
	out := memory.Val{Elems: make([]memory.Val, t.Len)}
	for i := range out.Elems {
		lo := i * w
		if e.lay.BigEndian {
			lo = int(t.Len)*w - w - lo
		}
		var xu ilr.Term
		if u != 0 {
			xu = e.s.Extract(u, lo+w-1, lo)
		}
		out.Elems[i] = one(e.s.Extract(bv, lo+w-1, lo), xu, t.Elem)
	}
	return out
}
