package claims

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// MarkAfter notes of each claim that holds which violated claims of res an execution may come to before it. What is
// proved there is proved of the executions that violate none of them: who accepts one has no proof of the rest.
func MarkAfter(p *problem.Problem, res *verdict.Result) {
	var bad []*verdict.Claim
	for i := range res.Claims {
		if c := &res.Claims[i]; c.Status == verdict.Violated && goesBefore(c.Check) {
			bad = append(bad, c)
		}
	}
	if len(bad) == 0 {
		return
	}
	at := ClaimPlaces(p)
	if len(bad) > policy.Before {
		note(res, at, verdict.AnyBefore, afterViolations(p, at, bad...))
		return
	}
	for _, b := range bad {
		note(res, at, b.ID, afterViolations(p, at, b))
	}
}

// RestPast has claims of res that hold rest on the guessed sizes of blocks where a violation past the end of such a block
// is taken back for another reason, and executions may come to the claim behind it: with larger blocks, they go on there.
func RestPast(p *problem.Problem, res *verdict.Result) {
	var at map[string]*ir.Instr
	for i := range res.Left {
		c := &res.Left[i]
		named := p.GuessedIn(c)
		if !c.Failure.Is(verdict.OutOfBounds) || c.Object.Wrapped() || len(named) == 0 {
			continue
		}
		if at == nil {
			at = ClaimPlaces(p)
		}
		after := afterViolations(p, at, c)
		res.RestOnExtents(named, func(b *verdict.Claim) bool { return isAfter(b, at[b.ID], after) })
	}
}

// note adds id to the claims of res that hold and whose instructions, at has them by ID, are in after. nil is all.
func note(res *verdict.Result, at map[string]*ir.Instr, id string, after *ir.After) {
	for i := range res.Claims {
		c := &res.Claims[i]
		if c.Status != verdict.Violated && c.Status != verdict.Unknown && isAfter(c, at[c.ID], after) {
			c.After = append(c.After, id)
		}
	}
}

// isAfter reports a claim at an instruction, nil where that is not known, that executions may come to after some point, and that
// depends on which do.
func isAfter(c *verdict.Claim, in *ir.Instr, after *ir.After) bool {
	return c.Check != verdict.Unwinding && (after == nil || in == nil || after.Has(in)) && !isPlain(in, c.Check)
}

// isPlain reports the claim that an access of a whole variable of a function is valid: it holds wherever executions come from.
func isPlain(in *ir.Instr, c verdict.Check) bool {
	if in == nil || in.Op != ir.OpLoad && in.Op != ir.OpStore || c != verdict.Memory && c != verdict.Uninitialised {
		return false
	}
	a, is := in.Args[len(in.Args)-1].(*ir.Instr)
	if !is || a.Op != ir.OpAlloca {
		return false
	}
	count, is := a.Args[0].(*ir.Const)
	return is && count.Kind == ir.ConstInt
}

// goesBefore reports whether an execution may go on behind a violation of a check to what other claims are about.
func goesBefore(c verdict.Check) bool {
	switch c {
	case verdict.Termination, verdict.ComplexityBound, verdict.Unwinding, verdict.Leak, verdict.Stack:
		return false
	}
	return true
}

// afterViolations returns what an execution may come to past one of the violations, also where nothing follows its
// instruction: a trap, or a call that reports the failure. nil: it may be anything.
func afterViolations(p *problem.Problem, at map[string]*ir.Instr, bad ...*verdict.Claim) *ir.After {
	var from []*ir.Instr
	for _, c := range bad {
		in := at[c.ID]
		if in == nil {
			return nil // the compiler found it, say
		}
		from = append(from, in)
		if in.AlwaysFails() {
			for _, b := range in.Block.Preds {
				from = append(from, b.Term())
			}
		}
	}
	return ir.AfterOf(p.Module, p.Entry, from...)
}
