package bmc

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/interp"
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
		c.Status, c.Replay = verdict.Unknown, verdict.Mismatch
		c.Reason = &verdict.Reason{Kind: verdict.ReplayMismatch, Detail: describe(out, err), Pos: &g.First.Pos,
			Remedy: "please report this: the two engines disagree"}
		return g, &problem.Settled{Claim: c}
	}
	if in := replay.NotFollowed(inputs); in != nil {
		c := problem.ClaimOf(g.First)
		c.Status, c.Replay = verdict.Unknown, verdict.NotRun
		c.Reason = &verdict.Reason{Kind: verdict.Unsupported,
			Detail: fmt.Sprintf("a violation was found that may need a certain value of %s (line %d), which is not followed", in.Instr.Asm.Any, in.Instr.Pos.Line)}
		return g, &problem.Settled{Claim: c}
	}
	return g, replay.Confirm(ctx, b.p, problem.ClaimOf(g.First), inputs, out)
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
