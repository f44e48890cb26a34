package replay

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Contents are some that a harness made up.
type Contents struct {
	ID      string   // of the assumption that names them; empty: none
	Passing []uint64 // numbers in the place of their parts with which the violation does not happen; nil: not known
}

// Fix lets no execution of m pass in which the contents are others than Passing. It reports whether m has them.
func (c Contents) Fix(m *ir.Module) bool {
	n := 0
	for _, assume := range assumesOf(m, []string{c.ID}) {
		x, is := madeBy(assume.Block, assume.Args[0])
		if !is || n >= len(c.Passing) {
			return false
		}
		compare := assume.Args[0].(*ir.Instr)
		t := compare.Args[0].Type()
		number := valuePart{part: x, value: c.Passing[n]}.number()
		compare.Pred = ir.EQ
		compare.Args[1] = &ir.Const{T: t, Kind: ir.ConstInt, Bits: bits.Trunc(bits.New(max(t.Width, 64), number), t.Width)}
		n++
	}
	return n > 0
}

// In returns inputs of m with Passing in the place of the contents; nil: the inputs have none of them, or Passing is not
// known.
func (c Contents) In(m *ir.Module, inputs []input.Input) []input.Input {
	out, n := slices.Clone(inputs), 0
	for _, x := range madeIn(m, []string{c.ID}, func(*ir.Block) bool { return true })[c.ID] {
		i := slices.IndexFunc(out, func(in input.Input) bool { return in.Instr == x.of })
		if i < 0 { // another entry of m makes them, too
			continue
		}
		if n == len(c.Passing) {
			return nil
		}
		in, number := &out[i], valuePart{part: x, value: c.Passing[n]}.number()
		if n++; in.Kind != input.Havoc {
			in.Value = bits.Trunc(bits.New(max(in.Value.Width(), 64), number), in.Value.Width())
			continue
		}
		in.Bytes = copied(in.Bytes)
		for k, b := range bytesOf(number, int(min(x.bytes, 8)), m.Layout.BigEndian) {
			in.Bytes[x.off+int64(k)] = b
		}
	}
	if n == 0 || n < len(c.Passing) {
		return nil
	}
	return out
}

// part is bytes that a harness made up: of the block that a call fills, or the value that it gives.
type part struct {
	of         *ir.Instr
	off, bytes int64
	kind       ir.Pred // that compares it: SLE of a number with a sign, ULE of one without, EQ of less than a number
}

// madeIn finds the parts that assumptions about contents are about: what the comparison reads that brings each in, in
// blocks that are meant.
func madeIn(m *ir.Module, ids []string, meant func(*ir.Block) bool) map[string][]part {
	out := map[string][]part{}
	for _, in := range assumesOf(m, ids) {
		if !meant(in.Block) {
			continue
		}
		x, is := madeBy(in.Block, in.Args[0])
		for _, id := range in.Assumes {
			if is && slices.Contains(ids, id) {
				out[id] = append(out[id], x)
			}
		}
	}
	return out
}

// assumesOf lists the instructions that bring assumptions in as conditions.
func assumesOf(m *ir.Module, ids []string) []*ir.Instr {
	var out []*ir.Instr
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Model == ir.ModelAssume && slices.ContainsFunc(in.Assumes, func(id string) bool {
					return slices.Contains(ids, id)
				}) {
					out = append(out, in)
				}
			}
		}
	}
	return out
}

// madeBy finds what block b makes of the number that a condition compares with itself.
func madeBy(b *ir.Block, condition ir.Value) (part, bool) {
	compare, _ := condition.(*ir.Instr)
	if compare == nil || compare.Op != ir.OpIcmp || compare.Args[0] != compare.Args[1] {
		return part{}, false
	}
	load, _ := compare.Args[0].(*ir.Instr)
	if load == nil || load.Op != ir.OpLoad {
		return part{}, false
	}
	of := part{bytes: int64(load.T.Width+7) / 8, kind: compare.Pred}
	to := load.Args[0]
	for _, in := range b.Instrs {
		if in.Op == ir.OpStore && in.Args[1] == to { // behind the call that fills the block
			call, _ := in.Args[0].(*ir.Instr)
			if call == nil || call.Model != ir.ModelNondet {
				return part{}, false
			}
			of.of = call
		}
	}
	if of.of != nil {
		return of, true
	}
	block := to
	for {
		gep, _ := block.(*ir.Instr)
		if gep == nil || gep.Op != ir.OpGep || len(gep.Args) != 1 {
			break
		}
		block, of.off = gep.Args[0], of.off+gep.Off
	}
	for _, f := range b.Func.Blocks {
		for _, in := range f.Instrs {
			if in.Model == ir.ModelHavoc && in.Args[0] == block {
				of.of = in
			}
		}
	}
	return of, of.of != nil
}

// SameParts reports whether two assumptions of two programs are about the same bytes of blocks of the same names.
func SameParts(m *ir.Module, id string, other *ir.Module, otherID string) bool {
	shown := func(m *ir.Module, id string) []string {
		var out []string
		for _, x := range madeIn(m, []string{id}, func(*ir.Block) bool { return true })[id] {
			at := fmt.Sprint(x.off, x.bytes, x.of.Name)
			if x.of.Model == ir.ModelHavoc {
				block, _ := x.of.Args[0].(*ir.Instr)
				at += block.Name
			}
			out = append(out, at)
		}
		return out
	}
	return slices.Equal(shown(m, id), shown(other, otherID))
}
