package ranges

import (
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// soleWriters returns the volatile numbers that one function alone writes, with it: variables that no other file names,
// and whose address is used for loads and stores alone.
func (s *Table) soleWriters(m *ir.Module) map[*ir.Global]*ir.Func {
	out, several := map[*ir.Global]*ir.Func{}, map[*ir.Global]bool{}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				at, ok := s.Of[in]
				if !ok || in.Op != ir.OpStore || at.Of != "" {
					continue
				}
				several[at.Global] = several[at.Global] || out[at.Global] != nil && out[at.Global] != f
				out[at.Global] = f
			}
		}
	}
	for g := range out {
		if several[g] || g.Var.Public || s.At[places.Place{Global: g}].Any {
			delete(out, g)
		}
	}
	return out
}

// IsSole reports a load or store of a volatile number that its function alone writes.
func (s *Table) IsSole(in *ir.Instr) bool {
	at, ok := s.Of[in]
	return ok && at.Of == "" && in.Flags.Has(ir.Volatile) && s.Soles[at.Global] == in.Block.Func
}
