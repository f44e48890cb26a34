package claims

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// shadows tells which claims stand behind violations: executions come to them only past one.
type shadows struct {
	p     *problem.Problem
	u     *problem.Unwinding
	found []violation // in the order of their places
	first *problem.Settled
}

func newShadows(p *problem.Problem, u *problem.Unwinding, settled []*problem.Settled) *shadows {
	h := &shadows{p: p, u: u}
	for _, s := range settled {
		h.first = cmp.Or(h.first, s)
		if s.At.Instr != nil {
			h.found = append(h.found, violation{Settled: s, after: ir.AfterOf(p.Module, p.Entry, s.At.Instr)})
		}
		for _, branch := range u.DeadEnds[s.At] {
			h.found = append(h.found, violation{Settled: s, after: ir.AfterOf(p.Module, p.Entry, branch), deadEnd: true})
		}
		for _, branch := range u.PartEnds[s.At] {
			h.found = append(h.found, violation{Settled: s, after: ir.AfterOf(p.Module, p.Entry, branch), partEnd: true})
		}
	}
	slices.SortStableFunc(h.found, func(a, b violation) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return h
}

// by returns the violation that c stands behind; nil if an execution comes to c without one, or if c would not be
// reached either if nothing were violated.
func (h *shadows) by(c problem.Unwound) *problem.Settled {
	switch {
	case c.Reach != problem.Unreached || c.At.Instr == nil || h.endsFailure(c.At.Instr):
		return nil
	case c.Blocked:
		if v := h.nearest(c.At.Instr, func(violation) bool { return true }); v != nil {
			return v
		}
		return h.first // the way from it to c is not seen: a call through a pointer, say
	case c.Dead: // the walk ended before, or control never goes there
		return h.nearest(c.At.Instr, func(v violation) bool { return h.stops(v) || v.partlyHides(c.Check) })
	}
	return h.nearest(c.At.Instr, func(v violation) bool { return v.deadEnd || v.partlyHides(c.Check) })
}

// partlyHides reports a violation that no execution goes on past in one call. That the compiler takes code for
// unreachable is right in the others.
func (v violation) partlyHides(check verdict.Check) bool {
	return v.partEnd && check != verdict.Unreachable
}

// stops reports a violation behind which nothing was looked at, in some context.
func (h *shadows) stops(v violation) bool { return v.deadEnd || h.u.Stops[v.At] && !v.partEnd }

// nearest returns the violation of those that are meant which stands closest before in: the last one of its
// function above it, else the last of any.
func (h *shadows) nearest(in *ir.Instr, meant func(violation) bool) *problem.Settled {
	var best *problem.Settled
	for _, v := range h.found {
		if v.At.Instr == in || !meant(v) || !v.after.Has(in) {
			continue
		}
		own := func(s *problem.Settled) bool {
			return s.At.Instr.Block.Func == in.Block.Func && s.Pos.Line <= in.Pos.Line
		}
		if best == nil || own(v.Settled) || !own(best) {
			best = v.Settled
		}
	}
	return best
}

// elsewhere lists the claims of the functions that the round did not enter because executions end at a violation
// before; seen are the others, by ID.
func (h *shadows) elsewhere(seen map[string]bool) []verdict.Claim {
	if !slices.ContainsFunc(h.found, h.stops) {
		return nil
	}
	var out []verdict.Claim
	for _, c := range encode.ListClaims(h.p.Module, h.p.Checks, h.p.Leaks, func(*ir.Block) bool { return true }) {
		if seen[c.ID] || c.Instr == nil || h.endsFailure(c.Instr) || h.p.Past[ir.At{Instr: c.Instr, Check: c.Check}] {
			continue
		}
		if before := h.nearest(c.Instr, h.stops); before != nil {
			c.Message = encode.NeverReached
			out = append(out, behindViolation(problem.ClaimOf(&c), before))
		}
	}
	return out
}

// endsFailure reports what the compiler puts behind a call that reports a failure, since it does not return: that
// it is not reached says nothing of its own.
func (h *shadows) endsFailure(in *ir.Instr) bool {
	end := in.Op == ir.OpUnreachable || in.Op == ir.OpTrap && in.Check == verdict.Unreachable
	if in.Op == ir.OpCondBr {
		_, end = in.Args[0].(*ir.Const)
	}
	return end && slices.ContainsFunc(h.found, func(v violation) bool {
		return v.At.Instr.AlwaysFails() && *v.At.Instr.Pos == *in.Pos
	})
}

// behindViolation is c as a claim that executions come to only past the violation before.
func behindViolation(c verdict.Claim, before *problem.Settled) verdict.Claim {
	return verdict.Claim{ID: c.ID, Check: c.Check, Pos: c.Pos, Message: c.Message,
		Replay: verdict.NotRun, Behind: before.ID,
		Reason: &verdict.Reason{Kind: verdict.Shadowed, Detail: fmt.Sprintf(
			"every execution that comes here violates %s in line %d before", before.ID, before.Pos.Line),
			Remedy: "mend that one first"}}.Learned(verdict.Behind)
}
