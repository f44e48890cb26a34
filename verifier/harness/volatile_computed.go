package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// computed reports whether the program stores nothing at a place but what it computes from numbers of its own: the sum of the
// last samples. Then ranges do not say which numbers there are, and any number is a guess. What comes from elsewhere (a
// parameter, a register, a buffer) may be any, and so may what is counted by constants.
func (p *Program) computed(at places.Place) bool {
	is, known := p.computes[at]
	if !known {
		is = p.onlyComputed(at)
		p.computes[at] = is
	}
	return is
}

func (p *Program) onlyComputed(at places.Place) bool {
	some := false
	for _, f := range p.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if to, ok := p.seems.Of[in]; !ok || to != at || in.Op != ir.OpStore {
					continue
				}
				v := in.Args[0]
				if _, constant := v.(*ir.Const); constant {
					continue
				}
				if p.countsAt(v, at) || !p.derived(v, map[ir.Value]bool{}, policy.FlowChoices) {
					return false
				}
				some = true
			}
		}
	}
	return some
}

// countsAt reports whether v is what is at a place, and a constant more or less.
func (p *Program) countsAt(v ir.Value, at places.Place) bool {
	in, ok := resized(v).(*ir.Instr)
	if !ok || in.Op != ir.OpAdd && in.Op != ir.OpSub {
		return false
	}
	_, constant := in.Args[1].(*ir.Const)
	load, ok := resized(in.Args[0]).(*ir.Instr)
	return constant && ok && load.Op == ir.OpLoad && p.seems.Of[load] == at
}

// derived reports whether v is computed from a number that the program stores somewhere.
func (p *Program) derived(v ir.Value, seen map[ir.Value]bool, steps int) bool {
	in, ok := v.(*ir.Instr)
	if !ok || seen[v] || steps == 0 {
		return false
	}
	seen[v] = true
	if in.Op != ir.OpLoad {
		return in.Op != ir.OpCall && slices.ContainsFunc(in.Args, func(a ir.Value) bool { return p.derived(a, seen, steps-1) })
	}
	if at, known := p.seems.Of[in]; known && p.seems.At[at] != nil && p.seems.At[at].Some {
		return true
	}
	slot, ok := in.Args[0].(*ir.Instr)
	return ok && slot.Op == ir.OpAlloca && slices.ContainsFunc(in.Block.Func.Blocks, func(b *ir.Block) bool {
		return slices.ContainsFunc(b.Instrs, func(s *ir.Instr) bool {
			return s.Op == ir.OpStore && s.Args[1] == in.Args[0] && p.derived(s.Args[0], seen, steps-1)
		})
	})
}
