// Package places says where the pointers of a program lead, and what is stored where: which objects an address may mean
// (objects.go), which functions and addresses the places that hold pointers hold (table.go), what a type is taken for
// (taken.go), what code touches (touched.go) and reaches (reach.go). It reads ir alone.
package places

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Place is a pointer that objects or variables of a program hold: a member of a kind of structure, the same in
// all its objects, or a part of one variable. Structures are told by the names of their members, since each
// unit of a program describes its own.
type Place struct {
	Of     string     // the members of the structure
	Global *ir.Global // or the variable
	Off    int64
}

// Held says what a program does with a place.
type Held struct {
	Funcs  []*ir.Func // that are stored there
	Others bool       // something else is stored there
	Fixed  []Fixed    // constant addresses among the others
	Varies bool       // addresses that are not constant are among the others
	Passed bool       // it is a parameter: stored is what calls pass
	Set    bool       // by the code, not by an initialiser
	Null   []*ir.Func // that compare it with null
	Copied []*ir.Func // that compare with null what they have just copied from it
	Ends   []*ir.Func // that compare with null what they copied from it, if it leads to a structure of its own kind
	As     *ir.DType  // a void pointer: what it is taken for
	Puts   []*ir.Func // those of funcs that the code stores
	Any    bool       // it may be written as something else: any function may be stored there
}

// Table knows what a program stores in places, and how it calls functions through pointers.
type Table struct {
	layout  *ir.Layout
	At      map[Place]*Held
	Sigs    map[string]*ir.Type // of calls, by the type of the function in C
	Stray   Held                // functions that are stored where no place is known
	Re      *rewritten
	ordered map[[2]Place]bool
}

// Of reads what m stores where, and how it calls functions through pointers.
func Of(m *ir.Module) *Table {
	ps := &Table{layout: &m.Layout, At: map[Place]*Held{}, Sigs: map[string]*ir.Type{}, Re: rewrittenOf(m),
		ordered: map[[2]Place]bool{}}
	for _, g := range m.Globals {
		if g.Var != nil && g.Init != nil {
			ps.initial(g, g.Var.T, g.Init, 0)
		}
	}
	for _, f := range m.Funcs {
		vars := f.VarsBySlot()
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				ps.instr(vars, in)
				ps.order(vars, in)
			}
		}
		ps.links(vars, f)
	}
	return ps
}

// get returns what is known of a place, to be added to.
func (ps *Table) get(p Place) *Held {
	if ps.At[p] == nil {
		ps.At[p] = &Held{}
	}
	return ps.At[p]
}

// Stored notes that v is stored at a place.
func (h *Held) Stored(v ir.Value) {
	c, ok := v.(*ir.Const)
	h.Set = h.Set || !ok || c.Kind != ir.ConstNull
	switch {
	case ok && c.Kind == ir.ConstAddr && c.Func != nil && c.Off == 0:
		h.Funcs, h.Puts = WithFunc(h.Funcs, c.Func), WithFunc(h.Puts, c.Func)
	case !ok || c.Kind != ir.ConstNull:
		h.Others = true
		if f, constant := FixedOf(v); !constant {
			h.Varies = true
		} else if !slices.Contains(h.Fixed, f) {
			h.Fixed = append(h.Fixed, f)
		}
	}
}

// initial notes the functions in the initialiser of an object of type t, which is the variable g or none.
func (ps *Table) initial(g *ir.Global, t *ir.DType, c *ir.Const, off int64) {
	if c.Kind == ir.ConstAgg {
		for i, e := range c.Elems {
			ps.initial(g, t, e, off+ps.layout.FieldOffset(c.T, i))
		}
		return
	}
	if c.Func == nil {
		return
	}
	for _, p := range PlacesIn(g, t, off) {
		ps.initially(p, c)
	}
}

// initially notes that an initialiser puts a function at a place.
func (ps *Table) initially(p Place, c *ir.Const) {
	h := ps.get(p)
	set, puts := h.Set, h.Puts
	h.Stored(c)
	h.Set, h.Puts = set, puts
}

// WithFunc returns list with f in it.
func WithFunc(list []*ir.Func, f *ir.Func) []*ir.Func {
	if slices.Contains(list, f) {
		return list
	}
	return append(list[:len(list):len(list)], f)
}

// ElementAt returns element i of a constant of n members; nil where padding or bit-fields make the count differ.
func ElementAt(c *ir.Const, i, n int) *ir.Const {
	if c.Kind != ir.ConstAgg || len(c.Elems) != n {
		return nil
	}
	return c.Elems[i]
}

// LayoutOf tells kinds of structures by the names of their members.
func LayoutOf(t *ir.DType) string {
	names := make([]string, len(t.Fields))
	for i := range t.Fields {
		names[i] = t.Fields[i].Name
	}
	return fmt.Sprintf("%s/%d", strings.Join(names, ","), t.Bits)
}

