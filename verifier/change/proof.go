package change

import (
	"context"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Proof is an answer about one program that calls both versions of a function, or the old one of a function that both call:
// with what is shown of such functions, both do the same. Program and Text are what certificate.Stored gives.
type Proof struct {
	Of      string // what is called, and how, in words
	Program *ir.Module
	Text    []byte
	Plan    problem.Plan
	Result  *verdict.Result
}

// Keep has keep called with each proof that comparisons rest on, before the first of them returns that does.
func (k *Known) Keep(keep func(*Proof)) { k.keep = keep }

// Keep is Known.Keep.
func (m *Machines) Keep(keep func(*Proof)) {
	if m.err == nil {
		m.v.known.Keep(keep)
	}
}

// run verifies m, which calls what of says. show keeps that as a proof: for when it shows something.
func (v *versions) run(ctx context.Context, m *ir.Module, plan problem.Plan, of string) (res *verdict.Result, show func()) {
	if v.known.keep != nil {
		if part, text, err := certificate.Stored(m, plan); err == nil {
			res = verifier.Run(ctx, part, plan)
			plan.Found = nil
			return res, func() { v.known.keep(&Proof{of, part, text, plan, res}) }
		}
	}
	return verifier.Run(ctx, m, plan), func() {}
}

// words says how both versions of a function are called.
func (by form) words(name string) string {
	name += ", both versions"
	if by.turns {
		name += " turn by turn"
	}
	if by.take {
		name += ", but for what both call"
	}
	if by.callee {
		name += ", for those that call it"
	}
	return name
}
