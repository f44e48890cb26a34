package prepare

import (
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
)

// callsOf makes the entries that settle for f what h, which calls it once, starts from; nil where that is nothing that
// calls or other files change.
func callsOf(program *harness.Program, h *harness.Harnessed, f *ir.Func,
	linkage func(*ir.Func) (static, known bool)) *problem.Calls {
	c, state := program.Calls(f, linkage), program.AnyState(f)
	if c == nil && state == nil {
		return nil
	}
	out := &problem.Calls{}
	if state != nil {
		out.AnyState, out.AnyStateAssumptions = state.Entry.Name, state.Assumptions
	}
	if c != nil {
		out.Entry, out.Functions, out.Of, out.Alone = c.Entry.Name, c.Functions, f.Name, c.Alone
		out.Assumptions, out.Open, out.Guesses = c.Assumptions, c.Open, c.Guesses
		out.Elsewhere = c.Elsewhere
	}
	return out
}
