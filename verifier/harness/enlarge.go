package harness

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Enlarge makes the blocks of m that harnesses made for the pointer of that name larger: so many bytes at least, and more
// than there were. It returns what is assumed then, in place of list, and what of that is new.
func Enlarge(m *ir.Module, name string, bytes int64, list []verdict.Assumption) (all, changed []verdict.Assumption) {
	all = slices.Clone(list)
	for _, f := range m.Funcs {
		if block := blockIn(f, name); block != nil {
			was := all
			all = enlarge(block, name, bytes, all)
			for _, a := range all {
				if !slices.ContainsFunc(was, func(b verdict.Assumption) bool { return a.ID == b.ID }) {
					changed = verdict.AddAssumptions(changed, a)
				}
			}
		}
	}
	return all, changed
}

// enlarge makes a block larger, and returns what is assumed then.
func enlarge(block *ir.Instr, name string, bytes int64, list []verdict.Assumption) []verdict.Assumption {
	was := block.Args[0]
	n, text, line := max(policy.WiderFirst, (bytes+15)/16*16), "%s leads to %d bytes", ""
	size := ir.Value(nil)
	if c, ok := was.(*ir.Const); ok && c.Kind == ir.ConstInt {
		k, _ := c.Bits.Int64()
		n = max(n, min(4*k, policy.WiderMost))
		line = fmt.Sprintf("%d bytes", n)
		size = intConst(c.T, n)
		list = slices.DeleteFunc(slices.Clone(list), func(o verdict.Assumption) bool {
			return o.Relation == verdict.Extent && o.Subject == name && o.Guessed()
		})
	} else {
		text = "%s leads to %d bytes at least"
		if less := leastOf(was); less != nil { // since the round before
			was = less
			last := block.Assumes[len(block.Assumes)-1]
			list = slices.DeleteFunc(slices.Clone(list), func(o verdict.Assumption) bool { return o.ID == last })
		}
		size = atLeast(block, was, intConst(was.Type(), n))
	}
	block.Args[0] = size
	for _, b := range block.Block.Func.Blocks {
		for _, in := range b.Instrs {
			if in.Model == ir.ModelHavoc && len(in.Args) == 2 && in.Args[0] == ir.Value(block) {
				in.Args[1] = size
			}
		}
	}
	a := verdict.Assume(name, verdict.Extent, verdict.Chosen, fmt.Sprintf(text, name, n))
	a.Line = line
	block.Assumes = append(slices.Clone(block.Assumes), a.ID)
	return verdict.AddAssumptions(list, a)
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
