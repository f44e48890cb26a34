// Package claims makes claims of what engines found (report.go), says what they rest on and which of them are no
// findings (judge.go), and what comes after a violation (after.go).
package claims

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// IdOf returns the claim that was found violated at a.
func (v Violations) IdOf(a ir.At) string {
	for _, id := range slices.Sorted(maps.Keys(v)) {
		if v[id].At == a {
			return id
		}
	}
	return ""
}

// Violations are those that executions confirmed, by claim ID.
type Violations map[string]*problem.Settled

func ViolationsOf(a *problem.Answers) Violations {
	out := Violations{}
	for _, s := range a.AllSettled() {
		if s.At.Instr != nil {
			out[s.ID] = s
		}
	}
	return out
}

// ReportPaths turns what was found out about the claims about paths into the result.
func ReportPaths(p *problem.Problem, a *problem.Answers, res *verdict.Result) {
	res.Reason = a.Reason()
	res.Warnings = append(res.Warnings, a.Warnings()...)
	if len(a.AllSettled()) == 0 && res.Reason == nil {
		res.Vacuous = a.Vacuous()
	}
	executed, _ := a.Executed()
	res.Claims = append(res.Claims, executed...)
	if u := a.Unwinding(); u != nil {
		reportUnwinding(p, a, u, res)
	} else {
		reportWithoutRound(a, res)
	}
}

// reportWithoutRound reports where no round of unwinding ended.
func reportWithoutRound(a *problem.Answers, res *verdict.Result) {
	proofs := a.Proofs()
	if !proofs.All() {
		for _, s := range a.AllSettled() {
			res.Claims = append(res.Claims, s.Claim)
		}
		return
	}
	if res.Reason != nil && res.Reason.Kind != verdict.Internal {
		res.Reason = nil
	}
	for _, c := range proofs.Claims {
		if s := a.Settled(c.ID); s != nil {
			res.Claims = append(res.Claims, s.Claim)
		} else if c.Check != verdict.Unwinding {
			res.Claims = append(res.Claims, proofs.Proved(c, false))
		}
	}
}

// reportUnwinding reports the last round, and what was settled otherwise.
func reportUnwinding(p *problem.Problem, a *problem.Answers, u *problem.Unwinding, res *verdict.Result) {
	for _, l := range u.Loops {
		if strings.HasPrefix(l.Name, irbuild.Point+".") {
			if !l.Complete { // else it is unwound as often as handlers may run
				res.Bounds.Handlers = append(res.Bounds.Handlers, atOneMoment(l.Turns))
			}
			continue
		}
		res.Bounds.Loops = append(res.Bounds.Loops, verdict.LoopBound{Pos: l.Pos, Name: l.Name, Turns: l.Turns,
			Complete: l.Complete})
	}
	res.Bounds.Unwind = p.Unwind
	res.Assumptions = append(res.Assumptions, u.Notes...)
	settled, proofs := a.AllSettled(), a.Proofs()
	hidden := newShadows(p, u, settled)
	counted := u.Counted()
	seen := map[string]bool{}
	behind := false
	for _, c := range u.Claims {
		seen[c.ID] = true
		behind = behind || c.BehindGap
		if s := a.Settled(c.ID); s != nil {
			if s.Status == verdict.Violated && proofs.Covers(c.ID) {
				res.Warnings = append(res.Warnings, fmt.Sprintf("%s was proved, too, by %s: please report this", c.ID,
					proofs.Proved(s.Claim, false).By))
			}
			res.Claims = append(res.Claims, s.Claim)
		} else {
			claim := ClaimOf(u, c, proofs, hidden.by(c))
			if e, ok := claim.Evidence.(certificate.Unwound); ok {
				e.Past, e.Loops, e.Ordered = p.Past, counted, u.Ordered
				claim.Evidence = e
			}
			res.Claims = append(res.Claims, claim)
		}
	}
	for _, s := range settled {
		if !seen[s.ID] {
			seen[s.ID] = true
			res.Claims = append(res.Claims, s.Claim)
		}
	}
	for _, c := range proofs.Open() {
		if !seen[c.ID] && !u.Complete {
			seen[c.ID] = true
			res.Claims = append(res.Claims, beyondRound(u, c))
		}
	}
	res.Claims = append(res.Claims, hidden.elsewhere(seen)...)
	if u.Gap != nil && res.Reason == nil && !behind && !proofs.All() {
		res.Reason = u.Gap // claims before it do not tell
	}
}

