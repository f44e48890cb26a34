package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// OnlyExecution runs a program that depends on nothing from outside: what its only
// execution does not violate is proved.
type OnlyExecution struct{}

// Run implements problem.Engine. Claims are left open where the program reads an
// input, runs too long or too short, or violates something, which is then settled.
func (OnlyExecution) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	if !p.Unbounded() || p.Depth > 0 || p.Checks.Has(verdict.Unwinding) || p.Checks.Has(verdict.Stack) ||
		len(p.Entry.Params) > 0 {
		return problem.ErrOpen
	}
	defer a.Stage("execute")(nil)
	opts := p.Execution(policy.OnlyExecutionSteps)
	opts.Sealed, opts.Ways = true, p.Coverage
	opts.Checks = maps.Clone(p.Checks)
	opts.Checks[verdict.Uninitialised] = true
	out, err := interp.Run(ctx, p.Module, opts, input.Zeros{})
	if err != nil {
		return err
	}
	if Violates(ctx, p, a, nil, out) && a.Enough(p) {
		return nil
	}
	switch out.Kind {
	case interp.Returned, interp.Exited, interp.AssumeFailed, interp.Undefined:
	default:
		return fmt.Errorf("the execution ended with %s", out.Kind)
	}
	if out.Executed < policy.OnlyExecutionLeast && out.Leapt == 0 {
		return fmt.Errorf("the execution is short: unwinding is as good")
	}
	visited := func(k *ir.Block) bool { return out.Visits[k] > 0 }
	cert := &verdict.Certificate{Method: "execution",
		Detail:  []string{"the program reads no input and no unknown memory: its only execution violates nothing"},
		Checked: "interpreter"}
	claims := []verdict.Claim{}
	for _, c := range encode.ListClaims(p.Module, p.Checks, p.Leaks, visited) {
		v := problem.ClaimOf(&c)
		v.Replay, v.Certificate = verdict.NotRun, cert
		v.Learn(verdict.Always)
		v.Evidence = input.Sealed{Past: p.Past}
		v.Unreachable = !visited(c.Instr.Block) && !decided(c.Instr, visited)
		claims = append(claims, v)
	}
	a.SetExecuted(claims)
	if p.Coverage {
		a.SetCoverage(coverage(p, out))
	}
	if out.Kind == interp.AssumeFailed && out.Instr != nil && out.Instr.Model == ir.ModelAssume {
		a.SetVacuous(problem.Barred(&out.Pos))
	}
	return nil
}

// decided reports whether in always fails when it is reached, and a branch before it was executed.
func decided(in *ir.Instr, visited func(*ir.Block) bool) bool {
	return in.AlwaysFails() && slices.ContainsFunc(in.Block.Preds, visited)
}

// TriedInputs is an engine that tries inputs where the first round of unwinding takes long: a violation in front of a
// long loop need not wait for the formula of the loop.
type TriedInputs struct{}

// Run implements problem.Engine. When the first round is over, unwinding does the same by itself.
func (TriedInputs) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	if !p.Unbounded() || a.Unwinding() != nil {
		return problem.ErrOpen
	}
	for _, steps := range []int64{policy.ProbeShort, policy.ProbeSteps} {
		if probe(ctx, p, a, steps); a.Enough(p) {
			return nil
		}
	}
	return problem.ErrOpen
}

// Probe tries inputs; violations that it meets are settled.
func Probe(ctx context.Context, p *problem.Problem, a *problem.Answers) {
	probe(ctx, p, a, policy.ProbeSteps)
}

func probe(ctx context.Context, p *problem.Problem, a *problem.Answers, steps int64) {
	defer a.Stage("probe")(nil)
	consts := Constants(p.Module)
	left := int64(policy.ProbeTotal)
	for seed := uint64(0); seed < policy.ProbeSeeds && left > 0 && ctx.Err() == nil; seed++ {
		rec := &input.Recorder{Source: NewTried(seed, consts)}
		out, err := interp.Run(ctx, p.Module, p.Execution(min(left, steps)), rec)
		if err != nil {
			return
		}
		left -= out.Executed + out.Accessed/policy.BytesPerStep + policy.ProbeOverhead
		if Violates(ctx, p, a, rec.Inputs, out) && p.FirstOnly {
			return
		}
		if len(rec.Inputs) == 0 {
			return
		}
	}
}
