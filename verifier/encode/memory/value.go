package memory

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Val is the value of a register in one context and turn. Scalars have
// Term (a Bool for i1, else a bit-vector; floats as their encoding), pointers
// have Ptr, aggregates and vectors have Elems. An integer that was made from a
// pointer has Ptr and, once someone needs the number, Term as well.
type Val struct {
	Term  ilr.Term
	Ptr   *Ptr
	Elems []Val
	Undef ilr.Term // bits that are indeterminate, or 0 when none are (check uninitialised)
}

// Num is the bit-vector of a scalar; an i1 becomes one bit wide, a pointer its address.
func (e *Space) Num(v Val) ilr.Term {
	t := v.Term
	if t == 0 {
		if v.Ptr == nil {
			panic("memory: value without a term")
		}
		return e.Address(v.Ptr)
	}
	if e.s.Sort(t) == ilr.Bool {
		return e.s.BoolToBV(t, 1)
	}
	return t
}

// Cond is a scalar as a truth value: not zero.
func (e *Space) Cond(v Val) ilr.Term {
	if v.Term != 0 && e.s.Sort(v.Term) == ilr.Bool {
		return v.Term
	}
	t := e.Num(v)
	return e.s.Not(e.Eq(t, e.s.Int(e.s.Width(t), 0)))
}

// Scalar wraps a bit-vector as a value; one bit becomes a Bool.
func (e *Space) Scalar(t ilr.Term) Val {
	if e.s.Sort(t).Kind == ilr.SortBV && e.s.Width(t) == 1 {
		t = e.Bit(t)
	}
	return Val{Term: t}
}

// Bit is a one-bit vector as a Bool.
func (e *Space) Bit(t ilr.Term) ilr.Term {
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

// Eq is equality that looks through what zero-extended truth values and
// multiplexers of constants leave behind.
func (e *Space) Eq(a, b ilr.Term) ilr.Term {
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
		return e.Eq(x, e.s.Const(low))
	case ilr.KSext:
		x := e.s.Arg(a, 0)
		low := bits.Trunc(c, e.s.Width(x))
		if bits.Sext(low, c.Width()) != c {
			return e.s.False()
		}
		return e.Eq(x, e.s.Const(low))
	}
	return e.s.Eq(a, b)
}

// ConstOf is the value of a constant scalar.
func (e *Space) ConstOf(t ilr.Term) (uint64, bool) {
	if t == 0 {
		return 0, false
	}
	v, ok := e.s.ConstVal(t)
	if !ok {
		return 0, false
	}
	return v.Uint64()
}

// Pick is a where c holds and b elsewhere; both have one shape.
func (e *Space) Pick(c ilr.Term, a, b Val) Val {
	switch {
	case e.s.IsTrue(c):
		return a
	case e.s.IsFalse(c):
		return b
	case a.Term == b.Term && a.Ptr == b.Ptr && a.Undef == b.Undef && a.Elems == nil && b.Elems == nil:
		return a
	}
	if a.Elems != nil || b.Elems != nil {
		if len(a.Elems) != len(b.Elems) {
			panic(fmt.Sprintf("memory: joining aggregates of %d and %d members", len(a.Elems), len(b.Elems)))
		}
		out := Val{Elems: make([]Val, len(a.Elems))}
		for i := range a.Elems {
			out.Elems[i] = e.Pick(c, a.Elems[i], b.Elems[i])
		}
		return out
	}
	u := e.pickShadow(c, a, b)
	if a.Ptr != nil || b.Ptr != nil {
		out := Val{Ptr: e.PickPtr(c, e.AsPtr(a), e.AsPtr(b)), Undef: u}
		if a.Term != 0 && b.Term != 0 {
			out.Term = e.s.Ite(c, a.Term, b.Term)
		}
		return out
	}
	return Val{Term: e.s.Ite(c, a.Term, b.Term), Undef: u}
}

// Among is the value of vs whose guard holds: the guards exclude each other, and one of them holds. All values have one
// shape.
func (e *Space) Among(guards []ilr.Term, vs []Val) Val {
	n := len(vs)
	out := vs[n-1]
	if n > 1 && slices.ContainsFunc(vs, func(v Val) bool { return v.Ptr != nil }) {
		return e.amongPtrs(guards, vs)
	}
	for i := n - 2; i >= 0; i-- {
		out = e.Pick(guards[i], vs[i], out)
	}
	return out
}

