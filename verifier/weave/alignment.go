package weave

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// AnyAlignment lets reads and writes be at any address, as CBMC does: C leaves those undefined that are not aligned.
func AnyAlignment(m *ir.Module) {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if (in.Op == ir.OpLoad || in.Op == ir.OpStore) && !in.Flags.Has(ir.Atomic) {
					in.Align = 1
				}
			}
		}
	}
}