// beyondRound words the answer for a claim that a round did not come to, and no proof covers.
func beyondRound(u *problem.Unwinding, c verdict.Claim) verdict.Claim {
	if why := cmp.Or(u.Gap, u.Cut); why != nil {
		c.Reason = why
		return c.Learned(verdict.Undecided)
	}
	c.By, c.Evidence = "unwinding", certificate.Unwound{Turns: u.Limit}
	c.Learn(verdict.Within)
	c.Message += fmt.Sprintf(" (holds for up to %d loop turns)", u.Limit)
	return c
}

// ClaimOf words the answer for a claim of a round that nothing violated; before is the violation that every
// execution meets on its way to it, if there is one.
func ClaimOf(u *problem.Unwinding, c problem.Unwound, proofs *problem.Proofs, before *problem.Settled) verdict.Claim {
	out := c.Claim
	if c.Check != verdict.Unwinding && (!u.Complete || u.Cut != nil || c.BehindGap) && proofs.Covers(c.ID) &&
		before == nil {
		return proofs.Proved(out, c.Dead)
	}
	if c.Check == verdict.Unwinding || c.Status == verdict.Unknown && c.Whole == 0 {
		if c.Status == verdict.Proved {
			out.Evidence = certificate.Unwound{Turns: u.Limit}
		}
		return out
	}
	out = out.Unjudged() // the round's status is about the round
	switch {
	case before != nil:
		return behindViolation(out, before)
	case c.BehindGap:
		out.Learn(verdict.Undecided)
		out.Reason = u.Gap
	case c.Whole > 0:
		out.Learn(verdict.Always)
		out.Unreachable = c.Reach == problem.Unreached
		out.Certificate = &verdict.Certificate{Method: "complete unwinding",
			Detail: []string{"no bound that is reached comes before it"}}
		out.Evidence = certificate.Unwound{Turns: c.Whole}
	case u.Complete && (u.Cut == nil || !proofs.Covers(c.ID)):
		out.Learn(verdict.Always)
		out.Unreachable = c.Reach == problem.Unreached
		out.Certificate = &verdict.Certificate{Method: "complete unwinding"}
		out.Evidence = certificate.Unwound{Turns: u.Limit}
	default:
		out.Learn(verdict.Within)
		out.Evidence = certificate.Unwound{Turns: u.Limit}
		out.Message += fmt.Sprintf(" (holds for up to %d loop turns)", u.Limit)
	}
	return out
}

// ForgetBounds leaves out the claims that bounds suffice, and the bounds, when nobody asked for bounds and every claim
// is proved or violated for any number of turns. Of complete loops a proof may need the number of turns; a violation
// needs none.
func ForgetBounds(p *problem.Problem, a *problem.Answers, res *verdict.Result) {
	if a.Unwinding() == nil || a.Proofs() == nil && !a.AnySettled() || p.Checks.Has(verdict.Unwinding) &&
		!p.Unbounded() {
		return
	}
	proved := false
	for _, c := range res.Claims {
		if c.Check == verdict.Unwinding {
			continue
		}
		if c.Status != verdict.Proved && c.Status != verdict.Violated {
			return
		}
		proved = proved || c.Status == verdict.Proved
	}
	res.Claims = slices.DeleteFunc(res.Claims, func(c verdict.Claim) bool { return c.Check == verdict.Unwinding })
	res.Bounds.Loops = slices.DeleteFunc(res.Bounds.Loops, func(l verdict.LoopBound) bool {
		return !l.Complete || !proved
	})
}

