package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// rewritten says what a program does with objects that hold pointers to functions, beside stores in their members.
type rewritten struct {
	m      *ir.Module
	kinds  map[string]bool     // structures that may be written as something else: as bytes, words, another structure
	vars   map[*ir.Global]bool // variables that may be
	copied map[string]bool     // structures that others of their kind are copied to
	whole  map[*ir.Global]bool // variables that others of their type are copied to
	taken  map[*ir.Global]bool // variables that may be changed through pointers to their type
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
	r := &rewritten{m: m, kinds: map[string]bool{}, vars: map[*ir.Global]bool{}, copied: map[string]bool{},
		whole: map[*ir.Global]bool{}, taken: map[*ir.Global]bool{}, memo: map[passing]bool{}}
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
	if c.Global == nil || c.Global.Var == nil || !holdsFunction(c.Global.Var.T) {
		return
	}
	r.taken[c.Global] = true
	if t == nil || t.Kind != ir.DPointer || !agrees(c.Global.Var.T, t.Elem) {
		r.note(c.Global, c.Global.Var.T)
	}
}

// note notes that an object of type t, the variable g or none, may be written as something else.
func (r *rewritten) note(g *ir.Global, t *ir.DType) {
	if g != nil {
		r.vars[g] = true
	}
	for _, of := range structsIn(t) {
		r.kinds[of] = true
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
					key := any(o.g)
					if o.g == nil {
						key = layoutOf(o.t)
					}
					if seen[key] {
						continue
					}
					seen[key] = true
					way := &trail{r: r, f: f, vars: vars, g: o.g, t: o.t}
					if way.writes() {
						r.note(o.g, o.t)
					}
				}
			}
		}
	}
}

// origins returns the objects with pointers to functions that v is the address of, or of a part of them.
func (r *rewritten) origins(vars map[ir.Value]*ir.Var, v ir.Value) []object {
	base := root(v)
	if c, ok := base.(*ir.Const); ok {
		if g := c.Global; g != nil && g.Var != nil && holdsFunction(g.Var.T) {
			return []object{{g: g, t: g.Var.T}}
		}
		return nil
	}
	var out []object
	for _, o := range objectsAt(vars, base) {
		t := element(o.t)
		if o.g == nil && !o.cast && isAggregate(t) && holdsFunction(t) {
			out = append(out, object{t: t})
		}
	}
	return out
}

// element returns the type of the innermost elements of an array; t where it is none.
func element(t *ir.DType) *ir.DType {
	for t != nil && t.Kind == ir.DArray {
		t = t.Elem
	}
	return t
}

// holdsFunction reports whether an object of type t has a pointer to a function in it.
func holdsFunction(t *ir.DType) bool {
	t = element(t)
	return isFunction(t) || isAggregate(t) && slices.ContainsFunc(t.Fields, func(f ir.DField) bool {
		return holdsFunction(f.T)
	})
}

// structsIn lists the kinds of t and of the structures in it.
func structsIn(t *ir.DType) []string {
	t = element(t)
	if !isAggregate(t) {
		return nil
	}
	out := []string{layoutOf(t)}
	for i := range t.Fields {
		out = append(out, structsIn(t.Fields[i].T)...)
	}
	return out
}

// agrees reports whether an object of type t, or a part of it, is what a pointer to a u leads to, or a part of that.
func agrees(t, u *ir.DType) bool {
	t, u = element(t), element(u)
	if t == nil || u == nil {
		return false
	}
	if !isAggregate(u) {
		return isFunction(u) // what is stored there is noted where it is
	}
	return slices.Contains(structsIn(t), layoutOf(u)) || isAggregate(t) && slices.Contains(structsIn(u), layoutOf(t))
}
