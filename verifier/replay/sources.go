package replay

import (
	"encoding/hex"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Tried is a source of inputs that are often interesting, by a fixed generator:
// constants of the program, small numbers, any, or 0 and 1, as the mode says.
type Tried struct {
	input.Zeros
	seed, mode uint64
	consts     []int64
}

// NewTried returns source number n of those that Constants give.
func NewTried(n uint64, consts []int64) *Tried {
	return &Tried{seed: n*0x9e3779b97f4a7c15 + 1, mode: n % 5, consts: consts}
}

func (t *Tried) random() uint64 {
	t.seed ^= t.seed << 13
	t.seed ^= t.seed >> 7
	t.seed ^= t.seed << 17
	return t.seed
}

// Next implements input.Source.
func (t *Tried) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if kind == input.MallocOK || kind == input.Undef {
		return t.Zeros.Next(kind, at, width)
	}
	switch r := t.random(); {
	case t.mode == 0 || t.mode == 1 && r&1 == 0:
		return bits.NewInt(width, t.consts[t.random()%uint64(len(t.consts))]), true
	case t.mode <= 2:
		return bits.NewInt(width, int64(r%17)), true
	case t.mode == 3:
		return bits.NewInt(width, int64(t.random()>>1)), true
	}
	return bits.NewInt(width, int64(t.random()>>5&1)), true
}

// Constants lists the constants that m compares with, and their neighbours.
func Constants(m *ir.Module) []int64 {
	out := []int64{0, 1, -1, 2}
	m.Compared(func(_ *ir.Instr, c *ir.Const) {
		if n, ok := c.Bits.Int64(); ok && len(out) < policy.ProbeConstants && !slices.Contains(out, n) {
			out = append(out, n, n+1, n-1)
		}
	})
	return out
}

// reported is a source of inputs as a report shows them. Where the program asks for
// another kind than comes next, or for more, it gets zeros.
type reported struct {
	input.Zeros
	list []verdict.Input
}

// FromReport returns a source of inputs as a report shows them, zeros behind them.
func FromReport(list []verdict.Input) input.Source { return &reported{list: withoutMemory(list)} }

func (p *reported) take(kind input.Kind) (in verdict.Input, ok bool) {
	if len(p.list) == 0 || p.list[0].Kind != kind.String() {
		return in, false
	}
	in, p.list = p.list[0], p.list[1:]
	return in, true
}

// Next implements input.Source: the next value, in the width that is asked for.
func (p *reported) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if in, ok := p.take(kind); ok {
		if v, err := bits.ParseHex(max(in.Width, 1), in.Value); err == nil {
			if v.Width() < width {
				return bits.Zext(v, width), true
			}
			return bits.Trunc(v, width), true
		}
	}
	return p.Zeros.Next(kind, at, width)
}

// Havoc implements input.Source: the bytes of the report, zeros behind them.
func (p *reported) Havoc(at *ir.Instr, n int64) (func(int64) byte, bool) {
	in, _ := p.take(input.Havoc)
	data, err := hex.DecodeString(in.Bytes)
	if err != nil {
		return p.Zeros.Havoc(at, n)
	}
	return func(i int64) byte {
		if i >= 0 && i < int64(len(data)) {
			return data[i]
		}
		return 0
	}, true
}

// modelThen gives the inputs of a model as long as they are those that the run asks for, then those of another source.
type modelThen struct {
	input.Source // of bytes of memory and of addresses
	model, then  input.Source
	left         bool // the run went another way than the model
}

// ThenZeros is a source of the inputs of a model, zeros behind them.
func ThenZeros(inputs []input.Input) input.Source {
	model := input.NewRecorded(inputs)
	return &modelThen{Source: model, model: model, then: input.Zeros{}}
}

// Next implements input.Source.
func (t *modelThen) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if !t.left {
		if v, ok := t.model.Next(kind, at, width); ok {
			return v, true
		}
		t.left = true
	}
	return t.then.Next(kind, at, width)
}

// Havoc implements input.Source.
func (t *modelThen) Havoc(at *ir.Instr, n int64) (func(i int64) byte, bool) {
	if !t.left {
		if f, ok := t.model.Havoc(at, n); ok {
			return f, true
		}
		t.left = true
	}
	return t.then.Havoc(at, n)
}
