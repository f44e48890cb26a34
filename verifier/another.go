package verifier

import (
	"context"

	"github.com/firmproof/firmproof/verifier/bmc"
	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/flow"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A violation that rests on what a generated harness made up is no finding, and the engines look for one of each claim.
// So claims with such a violation are asked about once more, in a form of the program in which that does not happen: no
// access goes past the end of the block whose size is a guess, and contents have numbers that it does not fail with. Each
// execution of that form is one of the program: what fails there is repeated in the program itself. Nothing is proved.

// another is what is asked again.
type another struct {
	p     *problem.Problem
	res   *verdict.Result
	past  map[string][]string        // claims of which the violation goes past blocks of guessed sizes, and their names
	fixed map[string]replay.Contents // claims of which contents decide the violation
	from  *flow.Rests                // once it is asked for
}

// pastGuesses lists the blocks of guessed sizes that violations of res go past, by claim.
func pastGuesses(plan *Plan, res *verdict.Result) map[string][]string {
	out := map[string][]string{}
	for i := range res.Claims {
		if c := &res.Claims[i]; c.Status == verdict.Violated && c.Failure.Is(verdict.OutOfBounds) && !c.Object.Wrapped() {
			if names := guessed(plan, c); len(names) > 0 {
				out[c.ID] = names
			}
		}
	}
	return out
}

// find asks for other violations, and gives claims of res those that are findings.
func (x *another) find(ctx context.Context, m *ir.Module) {
	plan := x.p.Plan
	if len(x.past)+len(x.fixed) == 0 || ctx.Err() != nil {
		return
	}
	plan.LeaveOthers()
	plan.Calls, plan.Tried, plan.Answers = nil, nil, nil
	form := ownPart(m, &plan)
	if form == nil || !x.restrict(form) {
		return
	}
	plan.Checks = checksOf(x.res, x.wants)
	var none verdict.Result
	q := race.Prepare(form, plan, &none)
	if q == nil || len(plan.Checks) == 0 {
		return
	}
	within, end := atMost(ctx, policy.AnotherTime)
	defer end()
	a := problem.NewAnswers()
	race.Run(within, q.Aside(), a, []race.Entrant{{Name: "unwinding", Engine: bmc.Engine{}}})
	for _, s := range a.AllSettled() {
		if s.Status == verdict.Violated && s.At.Instr != nil {
			x.take(ctx, s)
		}
	}
}

// restrict lets no execution of m pass that violates the claims as it is known; false: nothing changed.
func (x *another) restrict(m *ir.Module) bool {
	places := claims.ClaimPlaces(&problem.Problem{Plan: x.p.Plan, Module: m})
	accesses := map[*ir.Instr][]string{}
	done := false
	for id, names := range x.past {
		if at := places[id]; at != nil {
			accesses[at] = names
		}
	}
	for id, with := range x.fixed {
		if x.past[id] == nil && with.Fix(m) {
			done = true
		}
	}
	return harness.KeepWithin(m, accesses) || done
}

// wants reports a claim of which another violation is asked for.
func (x *another) wants(c *verdict.Claim) bool {
	return c.Status == verdict.Violated && len(guessed(&x.p.Plan, c)) > 0 || leftOut(c)
}

// take repeats a violation in the program. It becomes that of its claim if it rests on nothing that the harness made up.
func (x *another) take(ctx context.Context, s *problem.Settled) {
	out, given, err := replay.AsReported(ctx, x.p, s.Inputs, policy.KnownSteps)
	if err != nil {
		return
	}
	at, _, fails := replay.Violated(x.p, out)
	if !fails {
		return
	}
	var c *verdict.Claim
	for i := range x.res.Claims {
		if x.res.Claims[i].ID == at.ID {
			c = &x.res.Claims[i]
		}
	}
	if c == nil || !x.wants(c) || x.restsOnGuess(ctx, x.violation(ctx, &at, given, out), at.Instr) {
		return
	}
	small := replay.ShrinkWhile(ctx, x.p, given, out, func(list []input.Input) bool {
		now, err := replay.Execute(ctx, x.p, list, false)
		return err == nil && now.Failure.Same(out.Failure)
	})
	own := x.violation(ctx, &at, small, out)
	if x.restsOnGuess(ctx, own, at.Instr) {
		return
	}
	own.By = s.By
	*c = *own
	if x.p.Found != nil {
		x.p.Found(*own)
	}
}

// violation words the violation that the execution out on some inputs is.
func (x *another) violation(ctx context.Context, at *encode.Claim, inputs []input.Input, out *interp.Outcome) *verdict.Claim {
	return &replay.Traced(ctx, x.p, problem.ClaimOf(at), inputs, out).Claim
}

// restsOnGuess reports whether a violation at an instruction is no finding.
func (x *another) restsOnGuess(ctx context.Context, c *verdict.Claim, in *ir.Instr) bool {
	if c.Status != verdict.Violated || len(guessed(&x.p.Plan, c)) > 0 {
		return true
	}
	q := claims.QuestionOf(x.p)
	if len(q.IDs) == 0 {
		return false
	}
	if x.from == nil {
		q.Holds = func(*ir.Instr) bool { return false }
		x.from = flow.Follow(q)
	}
	of, _ := claims.MadeUp(ctx, x.p, c, in, claims.DecidedBy(x.from, c, in), x.from.Nowhere(in))
	return of != nil
}
