package ranges

import (
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// call notes that a called function may write what it is given the address of.
func (s *Table) call(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	switch in.Model {
	case ir.ModelFree, ir.ModelLifetimeStart, ir.ModelLifetimeEnd:
		return
	case ir.ModelMemset:
		if !ir.IsConst(in.Args[1], 0) {
			s.filled(vars, in.Args[0])
		}
		return
	case ir.ModelMemcpy, ir.ModelMemmove:
		to, from := objectType(vars, in.Args[0]), objectType(vars, in.Args[1])
		if !ir.IsStruct(to) || !ir.IsStruct(from) || places.LayoutOf(to) != places.LayoutOf(from) {
			s.filled(vars, in.Args[0])
		}
		return
	}
	var params []*ir.Var
	if f := ir.CalledFunc(in); f != nil && !f.IsDecl() {
		params = ir.ParamVars(f)
		s.passes(f, in.Args)
	}
	for i, v := range in.Args {
		var to *ir.DType
		if i < len(params) && params[i] != nil {
			to = params[i].T
		}
		if c, ok := v.(*ir.Const); ok && in.Model == ir.ModelNone && ir.CalledFunc(in) != nil && ir.CalledFunc(in).IsDecl() &&
			c.Global != nil {
			s.filled(vars, c) // whether it is taken for bytes is not known
		}
		s.leaves(vars, v, to, 0)
	}
}

// passes notes the parameters of f that a call passes something else than a constant enumerator.
func (s *Table) passes(f *ir.Func, args []ir.Value) {
	for i, v := range args {
		if i < len(f.Params) && s.enums[f.Params[i]] != nil && !IsEnumerator(v, s.enums[f.Params[i]]) {
			s.passed[f.Params[i]] = true
		}
	}
}

// numbered notes that an address becomes a number, which may become another address.
func (s *Table) numbered(vars map[ir.Value]*ir.Var, v ir.Value) {
	s.changed(vars, v, anyWidth, nil)
	for _, o := range places.ObjectsAt(vars, v) {
		s.other(places.PartAt(o.T, o.Off, ir.IsAggregate), 0)
	}
}

// objectType returns the type of what an address leads to; nil where it is not known.
func objectType(vars map[ir.Value]*ir.Var, v ir.Value) *ir.DType {
	if _, t, off := places.ObjectAt(vars, v); off == 0 {
		return t
	}
	return nil
}

// filled notes that bytes of any kind are written at v.
func (s *Table) filled(vars map[ir.Value]*ir.Var, v ir.Value) {
	s.changed(vars, v, anyWidth, nil)
	for _, o := range places.ObjectsAt(vars, v) {
		if of, _, _ := places.MemberIn(o.T, o.Off); of != nil {
			s.other(of, 0)
		}
		if o.Off == 0 {
			s.other(o.T, 0)
		}
	}
}

// leaves notes that v, if it is an address, goes where it is taken for a pointer of a type, nil where that is not known:
// a member may be written through it, and a structure as something else than it is.
func (s *Table) leaves(vars map[ir.Value]*ir.Var, v ir.Value, to *ir.DType, depth int) {
	if !v.Type().IsPtr() || depth > policy.ExpressionSteps {
		return
	}
	switch x := places.Uncast(v).(type) {
	case *ir.Const:
		s.address(x, to)
		return
	case *ir.Instr:
		if x.Op == ir.OpPhi || x.Op == ir.OpSelect {
			for _, a := range x.Args {
				s.leaves(vars, a, to, depth+1)
			}
			return
		}
	}
	for _, o := range places.ObjectsAt(vars, v) {
		switch {
		case !o.Known():
			s.other(o.T, 0)
			s.leavesUnknown(v, to)
		case isMember(v) && o.Beyond():
			s.other(o.T, 0)
		case isMember(v) && !isPart(o.T, o.Off, to):
			for _, p := range places.PlacesIn(o.Global, o.T, o.Off) {
				s.get(p).Any = true
			}
		}
		if places.Uncast(v) != v {
			s.other(places.PartAt(o.T, o.Off, ir.IsAggregate), 0)
		}
	}
}

// leavesUnknown notes that v, an address in an object that is not known, goes where it is taken for a pointer of a type;
// nil: that is not known.
func (s *Table) leavesUnknown(v ir.Value, to *ir.DType) {
	switch {
	case !isMember(v):
	case to == nil || to.Kind != ir.DPointer || !ir.IsStruct(to.Elem) && !ir.IsNumber(to.Elem):
		s.Loose[anyWidth] = true
	case ir.IsNumber(to.Elem):
		s.Loose[to.Elem.Bits] = true
	}
}

// address notes that the constant address c goes where it is taken for a pointer of a type; nil: it is not known.
func (s *Table) address(c *ir.Const, to *ir.DType) {
	if c.Global == nil || c.Global.Var == nil {
		return
	}
	of, off := c.Global.Var.T, c.Off
	for of != nil && of.Kind == ir.DArray && ir.SizeInC(of.Elem) > 0 {
		of, off = of.Elem, off%ir.SizeInC(of.Elem)
	}
	if whole := off == 0 && to == nil; !whole && !isPart(of, off, to) {
		s.filled(nil, c)
	}
}

// isPart reports whether the structure that a pointer of type to leads to stands off bytes into a t, as what it is.
func isPart(t *ir.DType, off int64, to *ir.DType) bool {
	return to != nil && to.Kind == ir.DPointer && ir.IsStruct(to.Elem) && places.PartAt(t, off, func(t *ir.DType) bool {
		return t.Kind == ir.DStruct && places.LayoutOf(t) == places.LayoutOf(to.Elem)
	}) != nil
}

// other notes that an object of type t is taken for one of another.
func (s *Table) other(t *ir.DType, depth int) {
	if t == nil || depth > policy.ExpressionSteps {
		return
	}
	if t.Kind == ir.DArray {
		s.other(t.Elem, depth+1)
	}
	if ir.IsAggregate(t) {
		if t.Kind == ir.DStruct {
			s.Wild[places.LayoutOf(t)] = true
		}
		for i := range t.Fields {
			s.other(t.Fields[i].T, depth+1)
		}
	}
}

// isMember reports whether v is computed as the address of a member of the structure that a pointer leads to.
func isMember(v ir.Value) bool {
	for in, ok := places.Uncast(v).(*ir.Instr); ok && in.Op == ir.OpGep; in, ok = in.Args[0].(*ir.Instr) {
		if in.Flags.Has(ir.Member) {
			return true
		}
	}
	return false
}
