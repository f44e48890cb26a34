package frontend

import (
	"slices"
	"strings"

	"github.com/llir/llvm/ir/metadata"

	"github.com/firmproof/firmproof/verifier/ir"
)

// endUnmarked marks the scopes of the locals that clang marks none for: those behind a label of their block, and those
// that a jump passes by. The object lives from where control enters the block until it leaves it (C17 6.2.4p6). One
// that is made in the place of the function's result lives as long as the function does.
func (x *fn) endUnmarked() {
	escapes, marked := ir.Escapes(x.out), map[ir.Value]bool{}
	for _, b := range x.out.Blocks {
		for _, in := range b.Instrs {
			if a := ir.Begun(in); a != nil {
				marked[a] = true
			}
		}
	}
	for _, v := range x.out.Vars {
		a, ok := v.Slot.(*ir.Instr)
		block := blockOf(x.home[v.Slot])
		if !ok || block == nil || marked[a] || a.Op != ir.OpAlloca || !escapes[a] && !x.repeats(block) {
			continue
		}
		if _, fixed := a.Args[0].(*ir.Const); !fixed {
			continue
		}
		marked[a] = true
		if x.usedOutside(a, block) {
			if escapes[a] {
				x.beginResult(a)
			}
			continue
		}
		place := x.entryOf(block)
		if place == nil && escapes[a] {
			x.keptOf(a)
			continue
		}
		if escapes[a] { // else nothing is left that could access it behind its end
			x.endOutside(a, block)
		}
		x.beginAt(place, a, block)
	}
	for _, a := range x.out.Blocks[0].Instrs {
		if block := x.undeclared(a); block != nil && !marked[a] {
			if escapes[a] {
				x.keptOf(a)
			}
			if x.repeats(block) {
				x.beginAt(x.entryOf(block), a, block)
			}
		}
	}
}

// undeclared returns the innermost block that has all accesses of a local whose declaration is never reached, such as
// one in front of the cases of a switch: clang says nothing of where it belongs. The block that declares it is that
// one or around it. nil: a is none, or belongs to the function.
func (x *fn) undeclared(a *ir.Instr) *metadata.DILexicalBlock {
	if a.Op != ir.OpAlloca || x.home[a] != nil || strings.ContainsAny(a.Name, ".-") || x.isTemporary(a) {
		return nil
	}
	if x.scopeOf[a] != nil { // a call of alloca, whose memory lives as long as the function
		return nil
	}
	if _, fixed := a.Args[0].(*ir.Const); !fixed {
		return nil
	}
	var common *metadata.DILexicalBlock
	for _, b := range x.out.Blocks {
		for _, in := range b.Instrs {
			if !slices.ContainsFunc(in.Args, func(v ir.Value) bool { return names(v, a) }) {
				continue
			}
			block := blockOf(x.scopeOf[in])
			if common == nil {
				common = block
			}
			for common != nil && (block == nil || !inside(block, common)) {
				common = blockOf(common.Scope)
			}
			if common == nil {
				return nil
			}
		}
	}
	return common
}

// isTemporary reports whether a is one of clang's own, such as the value of a statement expression: it has the name of
// one, and is written once, in front of each other use.
func (x *fn) isTemporary(a *ir.Instr) bool {
	if !slices.Contains([]string{"tmp", "coerce", "cond"}, strings.TrimRight(a.Name, "0123456789")) {
		return false
	}
	var uses []*ir.Instr
	for _, b := range x.out.Blocks {
		for _, in := range b.Instrs {
			if slices.ContainsFunc(in.Args, func(v ir.Value) bool { return names(v, a) }) {
				uses = append(uses, in)
			}
		}
	}
	stores := slices.DeleteFunc(slices.Clone(uses), func(in *ir.Instr) bool { return in.Op != ir.OpStore })
	return len(stores) == 1 && !slices.ContainsFunc(uses, func(in *ir.Instr) bool {
		return in != stores[0] && !before(stores[0], in)
	})
}

// keptOf makes it unsupported that an address of a outlives its block.
func (x *fn) keptOf(a *ir.Instr) {
	x.turns = append(x.turns, &turn{local: a, start: x.out.Blocks[0].Term(), what: keptOfTurn})
}

// beginAt begins a at place, each time that control enters its block. Where there is no such place, each read of a that
// control may come to from outside of the block, past what is written to a, is unsupported.
func (x *fn) beginAt(place, a *ir.Instr, block *metadata.DILexicalBlock) {
	if place != nil {
		x.mark(a, place.Block, slices.Index(place.Block.Instrs, place), ir.ModelLifetimeStart)
		return
	}
	writes := func(in *ir.Instr) bool {
		return in.Op == ir.OpStore && in.Args[1] == ir.Value(a) && in.Args[0].Type().Equal(a.Access)
	}
	open := func(b *ir.Block) bool { // nothing was written since b left the block, or came here
		written := false
		for _, in := range b.Instrs {
			marks := in.Op == ir.OpBitcast || ir.Begun(in) != nil || ir.Ended(in) != nil // of scopes: they stand elsewhere
			left := x.scopeOf[in] != nil && !inside(x.scopeOf[in], block) && !marks
			written = writes(in) || written && !left
		}
		return !written
	}
	for _, b := range x.out.Blocks {
		written := !slices.ContainsFunc(x.out.Blocks, func(o *ir.Block) bool {
			return !x.within(o, block) && open(o) && o.Reaches(b, open)
		})
		for _, in := range b.Instrs {
			if writes(in) {
				written = true
			} else if !written && slices.ContainsFunc(in.Args, func(v ir.Value) bool { return names(v, a) }) {
				insertBefore(in, &ir.Instr{Op: ir.OpUnsupported, T: x.void, Pos: in.Pos, What: leftOfTurn})
				written = true
			}
		}
	}
}

