package weave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// place is a pointer that objects or variables of a program hold: a member of a kind of structure, the same in
// all its objects, or a part of one variable. Structures are told by the names of their members, since each
// unit of a program describes its own.
type place struct {
	of  string     // the members of the structure
	g   *ir.Global // or the variable
	off int64
}

// held says what a program does with a place.
type held struct {
	funcs  []*ir.Func // that are stored there
	others bool       // something else is stored there
	fixed  []fixed    // constant addresses among the others
	varies bool       // addresses that are not constant are among the others
	passed bool       // it is a parameter: stored is what calls pass
	set    bool       // by the code, not by an initialiser
	null   []*ir.Func // that compare it with null
	ends   []*ir.Func // that compare with null what they copied from it, if it leads to a structure of its own kind
	as     *ir.DType  // a void pointer: what it is taken for
	puts   []*ir.Func // those of funcs that the code stores
	any    bool       // it may be written as something else: any function may be stored there
}

// places knows what a program stores in places, and how it calls functions through pointers.
type places struct {
	layout *ir.Layout
	at     map[place]*held
	sigs   map[string]*ir.Type // of calls, by the type of the function in C
	stray  held                // functions that are stored where no place is known
	re     *rewritten
}

func placesOf(m *ir.Module) *places {
	ps := &places{layout: &m.Layout, at: map[place]*held{}, sigs: map[string]*ir.Type{}, re: rewrittenOf(m)}
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
			}
		}
		ps.links(vars, f)
	}
	return ps
}

// get returns what is known of a place, to be added to.
func (ps *places) get(p place) *held {
	if ps.at[p] == nil {
		ps.at[p] = &held{}
	}
	return ps.at[p]
}

// stored notes that v is stored at a place.
func (h *held) stored(v ir.Value) {
	c, ok := v.(*ir.Const)
	h.set = h.set || !ok || c.Kind != ir.ConstNull
	switch {
	case ok && c.Kind == ir.ConstAddr && c.Func != nil && c.Off == 0:
		h.funcs, h.puts = withFunc(h.funcs, c.Func), withFunc(h.puts, c.Func)
	case !ok || c.Kind != ir.ConstNull:
		h.others = true
		if f, constant := fixedOf(v); !constant {
			h.varies = true
		} else if !slices.Contains(h.fixed, f) {
			h.fixed = append(h.fixed, f)
		}
	}
}

// initial notes the functions in the initialiser of an object of type t, which is the variable g or none.
func (ps *places) initial(g *ir.Global, t *ir.DType, c *ir.Const, off int64) {
	if c.Kind == ir.ConstAgg {
		for i, e := range c.Elems {
			ps.initial(g, t, e, off+ps.layout.FieldOffset(c.T, i))
		}
		return
	}
	if c.Func == nil {
		return
	}
	for _, p := range placesIn(g, t, off) {
		ps.initially(p, c)
	}
}

// initially notes that an initialiser puts a function at a place.
func (ps *places) initially(p place, c *ir.Const) {
	h := ps.get(p)
	set, puts := h.set, h.puts
	h.stored(c)
	h.set, h.puts = set, puts
}

// withFunc returns list with f in it.
func withFunc(list []*ir.Func, f *ir.Func) []*ir.Func {
	if slices.Contains(list, f) {
		return list
	}
	return append(list[:len(list):len(list)], f)
}

// elementAt returns element i of a constant of n members; nil where padding or bit-fields make the count differ.
func elementAt(c *ir.Const, i, n int) *ir.Const {
	if c.Kind != ir.ConstAgg || len(c.Elems) != n {
		return nil
	}
	return c.Elems[i]
}

// layoutOf tells kinds of structures by the names of their members.
func layoutOf(t *ir.DType) string {
	names := make([]string, len(t.Fields))
	for i := range t.Fields {
		names[i] = t.Fields[i].Name
	}
	return fmt.Sprintf("%s/%d", strings.Join(names, ","), t.Bits)
}

