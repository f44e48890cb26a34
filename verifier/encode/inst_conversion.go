package encode

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// conversion evaluates LangRef's Conversion Operations, lane by lane.
func (e *encoder) conversion(fr *frame, st *state, in *ir.Instr) val {
	a := e.arg(fr, st, in, 0)
	from, to := in.Args[0].Type(), in.T
	if in.Op == ir.OpBitcast && (from.Kind == ir.KindVector || to.Kind == ir.KindVector) {
		return e.bitcast(a, from, to)
	}
	if in.Op != ir.OpBitcast {
		if a = e.operand(st, in, a, from); st.pc == nil {
			return val{}
		}
	}
	if in.Op == ir.OpFpToSi || in.Op == ir.OpFpToUi {
		e.checkConversion(fr, st, in, a)
		if st.pc == nil {
			return val{}
		}
	}
	if narrowsPointer(in) {
		e.checkNarrow(fr, st, in, a)
		if st.pc == nil {
			return val{}
		}
	}
	if !followed(from) || !followed(to) {
		e.gap(st, in, verdict.Unsupported, "floating point of more than 64 bits")
		return val{}
	}
	if from.Kind != ir.KindVector {
		return e.convert(st, in, a, from, to)
	}
	out := val{el: make([]val, len(a.el))}
	for i := range a.el {
		out.el[i] = e.convert(st, in, a.el[i], from.Elem, to.Elem)
	}
	return out
}

func (e *encoder) convert(st *state, in *ir.Instr, a val, from, to *ir.Type) val {
	out := e.convertValue(st, in, a, from, to)
	if in.Op != ir.OpBitcast {
		out = e.result(out, to)
	}
	if a.u != 0 {
		u := e.tidy(e.convertShadow(in.Op, a.u, e.bitsOf(to)))
		if out.u != 0 {
			u = e.spreadOver(e.bitsOf(to), u, out.u)
		}
		out.u = u
	}
	return out
}

func (e *encoder) convertValue(st *state, in *ir.Instr, a val, from, to *ir.Type) val {
	switch in.Op {
	case ir.OpTrunc:
		if e.s.Sort(orTrue(e, a.t)) == ilr.Bool {
			return a
		}
		return e.scalar(e.s.Trunc(e.num(a), to.Width))
	case ir.OpZext:
		return val{t: e.s.Zext(e.num(a), to.Width)}
	case ir.OpSext:
		if from.Width == 1 {
			return val{t: e.s.Ite(e.cond(a), e.s.Int(to.Width, -1), e.s.Int(to.Width, 0))}
		}
		return val{t: e.s.Sext(e.num(a), to.Width)}
	case ir.OpPtrToInt:
		if to.Width == e.w {
			return val{p: a.p}
		}
		return e.resize(val{t: e.address(a.p)}, to.Width)
	case ir.OpIntToPtr:
		if from.Width == e.w {
			return val{p: e.staying(st, e.alivePlaces(st, e.asPtr(a)))}
		}
		return val{p: e.staying(st, e.alivePlaces(st, e.fromInt(e.num(e.resize(a, e.w)))))}
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
func (e *encoder) bitcast(a val, from, to *ir.Type) val {
	if from.Kind == ir.KindPtr && to.Kind == ir.KindPtr {
		return a
	}
	if from.Kind != ir.KindVector && to.Kind != ir.KindVector {
		if to.Kind == ir.KindInt {
			return e.scalar(e.num(a))
		}
		return val{t: e.num(a)}
	}
	t, u := e.flat(a, from)
	return e.unflat(t, u, to)
}

// flat is a scalar or vector as one bit-vector, in memory order.
func (e *encoder) flat(a val, t *ir.Type) (bv, u ilr.Term) {
	if t.Kind != ir.KindVector {
		return e.num(a), a.u
	}
	hasU := false
	for _, x := range a.el {
		hasU = hasU || x.u != 0
	}
	for _, x := range a.el {
		n := e.num(x)
		bv = e.append(bv, n)
		if hasU {
			xu := x.u
			if xu == 0 {
				xu = e.s.Int(e.s.Width(n), 0)
			}
			u = e.append(u, xu)
		}
	}
	return bv, u
}

func (e *encoder) unflat(bv, u ilr.Term, t *ir.Type) val {
	one := func(bv, u ilr.Term, t *ir.Type) val {
		v := val{t: bv, u: u}
		switch t.Kind {
		case ir.KindInt:
			v = e.scalar(bv)
			v.u = u
		case ir.KindPtr:
			v = val{p: e.fromInt(bv), u: u}
		}
		return v
	}
	if t.Kind != ir.KindVector {
		return one(bv, u, t)
	}
	w := e.bitsOf(t.Elem)
	out := val{el: make([]val, t.Len)}
	for i := range out.el {
		lo := i * w
		if e.lay.BigEndian {
			lo = int(t.Len)*w - w - lo
		}
		var xu ilr.Term
		if u != 0 {
			xu = e.s.Extract(u, lo+w-1, lo)
		}
		out.el[i] = one(e.s.Extract(bv, lo+w-1, lo), xu, t.Elem)
	}
	return out
}
