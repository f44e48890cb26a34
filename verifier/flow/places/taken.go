package places

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// rewritten says what a program does with objects that hold pointers to functions, beside stores in their members.
type rewritten struct {
	m      *ir.Module
	Kinds  map[string]bool     // structures that may be written as something else: as bytes, words, another structure
	Vars   map[*ir.Global]bool // variables that may be
	Copied map[string]bool     // structures that others of their kind are copied to
	Whole  map[*ir.Global]bool // variables that others of their type are copied to
	Taken  map[*ir.Global]bool // variables that may be changed through pointers to their type
	memo   map[passing]bool
}

// passing is an address of an object that is passed to a function.
type passing struct {
	to   *ir.Param
	kind string
	t    *ir.DType // where kind is none
	size int64
}

func rewrittenOf(m *ir.Module) *rewritten {
	r := &rewritten{m: m, Kinds: map[string]bool{}, Vars: map[*ir.Global]bool{}, Copied: map[string]bool{},
		Whole: map[*ir.Global]bool{}, Taken: map[*ir.Global]bool{}, memo: map[passing]bool{}}
	for _, g := range m.Globals {
		if g.Init != nil {
			var t *ir.DType
			if g.Var != nil {
				t = g.Var.T
			}
			r.initial(t, g.Init)
		}
	}
	for _, f := range m.Funcs {
		r.code(f)
	}
	return r
}

// initial notes the addresses in an initialiser of type t.
func (r *rewritten) initial(t *ir.DType, c *ir.Const) {
	for i, e := range c.Elems {
		var inner *ir.DType
		switch {
		case t == nil:
		case t.Kind == ir.DArray:
			inner = t.Elem
		case t.Kind == ir.DStruct && len(c.Elems) == len(t.Fields):
			inner = t.Fields[i].T
		}
		r.initial(inner, e)
	}
	if c.Global == nil || c.Global.Var == nil || !HoldsFunction(c.Global.Var.T) {
		return
	}
	r.Taken[c.Global] = true
	if t == nil || t.Kind != ir.DPointer || !agrees(c.Global.Var.T, t.Elem) {
		r.note(c.Global, c.Global.Var.T)
	}
}

// note notes that an object of type t, the variable g or none, may be written as something else.
func (r *rewritten) note(g *ir.Global, t *ir.DType) {
	if g != nil {
		r.Vars[g] = true
	}
	for _, of := range StructsIn(t) {
		r.Kinds[of] = true
	}
}

// code notes what a function does with the objects that hold pointers to functions.
func (r *rewritten) code(f *ir.Func) {
	vars, seen := f.VarsBySlot(), map[any]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for _, v := range in.Args {
				if !v.Type().IsPtr() {
					continue
				}
				for _, o := range r.origins(vars, v) {
					key := any(o.Global)
					if o.Global == nil {
						key = LayoutOf(o.T)
					}
					if seen[key] {
						continue
					}
					seen[key] = true
					way := &trail{r: r, f: f, vars: vars, g: o.Global, t: o.T}
					if way.writes() {
						r.note(o.Global, o.T)
					}
				}
			}
		}
	}
}

// origins returns the objects with pointers to functions that v is the address of, or of a part of them.
func (r *rewritten) origins(vars map[ir.Value]*ir.Var, v ir.Value) []Object {
	base := ir.Root(v)
	if c, ok := base.(*ir.Const); ok {
		if g := c.Global; g != nil && g.Var != nil && HoldsFunction(g.Var.T) {
			return []Object{{Global: g, T: g.Var.T}}
		}
		return nil
	}
	var out []Object
	for _, o := range ObjectsAt(vars, base) {
		t := Element(o.T)
		if o.Global == nil && !o.Cast && ir.IsAggregate(t) && HoldsFunction(t) {
			out = append(out, Object{T: t})
		}
	}
	return out
}

// Element returns the type of the innermost elements of an array; t where it is none.
func Element(t *ir.DType) *ir.DType {
	for t != nil && t.Kind == ir.DArray {
		t = t.Elem
	}
	return t
}

// HoldsFunction reports whether an object of type t has a pointer to a function in it.
func HoldsFunction(t *ir.DType) bool {
	t = Element(t)
	return IsFunction(t) || ir.IsAggregate(t) && slices.ContainsFunc(t.Fields, func(f ir.DField) bool {
		return HoldsFunction(f.T)
	})
}

// StructsIn lists the kinds of t and of the structures in it.
func StructsIn(t *ir.DType) []string {
	t = Element(t)
	if !ir.IsAggregate(t) {
		return nil
	}
	out := []string{LayoutOf(t)}
	for i := range t.Fields {
		out = append(out, StructsIn(t.Fields[i].T)...)
	}
	return out
}

// agrees reports whether an object of type t, or a part of it, is what a pointer to a u leads to, or a part of that.
func agrees(t, u *ir.DType) bool {
	t, u = Element(t), Element(u)
	if t == nil || u == nil {
		return false
	}
	if !ir.IsAggregate(u) {
		return IsFunction(u) // what is stored there is noted where it is
	}
	return slices.Contains(StructsIn(t), LayoutOf(u)) || ir.IsAggregate(t) && slices.Contains(StructsIn(u), LayoutOf(t))
}