// placesAt returns the places that an address in a function with these variables names: the member of the
// innermost structure, and the part of a variable.
func placesAt(vars map[ir.Value]*ir.Var, addr ir.Value) []place {
	var out []place
	for _, o := range objectsAt(vars, addr) {
		if !o.cast && !o.moved {
			out = append(out, placesIn(o.g, o.t, o.off)...)
		}
	}
	return out
}

// placesIn returns the places off bytes into an object of type t, which is the variable g or none.
func placesIn(g *ir.Global, t *ir.DType, off int64) []place {
	var out []place
	if g != nil {
		out = append(out, place{g: g, off: inFirst(t, off)})
	}
	if of, _, off := memberIn(t, off); of != nil {
		out = append(out, place{of: layoutOf(of), off: off})
	}
	return out
}

// objectAt returns the object that an address leads into; nothing of it where it may be one of several.
func objectAt(vars map[ir.Value]*ir.Var, addr ir.Value) (g *ir.Global, t *ir.DType, off int64) {
	if list := objectsAt(vars, addr); len(list) == 1 && !list[0].cast && !list[0].moved {
		return list[0].g, list[0].t, list[0].off
	}
	return nil, nil, 0
}

// memberIn returns the member of the innermost structure that stands off bytes into a t, and how many bytes into that
// structure; nil where there is none.
func memberIn(t *ir.DType, off int64) (of *ir.DType, f *ir.DField, at int64) {
	for t != nil {
		switch t.Kind {
		case ir.DArray:
			size := sizeOf(t.Elem)
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
func (ps *places) instr(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	switch in.Op {
	case ir.OpStore:
		if !in.Args[0].Type().IsPtr() {
			return
		}
		for _, p := range placesAt(vars, in.Args[1]) {
			ps.get(p).stored(in.Args[0])
		}
		ps.strays(vars, in)
		to := vars[in.Args[1]]
		from := cast(in.Args[0])
		if to == nil || to.T == nil || to.T.Kind != ir.DPointer || !isStruct(to.T.Elem) || from == nil {
			return
		}
		for _, p := range placesAt(vars, from.Args[0]) {
			ps.get(p).as = to.T.Elem
		}
	case ir.OpIcmp:
		if asserts(in.Block) {
			return
		}
		for i, v := range in.Args {
			c, ok := in.Args[1-i].(*ir.Const)
			if from := cast(v); ok && c.Kind == ir.ConstNull && from != nil && !guardsTrap(in.Block) {
				for _, p := range placesAt(vars, from.Args[0]) {
					ps.get(p).null = append(ps.get(p).null, in.Block.Func)
				}
			}
		}
	case ir.OpCall:
		ps.call(vars, in)
	}
}

// call notes what a call says of places: the type of the function that it calls through a pointer, and that
// memcpy changes what is at its destination.
func (ps *places) call(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	if from := cast(in.Callee); from != nil && in.Sig != nil {
		_, t, off := objectAt(vars, from.Args[0])
		if t = partAt(t, off, isFunction); t != nil && ps.sigs[t.Elem.Name] == nil {
			ps.sigs[t.Elem.Name] = in.Sig
		}
	}
	if in.Model != ir.ModelMemcpy && in.Model != ir.ModelMemmove {
		return
	}
	ps.literal(vars, in)
	c, ok := root(in.Args[0]).(*ir.Const)
	if !ok || c.Global == nil || c.Global.Var == nil {
		return
	}
	for _, f := range pointersIn(c.Global.Var.T, "", 0) {
		if isFunction(f.t) {
			continue // see rewritten
		}
		ps.get(place{g: c.Global, off: f.off}).stored(in)
	}
}

// cast returns the load that v is the value of, nil if it is another's.
func cast(v ir.Value) *ir.Instr {
	for n := 0; n < maxSteps; n++ {
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

// uncast returns the pointer that v is another type of.
func uncast(v ir.Value) ir.Value {
	for {
		in, ok := v.(*ir.Instr)
		if !ok || in.Op != ir.OpBitcast {
			return v
		}
		v = in.Args[0]
	}
}

func isFunction(t *ir.DType) bool {
	return t != nil && t.Kind == ir.DPointer && t.Elem != nil && t.Elem.Kind == ir.DFunc
}
