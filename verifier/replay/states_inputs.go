package replay

import (
	"context"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// chosen is a source of constants that an input is compared with, and now and then of others.
type chosen struct {
	input.Zeros
	x       *states
	first   int // which constant the next input is; -1: any
	choices int // that the first input had
}

// chosen returns a source whose first input is worth try number n.
func (x *states) chosen(n int) *chosen { return &chosen{x: x, first: n} }

// draw returns the next number of a fixed generator.
func (x *states) draw() uint64 {
	x.random ^= x.random << 13
	x.random ^= x.random >> 7
	x.random ^= x.random << 17
	return x.random >> 3
}

// of returns the numbers that are worth a try for what comes from a node.
func (c *chosen) of(node flowNode) []int64 {
	if list := c.x.compared.worth(node); len(list) > 0 {
		return list
	}
	return []int64{0, 1}
}

// Next implements input.Source.
func (c *chosen) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if kind == input.MallocOK || kind == input.Undef {
		return c.Zeros.Next(kind, at, width)
	}
	list := []int64{0, 1}
	if at != nil {
		list = c.of(flowNode{of: at})
	}
	if c.first >= 0 {
		n := c.first
		c.first, c.choices = -1, len(list)+1
		if n %= c.choices; n < len(list) {
			return bits.NewInt(width, list[n]), true
		}
	}
	n := list[c.x.draw()%uint64(len(list))]
	switch r := c.x.draw(); r % 16 {
	case 0:
		n = int64(c.x.draw() >> (r >> 4 % 60))
	case 1:
		n += int64(r>>4%3) - 1
	case 2:
		n = int64(r >> 4 % 4)
	}
	return bits.NewInt(width, n), true
}

// Havoc implements input.Source.
func (c *chosen) Havoc(at *ir.Instr, _ int64) (func(i int64) byte, bool) {
	list := []int64{0, 1}
	if len(at.Args) > 0 {
		list = c.of(stored(at.Args[0]))
	}
	given := map[int64]byte{}
	return func(i int64) byte {
		b, ok := given[i]
		if !ok {
			if b = byte(list[c.x.draw()%uint64(len(list))]); c.x.draw()%8 == 0 {
				b = byte(c.x.draw())
			}
			given[i] = b
		}
		return b
	}, true
}

// goesOn returns inputs with which a loop takes more than a turn: conditions in front of it may be hard to guess.
func goesOn(ctx context.Context, p *problem.Problem) [][]input.Input {
	ctx, cancel := budget.Share(ctx, policy.GoesOnPercent)
	defer cancel()
	store := ilr.NewStore(problem.NewSimplifier())
	solver := p.OpenOwn(store)
	defer solver.Close()
	opts := p.Unchecked().Encoding()
	opts.Depth, opts.MaxUnwind = policy.CutDepth, policy.GoesOnTurns
	f, err := encode.Encode(ctx, p.Module, p.Entry, store, opts, &problem.Prober{Solver: solver, Store: store})
	if err != nil {
		return nil
	}
	for _, t := range f.Assumptions {
		solver.Assert(t)
	}
	var out [][]input.Input
	solver.LimitConflicts(policy.LongConflicts)
	for i := range f.Claims {
		if f.Claims[i].Check != verdict.Unwinding || len(out) == policy.GoesOnRuns {
			continue
		}
		if ans, err := solver.Check(ctx, f.Claims[i].Violated); err == nil && ans == solve.Sat {
			out = append(out, f.Inputs(store.NewEvaluator(solver.Model(), ilr.EvalFloat)))
		}
	}
	return out
}
