package replay

import (
	"slices"

	word "github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// withText adds a text to list if it is longer than one byte and not yet there.
func withText(list [][]byte, text []byte) [][]byte {
	if len(text) < 2 || slices.ContainsFunc(list, func(t []byte) bool { return string(t) == string(text) }) {
		return list
	}
	return append(list, text)
}

// sampled returns inputs of which one block holds a sample as a whole, each sample a few times; nil: it is the turn of
// others. A number that says how large the block is says how long the sample is, with a zero behind it or without. Every
// other time the sample ends early: what reads on behind the end of a text shows there.
func (m *Mutants) sampled() []input.Input {
	if m.drawn%2 == 0 || m.placed >= len(m.samples)*policy.SamplePlaced {
		return nil
	}
	isBlock := func(in input.Input) bool { return in.Kind == input.Havoc }
	list := m.someKept(func(list []input.Input) bool { return slices.ContainsFunc(list, isBlock) })
	if list == nil {
		return nil
	}
	text, more := m.samples[m.placed%len(m.samples)], m.below(2)
	if m.placed/len(m.samples)%2 == 1 {
		text, more = text[:m.cut(text)], 0
	}
	m.placed++
	var blocks []int
	for i := range list {
		if isBlock(list[i]) {
			blocks = append(blocks, i)
		}
	}
	list = slices.Clone(list)
	k := blocks[m.below(len(blocks))]
	size, unit := sizeInput(list[k].Instr)
	if size == nil && m.sizes[list[k].Instr] < int64(len(text)) { // one that it fits into, if there is one
		for _, i := range blocks {
			if s, u := sizeInput(list[i].Instr); s != nil || m.sizes[list[i].Instr] >= int64(len(text)) {
				k, size, unit = i, s, u
				break
			}
		}
	}
	data := map[int64]byte{}
	for i, b := range text {
		data[int64(i)] = b
	}
	list[k].Bytes = data
	setSize(list, size, (int64(len(text)+more)+unit-1)/unit)
	return list
}

// setSize makes the number that an instruction asks for another; nil: none.
func setSize(list []input.Input, size *ir.Instr, n int64) {
	for i := range list {
		if in := &list[i]; in.Kind == input.Nondet && in.Instr == size && size != nil {
			in.Value = word.NewInt(in.Value.Width(), n)
		}
	}
}

// cut returns where a text ends early: every other time behind a mark, where parsers ask for more.
func (m *Mutants) cut(text []byte) int {
	n := 1 + m.below(len(text))
	if m.below(2) == 0 {
		return n
	}
	for k := n; k > 0; k-- {
		if b := text[k-1]; b > ' ' && b < 0x7f && !isWord(b) {
			return k
		}
	}
	return n
}

func isWord(b byte) bool { return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' }

// someKept returns one of the inputs kept that fit; nil: none of a few does.
func (m *Mutants) someKept(fit func([]input.Input) bool) []input.Input {
	for range policy.SamplePlaced {
		if len(m.kept) == 0 {
			return nil
		}
		if list := m.kept[m.below(len(m.kept))].list; fit(list) {
			return list
		}
	}
	return nil
}

// sizeInput returns the instruction that asks for the number that says how many units of how many bytes a block has
// which at fills; nil: none does.
func sizeInput(at *ir.Instr) (size *ir.Instr, unit int64) {
	unit = 1
	if at == nil || len(at.Args) < 2 {
		return nil, unit
	}
	v := at.Args[1]
	for {
		in, ok := v.(*ir.Instr)
		if !ok {
			return nil, unit
		}
		switch in.Op {
		case ir.OpZext, ir.OpSext, ir.OpTrunc, ir.OpFreeze, ir.OpAdd, ir.OpUdiv:
			v = in.Args[0]
		case ir.OpMul:
			if n, ok := smallConst(in.Args[1]); ok {
				unit *= n
			}
			v = in.Args[0]
		case ir.OpSelect: // of nothing else: newer flags of an instruction, written out
			if k, ok := in.Args[2].(*ir.Const); !ok || k.Kind != ir.ConstPoison {
				return nil, unit
			}
			v = in.Args[1]
		case ir.OpCall:
			return in, unit
		default:
			return nil, unit
		}
	}
}

// smallConst returns a constant factor that is no more than a block has bytes.
func smallConst(v ir.Value) (int64, bool) {
	k, ok := v.(*ir.Const)
	if !ok || k.Kind != ir.ConstInt {
		return 0, false
	}
	n, ok := k.Bits.Int64()
	return n, ok && n > 0 && n <= policy.MutantBytes
}
