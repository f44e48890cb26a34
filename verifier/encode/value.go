package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// val is the value of a register in one context and turn. Scalars have t (a Bool
// for i1, else a bit-vector; floats as their encoding), pointers have p,
// aggregates and vectors have el. An integer that was made from a pointer has p
// and, once someone needs the number, t as well.
type val struct {
	t  ilr.Term
	p  *ptr
	el []val
	u  ilr.Term // bits that are indeterminate, or 0 when none are (check uninitialised)
}

// num is the bit-vector of a scalar; an i1 becomes one bit wide, a pointer its address.
func (e *encoder) num(v val) ilr.Term {
	t := v.t
	if t == 0 {
		if v.p == nil {
			panic("encode: value without a term")
		}
		return e.address(v.p)
	}
	if e.s.Sort(t) == ilr.Bool {
		return e.s.BoolToBV(t, 1)
	}
	return t
}

// cond is a scalar as a truth value: not zero.
func (e *encoder) cond(v val) ilr.Term {
	if v.t != 0 && e.s.Sort(v.t) == ilr.Bool {
		return v.t
	}
	t := e.num(v)
	return e.s.Not(e.eq(t, e.s.Int(e.s.Width(t), 0)))
}

// scalar wraps a bit-vector as a value; one bit becomes a Bool.
func (e *encoder) scalar(t ilr.Term) val {
	if e.s.Sort(t).Kind == ilr.SortBV && e.s.Width(t) == 1 {
		t = e.bit(t)
	}
	return val{t: t}
}

// bit is a one-bit vector as a Bool.
func (e *encoder) bit(t ilr.Term) ilr.Term {
	switch e.s.Kind(t) {
	case ilr.KConst:
		v, _ := e.s.ConstVal(t)
		return e.s.BoolConst(v.IsOne())
	case ilr.KIte:
		a, aok := e.s.ConstVal(e.s.Arg(t, 1))
		b, bok := e.s.ConstVal(e.s.Arg(t, 2))
		if aok && bok {
			c := e.s.Arg(t, 0)
			switch {
			case a.IsOne() && b.IsZero():
				return c
			case a.IsZero() && b.IsOne():
				return e.s.Not(c)
			}
		}
	}
	return e.s.Eq(t, e.s.Int(1, 1))
}

// eq is equality that looks through what zero-extended truth values and
// multiplexers of constants leave behind.
func (e *encoder) eq(a, b ilr.Term) ilr.Term {
	if _, ok := e.s.ConstVal(a); ok {
		a, b = b, a
	}
	c, ok := e.s.ConstVal(b)
	if !ok {
		return e.s.Eq(a, b)
	}
	switch e.s.Kind(a) {
	case ilr.KIte:
		x, xok := e.s.ConstVal(e.s.Arg(a, 1))
		y, yok := e.s.ConstVal(e.s.Arg(a, 2))
		if xok && yok {
			return e.s.Ite(e.s.Arg(a, 0), e.s.BoolConst(x == c), e.s.BoolConst(y == c))
		}
	case ilr.KZext:
		x := e.s.Arg(a, 0)
		low := bits.Trunc(c, e.s.Width(x))
		if bits.Zext(low, c.Width()) != c {
			return e.s.False()
		}
		return e.eq(x, e.s.Const(low))
	case ilr.KSext:
		x := e.s.Arg(a, 0)
		low := bits.Trunc(c, e.s.Width(x))
		if bits.Sext(low, c.Width()) != c {
			return e.s.False()
		}
		return e.eq(x, e.s.Const(low))
	}
	return e.s.Eq(a, b)
}

// constOf is the value of a constant scalar.
func (e *encoder) constOf(t ilr.Term) (uint64, bool) {
	if t == 0 {
		return 0, false
	}
	v, ok := e.s.ConstVal(t)
	if !ok {
		return 0, false
	}
	return v.Uint64()
}

