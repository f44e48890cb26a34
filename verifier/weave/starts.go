package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// NoteStarts notes of the functions of m without a body those that a call hands a function of the program, itself or in
// what an argument leads to: such a call may have it run later, or beside the program.
func NoteStarts(m *ir.Module) {
	for _, f := range m.Funcs {
		vars := map[ir.Value]*ir.Var{}
		for _, v := range f.Vars {
			if v.Slot != nil {
				vars[v.Slot] = v
			}
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				g := ir.CalledFunc(in)
				if g == nil || !g.IsDecl() || g.Model != ir.ModelNone || g.Starts {
					continue
				}
				g.Starts = slices.ContainsFunc(in.Args, func(v ir.Value) bool { return handsFunction(vars, v, 0) })
			}
		}
	}
}

// handsFunction reports whether v may lead to a function of the program. vars are the variables of the function, by
// what holds them.
func handsFunction(vars map[ir.Value]*ir.Var, v ir.Value, depth int) bool {
	if depth > 8 {
		return true // who knows
	}
	switch v := ir.Root(v).(type) {
	case *ir.Const:
		switch {
		case v.Kind != ir.ConstAddr:
			return false
		case v.Func != nil:
			return !v.Func.IsDecl() && v.Label == nil
		}
		return v.Global != nil && (v.Global.Var != nil && leadsToFunction(v.Global.Var.T, policy.StartsDeep) ||
			v.Global.Init != nil && namesFunction(v.Global.Init))
	case *ir.Param:
		return vars[v] != nil && leadsToFunction(vars[v].T, policy.StartsDeep)
	case *ir.Instr:
		switch v.Op {
		case ir.OpAlloca:
			return vars[v] != nil && leadsToFunction(vars[v].T, policy.StartsDeep)
		case ir.OpLoad:
			return v.T.IsPtr() && handsFunction(vars, v.Args[0], depth+1)
		case ir.OpPhi, ir.OpSelect:
			return slices.ContainsFunc(v.Args, func(a ir.Value) bool { return handsFunction(vars, a, depth+1) })
		}
	}
	return false
}

// leadsToFunction reports whether a value of type t holds a pointer to a function, or leads to one through a few others.
func leadsToFunction(t *ir.DType, deep int) bool {
	if t == nil || deep < 0 {
		return false
	}
	switch t.Kind {
	case ir.DFunc:
		return true
	case ir.DPointer:
		return leadsToFunction(t.Elem, deep-1)
	case ir.DArray:
		return leadsToFunction(t.Elem, deep)
	case ir.DStruct, ir.DUnion:
		return slices.ContainsFunc(t.Fields, func(f ir.DField) bool { return leadsToFunction(f.T, deep) })
	}
	return false
}

// namesFunction reports whether an initialiser holds the address of a function.
func namesFunction(c *ir.Const) bool {
	return c.Kind == ir.ConstAddr && c.Func != nil || slices.ContainsFunc(c.Elems, namesFunction)
}