// amongPtrs is Among of pointers. A guard stays as it is where a value has one target, whatever the others are: an
// element of a list that is one of many has a successor that is one of as many.
func (e *Space) amongPtrs(guards []ilr.Term, vs []Val) Val {
	var alts []Alt
	moved := false
	rest := vs[len(vs)-1]
	for i := len(vs) - 1; i >= 0; i-- {
		v, g := vs[i], guards[i]
		if i < len(vs)-1 {
			rest.Undef = e.pickShadow(g, v, rest)
			if rest.Term != 0 && v.Term != 0 {
				rest.Term = e.s.Ite(g, v.Term, rest.Term)
			} else {
				rest.Term = 0
			}
		}
		p := e.where(g).ptr(e.AsPtr(v))
		moved = moved || p.Moved
		for _, a := range p.Alts {
			a.Guard = e.s.And(g, a.Guard)
			alts = append(alts, a)
		}
	}
	p := e.Gather(alts)
	p.Moved = moved
	return Val{Ptr: p, Term: rest.Term, Undef: rest.Undef}
}

// Zero is the value of all zero bits of type t.
func (e *Space) Zero(t *ir.Type) Val {
	switch t.Kind {
	case ir.KindInt:
		return e.Scalar(e.s.Int(t.Width, 0))
	case ir.KindFloat:
		return Val{Term: e.s.Int(t.Width, 0)}
	case ir.KindPtr:
		return Val{Ptr: e.Null()}
	case ir.KindArray, ir.KindVector, ir.KindStruct:
		out := Val{Elems: make([]Val, t.NumElems())}
		for i := range out.Elems {
			out.Elems[i] = e.Zero(t.ElemAt(i))
		}
		return out
	}
	return Val{Term: e.s.Int(1, 0)}
}

// Constant is the value of c in frame fr.
func (e *Space) Constant(st *State, in *ir.Instr, c *ir.Const) Val {
	switch c.Kind {
	case ir.ConstInt:
		if c.T.Kind == ir.KindInt {
			return e.Scalar(e.s.Const(c.Bits))
		}
		if c.T.Kind == ir.KindPtr {
			return Val{Ptr: e.IntPtr(e.s.Const(c.Bits))}
		}
		return Val{Term: e.s.Const(c.Bits)}
	case ir.ConstNull, ir.ConstZero:
		return e.Zero(c.T)
	case ir.ConstUndef, ir.ConstPoison:
		return e.Fresh(st, input.Undef, in, c.T, "undef")
	case ir.ConstAgg:
		out := Val{Elems: make([]Val, len(c.Elems))}
		for i, x := range c.Elems {
			out.Elems[i] = e.Constant(st, in, x)
		}
		return out
	case ir.ConstBytes:
		out := Val{Elems: make([]Val, len(c.Bytes))}
		for i, b := range c.Bytes {
			out.Elems[i] = Val{Term: e.s.Int(8, int64(b))}
		}
		return out
	case ir.ConstAddr:
		return Val{Ptr: e.symbol(c)}
	case ir.ConstAddrInt:
		return e.Resize(Val{Ptr: e.symbol(c)}, c.T.Width)
	}
	panic(fmt.Sprintf("memory: constant of kind %d", c.Kind))
}

// Resize truncates or zero-extends an integer; a pointer-sized one keeps its pointer.
func (e *Space) Resize(v Val, w int) Val {
	if v.Ptr != nil && w == e.w {
		return v
	}
	t := e.Num(v)
	switch tw := e.s.Width(t); {
	case tw > w:
		t = e.s.Trunc(t, w)
	case tw < w:
		t = e.s.Zext(t, w)
	}
	return e.Scalar(t)
}

// pickShadow is the mask of a where c holds, of b elsewhere.
func (e *Space) pickShadow(c ilr.Term, a, b Val) ilr.Term {
	if a.Undef == b.Undef {
		return a.Undef
	}
	x, y := a.Undef, b.Undef
	if x == 0 {
		x = e.s.Int(e.s.Width(y), 0)
	}
	if y == 0 {
		y = e.s.Int(e.s.Width(x), 0)
	}
	return e.s.Ite(c, x, y)
}

// Tidy is u, or 0 when it is plainly empty.
func (e *Space) Tidy(u ilr.Term) ilr.Term {
	if u != 0 && e.IsZero(u) {
		return 0
	}
	return u
}

func (e *Space) IsZero(t ilr.Term) bool {
	c, ok := e.ConstOf(t)
	return ok && c == 0
}
