package harness

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// keepSole has a load of a volatile number that its function alone writes give what is in memory, and returns what that
// takes for granted.
func (p *Program) keepSole(in *ir.Instr) (a verdict.Assumption, is bool) {
	if !p.spans.IsSole(in) {
		return a, false
	}
	f, g := in.Block.Func, p.spans.Of[in].Global
	a = leftBy(f, g)
	if p.leaning[g] == "" { // the range of what it reads holds without
		a.Other = verdict.Sole
	}
	in.Flags |= ir.Sole
	brings(a.ID, in)
	return a, true
}

// leftBy is the assumption that a function, which alone writes a variable, finds there what it left.
func leftBy(f *ir.Func, g *ir.Global) verdict.Assumption {
	return verdict.Assume(g.Var.Name, verdict.Contents, verdict.Chosen, fmt.Sprintf(
		"%s is as %s left it, which alone writes it: nothing calls that while it runs", g.Var.Name, f.CName))
}
