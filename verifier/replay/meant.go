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
	"github.com/firmproof/firmproof/verifier/unwind"
)

// WithoutWayOut reports whether no execution leaves l but by a failure or the end of the program: its author wrote it
// to go on for ever.
func WithoutWayOut(g *unwind.Graph, l *unwind.Loop) bool { return len(waysOut(g, l)) == 0 }

// waysOut lists the blocks outside of l that its blocks lead to, without those at which executions end.
func waysOut(g *unwind.Graph, l *unwind.Loop) []*ir.Block {
	var out []*ir.Block
	for _, b := range g.Order {
		if !g.In(b, l) {
			continue
		}
		for _, s := range b.Succs() {
			if !g.In(s, l) && s.Term().Op != ir.OpUnreachable {
				out = append(out, s)
			}
		}
	}
	return out
}

// caughtIn returns the loop that a run whose state repeats stays in, nil if there is none (a run that calls for ever).
func caughtIn(c *interp.Cycle) (*unwind.Graph, *unwind.Loop) {
	var g *unwind.Graph
	var l *unwind.Loop
	for b := range c.Blocks {
		if g == nil {
			g = unwind.Analyse(b.Func)
			l = g.Inner(b)
		}
		for l != nil && !g.In(b, l) {
			l = l.Parent
		}
	}
	return g, l
}

// Meant reports whether nobody asked for an endless run such as out: its loop has no way out, or leaves with other
// inputs than those that out got in it, which it waits for. So it is of a loop that leaves by nothing but what it reads of the
// environment, and does with other inputs before it: the time-out of `while (!ready) if (now() - begin > limit) return` may
// be the greatest number. It is false where termination was asked for by name.
func Meant(ctx context.Context, p *problem.Problem, inputs []input.Input, out *interp.Outcome) bool {
	if !p.EndsUnasked {
		return false
	}
	if out.Cycle == nil { // followed for long: what it read in the second half did not end it
		return waits(ctx, p, inputs, int64(len(inputs)/2), nil, out)
	}
	g, l := caughtIn(out.Cycle)
	if l == nil {
		return out.Cycle.CycleInputs > 0 && waits(ctx, p, inputs, out.Cycle.StemInputs, nil, out)
	}
	ways := waysOut(g, l)
	return len(ways) == 0 || out.Cycle.CycleInputs > 0 && (waits(ctx, p, inputs, out.Cycle.StemInputs, ways, out) ||
		leavesByReads(g, l) && waits(ctx, p, inputs, 0, ways, out))
}

// waits reports whether a run that begins with the first inputs of out, and goes on with others, ends or comes to one
// of the ways out of its loop.
func waits(ctx context.Context, p *problem.Problem, inputs []input.Input, first int64, ways []*ir.Block,
	out *interp.Outcome) bool {
	values := append(sums(inputs), Constants(p.Module)...)
	for n := range uint64(policy.WaitingSeeds) {
		src := &otherwise{Source: input.NewRecorded(inputs), other: NewTried(n, values), left: first}
		got, err := interp.Run(ctx, p.Module, p.Strict(out.Executed+policy.WaitingSteps), src)
		if err != nil {
			return true // out of time: a run that may be meant is none to show
		}
		if got.Kind != interp.StepLimit {
			return true
		}
		for _, b := range ways {
			if got.Visits[b] > out.Visits[b] {
				return true
			}
		}
	}
	return false
}

// sums lists the first numbers that a run got, their sums and differences, and what is next to these: a loop that waits for
// a clock compares with one (`while (now - begin < limit)`).
func sums(inputs []input.Input) []int64 {
	var got, out []int64
	for _, in := range inputs {
		n := in.Value.Signed()
		if in.Value.Width() > 1 && n.IsInt64() && len(got) < policy.WaitingNumbers && !slices.Contains(got, n.Int64()) {
			got = append(got, n.Int64())
		}
	}
	for _, a := range got {
		out = append(out, a-1, a, a+1)
		for _, b := range got {
			out = append(out, a+b-1, a+b, a+b+1, a-b-1, a-b, a-b+1)
		}
	}
	return out
}

// otherwise is a source of the first inputs of one, and those of another behind them.
type otherwise struct {
	input.Source
	other input.Source
	left  int64 // of the first
}

// Next implements input.Source.
func (o *otherwise) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if o.left--; o.left >= 0 {
		return o.Source.Next(kind, at, width)
	}
	return o.other.Next(kind, at, width)
}

// Havoc implements input.Source.
func (o *otherwise) Havoc(at *ir.Instr, n int64) (func(i int64) byte, bool) {
	if o.left--; o.left >= 0 {
		return o.Source.Havoc(at, n)
	}
	return o.other.Havoc(at, n)
}
