package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A pointer among the variables that is null at first, and that the program sets, is taken to be set, or null, too, where
// the function comes to code that compares it with null: whoever calls a driver has set it up. It holds
//
//	one of the constant addresses that the program stores there, where it stores nothing else
//	a block of its own otherwise, as a pointer inside an argument does

// globals gives pointers among the variables that the function reaches values. Those that the program stores nothing in
// keep their initial values.
func (h *harness) globals() {
	left := policy.HarnessFields
	for _, g := range h.Module.Globals {
		if !h.reached.Globals[g] || g.Const || g.Extern || g.Var == nil {
			continue
		}
		at := func(off int64) ir.Value { return &ir.Const{T: h.Ptr(), Kind: ir.ConstAddr, Global: g, Off: off} }
		for _, f := range places.PointersIn(g.Var.T, g.Var.Name, 0) {
			if places.IsFunction(f.T) {
				continue
			}
			switch known := h.setUp(g, f, true); {
			case known != nil && left > 0:
				h.Store(h.isSet(f, known, &left), at(f.Off), 1)
			case known == nil && places.HoldsFunction(f.T.Elem):
				h.functionTable(g, f, at(f.Off), &left)
			}
		}
		functions, whole := places.FunctionsIn(g.Var.T, g.Var.Name, 0, policy.HarnessSlots)
		for _, f := range functions {
			known := h.p.mayHold(g, f)
			if known == nil {
				continue
			}
			v := h.function(f.Name, f.T.Elem, known)
			if h.reaches(known.Null) {
				v = h.orNull(f.Name, v)
			}
			h.Store(v, at(f.Off), 1)
		}
		if !whole {
			h.note(g.Var.Name, verdict.Start, verdict.Chosen, "%s has its initial value behind its first %d pointers",
				g.Var.Name, policy.HarnessSlots)
		}
	}
}

// functionTable stores a pointer to a structure with pointers to functions at addr, a part of a variable that is not
// null at first, if the program stores others there.
func (h *harness) functionTable(g *ir.Global, s places.Slot, addr ir.Value, left *int) {
	first, ok := fixedAt(g.Init, g.Var.T, s.Off)
	known := h.p.places.At[places.Place{Global: g, Off: s.Off}]
	if !ok || known == nil || !known.Set || *left == 0 {
		return
	}
	all := *known
	if !slices.Contains(all.Fixed, first) {
		all.Fixed = append([]places.Fixed{first}, all.Fixed...)
	}
	h.Store(h.isSet(s, &all, left), addr, 1)
}

// setUp returns what the program stores in a part of a variable, or else in that member of others of its type; nil where
// the part is not null at first, nothing is stored there, or somebody compares it with null: with orNull, somebody whom the
// function does not come to.
func (h *harness) setUp(g *ir.Global, s places.Slot, orNull bool) *places.Held {
	if !isNullAt(g.Init, g.Var.T, s.Off) {
		return nil
	}
	var out *places.Held
	for _, p := range places.PlacesIn(g, g.Var.T, s.Off) {
		known := h.p.places.At[p]
		switch {
		case known == nil:
		case len(known.Null) > 0 && !(orNull && h.reaches(known.Null)):
			return nil
		case out == nil && known.Set:
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
		if f.T != nil && !f.IsBits && f.BitOff/8 <= off && off < f.BitOff/8+ir.SizeInC(f.T) {
			return isNullAt(places.ElementAt(c, i, len(t.Fields)), f.T, off-f.BitOff/8)
		}
	}
	return false
}

// fixedAt returns the constant address off bytes into an initialiser of type t.
func fixedAt(c *ir.Const, t *ir.DType, off int64) (f places.Fixed, ok bool) {
	switch {
	case c == nil || t == nil:
		return f, false
	case t.Kind == ir.DPointer:
		return places.FixedOf(c)
	case t.Kind != ir.DStruct:
		return f, false
	}
	for i := range t.Fields {
		m := &t.Fields[i]
		if m.T != nil && !m.IsBits && m.BitOff/8 <= off && off < m.BitOff/8+ir.SizeInC(m.T) {
			return fixedAt(places.ElementAt(c, i, len(t.Fields)), m.T, off-m.BitOff/8)
		}
	}
	return f, false
}

// isSet returns the value of a pointer that the program sets, or null, too, where the function comes to code that compares it
// with that, or somebody says so.
func (h *harness) isSet(s places.Slot, known *places.Held, left *int) ir.Value {
	null := h.reaches(known.Null)
	if said := h.given(s.Name).Null; said != nil {
		null = *said
	}
	varies := known.Varies || len(known.Funcs) > 0 || len(known.Fixed) > policy.HarnessTables
	if varies || h.given(s.Name).size(1) > 0 {
		*left--
		v := h.inside(s.Name, s.T, places.Place{}, 1, left)
		if null {
			return h.orNull(s.Name, v)
		}
		if len(known.Copied) == 0 {
			return h.made(h.note(s.Name, verdict.Nullness, verdict.Observed,
				"%s is set: the program sets it, and compares it with null nowhere", s.Name), v)
		}
		return h.notNull(s.Name, verdict.Observed, s.Name+" is set: the program sets it, and compares copies of it with null", v)
	}
	var out ir.Value
	var names []string
	for _, c := range known.Fixed {
		v := h.address(c)
		names = append(names, c.String())
		if out == nil {
			out = v
			continue
		}
		out = h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{
			h.any(fmt.Sprintf("%s is %s", s.Name, c), ir.Int(1)), v, out}})
	}
	text := strings.Join(names, " or ")
	if null {
		return h.orNull(s.Name, h.made(h.note(s.Name, verdict.Extent, verdict.Observed,
			"%s holds %s, which the program stores there, or null", s.Name, text), out))
	}
	return h.made(h.note(s.Name, verdict.Nullness, verdict.Observed, "%s is set: it holds %s, which the program stores there",
		s.Name, text), out)
}

// address returns the address as a value.
func (h *harness) address(f places.Fixed) ir.Value {
	if f.Global != nil {
		return &ir.Const{T: h.Ptr(), Kind: ir.ConstAddr, Global: f.Global, Off: f.At}
	}
	return h.Emit(&ir.Instr{Op: ir.OpIntToPtr, T: h.Ptr(), Args: []ir.Value{h.Int(h.Word(), f.At)}})
}
