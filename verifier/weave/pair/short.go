package pair

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// shortTurns returns how many copies a loop is worth, two more than the constant that it compares with where it is left:
// in the last but one it is left, the last one is never entered. 0: none is small, other loops are inside, or turns pass
// values to each other otherwise than in variables.
func shortTurns(g *unwind.Graph, l *unwind.Loop) int {
	inside := func(m *unwind.Loop) bool { return m.Parent == l }
	if l.Irreducible || slices.ContainsFunc(g.Loops, inside) || !beginsAnew(l.Header) {
		return 0
	}
	turns := 0
	for _, b := range g.Order {
		if !g.In(b, l) {
			continue
		}
		for _, to := range b.Succs() {
			if g.In(to, l) {
				continue
			}
			if to.Instrs[0].Op == ir.OpPhi || usesEarlier(to, func(in *ir.Instr) bool { return g.In(in.Block, l) }) {
				return 0
			}
			turns = max(turns, smallConstant(b.Term()))
		}
	}
	return turns
}

// smallConstant returns two more than the constant that a branch compares a number with; 0: there is none, or it is large.
func smallConstant(br *ir.Instr) int {
	if br.Op != ir.OpCondBr {
		return 0
	}
	test, ok := br.Args[0].(*ir.Instr)
	if !ok || test.Op != ir.OpIcmp {
		return 0
	}
	for _, a := range test.Args {
		if k, ok := a.(*ir.Const); ok && k.Kind == ir.ConstInt {
			if n, fits := k.Bits.Int64(); fits && n > 0 && n <= policy.PairUnrolled {
				return int(n) + 2
			}
		}
	}
	return 0
}
