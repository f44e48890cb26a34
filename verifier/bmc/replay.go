package bmc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// replay feeds the model's inputs to the interpreter. It answers the group whose
// claim the execution violates, with a confirmed trace; or the first group hit,
// as unknown, when the interpreter disagrees.
func (b *unwinder) replay(ctx context.Context, r *round, ev *ilr.Evaluator, hit []*group) (*group,
	*problem.Settled) {
	inputs := r.f.Inputs(ev)
	out, err := replay.Execute(ctx, b.p, inputs, false)
	g := violatedGroup(hit, out)
	if err != nil || g == nil {
		g = hit[0]
		c := problem.ClaimOf(g.First)
		c.Replay = verdict.Mismatch
		c.Reason = &verdict.Reason{Kind: verdict.ReplayMismatch, Detail: describe(out, err), Pos: &g.First.Pos,
			Remedy: "please report this: the two engines disagree"}
		why := unfinished(ctx, out, err)
		if why == nil && err == nil && len(out.Undefined) > 0 { // what is there, the two may take for different things
			why = verdict.NotDefined(out.Undefined)
		}
		if why != nil {
			why.Pos, c.Replay, c.Reason = &g.First.Pos, verdict.NotRun, why
		}
		return g, &problem.Settled{Claim: c.Learned(verdict.Undecided)}
	}
	if in := replay.NotFollowed(inputs); in != nil {
		c := problem.ClaimOf(g.First)
		c.Replay = verdict.NotRun
		c.Reason = &verdict.Reason{Kind: verdict.Unsupported,
			Detail: fmt.Sprintf(
				"a violation was found that may need a certain value of %s (line %d), which is not followed", in.Instr.Asm.Any,
				in.Instr.Pos.Line)}
		return g, &problem.Settled{Claim: c.Learned(verdict.Undecided)}
	}
	return g, replay.Confirm(ctx, b.p, problem.ClaimOf(g.First), inputs, out)
}

// unfinished returns why a replay did not come to its end, nil if it did: that says nothing about the engines.
func unfinished(ctx context.Context, out *interp.Outcome, err error) *verdict.Reason {
	switch {
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		return &verdict.Reason{Kind: verdict.TimedOut,
			Detail: "the time was over while the violation that the solver found was executed", Remedy: "give it more time"}
	case err == nil && out.Kind == interp.StepLimit:
		return &verdict.Reason{Kind: verdict.Incomplete, Detail: fmt.Sprintf(
			"the violation that the solver found comes after more than the %d instructions that a replay executes",
			policy.ReplaySteps)}
	}
	return nil
}

func violatedGroup(hit []*group, out *interp.Outcome) *group {
	if out == nil || out.Kind != interp.Violation {
		return nil
	}
	for _, g := range hit {
		if slices.ContainsFunc(g.Instances, func(c *encode.Claim) bool {
			return c.Instr == out.Instr &&
				c.Check == out.Check
		}) {
			return g
		}
	}
	return nil
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