// ReportRuns adds what was found out about whole runs: termination and complexity. What no engine said anything about
// because ctx ended is unknown.
func ReportRuns(ctx context.Context, p *problem.Problem, a *problem.Answers, res *verdict.Result) {
	for _, c := range []verdict.Claim{p.TerminationClaim(), p.ComplexityClaim()} {
		if s := a.Settled(c.ID); s != nil {
			claim, assumed := underAssembly(p, s.Claim)
			if claim.Unasked = p.EndsUnasked && c.Check == verdict.Termination; claim.Unasked &&
				claim.Status == verdict.Unknown {
				continue // Result.EndsOpen says it
			}
			res.Claims = append(res.Claims, claim)
			for _, a := range append(slices.Clone(s.Assumptions), assumed...) {
				if !claim.Unasked || a.ID != problem.UndefinedEnds.ID { // it is what the claims that were asked are about
					res.Assumptions = append(res.Assumptions, a)
				}
			}
		} else if open, ok := a.Open(c.ID); ok && !(p.EndsUnasked && c.Check == verdict.Termination) {
			res.Claims = append(res.Claims, open)
		} else if !ok && p.Checks.Has(c.Check) && !(p.EndsUnasked && c.Check == verdict.Termination) {
			c.Learn(verdict.Undecided)
			c.Reason = problem.EarlyEnd(ctx, errors.New("no engine came to an answer"))
			res.Claims = append(res.Claims, c)
		}
	}
	if p.MathInts() {
		res.Assumptions = append(res.Assumptions, verdict.Assume("", verdict.Meaning, verdict.Declared,
			"integers are mathematical ones, without overflow, in the answers about termination and complexity"))
	}
	res.Stages = append(res.Stages, a.Stages()...)
	res.Complexity = a.Complexity()
	res.Warnings = append(res.Warnings, a.Warnings()...)
	if r := a.Reason(); r != nil && (!p.EndsUnasked || r.Kind == verdict.Internal ||
		p.Checks.Has(verdict.ComplexityBound)) {
		res.Reason = r
	}
}

// underAssembly returns what is left of a proof about whole runs where the program has inline assembly: nothing,
// if that may jump, since its own loops are not followed; else what is assumed of it.
func underAssembly(p *problem.Problem, c verdict.Claim) (verdict.Claim, []verdict.Assumption) {
	if c.Status != verdict.Proved {
		return c, nil
	}
	var assumed []verdict.Assumption
	for _, f := range p.Module.Slice(p.Entry, true).Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch {
				case in.Op != ir.OpAsm || in.Asm == nil || in.Asm.Any != "":
				case ir.MayJump(in.Asm):
					detail := fmt.Sprintf("inline assembly that may loop: %s", in.Asm)
					if in.Pos != nil {
						detail += fmt.Sprintf(" (line %d)", in.Pos.Line)
					}
					return verdict.Claim{ID: c.ID, Check: c.Check, Message: c.Message,
						Pos:    c.Pos,
						Reason: &verdict.Reason{Kind: verdict.Unsupported, Detail: detail}}.Learned(verdict.Undecided), nil
				case ir.Waits(in.Asm) && assumed == nil:
					assumed = []verdict.Assumption{verdict.Assume("", verdict.Meaning, verdict.Read,
						"what instructions such as wfi and sleep wait for comes")}
				}
			}
		}
	}
	return c, assumed
}

// SortClaims orders by place, check and function, then as order says: the order of a report.
func SortClaims(cs []verdict.Claim, order map[string]int) {
	sort.SliceStable(cs, func(i, j int) bool {
		a, b := &cs[i], &cs[j]
		site, other := strings.SplitN(a.ID, "#", 2)[0], strings.SplitN(b.ID, "#", 2)[0]
		switch {
		case a.Pos.File != b.Pos.File:
			return a.Pos.File < b.Pos.File
		case a.Pos.Line != b.Pos.Line:
			return a.Pos.Line < b.Pos.Line
		case a.Pos.Column != b.Pos.Column:
			return a.Pos.Column < b.Pos.Column
		case site != other:
			return site < other
		}
		return order[verdict.Site(a.ID)] < order[verdict.Site(b.ID)]
	})
}

// ClaimOrder numbers the claims of the functions that cs are about as their code stands.
func ClaimOrder(p *problem.Problem, cs []verdict.Claim) map[string]int {
	named := map[string]bool{}
	for i := range cs {
		_, site, _ := strings.Cut(cs[i].ID, "@")
		named[strings.SplitN(site, "#", 2)[0]] = true
	}
	order := map[string]int{}
	for i, c := range encode.ListClaims(p.Module, p.Checks, p.Leaks, func(b *ir.Block) bool { return named[b.Func.Name] }) {
		order[c.ID] = i + 1
	}
	return order
}

// violation is one that an execution confirmed, and what may be executed behind it.
type violation struct {
	*problem.Settled
	after   *ir.After
	deadEnd bool // every execution that comes to the branch before violates it
	partEnd bool // in one call of the function at least
}
