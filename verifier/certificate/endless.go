package certificate

import (
	"context"
	"fmt"
	"maps"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/lasso"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Lasso is an execution, by its inputs, that comes back to a state in which it was: it never ends.
type Lasso struct {
	Steps  int64   `json:"steps"` // until the state repeats, at most
	Inputs []Input `json:"inputs"`
}

// check executes the program until the state repeats.
func (l *Lasso) check(ctx context.Context, p *program) (*Finding, error) {
	r := &Run{Inputs: l.Inputs}
	inputs, err := r.source(p)
	if err != nil {
		return nil, err
	}
	out, err := lasso.Run(ctx, p.Module, p.Strict(l.Steps), input.NewRecorded(inputs))
	if err != nil {
		return nil, err
	}
	if out.Kind != interp.Lasso {
		return nil, fmt.Errorf("the execution on the inputs does not come back to a state: it ended with %s", out)
	}
	id, what := string(verdict.Termination)+"@"+p.Plan.Entry, "a state"
	if out.Cycle.Recursion {
		what = "a call that began"
	}
	return &Finding{Kind: "lasso", Shown: map[string]verdict.Status{id: verdict.Violated},
		Checked: fmt.Sprintf("the interpreter executed %d instructions, and came back to %s %d instructions before",
			out.Executed, what, out.Cycle.Length),
		Trusted: "interpreter"}, nil
}

// Only is the only execution of a program that depends on nothing from outside.
type Only struct {
	Past []string `json:"past,omitempty"` // claims that it goes on behind
}

// check executes the program; where that would depend on an input, on unknown memory or an address, it fails.
func (o *Only) check(ctx context.Context, p *program) (*Finding, error) {
	if len(p.Entry.Params) > 0 {
		return nil, fmt.Errorf("%s has parameters: there are many executions", p.Plan.Entry)
	}
	var err error
	if p.Past, err = p.pastOf(o.Past); err != nil {
		return nil, err
	}
	opts := p.Execution(policy.OnlyExecutionSteps)
	opts.Sealed, opts.Checks = true, maps.Clone(p.Checks)
	opts.Checks[verdict.Uninitialised] = true
	out, err := interp.Run(ctx, p.Module, opts, input.Zeros{})
	if err != nil {
		return nil, err
	}
	switch out.Kind {
	case interp.Returned, interp.Exited, interp.AssumeFailed, interp.Undefined:
	default:
		return nil, fmt.Errorf("the execution ended with %s", out)
	}
	f := &Finding{Kind: "only execution", Shown: map[string]verdict.Status{}, Trusted: "interpreter",
		Checked: fmt.Sprintf(
			"the interpreter executed %d instructions, which depend on nothing from outside and violate nothing",
			out.Executed) + leapt(out)}
	if out.Kind != interp.Undefined && p.jumpsNowhere() == nil {
		f.Shown[string(verdict.Termination)+"@"+p.Plan.Entry] = verdict.Proved
	}
	checks := maps.Clone(p.Checks)
	delete(checks, verdict.Stack)
	for _, c := range encode.ListClaims(p.Module, checks, p.Leaks, func(*ir.Block) bool { return true }) {
		f.Shown[c.ID] = verdict.Proved
		f.Claims = append(f.Claims, c.ID)
	}
	return f, nil
}