// PlacesAt returns the places that an address in a function with these variables names: the member of the
// innermost structure, and the part of a variable.
func PlacesAt(vars map[ir.Value]*ir.Var, addr ir.Value) []Place {
	var out []Place
	for _, o := range ObjectsAt(vars, addr) {
		if !o.Cast && !o.Moved {
			out = append(out, PlacesIn(o.Global, o.T, o.Off)...)
		}
	}
	return out
}

// PlacesIn returns the places off bytes into an object of type t, which is the variable g or none.
func PlacesIn(g *ir.Global, t *ir.DType, off int64) []Place {
	var out []Place
	if g != nil {
		out = append(out, Place{Global: g, Off: InFirst(t, off)})
	}
	if of, _, off := MemberIn(t, off); of != nil {
		out = append(out, Place{Of: LayoutOf(of), Off: off})
	}
	return out
}

// ObjectAt returns the object that an address leads into; nothing of it where it may be one of several.
func ObjectAt(vars map[ir.Value]*ir.Var, addr ir.Value) (g *ir.Global, t *ir.DType, off int64) {
	if list := ObjectsAt(vars, addr); len(list) == 1 && !list[0].Cast && !list[0].Moved {
		return list[0].Global, list[0].T, list[0].Off
	}
	return nil, nil, 0
}

// MemberIn returns the member of the innermost structure that stands off bytes into a t, and how many bytes into that
// structure; nil where there is none.
func MemberIn(t *ir.DType, off int64) (of *ir.DType, f *ir.DField, at int64) {
	for t != nil {
		switch t.Kind {
		case ir.DArray:
			size := ir.SizeInC(t.Elem)
			if size <= 0 {
				return nil, nil, 0
			}
			t, off = t.Elem, off%size
			continue
		case ir.DStruct:
			inner := fieldAt(t, off)
			if inner == nil {
				return nil, nil, 0
			}
			if inner.T.Kind == ir.DStruct || inner.T.Kind == ir.DArray {
				t, off = inner.T, off-inner.BitOff/8
				continue
			}
			return t, inner, off
		}
		return nil, nil, 0
	}
	return nil, nil, 0
}

// instr notes what an instruction says of places.
func (ps *Table) instr(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	switch in.Op {
	case ir.OpStore:
		if !in.Args[0].Type().IsPtr() {
			return
		}
		for _, p := range PlacesAt(vars, in.Args[1]) {
			ps.get(p).Stored(in.Args[0])
		}
		ps.strays(vars, in)
		to := vars[in.Args[1]]
		from := cast(in.Args[0])
		if to == nil || to.T == nil || to.T.Kind != ir.DPointer || !ir.IsStruct(to.T.Elem) || from == nil {
			return
		}
		for _, p := range PlacesAt(vars, from.Args[0]) {
			ps.get(p).As = to.T.Elem
		}
	case ir.OpCall:
		ps.call(vars, in)
	}
}

// call notes what a call says of places: the type of the function that it calls through a pointer, and that
// memcpy changes what is at its destination.
func (ps *Table) call(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	if from := cast(in.Callee); from != nil && in.Sig != nil {
		_, t, off := ObjectAt(vars, from.Args[0])
		if t = PartAt(t, off, IsFunction); t != nil && ps.Sigs[t.Elem.Name] == nil {
			ps.Sigs[t.Elem.Name] = in.Sig
		}
	}
	if in.Model != ir.ModelMemcpy && in.Model != ir.ModelMemmove {
		return
	}
	ps.literal(vars, in)
	g := ir.VariableAt(in.Args[0])
	if g == nil || g.Var == nil {
		return
	}
	for _, f := range PointersIn(g.Var.T, "", 0) {
		if IsFunction(f.T) {
			continue // see rewritten
		}
		ps.get(Place{Global: g, Off: f.Off}).Stored(in)
	}
}

// cast returns the load that v is the value of, nil if it is another's.
func cast(v ir.Value) *ir.Instr {
	for n := 0; n < policy.ExpressionSteps; n++ {
		in, ok := v.(*ir.Instr)
		switch {
		case !ok:
			return nil
		case in.Op == ir.OpLoad && in.T.IsPtr():
			return in
		case in.Op != ir.OpBitcast && in.Op != ir.OpFreeze:
			return nil
		}
		v = in.Args[0]
	}
	return nil
}

// Uncast returns the pointer that v is another type of.
func Uncast(v ir.Value) ir.Value {
	for {
		in, ok := v.(*ir.Instr)
		if !ok || in.Op != ir.OpBitcast {
			return v
		}
		v = in.Args[0]
	}
}

// IsFunction reports a pointer to a function.
func IsFunction(t *ir.DType) bool {
	return t != nil && t.Kind == ir.DPointer && t.Elem != nil && t.Elem.Kind == ir.DFunc
}
