package verifier

import (
	"context"
	"encoding/hex"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// again executes the program on the inputs of violations that were found before, of it
// or of what it was: one that is still there is found, and confirmed, without a search.
func (b *bounded) again(ctx context.Context) {
	if len(b.plan.Tried) == 0 {
		return
	}
	stop := b.stage("try again")
	confirmed := int64(0)
	for _, inputs := range b.plan.Tried {
		rec := &input.Recorder{Source: &played{list: inputs}}
		out, err := interp.Run(ctx, b.m, b.interpOptions(replaySteps), rec)
		if err == nil && out.Kind == interp.Violation && b.plan.Checks.Has(out.Check) && b.violatedBy(ctx, rec.Inputs,
			out) {
			confirmed++
		}
		if ctx.Err() != nil || b.found() {
			break
		}
	}
	stop(map[string]int64{"tried": int64(len(b.plan.Tried)), "confirmed": confirmed})
}

// played is a source of inputs as a report shows them. Where the program asks for
// another kind than comes next, or for more, it gets zeros.
type played struct {
	input.Zeros
	list []verdict.Input
}

func (p *played) take(kind input.Kind) (in verdict.Input, ok bool) {
	if len(p.list) == 0 || p.list[0].Kind != kind.String() {
		return in, false
	}
	in, p.list = p.list[0], p.list[1:]
	return in, true
}

// Next plays the next value, in the width that is asked for.
func (p *played) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
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

// Havoc plays bytes, zeros behind them.
func (p *played) Havoc(at *ir.Instr, n int64) (func(int64) byte, bool) {
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
