package replay

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Whatever reports whether executions violate c where at stands in the same way, whatever numbers are in the blocks and
// values that bring the assumption id in: a few with others in all of them do.
func Whatever(ctx context.Context, p *problem.Problem, c *verdict.Claim, at *ir.Instr, id string) bool {
	e, ok := c.Evidence.(input.Execution)
	if !ok {
		return false
	}
	p = beyond(p, e)
	for _, fill := range refills {
		src := &refilled{Source: ThenZeros(e.Inputs), id: id, fill: fill}
		out, err := interp.Run(ctx, p.Module, p.Execution(policy.KnownSteps), src)
		if err != nil || !src.asked || out.Kind != interp.Violation || out.Instr != at || out.Check != c.Check ||
			out.Failure.Is(verdict.NullAccess) != c.Failure.Is(verdict.NullAccess) {
			return false
		}
	}
	return true
}

// refills are words of which no byte is zero, so that none is a null pointer, and as little alike as may be.
var refills = []uint64{0x0101010101010101, 0x2030405060708090, 0x7fffffff7fffffff, 0xfedcba9876543211}

// refilled gives the inputs of a source, with one word over and over in what brings an assumption in.
type refilled struct {
	input.Source
	id    string
	fill  uint64
	asked bool
}

func (r *refilled) is(at *ir.Instr) bool {
	return at != nil && slices.Contains(at.Assumes, r.id)
}

// Next implements input.Source.
func (r *refilled) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	v, ok := r.Source.Next(kind, at, width)
	if kind == input.Nondet && r.is(at) {
		r.asked = true
		v = bits.Trunc(bits.New(max(width, 64), r.fill), width)
	}
	return v, ok
}

// Havoc implements input.Source.
func (r *refilled) Havoc(at *ir.Instr, n int64) (func(int64) byte, bool) {
	f, ok := r.Source.Havoc(at, n)
	if !ok || !r.is(at) {
		return f, ok
	}
	r.asked = true
	return func(i int64) byte { return byte(r.fill >> (8 * uint(i%8))) }, true
}
