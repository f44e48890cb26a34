package replay

import (
	"context"
	"math"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
)

// LongExecutions looks for violations that take many turns of a loop: it runs the program for long on inputs that stay
// the same, with zeros and with other bytes in memory that nobody wrote, and on numbers that bring what a branch
// compares together, by the secant method: such a difference is often linear or quadratic in the number of turns, and
// that in the input. It proves nothing: what it settles is what an execution shows.
type LongExecutions struct {
	Steps int64 // instructions of all of them
}

// Run implements problem.Engine.
func (l LongExecutions) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	if !p.Unbounded() {
		return problem.ErrOpen
	}
	defer a.Stage("long executions")(nil)
	x := &longRuns{ctx: ctx, p: p, a: a, left: l.Steps}
	first := min(x.left*2/5, policy.LongFirstSteps)
	left := x.left
	if x.execute(steady{only: -1, value: 1, memory: true}, nil, first); x.unwritten && !x.over() {
		x.left = left // with zeros it is another execution
		x.execute(steady{only: -1, value: 1}, nil, first)
	}
	x.aim(steady{only: -1})
	for only := range policy.AimedInputs {
		x.aim(steady{only: only, rest: 0}) // what waits for an input behind it goes on, or does not
		x.aim(steady{only: only, rest: 1})
	}
	for _, n := range append([]int64{-1}, Constants(p.Module)...) {
		if n == 1 || !x.varied || x.over() {
			continue
		}
		x.run(steady{only: -1, value: n}, nil)
		if x.unwritten && !x.over() {
			x.run(steady{only: -1, value: n, memory: true}, nil)
		}
	}
	if x.a.Enough(p) {
		return nil
	}
	return problem.ErrOpen
}

// steady gives one value: to all inputs, or to one of them, where the others get the rest.
type steady struct {
	input.Zeros
	only   int // that input; -1: all
	value  int64
	rest   uint64
	memory bool // memory that nobody wrote holds bytes that are not 0, else zeros
	asked  int
}

// of returns s with the value n.
func (s steady) of(n float64) steady {
	s.value = int64(n)
	return s
}

// Next implements input.Source.
func (s *steady) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if kind == input.MallocOK || kind == input.Undef {
		return s.Zeros.Next(kind, at, width)
	}
	s.asked++
	if s.only >= 0 && s.only != s.asked-1 {
		return bits.New(width, s.rest), true
	}
	return bits.NewInt(width, s.value), true
}

// ObjectBytes implements input.Source.
func (s *steady) ObjectBytes(obj int, _ *ir.Instr) func(int64) byte {
	if !s.memory {
		return nil
	}
	return func(off int64) byte {
		n := (uint64(obj)<<32 + uint64(off) + 1) * 0x9e3779b97f4a7c15
		return byte(n>>56) | 1
	}
}

// gaps holds the distance of the operands of each comparison when it was last executed: of those that branches go by,
// and of those in front of calls, which may be given their result.
type gaps map[*ir.Instr]float64

// longRuns are the executions of one search.
type longRuns struct {
	ctx    context.Context
	p      *problem.Problem
	a      *problem.Answers
	left   int64 // instructions
	varied bool  // the last run read inputs

	unwritten bool // a run read memory that nobody wrote
}

func (x *longRuns) over() bool { return x.left <= 0 || x.ctx.Err() != nil || x.a.Enough(x.p) }

// run executes the program on inputs so, settles what it violates, and notes gaps if they are asked for; nil without
// an outcome.
func (x *longRuns) run(so steady, seen gaps) *interp.Outcome {
	return x.execute(so, seen, min(x.left/policy.LongExecutions+1, policy.LongExecutionSteps))
}

// execute does so in at most steps instructions.
func (x *longRuns) execute(so steady, seen gaps, steps int64) *interp.Outcome {
	rec := &input.Recorder{Source: &so}
	opts := x.p.Execution(min(x.left, steps))
	if seen != nil {
		opts.Watch = &interp.Watch{Block: seen.note}
	}
	out, err := interp.Run(x.ctx, x.p.Module, opts, rec)
	if err != nil {
		x.left = 0
		return nil
	}
	x.varied = so.asked > 0
	x.unwritten = x.unwritten || slices.ContainsFunc(rec.Inputs, func(in input.Input) bool {
		return in.Kind == input.Bytes
	})
	x.left -= out.Executed + out.Accessed/policy.BytesPerStep + policy.ProbeOverhead
	Violates(x.ctx, x.p, x.a, rec.Inputs, out)
	return out
}

