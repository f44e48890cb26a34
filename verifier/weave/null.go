package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// OrNull has pointers that a harness takes not to be null be null as well. names are what they are called, by the IDs of
// the assumptions that say so.
func OrNull(m *ir.Module, names map[string]string) {
	b := &irbuild.Builder{Module: m}
	given := func(in *ir.Instr) string {
		if in.Op == ir.OpFreeze {
			for _, id := range in.Assumes {
				if names[id] != "" {
					return id
				}
			}
		}
		return ""
	}
	for _, f := range m.Funcs {
		if !slices.ContainsFunc(f.Blocks, func(blk *ir.Block) bool {
			return slices.ContainsFunc(blk.Instrs, func(in *ir.Instr) bool { return given(in) != "" })
		}) {
			continue
		}
		b.RewriteFunc(f, func(in *ir.Instr) {
			if id := given(in); id != "" {
				isNull := b.Nondet(names[id]+ir.IsNull, ir.Int(1))
				in.Op, in.Args = ir.OpSelect, []ir.Value{isNull, b.Null(), in.Args[0]}
				in.Assumes = slices.DeleteFunc(slices.Clone(in.Assumes), func(a string) bool { return a == id })
			}
			b.Keep(in)
		})
	}
	m.Funcs = append(m.Funcs, b.Decls...)
}
