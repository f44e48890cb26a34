package replay

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// coverage returns what the program's only execution tells of lines and branches: what it does not come to, none does.
func coverage(p *problem.Problem, out *interp.Outcome) *problem.Coverage {
	rest := verdict.NeverReached
	if out.Kind == interp.Undefined {
		rest = verdict.BehindViolation
	}
	left := map[*ir.Block][]*ir.Instr{} // where visits of blocks ended that did not come to the end of the block
	for _, in := range append(slices.Clone(out.CallPath), out.Instr) {
		if in != nil && out.Kind != interp.Returned {
			left[in.Block] = append(left[in.Block], in)
		}
	}
	c := &problem.Coverage{At: map[ir.Spot]verdict.Reach{}}
	for _, s := range p.Spots() {
		k := s.Instr.Block
		here := slices.Index(k.Instrs, s.Instr)
		reached := s.To != nil && out.Ways[s] || s.To == nil && (out.Visits[k] > int64(len(left[k])) ||
			slices.ContainsFunc(left[k], func(in *ir.Instr) bool { return slices.Index(k.Instrs, in) >= here }))
		c.At[s] = rest
		if reached {
			c.At[s] = verdict.Reached
		}
	}
	return c
}
