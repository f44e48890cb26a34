package verifier

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/termination"
	"github.com/firmproof/firmproof/verifier/termination/certify"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Limits of the search for a repeated state.
const (
	guessSteps   = 30_000    // of a run at first
	guessMore    = 1_500_000 // when no short one repeated a state
	guessTime    = 1500 * time.Millisecond
	confirmSteps = 2_000_000
	confirmTurns = 400 // turns of a cycle for which inputs are made
	guessSeeds   = 400
)

// guess decides inputs by a policy: the same value always, or values that are
// often interesting, chosen by a fixed generator.
type guess struct {
	input.Zeros
	seed   uint64
	values []int64
}

// maxConstants is how many of the program's own constants are tried.
const maxConstants = 24

// guessValues are tried as inputs, by seed or by the generator: some that are
// often interesting, and what the program compares with. After them come the ends
// of the input's range.
func guessValues(m *ir.Module) []int64 {
	out := []int64{0, 1, -1, 2, 5, 10, 100, -10, 3, 7, 1000, -2, 1 << 8, 1 << 16}
	limit := len(out) + maxConstants
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

// Next answers from the policy.
func (g *guess) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if kind == input.MallocOK || kind == input.Undef {
		return g.Zeros.Next(kind, at, width)
	}
	all := uint64(len(g.values)) + 2
	if g.seed < all {
		return g.value(g.seed, width), true
	}
	g.seed = g.seed*6364136223846793005 + 1442695040888963407
	return g.value((g.seed>>33)%all, width), true
}

func (u *unbounded) interpOptions(steps int64) interp.Options {
	return interp.Options{Semantics: u.plan.Semantics, Entry: u.entry, Checks: verdict.DefaultChecks(), MaxSteps: steps}
}

// guessLasso runs the program on a few inputs and looks for a repeated state.
func (u *unbounded) guessLasso(ctx context.Context) (verdict.Claim, bool) {
	ctx, cancel := context.WithTimeout(ctx, guessTime)
	defer cancel()
	values := guessValues(u.m)
	var long []uint64
	for seed := uint64(0); seed < guessSeeds && ctx.Err() == nil; seed++ {
		c, out, varied := u.guessOne(ctx, &guess{seed: seed, values: values}, guessSteps)
		if out == interp.Lasso {
			return c, true
		}
		if out == interp.StepLimit {
			long = append(long, seed)
		}
		if !varied {
			break // there is nothing to vary
		}
	}
	for _, seed := range long {
		if c, out, _ := u.guessOne(ctx, &guess{seed: seed, values: values}, guessMore); out == interp.Lasso {
			return c, true
		}
	}
	return verdict.Claim{}, false
}

// guessOne runs the program on the inputs of one policy; varied tells that there were any.
func (u *unbounded) guessOne(ctx context.Context, g *guess, steps int64) (c verdict.Claim, kind interp.Kind,
	varied bool) {
	rec := &input.Recorder{Source: g}
	out, err := interp.RunLasso(ctx, u.m, u.interpOptions(steps), rec)
	if err != nil {
		return c, kind, false
	}
	if out.Kind == interp.Lasso {
		c = u.lassoClaim(ctx, rec.Inputs, out)
	}
	return c, out.Kind, len(rec.Inputs) > 0
}

// lassoClaim shows a run that repeats its state.
func (u *unbounded) lassoClaim(ctx context.Context, inputs []input.Input, out *interp.Outcome) verdict.Claim {
	c := verdict.Claim{Check: verdict.Termination, Status: verdict.Violated, Replay: verdict.Confirmed,
		Message: "this run never ends: its state repeats"}
	c.Pos = *out.Cycle.Head.Instrs[0].Pos
	c.Certificate = &verdict.Certificate{Method: "lasso", Checked: "interpreter", Detail: []string{
		fmt.Sprintf("after %d instructions the state at %s is one that the next %d instructions lead back to",
			out.Cycle.Stem, c.Pos, out.Cycle.Length)}}
	opts := u.interpOptions(out.Executed + 1)
	opts.Trace = true
	if traced, err := interp.RunLasso(ctx, u.m, opts, input.NewRecorded(inputs)); err == nil &&
		traced.Kind == interp.Lasso {
		c.Trace = traced.Steps
	}
	for _, in := range inputs {
		c.Inputs = append(c.Inputs, showInput(in))
	}
	return c
}

