package weave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A pointer among the variables that is null at first, that the program sets, and that nothing compares with null, is
// taken to be set: whoever calls a driver has set it up. It holds
//
//	one of the constant addresses that the program stores there, where it stores nothing else
//	a block of its own otherwise, as a pointer inside an argument does

// globals gives pointers among the variables that the function reaches values. Those that the program stores nothing in
// keep their initial values.
func (h *harness) globals() {
	left := maxFields
	for _, g := range h.m.Globals {
		if !h.reached.Globals[g] || g.Const || g.Extern || g.Var == nil {
			continue
		}
		at := func(off int64) ir.Value { return &ir.Const{T: h.ptr(), Kind: ir.ConstAddr, Global: g, Off: off} }
		for _, f := range pointersIn(g.Var.T, g.Var.Name, 0) {
			if isFunction(f.t) {
				continue
			}
			switch known := h.setUp(g, f); {
			case known != nil && left > 0:
				h.store(h.isSet(f, known, &left), at(f.off), 1)
			case known == nil && holdsFunction(f.t.Elem):
				h.functionTable(g, f, at(f.off), &left)
			}
		}
		functions, whole := functionsIn(g.Var.T, g.Var.Name, 0, maxSlots)
		for _, f := range functions {
			known := h.p.mayHold(g, f)
			if known == nil {
				continue
			}
			v := h.function(f.name, f.t.Elem, known)
			if h.reaches(known.null) {
				v = h.orNull(f.name, v)
			}
			h.store(v, at(f.off), 1)
		}
		if !whole {
			h.note(g.Var.Name, verdict.Start, verdict.Chosen, "%s has its initial value behind its first %d pointers", g.Var.Name, maxSlots)
		}
	}
}

// functionTable stores a pointer to a structure with pointers to functions at addr, a part of a variable that is not
// null at first, if the program stores others there.
func (h *harness) functionTable(g *ir.Global, s slot, addr ir.Value, left *int) {
	first, ok := fixedAt(g.Init, g.Var.T, s.off)
	known := h.p.places.at[place{g: g, off: s.off}]
	if !ok || known == nil || !known.set || *left == 0 {
		return
	}
	all := *known
	if !slices.Contains(all.fixed, first) {
		all.fixed = append([]fixed{first}, all.fixed...)
	}
	v := h.isSet(s, &all, left)
	if h.reaches(known.null) {
		v = h.orNull(s.name, v)
	}
	h.store(v, addr, 1)
}

// setUp returns what the program stores in a part of a variable, or else in that member of others of its type; nil where
// the part is not null at first, nothing is stored there, or somebody compares it with null.
func (h *harness) setUp(g *ir.Global, s slot) *held {
	if !isNullAt(g.Init, g.Var.T, s.off) {
		return nil
	}
	var out *held
	for _, p := range placesIn(g, g.Var.T, s.off) {
		known := h.p.places.at[p]
		switch {
		case known == nil:
		case len(known.null) > 0:
			return nil
		case out == nil && known.set:
			out = known
		}
	}
	return out
}

// isNullAt reports whether what stands off bytes into an initialiser of type t is null.
func isNullAt(c *ir.Const, t *ir.DType, off int64) bool {
	switch {
	case c == nil || t == nil:
		return false
	case c.Kind == ir.ConstZero || c.Kind == ir.ConstNull:
		return true
	case t.Kind != ir.DStruct:
		return false
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.T != nil && !f.IsBits && f.BitOff/8 <= off && off < f.BitOff/8+sizeOf(f.T) {
			return isNullAt(elementAt(c, i, len(t.Fields)), f.T, off-f.BitOff/8)
		}
	}
	return false
}

// fixedAt returns the constant address off bytes into an initialiser of type t.
func fixedAt(c *ir.Const, t *ir.DType, off int64) (f fixed, ok bool) {
	switch {
	case c == nil || t == nil:
		return f, false
	case t.Kind == ir.DPointer:
		return fixedOf(c)
	case t.Kind != ir.DStruct:
		return f, false
	}
	for i := range t.Fields {
		m := &t.Fields[i]
		if m.T != nil && !m.IsBits && m.BitOff/8 <= off && off < m.BitOff/8+sizeOf(m.T) {
			return fixedAt(elementAt(c, i, len(t.Fields)), m.T, off-m.BitOff/8)
		}
	}
	return f, false
}

// isSet returns the value of a pointer that the program sets.
func (h *harness) isSet(s slot, known *held, left *int) ir.Value {
	varies := known.varies || len(known.funcs) > 0 || len(known.fixed) > maxTables
	if varies || h.given(s.name).size(1) > 0 {
		*left--
		return h.made(h.note(s.name, verdict.Nullness, verdict.Observed,
			"%s is set: the program sets it, and compares it with null nowhere", s.name),
			h.inside(s.name, s.t, place{}, 1, left))
	}
	var out ir.Value
	var names []string
	for _, c := range known.fixed {
		v := h.address(c)
		names = append(names, c.String())
		if out == nil {
			out = v
			continue
		}
		out = h.emit(&ir.Instr{Op: ir.OpSelect, T: h.ptr(), Args: []ir.Value{
			h.any(fmt.Sprintf("%s is %s", s.name, c), ir.Int(1)), v, out}})
	}
	return h.made(h.note(s.name, verdict.Nullness, verdict.Observed, "%s is set: it holds %s, which the program stores there",
		s.name, strings.Join(names, " or ")), out)
}

// fixed is a constant address: a number, or bytes into a variable.
type fixed struct {
	g  *ir.Global
	at int64
}

func (f fixed) String() string {
	switch {
	case f.g == nil:
		return fmt.Sprintf("%#x", uint64(f.at))
	case f.at == 0:
		return "&" + nameOf(f.g)
	}
	return fmt.Sprintf("&%s + %d bytes", nameOf(f.g), f.at)
}

func nameOf(g *ir.Global) string {
	if g.Var != nil {
		return g.Var.Name
	}
	return g.Name
}

// address returns the address as a value.
func (h *harness) address(f fixed) ir.Value {
	if f.g != nil {
		return &ir.Const{T: h.ptr(), Kind: ir.ConstAddr, Global: f.g, Off: f.at}
	}
	return h.emit(&ir.Instr{Op: ir.OpIntToPtr, T: h.ptr(), Args: []ir.Value{h.int(h.word(), f.at)}})
}

// fixedOf returns the constant address that v is.
func fixedOf(v ir.Value) (f fixed, ok bool) {
	v = uncast(v)
	if c, is := v.(*ir.Const); is && c.Kind == ir.ConstAddr && c.Global != nil {
		return fixed{c.Global, c.Off}, true
	}
	in, is := v.(*ir.Instr)
	if !is || in.Op != ir.OpIntToPtr {
		return f, false
	}
	c, is := in.Args[0].(*ir.Const)
	if !is || c.Kind != ir.ConstInt {
		return f, false
	}
	n, small := c.Bits.Uint64()
	return fixed{at: int64(n)}, small && int64(n) >= 0
}