// note notes the gap of the branch that led to the block which begins, and those in front of the call that it is of.
func (g gaps) note(v interp.View) {
	n := v.Frames() - 1
	if _, call := v.At(n); call != nil && n > 0 {
		for _, c := range handed(call) {
			g.measure(v, n-1, c)
		}
	}
	from := v.Before(n)
	if from == nil || from.Term().Op != ir.OpCondBr {
		return
	}
	c, ok := from.Term().Args[0].(*ir.Instr)
	if !ok || c.Op != ir.OpIcmp || c.Block != from {
		return
	}
	g.measure(v, n, c)
}

// measure notes the gap of the comparison c in call n.
func (g gaps) measure(v interp.View, n int, c *ir.Instr) {
	l, okL := number(v, n, c, c.Args[0])
	r, okR := number(v, n, c, c.Args[1])
	if okL && okR {
		g[c] = l - r
	}
}

// handed returns the comparisons in front of a call that has arguments, in the same block.
func handed(call *ir.Instr) []*ir.Instr {
	var out []*ir.Instr
	for _, in := range call.Block.Instrs {
		if in == call || len(call.Args) == 0 {
			break
		}
		if in.Op == ir.OpIcmp {
			out = append(out, in)
		}
	}
	return out
}

// number is an operand of the comparison c in call n, as c reads it.
func number(v interp.View, n int, c *ir.Instr, of ir.Value) (float64, bool) {
	var b bits.Vec
	if k, ok := of.(*ir.Const); ok && k.Kind == ir.ConstInt {
		b = k.Bits
	} else if s := v.Value(n, of); s.Known && s.Object < 0 {
		b = s.Bits
	} else {
		return 0, false
	}
	if b.Width() == 0 || b.Width() > 64 {
		return 0, false
	}
	switch c.Pred {
	case ir.ULT, ir.ULE, ir.UGT, ir.UGE:
		u, _ := b.Uint64()
		return float64(u), true
	}
	s, _ := b.Int64()
	return float64(s), true
}

// aim varies one input, or all, to take branches that were never taken.
func (x *longRuns) aim(so steady) {
	var at [2]gaps
	var out *interp.Outcome
	if x.over() || !x.varied {
		return
	}
	starts := [2]float64{16, 40}
	for i, n := range starts {
		at[i] = gaps{}
		if out = x.run(so.of(n), at[i]); out == nil || !x.varied {
			return
		}
	}
	aims := 0
	for _, f := range x.p.Module.Funcs {
		for _, b := range f.Blocks {
			for _, c := range targets(b, out) {
				if aims == policy.Aims || x.over() {
					return
				}
				g, known := at[0][c]
				if h, again := at[1][c]; known && again && g != h {
					aims++
					x.secant(so, c, [2]float64{starts[0], starts[1]}, [2]float64{g, h})
				}
			}
		}
	}
}

// targets returns the comparisons of b that may lead elsewhere.
func targets(b *ir.Block, out *interp.Outcome) []*ir.Instr {
	if c := unvisited(b, out); c != nil {
		return []*ir.Instr{c}
	}
	var last *ir.Instr
	for _, in := range b.Instrs {
		if out.Visits[b] > 0 && in.Op == ir.OpCall && in.Model == ir.ModelNone && len(in.Args) > 0 {
			last = in
		}
	}
	if last == nil {
		return nil
	}
	return handed(last)
}

// unvisited returns the comparison that b branches on, if the run came to b and to one of its successors only.
func unvisited(b *ir.Block, out *interp.Outcome) *ir.Instr {
	t := b.Term()
	if out.Visits[b] == 0 || t.Op != ir.OpCondBr || (out.Visits[t.Targets[0]] > 0) == (out.Visits[t.Targets[1]] > 0) {
		return nil
	}
	c, _ := t.Args[0].(*ir.Instr)
	if c == nil || c.Op != ir.OpIcmp || c.Block != b {
		return nil
	}
	return c
}

// secant looks for a value at which the gap of c is zero, and tries its neighbours, too.
func (x *longRuns) secant(so steady, c *ir.Instr, n, gap [2]float64) {
	for range policy.SecantSteps {
		if gap[0] == gap[1] || x.over() {
			return
		}
		next := math.Round(n[1] - gap[1]*(n[1]-n[0])/(gap[1]-gap[0]))
		most := policy.SecantGrowth * max(math.Abs(n[0]), math.Abs(n[1]))
		next = max(-most, min(next, most))
		if math.Abs(next) > math.MaxInt32 || next == n[1] {
			return
		}
		seen := gaps{}
		out := x.run(so.of(next), seen)
		g, known := seen[c]
		if out == nil || !known || out.Kind == interp.StepLimit {
			return
		}
		if math.Abs(g) <= 1 {
			for _, beside := range []float64{1, -1} {
				x.run(so.of(next+beside), nil)
			}
			return
		}
		n, gap = [2]float64{n[1], next}, [2]float64{gap[1], g}
	}
}
