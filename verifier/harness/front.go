package harness

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Front has the blocks of m that harnesses made for the pointer of that name begin so many bytes before where it leads
// to: a header stands in front, or it leads to a member. It returns what is assumed then beside list, and what of that is
// new.
func Front(m *ir.Module, name string, bytes int64, list []verdict.Assumption) (all, made []verdict.Assumption) {
	n := (bytes + 15) / 16 * 16
	a := verdict.Assume(name, verdict.Front, verdict.Chosen, fmt.Sprintf("%s has %d bytes in front", name, n))
	a.Line = fmt.Sprintf("%d bytes in front", n)
	for _, f := range m.Funcs {
		if block := blockIn(f, name); block != nil {
			inFront(block, n, a.ID, "")
			made = []verdict.Assumption{a}
		}
	}
	return verdict.AddAssumptions(slices.Clone(list), made...), made
}

// inFront makes a block larger by n bytes, and has what led to its start lead n bytes into it. The assumption of that ID
// says so; contents, where not empty, is that of the assumption that names what is in front.
func inFront(block *ir.Instr, n int64, id, contents string) {
	f, was := block.Block.Func, block.Args[0]
	t := was.Type()
	at := func(in *ir.Instr) int { return slices.Index(block.Block.Instrs, in) }
	size := ir.Value(nil)
	if c, ok := was.(*ir.Const); ok && c.Kind == ir.ConstInt {
		k, _ := c.Bits.Int64()
		size = intConst(t, k+n)
	} else {
		sum := &ir.Instr{Op: ir.OpAdd, T: t, Args: []ir.Value{was, intConst(t, n)}, Block: block.Block, Pos: block.Pos}
		block.Block.Instrs = slices.Insert(block.Block.Instrs, at(block), sum)
		size = sum
	}
	inside := &ir.Instr{Op: ir.OpGep, T: block.T, Args: []ir.Value{block}, Off: n, Block: block.Block, Pos: block.Pos,
		Assumes: []string{id}}
	var fill *ir.Instr
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpIcmp && ir.IsNullConst(in.Args[1]) { // that there is a block
				continue
			}
			if in.Model == ir.ModelHavoc && len(in.Args) == 2 && in.Args[0] == ir.Value(block) {
				fill, in.Args[1] = in, size
				continue
			}
			for i, v := range in.Args {
				if v == ir.Value(block) {
					in.Args[i] = inside
				}
			}
		}
	}
	if contents != "" && fill != nil {
		front := *fill
		front.Args, front.Assumes = []ir.Value{block, intConst(t, n)}, []string{contents}
		fill.Block.Instrs = slices.Insert(fill.Block.Instrs, slices.Index(fill.Block.Instrs, fill)+1, &front)
	}
	block.Args[0], block.Align = size, 0 // the header says how it is aligned, or what p is a member of
	block.Assumes = append(slices.Clone(block.Assumes), id)
	block.Block.Instrs = slices.Insert(block.Block.Instrs, at(block)+1, inside)
	ir.Number(f)
}

// givenPlaces makes room in front of what pointers lead to, and aligns it, where it is said how much. What is in front is the
// program's own to write: a header, or other members.
func (h *harness) givenPlaces() {
	for _, b := range h.out.Blocks {
		if b.pointer == "" {
			continue
		}
		g := h.given(b.pointer)
		if g.Front > 0 {
			a := verdict.Assume(b.pointer, verdict.Front, verdict.Declared, b.pointer+": "+g.text+" (as given)")
			h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, a)
			inFront(b.At, g.Front, a.ID, h.open("the front of "+b.pointer, verdict.Contents, "").ID)
		}
		if g.Align > 0 {
			b.At.Align = int(g.Align)
			h.asGiven(b.pointer, g)
		}
	}
}
