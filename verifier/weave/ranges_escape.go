package weave

import "github.com/firmproof/firmproof/verifier/ir"

// call notes that a called function may write what it is given the address of.
func (s *spans) call(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	switch in.Model {
	case ir.ModelFree, ir.ModelLifetimeStart, ir.ModelLifetimeEnd:
		return
	case ir.ModelMemset:
		if !isConst(in.Args[1], 0) {
			s.filled(vars, in.Args[0])
		}
		return
	case ir.ModelMemcpy, ir.ModelMemmove:
		to, from := objectType(vars, in.Args[0]), objectType(vars, in.Args[1])
		if !isStruct(to) || !isStruct(from) || layoutOf(to) != layoutOf(from) {
			s.filled(vars, in.Args[0])
		}
		return
	}
	var params []*ir.Var
	if f := calledFunc(in); f != nil && !f.IsDecl() {
		params = paramVars(f)
		s.passes(f, in.Args)
	}
	for i, v := range in.Args {
		var to *ir.DType
		if i < len(params) && params[i] != nil {
			to = params[i].T
		}
		if c, ok := v.(*ir.Const); ok && in.Model == ir.ModelNone && calledFunc(in) != nil && calledFunc(in).IsDecl() &&
			c.Global != nil {
			s.filled(vars, c) // whether it is taken for bytes is not known
		}
		s.leaves(vars, v, to, 0)
	}
}

// passes notes the parameters of f that a call passes something else than a constant enumerator.
func (s *spans) passes(f *ir.Func, args []ir.Value) {
	for i, v := range args {
		if i < len(f.Params) && s.enums[f.Params[i]] != nil && !isEnumerator(v, s.enums[f.Params[i]]) {
			s.passed[f.Params[i]] = true
		}
	}
}

// numbered notes that an address becomes a number, which may become another address.
func (s *spans) numbered(vars map[ir.Value]*ir.Var, v ir.Value) {
	s.changed(vars, v, anyWidth)
	for _, o := range objectsAt(vars, v) {
		s.other(partAt(o.t, o.off, isAggregate), 0)
	}
}

// objectType returns the type of what an address leads to; nil where it is not known.
func objectType(vars map[ir.Value]*ir.Var, v ir.Value) *ir.DType {
	if _, t, off := objectAt(vars, v); off == 0 {
		return t
	}
	return nil
}

// filled notes that bytes of any kind are written at v.
func (s *spans) filled(vars map[ir.Value]*ir.Var, v ir.Value) {
	s.changed(vars, v, anyWidth)
	for _, o := range objectsAt(vars, v) {
		if of, _, _ := memberIn(o.t, o.off); of != nil {
			s.other(of, 0)
		}
		if o.off == 0 {
			s.other(o.t, 0)
		}
	}
}

// leaves notes that v, if it is an address, goes where it is taken for a pointer of a type, nil where that is not known:
// a member may be written through it, and a structure as something else than it is.
func (s *spans) leaves(vars map[ir.Value]*ir.Var, v ir.Value, to *ir.DType, depth int) {
	if !v.Type().IsPtr() || depth > maxSteps {
		return
	}
	switch x := uncast(v).(type) {
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
	for _, o := range objectsAt(vars, v) {
		switch {
		case !o.known():
			s.other(o.t, 0)
			s.leavesUnknown(v, to)
		case isMember(v) && o.beyond():
			s.other(o.t, 0)
		case isMember(v) && !isPart(o.t, o.off, to):
			for _, p := range placesIn(o.g, o.t, o.off) {
				s.get(p).any = true
			}
		}
		if uncast(v) != v {
			s.other(partAt(o.t, o.off, isAggregate), 0)
		}
	}
}

// leavesUnknown notes that v, an address in an object that is not known, goes where it is taken for a pointer of a type;
// nil: that is not known.
func (s *spans) leavesUnknown(v ir.Value, to *ir.DType) {
	switch {
	case !isMember(v):
	case to == nil || to.Kind != ir.DPointer || !isStruct(to.Elem) && !isNumber(to.Elem):
		s.loose[anyWidth] = true
	case isNumber(to.Elem):
		s.loose[to.Elem.Bits] = true
	}
}

// address notes that the constant address c goes where it is taken for a pointer of a type; nil: it is not known.
func (s *spans) address(c *ir.Const, to *ir.DType) {
	if c.Global == nil || c.Global.Var == nil {
		return
	}
	of, off := c.Global.Var.T, c.Off
	for of != nil && of.Kind == ir.DArray && sizeOf(of.Elem) > 0 {
		of, off = of.Elem, off%sizeOf(of.Elem)
	}
	if whole := off == 0 && to == nil; !whole && !isPart(of, off, to) {
		s.filled(nil, c)
	}
}

// isPart reports whether the structure that a pointer of type to leads to stands off bytes into a t, as what it is.
func isPart(t *ir.DType, off int64, to *ir.DType) bool {
	return to != nil && to.Kind == ir.DPointer && isStruct(to.Elem) && partAt(t, off, func(t *ir.DType) bool {
		return t.Kind == ir.DStruct && layoutOf(t) == layoutOf(to.Elem)
	}) != nil
}

// other notes that an object of type t is taken for one of another.
func (s *spans) other(t *ir.DType, depth int) {
	if t == nil || depth > maxSteps {
		return
	}
	if t.Kind == ir.DArray {
		s.other(t.Elem, depth+1)
	}
	if isAggregate(t) {
		if t.Kind == ir.DStruct {
			s.wild[layoutOf(t)] = true
		}
		for i := range t.Fields {
			s.other(t.Fields[i].T, depth+1)
		}
	}
}

// isMember reports whether v is computed as the address of a member of the structure that a pointer leads to.
func isMember(v ir.Value) bool {
	for in, ok := uncast(v).(*ir.Instr); ok && in.Op == ir.OpGep; in, ok = in.Args[0].(*ir.Instr) {
		if in.Flags.Has(ir.Member) {
			return true
		}
	}
	return false
}
