package weave

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// EnumConversions takes the check off implicit conversions to enumerations whose value
// becomes a result or a variable: CBMC checks conversions to integer types only. It
// changes m, and gives the assumption that this makes, if there is one.
func EnumConversions(m *ir.Module) []verdict.Assumption {
	found := false
	for _, f := range m.Funcs {
		slots := map[ir.Value]bool{}
		for _, v := range f.Vars {
			slots[v.Slot] = v.T != nil && v.T.Kind == ir.DEnum
		}
		for _, b := range f.Blocks {
			to := conversion(b)
			if to == nil || !keepsEnum(f, to, slots) {
				continue
			}
			passTrap(b, to)
			found = true
		}
	}
	if !found {
		return nil
	}
	return []verdict.Assumption{verdict.Assume("", verdict.Meaning, verdict.Declared,
		"meaning of CBMC: conversions to enumerations are not checked")}
}

// conversion is where a block goes on whose branch checks an implicit conversion, or nil.
// The other block is the one for values that change.
func conversion(b *ir.Block) *ir.Block {
	t := b.Term()
	if t.Op != ir.OpCondBr {
		return nil
	}
	for i, s := range t.Targets {
		if first := s.Instrs[0]; first.Op == ir.OpTrap && first.Check == verdict.Conversion {
			return t.Targets[1-i]
		}
	}
	return nil
}

// keepsEnum reports whether the first thing that to does is to store into an
// enumeration, or to return one. A block that others lead to as well, or that has
// phis, does more.
func keepsEnum(f *ir.Func, to *ir.Block, slots map[ir.Value]bool) bool {
	result := f.DRet != nil && f.DRet.Kind == ir.DEnum
	first := to.Instrs[0]
	// the end of scopes
	for i := 1; i < len(to.Instrs) && (first.Model == ir.ModelLifetimeEnd || first.Op == ir.OpBitcast); i++ {
		first = to.Instrs[i]
	}
	if len(to.Preds) != 1 || first.Op != ir.OpStore {
		return len(to.Preds) == 1 && first.Op == ir.OpRet && result
	}
	slot, ok := first.Args[1].(*ir.Instr)
	return ok && slot.Op == ir.OpAlloca && (slots[slot] || slot.Name == "retval" && result)
}
