package machine

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// value is the type of the results that were of type t: pointers are those of the other machine.
func (c *bringing) value(t *ir.Type) *ir.Type {
	if !c.resizes || t == nil {
		return t
	}
	out := *t
	switch t.Kind {
	case ir.KindPtr:
		return c.Ptr()
	case ir.KindArray, ir.KindVector:
		out.Elem = c.value(t.Elem)
	case ir.KindStruct, ir.KindFunc:
		out.Fields = slices.Clone(t.Fields)
		for i, f := range t.Fields {
			out.Fields[i] = c.value(f)
		}
		if t.Ret != nil {
			out.Ret = c.value(t.Ret)
		}
	default:
		return t
	}
	return &out
}

// memory is a type whose bytes stand where those of t stand at home. why is not empty if there is none.
func (c *bringing) memory(t *ir.Type) (out *ir.Type, why string) {
	host := &c.Module.Layout
	switch t.Kind {
	case ir.KindPtr:
		if c.resizes {
			return c.Ptr(), "a pointer in memory, where pointers of the other machine have another width"
		}
	case ir.KindArray:
		elem, why := c.memory(t.Elem)
		if elem == t.Elem {
			return t, why
		}
		return &ir.Type{Kind: ir.KindArray, Len: t.Len, Elem: elem}, why
	case ir.KindStruct:
		return c.structure(t)
	case ir.KindVector:
		if c.swaps || c.resizes {
			return t, "a vector"
		}
	case ir.KindInt:
		if c.swaps && t.Width > 8 && t.Width%16 != 0 {
			return t, "a number of a part of a byte"
		}
	}
	if c.own.SizeOf(t) != host.SizeOf(t) {
		return t, "a number of another size in memory"
	}
	return t, ""
}

// structure is memory of a structure: with gaps written out, where the other machine has others.
func (c *bringing) structure(t *ir.Type) (out *ir.Type, why string) {
	host := &c.Module.Layout
	out = &ir.Type{Kind: ir.KindStruct, Packed: true}
	same, at := true, int64(0)
	for i, f := range t.Fields {
		part, reason := c.memory(f)
		if reason != "" {
			why = reason
		}
		off := c.own.FieldOffset(t, i)
		out.Fields = append(out.Fields, gap(off-at)...)
		out.Fields = append(out.Fields, part)
		same = same && part == f
		at = off + c.own.SizeOf(f)
	}
	out.Fields = append(out.Fields, gap(c.own.SizeOf(t)-at)...)
	for i := range t.Fields {
		same = same && host.FieldOffset(t, i) == c.own.FieldOffset(t, i)
	}
	if same && host.SizeOf(t) == c.own.SizeOf(t) {
		return t, why
	}
	return out, why
}

// gap is the bytes between members, as members.
func gap(n int64) []*ir.Type {
	if n <= 0 {
		return nil
	}
	return []*ir.Type{{Kind: ir.KindArray, Len: n, Elem: ir.Int(8)}}
}

// global brings a variable. direct says that it is a number or pointer that the program loads and stores as a whole alone.
func (c *bringing) global(g *ir.Global, direct bool) {
	if g.Var != nil {
		c.debugType(g.Var.T)
	}
	was := g.T
	brought, why := c.memory(was)
	if was.IsPtr() && direct {
		why = ""
	}
	if g.T = brought; why == "" && g.Init != nil {
		g.Init, why = c.initial(g.Init, was, brought)
	}
	if why != "" {
		g.Unsupported, g.Init = why+" (between two machines)", nil
	}
}

// initial brings an initial value of type t to the type to, in the order of bytes that the program reads.
func (c *bringing) initial(k *ir.Const, t, to *ir.Type) (out *ir.Const, why string) {
	n := *k
	n.T = to
	switch k.Kind {
	case ir.ConstZero, ir.ConstUndef, ir.ConstPoison, ir.ConstNull, ir.ConstBytes, ir.ConstAddr:
	case ir.ConstInt:
		if to.IsPtr() {
			n.Bits = resized(k.Bits, to.Width)
		} else if c.swaps {
			if k.Bits.Width() > 8 && k.Bits.Width()%16 != 0 {
				return nil, "a number of a part of a byte"
			}
			if n.Bits = k.Bits; k.Bits.Width() > 8 {
				n.Bits = bits.Bswap(k.Bits)
			}
		}
	case ir.ConstAgg:
		n.Elems = nil
		next := 0 // of to
		for i, e := range k.Elems {
			for t.Kind == ir.KindStruct && next < len(to.Fields) && c.isGap(t, to, i, next) {
				n.Elems = append(n.Elems, &ir.Const{T: to.Fields[next], Kind: ir.ConstZero})
				next++
			}
			if next >= to.NumElems() {
				return nil, "an initial value"
			}
			part, why := c.initial(e, t.ElemAt(i), to.ElemAt(next))
			if why != "" {
				return nil, why
			}
			n.Elems = append(n.Elems, part)
			next++
		}
		for t.Kind == ir.KindStruct && next < len(to.Fields) {
			n.Elems = append(n.Elems, &ir.Const{T: to.Fields[next], Kind: ir.ConstZero})
			next++
		}
	default:
		return nil, "an address as a number in an initial value"
	}
	return &n, ""
}

// isGap reports whether member at of a brought structure is the gap in front of member i of the original.
func (c *bringing) isGap(t, to *ir.Type, i, at int) bool {
	if t == to {
		return false
	}
	off := int64(0)
	for _, f := range to.Fields[:at] {
		off += c.Module.Layout.SizeOf(f)
	}
	return off < c.own.FieldOffset(t, i)
}

// debugType tells what is in memory of a C type: in which order the bytes of numbers are. Pointers have the width of the other
// machine's: those in structures stay where they are (ir.DField), and are not modelled.
func (c *bringing) debugType(t *ir.DType) {
	if t == nil || c.dtypes[t] {
		return
	}
	c.dtypes[t] = true
	switch t.Kind {
	case ir.DPointer:
		if c.resizes {
			t.Bits = c.Module.Layout.PtrBits
		}
	case ir.DInt, ir.DChar, ir.DEnum, ir.DFloat:
		t.Swapped = c.swaps && t.Bits > 8 && t.Bits%16 == 0
	}
	c.debugType(t.Elem)
	for _, p := range t.Params {
		c.debugType(p)
	}
	for i := range t.Fields {
		c.debugType(t.Fields[i].T)
	}
}

// valueType is the C type of a value that stands nowhere, or in the order of the other machine.
func (c *bringing) valueType(t *ir.DType) *ir.DType {
	c.debugType(t)
	if t == nil || !t.Swapped {
		return t
	}
	out := *t
	out.Swapped = false
	return &out
}
