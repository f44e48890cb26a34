package certificate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Run is an execution by its inputs, and the claim that it violates.
type Run struct {
	Claim  string   `json:"claim"`
	Past   []string `json:"past,omitempty"` // claims that the execution violates before and goes on behind
	Inputs []Input  `json:"inputs"`
}

// Input is one value that the environment gives, as input.Input.
type Input struct {
	Kind   string         `json:"kind"`
	At     string         `json:"at,omitempty"` // place of the instruction that asks; empty: a parameter, or memory
	Object int            `json:"object,omitempty"`
	Width  int            `json:"width,omitempty"`
	Value  string         `json:"value,omitempty"` // hexadecimal
	Bytes  map[int64]byte `json:"bytes,omitempty"`
}

// runOf writes down an execution that violates claim.
func runOf(claim string, past []string, inputs []input.Input) *Run {
	r := &Run{Claim: claim, Past: past, Inputs: []Input{}}
	for _, in := range inputs {
		out := Input{Kind: in.Kind.String(), Object: in.Obj, Bytes: in.Bytes}
		if in.Instr != nil {
			out.At = placeOf(in.Instr)
		}
		if w := in.Value.Width(); w > 0 {
			out.Width, out.Value = w, in.Value.Hex()
		}
		r.Inputs = append(r.Inputs, out)
	}
	return r
}

// source returns the inputs for the interpreter.
func (r *Run) source(p *program) ([]input.Input, error) {
	var out []input.Input
	for i, in := range r.Inputs {
		kind := input.KindNamed(in.Kind)
		if kind == input.Invalid {
			return nil, fmt.Errorf("input %d is of kind %q, which there is not", i, in.Kind)
		}
		v := input.Input{Kind: kind, Obj: in.Object, Bytes: in.Bytes}
		if in.At != "" {
			if v.Instr = p.at(in.At); v.Instr == nil {
				return nil, fmt.Errorf("input %d is asked for at %s, which the program does not have", i, in.At)
			}
		}
		if in.Width > 0 {
			var err error
			if v.Value, err = bits.ParseHex(in.Width, in.Value); err != nil {
				return nil, fmt.Errorf("input %d: %w", i, err)
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// leapt says how many turns of loops the execution left out, if it did.
func leapt(out *interp.Outcome) string {
	if out.Leapt == 0 {
		return ""
	}
	return fmt.Sprintf("; closed forms stand for %d turns of loops", out.Leapt)
}

// check executes the program on the inputs.
func (r *Run) check(ctx context.Context, p *program) (*Finding, error) {
	inputs, err := r.source(p)
	if err != nil {
		return nil, err
	}
	claims := encode.ListClaims(p.Module, p.Checks, p.Leaks, func(*ir.Block) bool { return true })
	opts := p.Execution(policy.ReplaySteps)
	if opts.Past, err = p.pastOf(r.Past); err != nil {
		return nil, err
	}
	if slices.Contains(r.Past, verdict.Site(r.Claim)) {
		return nil, errors.New("the execution goes on behind the claim that it is to violate")
	}
	out, err := interp.Run(ctx, p.Module, opts, input.NewRecorded(inputs))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(claims, func(c encode.Claim) bool { return c.Instr == out.Instr && c.Check == out.Check })
	switch {
	case out.Kind != interp.Violation || at < 0:
		return nil, fmt.Errorf("the execution on the inputs does not violate %s: it ended with %s", r.Claim, out)
	case verdict.WayID(claims[at].ID, out.Object) != r.Claim:
		return nil, fmt.Errorf("the execution on the inputs violates %s, not %s", verdict.WayID(claims[at].ID, out.Object),
			r.Claim)
	}
	f := &Finding{Kind: "violation", Shown: map[string]verdict.Status{r.Claim: verdict.Violated},
		Checked: fmt.Sprintf("the interpreter executed %d instructions on %d inputs, and met it", out.Executed,
			len(r.Inputs)),
		Trusted: "interpreter"}
	f.Checked += leapt(out)
	if len(out.Passed) > 0 {
		f.Checked += fmt.Sprintf(", past %d violations of others", len(out.Passed))
	}
	return f, nil
}
