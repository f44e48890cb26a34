package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/lasso"
	"github.com/firmproof/firmproof/verifier/interp/trace"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// guess decides inputs by a rule: the same value always, zeros and ones in a pattern
// that repeats, or values that are often interesting, chosen by a fixed generator.
type guess struct {
	input.Zeros
	values  []int64
	seed    uint64 // number of the value, or of the generator's first state
	pattern uint8  // bit i is input i, modulo period
	period  int    // 0: no pattern
	asked   int    // inputs so far
}

// guesses returns the rules in the order in which they are tried.
func guesses(values []int64) []guess {
	var out []guess
	for seed := range len(values) + 2 {
		out = append(out, guess{values: values, seed: uint64(seed)})
	}
	seen := map[string]bool{}
	for period := 2; period <= policy.GuessPeriod; period++ {
		for pattern := range uint8(1) << period {
			// one that itself repeats was tried with its own period; 60 is a multiple of all
			turns := strings.Repeat(fmt.Sprintf("%0*b", period, pattern), 60/period)
			if pattern != 0 && pattern != 1<<period-1 && !seen[turns] {
				seen[turns] = true
				out = append(out, guess{values: values, pattern: pattern, period: period})
			}
		}
	}
	for seed := len(values) + 2; seed < policy.GuessSeeds; seed++ {
		out = append(out, guess{values: values, seed: uint64(seed)})
	}
	return out
}

// guessValues are tried as inputs, by seed or by the generator: some that are
// often interesting, and what the program compares with. After them come the ends
// of the input's range.
func guessValues(m *ir.Module) []int64 {
	out := []int64{0, 1, -1, 2, 5, 10, 100, -10, 3, 7, 1000, -2, 1 << 8, 1 << 16}
	limit := len(out) + policy.GuessConstants
	m.Compared(func(in *ir.Instr, c *ir.Const) {
		if in.Op != ir.OpIcmp || len(out) >= limit || !c.Bits.Signed().IsInt64() {
			return
		}
		for v := c.Bits.Signed().Int64() - 1; v <= c.Bits.Signed().Int64()+1; v++ {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	})
	return out
}

// value is number n of the values.
func (g *guess) value(n uint64, width int) bits.Vec {
	switch n {
	case uint64(len(g.values)):
		return bits.Shl(bits.New(width, 1), uint(width-1))
	case uint64(len(g.values)) + 1:
		return bits.Lshr(bits.Not(bits.New(width, 0)), 1)
	}
	return bits.NewInt(width, g.values[n])
}

// Next implements input.Source.
func (g *guess) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if kind == input.MallocOK || kind == input.Undef {
		return g.Zeros.Next(kind, at, width)
	}
	if g.period > 0 {
		bit := g.pattern >> (g.asked % g.period) & 1
		g.asked++
		return bits.New(width, uint64(bit)), true
	}
	all := uint64(len(g.values)) + 2
	if g.seed < all {
		return g.value(g.seed, width), true
	}
	g.seed = g.seed*6364136223846793005 + 1442695040888963407
	return g.value((g.seed>>33)%all, width), true
}

// GuessLasso runs the program on a few inputs and looks for a repeated state.
type GuessLasso struct {
	Steps int64 // instructions of all runs; 0: as many as the time allows
}

// Run implements problem.Engine.
func (l GuessLasso) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	if p.MathInts() {
		return problem.ErrOpen
	}
	defer a.Stage("lasso")(nil)
	meant, left := 0, l.Steps
	try := guesses(guessValues(p.Module))
	for _, steps := range policy.GuessSteps { // what is short goes first: comparing states costs with their size
		var longer []guess
		for _, g := range try {
			if ctx.Err() != nil || meant == policy.MaxMeant || l.Steps > 0 && left <= 0 {
				return problem.ErrOpen
			}
			out, varied := guessOne(ctx, p, a, g, steps, &left)
			switch out {
			case interp.Lasso:
				if a.Settled(p.TerminationClaim().ID) != nil {
					return nil
				}
				meant++
			case interp.StepLimit:
				longer = append(longer, g)
			}
			if !varied {
				break // there is nothing to vary
			}
		}
		try = longer
	}
	return problem.ErrOpen
}

