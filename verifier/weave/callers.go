package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Callers lists for each function those that call it by name, once each, in the order of the module.
func Callers(m *ir.Module) map[*ir.Func][]*ir.Func {
	out := map[*ir.Func][]*ir.Func{}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if g := ir.CalledFunc(in); g != nil && g != f && !slices.Contains(out[g], f) {
					out[g] = append(out[g], f)
				}
			}
		}
	}
	return out
}