// pick is a where c holds and b elsewhere; both have one shape.
func (e *encoder) pick(c ilr.Term, a, b val) val {
	switch {
	case e.s.IsTrue(c):
		return a
	case e.s.IsFalse(c):
		return b
	case a.t == b.t && a.p == b.p && a.u == b.u && a.el == nil && b.el == nil:
		return a
	}
	if a.el != nil || b.el != nil {
		if len(a.el) != len(b.el) {
			panic(fmt.Sprintf("encode: joining aggregates of %d and %d members", len(a.el), len(b.el)))
		}
		out := val{el: make([]val, len(a.el))}
		for i := range a.el {
			out.el[i] = e.pick(c, a.el[i], b.el[i])
		}
		return out
	}
	u := e.pickShadow(c, a, b)
	if a.p != nil || b.p != nil {
		out := val{p: e.pickPtr(c, e.asPtr(a), e.asPtr(b)), u: u}
		if a.t != 0 && b.t != 0 {
			out.t = e.s.Ite(c, a.t, b.t)
		}
		return out
	}
	return val{t: e.s.Ite(c, a.t, b.t), u: u}
}

// zero is the value of all zero bits of type t.
func (e *encoder) zero(t *ir.Type) val {
	switch t.Kind {
	case ir.KindInt:
		return e.scalar(e.s.Int(t.Width, 0))
	case ir.KindFloat:
		return val{t: e.s.Int(t.Width, 0)}
	case ir.KindPtr:
		return val{p: e.null()}
	case ir.KindArray, ir.KindVector, ir.KindStruct:
		out := val{el: make([]val, t.NumElems())}
		for i := range out.el {
			out.el[i] = e.zero(t.ElemAt(i))
		}
		return out
	}
	return val{t: e.s.Int(1, 0)}
}

// constant is the value of c in frame fr.
func (e *encoder) constant(st *state, in *ir.Instr, c *ir.Const) val {
	switch c.Kind {
	case ir.ConstInt:
		if c.T.Kind == ir.KindInt {
			return e.scalar(e.s.Const(c.Bits))
		}
		if c.T.Kind == ir.KindPtr {
			return val{p: e.intPtr(e.s.Const(c.Bits))}
		}
		return val{t: e.s.Const(c.Bits)}
	case ir.ConstNull, ir.ConstZero:
		return e.zero(c.T)
	case ir.ConstUndef, ir.ConstPoison:
		return e.fresh(st, input.Undef, in, c.T, "undef")
	case ir.ConstAgg:
		out := val{el: make([]val, len(c.Elems))}
		for i, x := range c.Elems {
			out.el[i] = e.constant(st, in, x)
		}
		return out
	case ir.ConstBytes:
		out := val{el: make([]val, len(c.Bytes))}
		for i, b := range c.Bytes {
			out.el[i] = val{t: e.s.Int(8, int64(b))}
		}
		return out
	case ir.ConstAddr:
		return val{p: e.symbol(c)}
	case ir.ConstAddrInt:
		return e.resize(val{p: e.symbol(c)}, c.T.Width)
	}
	panic(fmt.Sprintf("encode: constant of kind %d", c.Kind))
}

// resize truncates or zero-extends an integer; a pointer-sized one keeps its pointer.
func (e *encoder) resize(v val, w int) val {
	if v.p != nil && w == e.w {
		return v
	}
	t := e.num(v)
	switch tw := e.s.Width(t); {
	case tw > w:
		t = e.s.Trunc(t, w)
	case tw < w:
		t = e.s.Zext(t, w)
	}
	return e.scalar(t)
}

// value is the value of operand v in frame fr.
func (e *encoder) value(fr *frame, st *state, in *ir.Instr, v ir.Value) val {
	switch v := v.(type) {
	case *ir.Const:
		return e.constant(st, in, v)
	case *ir.Param:
		return fr.params[v.Index]
	case *ir.Instr:
		if fr.info.crosses[v.ID] {
			if x := st.loc.get(int64(v.ID)); x != nil {
				return *x
			}
		}
		return fr.vals[v.ID]
	}
	panic(fmt.Sprintf("encode: operand %T", v))
}

// arg is operand i of in.
func (e *encoder) arg(fr *frame, st *state, in *ir.Instr, i int) val {
	return e.value(fr, st, in, in.Args[i])
}
