package harness

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/flow/ranges"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// elsewhere reports whether the program itself is seen to have such structures from elsewhere: a function gives one
// back, or something is handed on or kept as one that is no variable of its own, or one whose contents outlive the
// program, or code that is not called writes members in a way that is not followed.
func (c *cone) elsewhere(hd *shared) bool {
	part := func(t *ir.DType) bool {
		if !ir.IsAggregate(t) {
			return false
		}
		_, in := inside(hd.t, t)
		_, around := inside(t, hd.t)
		return in || around
	}
	other := func(vars map[ir.Value]*ir.Var, v ir.Value) bool {
		if _, param := v.(*ir.Param); param || ir.IsNullConst(v) {
			return false
		}
		list := places.ObjectsAt(vars, v)
		return len(list) == 0 || slices.ContainsFunc(list, func(o places.Object) bool {
			return o.T == nil || o.Cast || o.Global != nil && (o.Global.Extern || o.Global.Section != "") ||
				places.PartAt(o.T, o.Off, part) == nil
		})
	}
	if c.writtenBeside(hd.t) {
		return true
	}
	for _, f := range c.p.m.Funcs {
		if f.Driven() || f.Made || slices.Contains(hd.makers, f) { // what a constructor gives back, calls begin with
			continue
		}
		if t := f.DRet; t != nil && t.Kind == ir.DPointer && part(t.Elem) {
			return true
		}
		vars := f.VarsBySlot()
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch g := ir.CalledFunc(in); {
				case in.Op == ir.OpStore && in.Args[0].Type().IsPtr():
					to := vars[in.Args[1]]
					if to != nil && to.T != nil && to.T.Kind == ir.DPointer && part(to.T.Elem) && other(vars, in.Args[0]) {
						return true
					}
				case g != nil && slices.Contains(c.list, g):
					for i, t := range c.p.effectsOf(g).handed {
						if t != nil && part(t) && i < len(in.Args) && other(vars, in.Args[i]) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// writtenBeside reports whether code that the cone does not come to may write members of a t in a way that says nothing
// of the numbers there.
func (c *cone) writtenBeside(t *ir.DType) bool {
	layout := places.LayoutOf(t)
	open := func(s *ranges.Table) bool {
		if s.Wild[layout] || len(s.Loose) > 0 {
			return true
		}
		for at, x := range s.At {
			if at.Of == layout && x.Any {
				return true
			}
		}
		return false
	}
	switch {
	case !open(c.p.spans):
		return false
	case len(c.p.m.Funcs) > policy.HarnessBeside:
		return true
	}
	called := map[*ir.Func]bool{}
	for _, f := range c.list {
		maps.Copy(called, places.Reached(c.p.m, f).Funcs)
	}
	rest := *c.p.m
	rest.Funcs = slices.DeleteFunc(slices.Clone(rest.Funcs), func(f *ir.Func) bool {
		return called[f] || f.Driven() || f.Made
	})
	return open(ranges.Of(&rest, false))
}
