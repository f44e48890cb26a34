package frontend

import (
	"slices"

	"github.com/llir/llvm/ir/metadata"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Locals of the blocks of loops. Each time that control enters a block, a local of it is a new object (C17 6.2.4p6),
// but clang makes one alloca of all. Where an address of the local may outlive its turn, the alloca moves to where its
// scope begins, so that each turn has an object of its own. Where none does, nobody can tell one object from many.

// turn is the begin of a local's scope inside a loop.
type turn struct {
	local *ir.Instr // the alloca
	start *ir.Instr // the call that begins its scope; of what has none, an instruction that is executed before it
	what  string    // that is unsupported where an address is kept and the alloca cannot move
	place *ir.Instr // in front of which the alloca has to stand; nil: there is no such place
}

// What is unsupported where an address is kept, or a value.
const (
	keptOfTurn   = "address that is kept of a local of an earlier turn of a loop"
	leftOfTurn   = "read of a local whose block is entered in many ways, maybe of what an earlier turn left in it"
	keptOfResult = "address that is kept of a local in the place of the function's result"
)

// findTurns notes the scopes that begin in loops of the function, but for those whose block is not left on any way
// back to its begin: that is one object.
func (x *fn) findTurns() {
	c := inC(x.src)
	for _, b := range x.out.Blocks {
		for _, in := range b.Instrs {
			a := ir.Begun(in)
			if a == nil || a.Op != ir.OpAlloca || !b.Reaches(b, nil) {
				continue
			}
			t := &turn{local: a, start: in, what: keptOfTurn, place: in}
			if home := x.home[a]; c && home != nil {
				block := blockOf(home)
				if block == nil && x.own(home) {
					continue
				}
				if block != nil && x.cycles(b, block) {
					t.place = x.entryOf(block)
				}
			}
			x.turns = append(x.turns, t)
		}
	}
}

// own reports whether a scope is of the function itself, not of one that was inlined.
func (x *fn) own(scope metadata.Field) bool {
	return slices.ContainsFunc(x.src.Metadata, func(a *metadata.Attachment) bool { return any(a.Node) == any(scope) })
}

// freshLocals gives each turn of a loop its own objects where their addresses may outlive the turn.
func (t *translator) freshLocals() {
	k := &keeping{m: t.m, params: map[*ir.Param]*flow{}}
	begins := map[*ir.Instr]int{}
	for _, f := range t.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				begins[ir.Begun(in)]++
			}
		}
	}
	for _, u := range t.turns {
		if !k.outlives(u) {
			continue
		}
		if begins[u.local] > 1 || u.place == nil || !u.move() {
			insertBefore(u.start, &ir.Instr{Op: ir.OpUnsupported, T: t.void, Pos: u.start.Pos,
				What: u.what})
		}
		ir.Number(u.start.Block.Func)
	}
}

// move puts the alloca, and what names it elsewhere, in front of place, or of where the local is used first in place's
// block; false where control may come to a use by another way.
func (u *turn) move() bool {
	if _, fixed := u.local.Args[0].(*ir.Const); !fixed || !u.moveEnds() {
		return false
	}
	b, moved := u.place.Block, []*ir.Instr{}
	for _, o := range b.Func.Blocks {
		for _, in := range o.Instrs {
			if names(in, u.local) && (in == u.local || !dominates(b, o)) {
				moved = append(moved, in)
			}
		}
	}
	if !u.only(b, moved) {
		return false
	}
	place := u.place
	for _, in := range b.Instrs {
		if in == u.place || in.Op != ir.OpPhi && !slices.Contains(moved, in) && usesAny(in, moved) {
			place = in
			break
		}
	}
	for _, in := range moved {
		in.Block.Instrs = slices.DeleteFunc(in.Block.Instrs, func(i *ir.Instr) bool { return i == in })
		pos := in.Pos
		insertBefore(place, in)
		in.Pos = pos
	}
	return true
}

func usesAny(in *ir.Instr, values []*ir.Instr) bool {
	return slices.ContainsFunc(values, func(v *ir.Instr) bool { return slices.Contains(in.Args, ir.Value(v)) })
}

// only reports whether control comes to each use of values, but for those among themselves, by way of b.
func (u *turn) only(b *ir.Block, values []*ir.Instr) bool {
	for _, o := range b.Func.Blocks {
		for _, in := range o.Instrs {
			if slices.Contains(values, in) {
				continue
			}
			for n, v := range in.Args {
				at := o
				if in.Op == ir.OpPhi {
					at = in.Incoming[n]
				}
				if i, ok := v.(*ir.Instr); ok && slices.Contains(values, i) && !dominates(b, at) {
					return false
				}
			}
		}
	}
	return true
}

// moveEnds moves the ends of the scope that control may come to by other ways than place to where it comes from.
func (u *turn) moveEnds() bool {
	d := u.place.Block
	for _, b := range slices.Clone(d.Func.Blocks) {
		for _, in := range slices.Clone(b.Instrs) {
			if ir.Ended(in) != u.local || dominates(d, b) && (b != d || before(u.place, in)) {
				continue
			}
			if in.Args[len(in.Args)-1] != ir.Value(u.local) {
				return false
			}
			for _, p := range b.Preds {
				if !dominates(d, p) {
					continue
				}
				if len(p.Succs()) > 1 {
					return false
				}
				end := *in
				insertBefore(p.Term(), &end)
			}
			b.Instrs = slices.DeleteFunc(b.Instrs, func(i *ir.Instr) bool { return i == in })
		}
	}
	return true
}
