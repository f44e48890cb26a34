package graphterm

import (
	"context"
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/lasso"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/termination"
	"github.com/firmproof/firmproof/verifier/termination/certify"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// infinite confirms a recurrent set: the program itself runs stem and cycle on
// the inputs that the certificate implies.
// With wrap the run may overflow on its way, which changes nothing about it.
func (e *engine) infinite(ctx context.Context, claim verdict.Claim, g *seg.Graph, sys *its.System,
	legend seg.Legend, a termination.Answer, wrap bool) verdict.Claim {
	claim.Certificate = &verdict.Certificate{Method: "recurrent set", Detail: lines(a.Text),
		Checked: "termination/certify", Makers: techniques(a.By, e.kind(wrap)), Diagrams: diagrams(g, sys)}
	if e.p.MathInts() {
		claim.Replay, claim.Message = verdict.NotRun, "a run never ends, over mathematical integers"
		claim.Learn(verdict.Ran)
		return claim
	}
	run, err := follow(sys, a.Run, policy.ConfirmTurns)
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
	opts := e.p.Strict(policy.ConfirmSteps)
	if wrap {
		delete(opts.Checks, verdict.SignedOverflow)
		claim.Certificate.Detail = append(claim.Certificate.Detail,
			"What signed overflow does on the way changes nothing about this run.")
	}
	out, err := lasso.Run(ctx, e.p.Module, opts, rec)
	switch {
	case err != nil:
		return unknown(claim, giveUpReason(ctx, err))
	case replay.Meant(ctx, e.p, rec.Inputs, out):
		return unknown(claim, &verdict.Reason{Kind: verdict.Incomplete, Detail: "a run waits for its inputs"})
	case out.Kind == interp.Lasso:
		c := replay.LassoClaim(ctx, e.p, rec.Inputs, out)
		c.Certificate.Makers = claim.Certificate.Makers
		c.Certificate.Detail = append(c.Certificate.Detail, claim.Certificate.Detail...)
		c.Certificate.Diagrams = append(c.Certificate.Diagrams, claim.Certificate.Diagrams...)
		return c
	case out.Kind == interp.StepLimit, out.Kind == interp.InputMismatch && src.Rest() == 0:
		c := replay.EndlessClaim(ctx, e.p, rec.Inputs, out)
		c.Certificate = claim.Certificate
		c.Evidence = certificate.RecurrentOf(e.kind(wrap), sys, a.Run)
		if out.Instr != nil {
			c.Pos = out.Pos
		}
		return c
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
