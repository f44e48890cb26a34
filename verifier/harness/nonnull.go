package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// wraps is what keepNonnull assumes.
var wraps = verdict.Assume("", verdict.Meaning, verdict.Read,
	"addresses that are computed from a pointer into an object do not wrap around to null")

// keepNonnull has pointers that may not be null where they are passed come out at null by no arithmetic inside an
// object: generated harnesses do not ask where an address wraps around (pointer-overflow). It notes the functions.
func (p *Program) keepNonnull() {
	b := &irbuild.Builder{Module: p.m}
	for _, f := range p.m.Funcs {
		if !slices.ContainsFunc(f.Blocks, func(blk *ir.Block) bool { return testedNonnull(blk) != nil }) {
			continue
		}
		p.nonnull[f] = true
		b.RewriteFunc(f, func(in *ir.Instr) {
			if in.Op == ir.OpCondBr {
				if v := nonnullBefore(in); v != nil {
					b.Model(ir.ModelKept, "firmproof.kept", ir.Void(), b.Or(b.Compare(ir.NE, v, b.Null()),
						b.Model(ir.ModelSameObject, "firmproof.same", ir.Int(1), v, b.Null())))
				}
			}
			b.Keep(in)
		})
	}
	p.m.Funcs = append(p.m.Funcs, b.Decls...)
}

// testedNonnull returns the address that the branch at the end of blk tests because it may not be null where it goes;
// nil if there is none.
func testedNonnull(blk *ir.Block) ir.Value {
	if len(blk.Instrs) == 0 {
		return nil
	}
	return nonnullBefore(blk.Instrs[len(blk.Instrs)-1])
}

// nonnullBefore returns the same for a branch.
func nonnullBefore(branch *ir.Instr) ir.Value {
	if branch.Op != ir.OpCondBr || !slices.ContainsFunc(branch.Targets, func(t *ir.Block) bool {
		trap := ir.TrapOf(t)
		return trap != nil && trap.Check == verdict.Nonnull
	}) {
		return nil
	}
	test, ok := branch.Args[0].(*ir.Instr)
	if !ok || test.Op != ir.OpIcmp || !test.Args[0].Type().IsPtr() {
		return nil
	}
	if null, ok := test.Args[1].(*ir.Const); !ok || null.Kind != ir.ConstNull {
		return nil
	}
	return test.Args[0]
}

// noteNonnull adds what is taken for granted of the pointers that the function passes, or those that it calls.
func (h *harness) noteNonnull() {
	if h.p.nonnullIn(h.reached) {
		h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, wraps)
	}
}

// nonnullIn reports whether functions of reached pass pointers that may not be null.
func (p *Program) nonnullIn(reached places.Reach) bool {
	for f := range p.nonnull {
		if reached.Funcs[f] {
			return true
		}
	}
	return false
}
