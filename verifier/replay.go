package verifier

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

const (
	replaySteps = 20_000_000 // instructions of one replay
)

// replay feeds the model's inputs to the interpreter. It answers the group whose
// claim the execution violates, with a confirmed trace; or the first group hit,
// as unknown, when the interpreter disagrees.
func (b *bounded) replay(ctx context.Context, r *round, ev *ilr.Evaluator, hit []*group) (*group, *verdict.Claim) {
	inputs := r.f.Inputs(ev)
	out, err := b.execute(ctx, inputs, false)
	g := violatedGroup(hit, out)
	if err != nil || g == nil {
		g = hit[0]
		c := newClaim(g)
		c.Status, c.Replay = verdict.Unknown, verdict.Mismatch
		c.Reason = &verdict.Reason{Kind: verdict.ReplayMismatch, Detail: describe(out, err), Pos: &g.first.Pos,
			Remedy: "please report this: the two engines disagree"}
		return g, c
	}
	if in := notFollowed(inputs); in != nil {
		c := newClaim(g)
		c.Status, c.Replay = verdict.Unknown, verdict.NotRun
		c.Reason = &verdict.Reason{Kind: verdict.Unsupported,
			Detail: fmt.Sprintf("a violation was found that may need a certain value of %s (line %d), which is not followed", in.Instr.Asm.Any, in.Instr.Pos.Line)}
		return g, c
	}
	return g, b.confirmed(ctx, newClaim(g), inputs, out)
}

// confirmed makes c the violation that the execution out on inputs is.
func (b *bounded) confirmed(ctx context.Context, c *verdict.Claim, inputs []input.Input,
	out *interp.Outcome) *verdict.Claim {
	inputs = b.shrink(ctx, inputs, out)
	if traced, err := b.execute(ctx, inputs, true); err == nil && sameFailure(traced, out) {
		out = traced
	}
	if b.findings == nil {
		b.findings = map[string]finding{}
	}
	b.findings[c.ID] = finding{ir.At{Instr: out.Instr, Check: out.Check}, out.Passed}
	c.Status, c.Replay, c.Trace = verdict.Violated, verdict.Confirmed, out.Steps
	if out.Message != "" {
		c.Message = out.Message
	}
	for _, in := range inputs {
		c.Inputs = append(c.Inputs, showInput(in))
	}
	return c
}

// notFollowed is the first input that stands for a value which the program computes and the engines do not.
func notFollowed(inputs []input.Input) *input.Input {
	for i := range inputs {
		if at := inputs[i].Instr; at != nil && at.Asm != nil && at.Asm.Any != "" {
			return &inputs[i]
		}
	}
	return nil
}

func newClaim(g *group) *verdict.Claim {
	return &verdict.Claim{ID: g.id, Check: g.first.Check, Message: g.first.Message, Pos: g.first.Pos}
}

// execute runs the interpreter from the entry with recorded inputs.
func (b *bounded) execute(ctx context.Context, inputs []input.Input, trace bool) (*interp.Outcome, error) {
	opts := b.interpOptions(replaySteps)
	opts.Trace, opts.Relevant = trace, b.plan.Relevant
	return interp.Run(ctx, b.m, opts, input.NewRecorded(inputs))
}

func violatedGroup(hit []*group, out *interp.Outcome) *group {
	if out == nil || out.Kind != interp.Violation {
		return nil
	}
	for _, g := range hit {
		if slices.ContainsFunc(g.instances, func(c *encode.Claim) bool {
			return c.Instr == out.Instr &&
				c.Check == out.Check
		}) {
			return g
		}
	}
	return nil
}

func sameFailure(a, b *interp.Outcome) bool {
	return a.Kind == b.Kind && a.Instr == b.Instr && a.Check == b.Check
}

func describe(out *interp.Outcome, err error) string {
	if err != nil {
		return "the replay failed: " + err.Error()
	}
	s := fmt.Sprintf("the solver found a violation, but the replay ended with %s", out.Kind)
	if out.Message != "" {
		s += ": " + out.Message
	}
	if out.Instr != nil {
		s += " at " + out.Pos.String()
	}
	return s
}
