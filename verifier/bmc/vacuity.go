package bmc

import (
	"context"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// vacuity finds out whether what holds in r holds because nothing is looked at: no execution satisfies the
// assumptions, or none comes to anything that could fail. It says nothing where the round leaves something open.
func (b *unwinder) vacuity(ctx context.Context, r *round) {
	if !r.complete || r.gap != nil || r.cut != nil || b.a.AnySettled() {
		return
	}
	if b.excludesAll(ctx, r) {
		r.vacuous = &verdict.Reason{Kind: verdict.Vacuous, Detail: "no execution satisfies the assumptions",
			Remedy: "assume less"}
		if in := b.barrier(ctx, r); in != nil {
			r.vacuous = problem.Barred(in.Pos)
		}
		return
	}
	if r.facts {
		b.confirmEnd(ctx, r)
	}
	asked, reached := 0, false
	for _, g := range r.groups {
		if r.substantial(g) {
			asked++
			reached = reached || g.reach != problem.Unreached
		}
	}
	switch {
	case asked == 0 && !b.p.Generated:
		r.vacuous = &verdict.Reason{Kind: verdict.Vacuous,
			Detail: "nothing is left to check: no operation that could fail, and no assertion that the compiler did not decide",
			Remedy: "call what is to be verified, and assert what it has to do"}
	case asked > 0 && !reached:
		r.vacuous = &verdict.Reason{Kind: verdict.Vacuous,
			Detail: "no execution reaches an assertion or an operation that could fail",
			Remedy: "check the assumptions and the inputs of the harness"}
	}
}

// excludesAll reports that assumptions end every execution: none ends in another way, or never.
func (b *unwinder) excludesAll(ctx context.Context, r *round) bool {
	if len(r.f.Assumed) == 0 {
		return false
	}
	s := r.f.Store
	return b.excluded(ctx, r, s.Or(append([]ilr.Term{r.f.Ends}, r.f.Endless...)...))
}

func (b *unwinder) excluded(ctx context.Context, r *round, t ilr.Term) bool {
	if r.f.Store.IsFalse(t) {
		return true
	}
	ans, err := r.solver.Check(ctx, t)
	return err == nil && ans == solve.Unsat
}

// barrier returns the first assumption, in the order of execution, that executions come to and none passes; nil if
// it takes several.
func (b *unwinder) barrier(ctx context.Context, r *round) *ir.Instr {
	before, after := map[*ir.Instr][]ilr.Term{}, map[*ir.Instr][]ilr.Term{}
	for _, a := range r.f.Assumed {
		before[a.Instr], after[a.Instr] = append(before[a.Instr], a.Before), append(after[a.Instr], a.After)
	}
	s := r.f.Store
	done := map[*ir.Instr]bool{}
	for _, a := range r.f.Assumed {
		if done[a.Instr] {
			continue
		}
		done[a.Instr] = true
		if b.excluded(ctx, r, s.Or(after[a.Instr]...)) && !b.excluded(ctx, r, s.Or(before[a.Instr]...)) {
			return a.Instr
		}
	}
	return nil
}

// substantial reports a claim that somebody would miss: what a harness checks without calling anything is not.
func (r *round) substantial(g *group) bool {
	c, couldFail := g.First, false
	for _, i := range g.Instances {
		couldFail = couldFail || !r.f.Store.IsFalse(i.Violated)
	}
	switch c.Check {
	case verdict.Unwinding:
		return false
	case verdict.Assert, verdict.Stack:
		return true
	case verdict.Memory:
		return couldFail || !accessesNamed(c)
	case verdict.Uninitialised, verdict.Leak:
		return couldFail
	case verdict.Unreachable:
		return couldFail || c.Instr.Op == ir.OpTrap
	}
	return true
}

// accessesNamed reports an access to a variable by its name.
func accessesNamed(c *encode.Claim) bool {
	in := c.Instr
	if in == nil || in.Op != ir.OpLoad && in.Op != ir.OpStore {
		return false
	}
	switch at := in.Args[len(in.Args)-1].(type) {
	case *ir.Instr:
		return at.Op == ir.OpAlloca
	case *ir.Const:
		return at.Global != nil
	}
	return false
}