// infinite confirms a recurrent set: the program itself runs stem and cycle on
// the inputs that the certificate implies.
// With wrap the run may overflow on its way, which changes nothing about it.
func (u *unbounded) infinite(ctx context.Context, claim verdict.Claim, g *seg.Graph, sys *its.System,
	legend seg.Legend, a termination.Answer, wrap bool) verdict.Claim {
	claim.Certificate = &verdict.Certificate{Method: "recurrent set", Detail: lines(a.Text),
		Checked: "termination/certify"}
	if u.mathInts() {
		claim.Status, claim.Replay, claim.Message = verdict.Violated, verdict.NotRun,
			"a run never ends, over mathematical integers"
		return claim
	}
	run, err := follow(sys, a.Run, confirmTurns)
	var ins []seg.Input
	if err == nil {
		ins, err = g.Inputs(ctx, sys, legend, run)
	}
	if err != nil {
		return unknown(claim, &verdict.Reason{Kind: verdict.ReplayMismatch,
			Detail: "the run of the recurrent set was not made: " + err.Error()})
	}
	inputs := interpInputs(ins)
	src := input.NewRecorded(inputs)
	rec := &input.Recorder{Source: src}
	opts := u.interpOptions(confirmSteps)
	if wrap {
		delete(opts.Checks, verdict.SignedOverflow)
		claim.Certificate.Detail = append(claim.Certificate.Detail,
			"What signed overflow does on the way changes nothing about this run.")
	}
	out, err := interp.RunLasso(ctx, u.m, opts, rec)
	switch {
	case err != nil:
		return unknown(claim, giveUpReason(ctx, err))
	case out.Kind == interp.Lasso:
		c := u.lassoClaim(ctx, rec.Inputs, out)
		c.Certificate.Detail = append(c.Certificate.Detail, claim.Certificate.Detail...)
		return c
	case out.Kind == interp.StepLimit, out.Kind == interp.InputMismatch && src.Rest() == 0:
		claim.Status, claim.Replay = verdict.Violated, verdict.Confirmed
		claim.Message = fmt.Sprintf(
			"this run never ends: the interpreter followed it for %d instructions, the recurrent set shows that it goes on", out.Executed)
		for n, in := range rec.Inputs {
			if n == 100 {
				break
			}
			claim.Inputs = append(claim.Inputs, showInput(in))
		}
		if out.Instr != nil {
			claim.Pos = out.Pos
		}
		return claim
	}
	return unknown(claim, &verdict.Reason{Kind: verdict.ReplayMismatch,
		Detail: "the recurrent set promises an infinite run, but the replay ended: " + out.String()})
}

// follow runs a recurrence through the system for some turns of its cycle.
func follow(sys *its.System, r *certify.Recurrence, turns int) ([]seg.Taken, error) {
	var run []seg.Taken
	now := append([]exact.Int(nil), r.Start...)
	take := func(s certify.Step, temps []exact.Int) error {
		t := &sys.Trans[s.Trans]
		if s.Target != 0 || len(temps) < t.Temps {
			return fmt.Errorf("a step with several successors")
		}
		value := func(v exact.Var) exact.Int {
			if int(v) < len(now) {
				return now[v]
			}
			return temps[int(v)-len(now)]
		}
		next := make([]exact.Int, len(now))
		for v, p := range t.Update {
			next[v] = p.Eval(value)
		}
		run = append(run, seg.Taken{Trans: t, Before: now, After: next})
		now = next
		return nil
	}
	for i, s := range r.Stem {
		if err := take(s, r.StemTemps[i]); err != nil {
			return nil, err
		}
	}
	for n := 0; n < turns; n++ {
		start := now
		at := 0
		for _, s := range r.Cycle {
			var temps []exact.Int
			for i := 0; i < sys.Trans[s.Trans].Temps; i++ {
				temps = append(temps, r.Choice[at].Eval(func(v exact.Var) exact.Int { return start[v] }))
				at++
			}
			if err := take(s, temps); err != nil {
				return nil, err
			}
		}
	}
	return run, nil
}

func interpInputs(ins []seg.Input) []input.Input {
	kinds := map[seg.InputKind]input.Kind{seg.ParamInput: input.Param, seg.NondetInput: input.Nondet,
		seg.VolatileInput: input.VolatileRead, seg.MallocInput: input.MallocOK}
	out := make([]input.Input, 0, len(ins))
	for _, in := range ins {
		out = append(out, input.Input{Kind: kinds[in.Kind], Instr: in.At, Value: bits.FromBig(in.Width, in.Value)})
	}
	return out
}