// repeats reports whether control may leave a C block and enter it again.
func (x *fn) repeats(block *metadata.DILexicalBlock) bool {
	in := x.basic(block)
	return slices.ContainsFunc(x.out.Blocks, func(o *ir.Block) bool {
		return !x.within(o, block) && o.Reaches(o, nil) && slices.ContainsFunc(in, func(b *ir.Block) bool {
			return b == o || o.Reaches(b, nil) && b.Reaches(o, nil)
		})
	})
}

// basic lists the basic blocks with instructions of a C block.
func (x *fn) basic(block *metadata.DILexicalBlock) []*ir.Block {
	var in []*ir.Block
	for _, b := range x.out.Blocks {
		if slices.ContainsFunc(x.scopes[b], func(s metadata.Field) bool { return inside(s, block) }) {
			in = append(in, b)
		}
	}
	return in
}

// beginResult marks where the locals begin that clang made in the place of the function's result, which other blocks
// write. They do not end before the function does: what keeps an address of theirs is unsupported.
func (x *fn) beginResult(a *ir.Instr) {
	for _, home := range x.homes[a] {
		block := blockOf(home)
		if block == nil {
			continue
		}
		if place := x.entryOf(block); place != nil {
			x.mark(a, place.Block, slices.Index(place.Block.Instrs, place), ir.ModelLifetimeStart)
		}
	}
	x.mark(a, a.Block, slices.Index(a.Block.Instrs, a)+1, ir.ModelLifetimeStart)
	x.turns = append(x.turns, &turn{local: a, start: x.out.Blocks[0].Term(), what: keptOfResult})
}

// usedOutside reports whether instructions outside of a C block access the alloca by its name.
func (x *fn) usedOutside(a *ir.Instr, block *metadata.DILexicalBlock) bool {
	for _, b := range x.out.Blocks {
		for _, in := range b.Instrs {
			if s := x.scopeOf[in]; s != nil && !inside(s, block) && slices.ContainsFunc(in.Args, func(v ir.Value) bool {
				return names(v, a)
			}) {
				return true
			}
		}
	}
	return false
}

// entryOf returns an instruction that is executed once before each time that control is in a C block; nil: there is
// none.
func (x *fn) entryOf(block *metadata.DILexicalBlock) *ir.Instr {
	in := x.basic(block)
	d := x.above(in)
	for d != nil && x.cycles(d, block) {
		d = x.above([]*ir.Block{d}, d)
	}
	if d == nil || x.passes(in, block, d) {
		return nil
	}
	for _, i := range d.Instrs {
		if i.Op != ir.OpPhi && x.scopeOf[i] != nil && inside(x.scopeOf[i], block) {
			return i
		}
	}
	return d.Term()
}

// above returns the last block, but for those named, by way of which control comes to each of the list.
func (x *fn) above(list []*ir.Block, but ...*ir.Block) *ir.Block {
	var last *ir.Block
	for _, d := range x.out.Blocks {
		all := !slices.ContainsFunc(list, func(b *ir.Block) bool { return !dominates(d, b) })
		if all && !slices.Contains(but, d) && (last == nil || dominates(last, d)) {
			last = d
		}
	}
	return last
}

// within reports whether no instruction of b lies outside of a C block.
func (x *fn) within(b *ir.Block, block *metadata.DILexicalBlock) bool {
	return !slices.ContainsFunc(x.scopes[b], func(s metadata.Field) bool { return !inside(s, block) })
}

// cycles reports whether control can come from b back to it without leaving a C block.
func (x *fn) cycles(b *ir.Block, block *metadata.DILexicalBlock) bool {
	stays := func(b *ir.Block) bool { return x.within(b, block) }
	return stays(b) && b.Reaches(b, stays)
}

// passes reports whether control can leave a C block, of which the basic blocks are in, and enter it again without
// coming through d.
func (x *fn) passes(in []*ir.Block, block *metadata.DILexicalBlock, d *ir.Block) bool {
	around := func(b *ir.Block) bool { return b != d }
	return slices.ContainsFunc(x.out.Blocks, func(o *ir.Block) bool {
		return o != d && !x.within(o, block) && slices.ContainsFunc(in, func(b *ir.Block) bool {
			return b != d && (b == o || b.Reaches(o, around))
		}) && slices.ContainsFunc(in, func(b *ir.Block) bool { return b != d && o.Reaches(b, around) })
	})
}
