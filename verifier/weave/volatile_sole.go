package weave

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// soleWriters returns the volatile numbers that one function alone writes, with it: variables that no other file names,
// and whose address is used for loads and stores alone.
func (s *spans) soleWriters(m *ir.Module) map[*ir.Global]*ir.Func {
	out, several := map[*ir.Global]*ir.Func{}, map[*ir.Global]bool{}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				at, ok := s.of[in]
				if !ok || in.Op != ir.OpStore || at.of != "" {
					continue
				}
				several[at.g] = several[at.g] || out[at.g] != nil && out[at.g] != f
				out[at.g] = f
			}
		}
	}
	for g := range out {
		if several[g] || g.Var.Public || s.at[place{g: g}].any {
			delete(out, g)
		}
	}
	return out
}

// isSole reports a load or store of a volatile number that its function alone writes.
func (s *spans) isSole(in *ir.Instr) bool {
	at, ok := s.of[in]
	return ok && at.of == "" && in.Flags.Has(ir.Volatile) && s.soles[at.g] == in.Block.Func
}

// keepSole has a load of a volatile number that its function alone writes give what is in memory, and notes what that
// takes for granted.
func (p *Program) keepSole(in *ir.Instr) {
	if in.Op != ir.OpLoad || !p.spans.isSole(in) {
		return
	}
	f, g := in.Block.Func, p.spans.of[in].g
	a := verdict.Assume(g.Var.Name, verdict.Contents, verdict.Chosen, fmt.Sprintf(
		"%s is as %s left it, which alone writes it: nothing calls that while it runs", g.Var.Name, f.CName))
	in.Flags |= ir.Sole
	brings(a.ID, in)
	p.sole[f] = verdict.AddAssumptions(p.sole[f], a)
}

// soleIn lists what is taken for granted of such numbers that the functions of reached write, in the order of the program.
func (p *Program) soleIn(reached Reach) []verdict.Assumption {
	var out []verdict.Assumption
	for _, f := range p.m.Funcs {
		if reached.Funcs[f] {
			out = verdict.AddAssumptions(out, p.sole[f]...)
		}
	}
	return out
}
