// Package replay executes programs on chosen inputs: those of a model or a report to
// confirm what they show, the only ones there are, or some that are worth a try.
// A violation is settled only where an execution shows it.
package replay

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Execute runs p from its entry with recorded inputs.
func Execute(ctx context.Context, p *problem.Problem, inputs []input.Input, trace bool) (*interp.Outcome, error) {
	return execute(ctx, p, inputs, policy.ReplaySteps, trace)
}

func execute(ctx context.Context, p *problem.Problem, inputs []input.Input, steps int64, trace bool) (*interp.Outcome,
	error) {
	opts := p.Execution(steps)
	if trace {
		opts = p.Traced(steps)
	}
	return interp.Run(ctx, p.Module, opts, input.NewRecorded(inputs))
}

// Confirm returns c as the violation that the execution out on inputs is, with
// small inputs and a trace.
func Confirm(ctx context.Context, p *problem.Problem, c verdict.Claim, inputs []input.Input,
	out *interp.Outcome) *problem.Settled {
	return Traced(ctx, p, c, shrink(ctx, p, inputs, out), out)
}

// Traced is Confirm with the inputs as they are.
func Traced(ctx context.Context, p *problem.Problem, c verdict.Claim, inputs []input.Input,
	out *interp.Outcome) *problem.Settled {
	late, end := budget.Longer(ctx, policy.TraceGrace) // without a trace it says little
	defer end()
	if traced, err := Execute(late, p, inputs, true); err == nil && sameFailure(traced, out) {
		out = traced
	}
	c.Learn(verdict.Ran)
	c.Replay, c.Trace = verdict.Confirmed, out.Steps
	if out.Message != "" {
		c.Message = out.Message
	}
	showAtCall(&c, out.CallPath)
	c.Inputs, c.Failure, c.Object, c.Undefined = Shown(inputs), out.Failure, out.Object, out.Undefined
	c.Evidence = input.Execution{Inputs: inputs, Past: out.Passed}
	return &problem.Settled{Claim: c, At: ir.At{Instr: out.Instr, Check: out.Check}, Passed: out.Passed}
}

// showAtCall shows a violation inside the C library at the call of it that path, calls from the entry down, has last.
func showAtCall(c *verdict.Claim, path []*ir.Instr) {
	if !c.Pos.InLibrary() {
		return
	}
	for _, call := range slices.Backward(path) {
		if call.Pos.InLibrary() {
			continue
		}
		inside := c.Pos
		c.Inside, c.Pos = &inside, *call.Pos
		if f, direct := call.Callee.(*ir.Const); direct && f.Func != nil {
			c.Message = "in " + f.Func.CName + ": " + c.Message
		}
		if n := len(c.Trace); n > 0 && c.Trace[n-1].Kind == verdict.StepViolation {
			last := &c.Trace[n-1]
			last.Pos, last.What, last.Value = c.Pos, c.Message, ""
		}
		return
	}
}

// Violates settles the claim that the execution out on inputs violates, if it does
// so a second time on the recorded inputs. It is false if nothing was settled.
func Violates(ctx context.Context, p *problem.Problem, a *problem.Answers, inputs []input.Input,
	out *interp.Outcome) bool {
	if out.Kind != interp.Violation || !p.Checks.Has(out.Check) {
		return false
	}
	c, _, fails := Violated(p, out)
	if !fails || a.Settled(c.ID) != nil || NotFollowed(inputs) != nil {
		return false
	}
	now, err := Execute(ctx, p, inputs, false)
	if err != nil || !sameFailure(now, out) {
		return false
	}
	return a.Settle(Confirm(ctx, p, problem.ClaimOf(&c), inputs, now))
}

// NotFollowed returns the first input that stands for a value which the program
// computes and the engines do not, or nil.
func NotFollowed(inputs []input.Input) *input.Input {
	for i := range inputs {
		if at := inputs[i].Instr; at != nil && at.Asm != nil && at.Asm.Any != "" {
			return &inputs[i]
		}
	}
	return nil
}

func sameFailure(a, b *interp.Outcome) bool {
	return a.Kind == b.Kind && a.Instr == b.Instr && a.Check == b.Check && a.Object.IsBefore() == b.Object.IsBefore()
}

// Shown puts the inputs of a replay into the report's form.
func Shown(inputs []input.Input) []verdict.Input {
	var out []verdict.Input
	for _, in := range inputs {
		out = append(out, shown(in))
	}
	return out
}

func shown(in input.Input) verdict.Input {
	out := verdict.Input{Kind: in.Kind.String(), Name: in.Name, Pos: in.Pos}
	if at := in.Instr; at != nil { // named by the program, whether a formula or an execution asked for it
		out.Name, out.Pos = cmp.Or(at.Name, in.Name), *at.Pos
		if k, direct := at.Callee.(*ir.Const); direct && k.Func != nil {
			out.Name = k.Func.Name
		}
	}
	if w := in.Value.Width(); w > 0 {
		out.Width, out.Value = w, in.Value.Hex()
	}
	out.Bytes = showBytes(in.Bytes)
	return out
}

// showBytes writes the bytes up to the last that is not 0.
func showBytes(m map[int64]byte) string {
	end := int64(0)
	for off, v := range m {
		if v != 0 && off >= end && off < policy.InputShown {
			end = off + 1
		}
	}
	list := make([]byte, end)
	for off, v := range m {
		if off >= 0 && off < end {
			list[off] = v
		}
	}
	return hex.EncodeToString(list)
}