// guessOne runs the program on the inputs of one rule, and settles termination
// if the state repeats, and nobody means it to; varied tells that there were inputs.
// What it executed is taken from left.
func guessOne(ctx context.Context, p *problem.Problem, a *problem.Answers, g guess, steps int64, left *int64) (
	kind interp.Kind, varied bool) {
	rec := &input.Recorder{Source: &g}
	out, err := lasso.Run(ctx, p.Module, p.Strict(steps), rec)
	if err != nil {
		return kind, false
	}
	*left -= out.Executed
	if out.Kind == interp.Lasso && !Meant(ctx, p, rec.Inputs, out) {
		a.Settle(&problem.Settled{Claim: LassoClaim(ctx, p, rec.Inputs, out)})
	}
	return out.Kind, len(rec.Inputs) > 0
}

// LassoClaim returns the claim that is violated by a run on inputs whose state repeats.
func LassoClaim(ctx context.Context, p *problem.Problem, inputs []input.Input, out *interp.Outcome) verdict.Claim {
	c := p.TerminationClaim()
	c.Learn(verdict.Ran)
	c.Replay, c.Message = verdict.Confirmed, "this run never ends: its state repeats"
	c.Pos = *out.Cycle.Head.Instrs[0].Pos
	if _, l := caughtIn(out.Cycle); l != nil {
		c.Pos = l.Pos
	}
	detail := fmt.Sprintf("after %d instructions the state at %s is one that the next %d instructions lead back to",
		out.Cycle.Stem, c.Pos, out.Cycle.Length)
	if out.Cycle.Recursion {
		c.Pos = *out.CallPath[len(out.CallPath)-1].Pos
		c.Message = fmt.Sprintf("this run never ends: a call of %s leads to the same call again",
			out.Cycle.Head.Func.CName)
		detail = fmt.Sprintf("after %d instructions %s is called with arguments and memory with which the next %d "+
			"instructions call it again, before it returns", out.Cycle.Stem, out.Cycle.Head.Func.CName,
			out.Cycle.Length)
	}
	c.Certificate = &verdict.Certificate{Method: "lasso", Checked: "interpreter", Detail: []string{detail}}
	opts := p.Strict(out.Executed + 1)
	opts.Observe = []interp.Observe{trace.Steps(trace.Options{Detailed: p.Detailed})}
	if traced, err := lasso.Run(ctx, p.Module, opts, input.NewRecorded(inputs)); err == nil &&
		traced.Kind == interp.Lasso {
		c.Trace = traced.Steps
		if n := traced.Cycle.StemSteps; n >= 0 && n < len(c.Trace) {
			c.Cycle = n + 1
			c.Certificate.Diagrams = []verdict.Diagram{lassoDiagram(p.Entry.CName, c.Pos, c.Trace[:n], c.Trace[n:])}
		}
	}
	c.Inputs = Shown(inputs)
	c.Evidence = input.Endless{Inputs: inputs, Steps: out.Executed + 1}
	return c
}

// EndlessClaim returns the claim that is violated by a run on inputs which the
// interpreter followed to its limit, and which a recurrent set shows to go on.
func EndlessClaim(ctx context.Context, p *problem.Problem, inputs []input.Input, out *interp.Outcome) verdict.Claim {
	c := p.TerminationClaim()
	c.Learn(verdict.Ran)
	c.Replay = verdict.Confirmed
	c.Message = fmt.Sprintf("this run never ends: the interpreter followed it for %d instructions, "+
		"the recurrent set shows that it goes on", out.Executed)
	c.Inputs = Shown(inputs[:min(len(inputs), policy.ShownInputs)])
	if !p.Detailed { // a witness needs no steps that end nowhere
		c.Trace = firstSteps(ctx, p, inputs, out.Executed)
	}
	return c
}

// firstSteps are the first steps of an endless run on inputs.
func firstSteps(ctx context.Context, p *problem.Problem, inputs []input.Input, executed int64) []verdict.Step {
	opts := p.Strict(min(executed, policy.EndlessSteps))
	opts.Observe = []interp.Observe{trace.Steps(trace.Options{})}
	delete(opts.Checks, verdict.SignedOverflow) // a recurrent set may be one where it wraps
	out, err := interp.Run(ctx, p.Module, opts, input.NewRecorded(inputs))
	if err != nil || out.Kind != interp.StepLimit {
		return nil
	}
	steps := out.Steps[:min(len(out.Steps), policy.ShownSteps)]
	for i := range steps {
		steps[i].Relevant = true
	}
	return steps
}
