package pair

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// Settle has bytes of m hold zero that C leaves unspecified: of a union behind the member that is initialised, of padding
// (C17 6.2.6.1p6, p7). Both versions choose them otherwise apart from each other. It reports whether there are any.
func Settle(m *ir.Module) bool {
	found := false
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpFreeze {
					continue
				}
				if c, ok := in.Args[0].(*ir.Const); ok && c.Kind == ir.ConstUndef {
					in.Args[0], found = &ir.Const{T: c.T, Kind: ir.ConstZero}, true
				}
			}
		}
	}
	return found
}
