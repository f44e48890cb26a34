package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Enlarge makes the blocks of m that harnesses made for the pointer of that name larger: so many bytes at least, and more
// than there were; a zero ends a text. It returns what is assumed then, in place of list, and what of that is new.
func Enlarge(m *ir.Module, name string, bytes int64, text bool, list []verdict.Assumption) (all, changed []verdict.Assumption) {
	all = slices.Clone(list)
	tried := "" // the assumption that it is a string, since the round before
	for _, o := range list {
		if o.Relation == verdict.Extent && o.Subject == name && strings.HasSuffix(o.Line, ", string") {
			tried = o.ID
		}
	}
	for _, f := range m.Funcs {
		if block := blockIn(f, name); block != nil {
			was := all
			all = enlarge(block, name, bytes, text && tried == "", tried, all)
			for _, a := range all {
				if !slices.ContainsFunc(was, func(b verdict.Assumption) bool { return a.ID == b.ID }) {
					changed = verdict.AddAssumptions(changed, a)
				}
			}
		}
	}
	return all, changed
}

// enlarge makes a block larger, or a string, and returns what is assumed then, in place of old, too.
func enlarge(block *ir.Instr, name string, bytes int64, isText bool, old string, list []verdict.Assumption) []verdict.Assumption {
	was := block.Args[0]
	n, text, line := max(policy.WiderFirst, (bytes+15)/16*16), "%s leads to %d bytes", ""
	size, ends := ir.Value(nil), int64(-1)
	if c, ok := was.(*ir.Const); ok && c.Kind == ir.ConstInt {
		k, _ := c.Bits.Int64()
		list = slices.DeleteFunc(slices.Clone(list), func(o verdict.Assumption) bool {
			return o.Relation == verdict.Extent && o.Subject == name && o.Guessed()
		})
		if n = max(n, min(4*k, policy.WiderMost)); isText { // one that is too short is read by no zero
			n = max(k, policy.HarnessString)
			text, line, ends = "%s leads to a string in %d bytes", ", string", n-1
		}
		line, size = fmt.Sprintf("%d bytes", n)+line, intConst(c.T, n)
	} else {
		text = "%s leads to %d bytes at least"
		if less := leastOf(was); less != nil { // since the round before
			was = less
			last := block.Assumes[len(block.Assumes)-1]
			list = slices.DeleteFunc(slices.Clone(list), func(o verdict.Assumption) bool { return o.ID == last })
		}
		size = atLeast(block, was, intConst(was.Type(), n))
	}
	a := verdict.Assume(name, verdict.Extent, verdict.Chosen, fmt.Sprintf(text, name, n))
	a.Line = line
	block.Args[0] = size
	fill := (*ir.Instr)(nil)
	for _, b := range block.Block.Func.Blocks {
		for _, in := range b.Instrs {
			if in.Model == ir.ModelHavoc && len(in.Args) == 2 && in.Args[0] == ir.Value(block) {
				fill, in.Args[1] = in, size
			}
		}
	}
	if fill != nil {
		endText(fill, block, ends, old, a.ID)
	}
	block.Assumes = append(slices.Clone(block.Assumes), a.ID)
	return verdict.AddAssumptions(list, a)
}

// endText stores a zero at an offset in a block (-1: nowhere), behind the instruction that fills it, under an assumption of
// that ID, and takes away the one of an old assumption.
func endText(fill, block *ir.Instr, off int64, old, id string) {
	in := fill.Block
	in.Instrs = slices.DeleteFunc(in.Instrs, func(x *ir.Instr) bool {
		return x.Op == ir.OpStore && old != "" && slices.Equal(x.Assumes, []string{old})
	})
	if off >= 0 {
		at := &ir.Instr{Op: ir.OpGep, T: block.T, Args: []ir.Value{block}, Off: off, Block: in, Pos: fill.Pos}
		zero := &ir.Instr{Op: ir.OpStore, T: ir.Void(), Args: []ir.Value{intConst(ir.Int(8), 0), at}, Access: ir.Int(8), Align: 1,
			Block: in, Pos: fill.Pos, Assumes: []string{id}}
		in.Instrs = slices.Insert(in.Instrs, slices.Index(in.Instrs, fill)+1, at, zero)
	}
	ir.Number(in.Func)
}

// atLeast puts the greater of two numbers in front of an instruction.
func atLeast(at *ir.Instr, x, y ir.Value) ir.Value {
	less := &ir.Instr{Op: ir.OpIcmp, Pred: ir.ULT, T: ir.Int(1), Args: []ir.Value{x, y}, Block: at.Block, Pos: at.Pos}
	most := &ir.Instr{Op: ir.OpSelect, T: x.Type(), Args: []ir.Value{less, y, x}, Block: at.Block, Pos: at.Pos}
	at.Block.Instrs = slices.Insert(at.Block.Instrs, slices.Index(at.Block.Instrs, at), less, most)
	ir.Number(at.Block.Func)
	return most
}

// leastOf returns the number that atLeast was given; nil for what is not its.
func leastOf(size ir.Value) ir.Value {
	most, ok := size.(*ir.Instr)
	if !ok || most.Op != ir.OpSelect {
		return nil
	}
	if less, ok := most.Args[0].(*ir.Instr); !ok || less.Op != ir.OpIcmp || !slices.Equal(less.Args, []ir.Value{most.Args[2],
		most.Args[1]}) {
		return nil
	}
	return most.Args[2]
}

// blockIn returns the block of that name which a harness makes; nil where f makes none.
func blockIn(f *ir.Func, name string) *ir.Instr {
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Model == ir.ModelMalloc && in.Name == ir.BehindPointer+name {
				return in
			}
		}
	}
	return nil
}

func intConst(t *ir.Type, n int64) *ir.Const {
	return &ir.Const{T: t, Kind: ir.ConstInt, Bits: bits.NewInt(t.Width, n)}
}
