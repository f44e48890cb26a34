package prepare

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// markersOf lists the variables that nothing defines and that may stand for an address alone, as those of a linker
// script do: `extern char _end`. Where the program compares a pointer with the address of such a variable, it walks
// from one to another, so that their declared types say nothing about what is there. A structure or an array of a
// declared size is none of them.
func markersOf(m *ir.Module) []string {
	compared := false
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			compared = compared || slices.ContainsFunc(b.Instrs, func(in *ir.Instr) bool {
				return in.Op == ir.OpIcmp && slices.ContainsFunc(in.Args, isUndefinedVariable) &&
					!slices.ContainsFunc(in.Args, isNull)
			})
		}
	}
	if !compared {
		return nil
	}
	var out []string
	for _, g := range m.Globals {
		if g.MayMark() {
			out = append(out, g.Name)
		}
	}
	return out
}

func isUndefinedVariable(v ir.Value) bool {
	c, ok := v.(*ir.Const)
	return ok && c.Kind == ir.ConstAddr && c.Global != nil && c.Global.Extern
}

func isNull(v ir.Value) bool {
	c, ok := v.(*ir.Const)
	return ok && c.Kind == ir.ConstNull
}
