package race

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// behind holds what was found past violations.
type behind struct {
	p        *problem.Problem
	a        *problem.Answers
	res      *verdict.Result
	all      claims.Violations
	doubtful map[string]bool  // claims that a run violates which did more than they may be told behind, by ID
	unseen   map[string]ir.At // claims that no execution comes to, as far as violations end them, by ID
}

// unseenIn lists them. A trap of the compiler that is violated hides what is behind it, in one call of a function and
// not in another: only without it can be said whether that is reached.
func unseenIn(a *problem.Answers) map[string]ir.At {
	out := map[string]ir.At{}
	if u := a.Unwinding(); u != nil {
		for i := range u.Claims {
			if c := &u.Claims[i]; c.Reach == problem.Unreached && c.At.Instr != nil {
				out[c.ID] = c.At
			}
		}
	}
	return out
}

// seenIn lists the claims that executions come to, by ID.
func seenIn(a *problem.Answers) map[string]bool {
	out := map[string]bool{}
	if u := a.Unwinding(); u != nil {
		for i := range u.Claims {
			out[u.Claims[i].ID] = u.Claims[i].Reach == problem.Reached
		}
	}
	for _, s := range a.AllSettled() {
		if s.Status == verdict.Violated {
			out[s.ID] = true
		}
	}
	return out
}

// next is what the engines say with the claims of left left out.
type next struct {
	res   *verdict.Result
	found claims.Violations
	seen  map[string]bool // seenIn
}

// without runs the engines with the claims of left left out.
func (b *behind) without(ctx context.Context, left ir.Past) next {
	q := b.p.Without(maps.Clone(left))
	a := problem.NewAnswers()
	Run(ctx, q, a, SafetyEngines)
	for _, s := range a.Stages() {
		b.a.AddStage(s)
	}
	res, found := &verdict.Result{}, claims.ViolationsOf(a)
	claims.ReportPaths(q, a, res)
	for id, v := range found {
		if b.all[id] == nil {
			b.all[id] = v
		}
	}
	if r := a.Reason(); r != nil && r.Kind == verdict.Internal {
		b.res.Reason = r
	}
	return next{res, found, seenIn(a)}
}

// merge takes into the result what n says and it could not see. It depends on what runs there are, not on which of them
// were found.
func (b *behind) merge(n next) {
	told := claims.Violations{}
	for i := range b.res.Claims {
		if c := &b.res.Claims[i]; c.Status == verdict.Violated && b.all[c.ID] != nil {
			told[c.ID] = b.all[c.ID]
		}
	}
	for i := range b.res.Claims {
		c := &b.res.Claims[i]
		k := slices.IndexFunc(n.res.Claims, func(d verdict.Claim) bool { return d.ID == c.ID })
		if k < 0 || c.Status == verdict.Violated {
			continue
		}
		d, v := n.res.Claims[k], n.found[c.ID]
		_, unseen := b.unseen[c.ID]
		hidden := c.IsShadowed() || unseen && n.seen[c.ID] && c.Check != verdict.Unreachable // of what is left out
		switch {
		case d.Status != verdict.Violated:
			if hidden && d.Check != verdict.Unwinding {
				delete(b.unseen, c.ID)
				*c = d
			}
		case v != nil && b.followsUp(v, told):
			// the same expression failed before: one bug
		case hidden || failsBehind(v) || isBehind(v):
			if v != nil && len(v.Passed) > 0 {
				at := v.Passed[len(v.Passed)-1]
				d.Behind = b.all.IdOf(at)
				d.Message += fmt.Sprintf(" (in a run past the violation of %s in line %d)", at.Check, at.Instr.Pos.Line)
			}
			*c = d
		case v != nil && len(v.Passed) > 0:
			b.doubtful[c.ID] = true
		}
	}
}

// leaveOpen gives the reason why nobody looked further to what still stands behind violations of left.
func (b *behind) leaveOpen(left ir.Past, why *verdict.Reason) {
	var past *ir.After
	if len(b.unseen) > 0 {
		past = b.passing(slices.Collect(maps.Keys(left))...)
	}
	for i := range b.res.Claims {
		c := &b.res.Claims[i]
		if v := b.all[c.Behind]; c.IsShadowed() && v != nil && left[v.At] {
			c.Reason = why
		} else if at, is := b.unseen[c.ID]; is && c.Status.Holds() && past.Has(at.Instr) {
			*c = verdict.Claim{ID: c.ID, Check: c.Check, Pos: c.Pos, Message: c.Message, Replay: verdict.NotRun,
				Reason: why}.Learned(verdict.Behind)
		}
	}
}

// isBehind reports a violation by a run that passed others, but only such as it may be told behind.
func isBehind(v *problem.Settled) bool {
	return v != nil && len(v.Passed) > 0 && !slices.ContainsFunc(v.Passed,
		func(at ir.At) bool { return !isPassable(at.Check, v.Check == verdict.Assert) })
}

// isPassable reports whether what a run does past a violation of c is told: where a machine goes on in a known way, and
// behind an assertion another one.
func isPassable(c verdict.Check, assert bool) bool {
	return c.Of().Past == verdict.PastWraps || assert && c == verdict.Assert
}

// anyDoubtful reports whether an assertion is doubtful, or another claim.
func (b *behind) anyDoubtful(assert bool) bool {
	return slices.ContainsFunc(b.res.Claims, func(c verdict.Claim) bool {
		return b.doubtful[c.ID] && c.Status != verdict.Violated && (c.Check == verdict.Assert) == assert
	})
}

// followsUp reports whether a violation may repeat one of told, which a run comes from: the same check of
// the same expression in the same function, which the IDs of claims name, or at the same place: an index, and the
// access with it.
func (b *behind) followsUp(v *problem.Settled, told claims.Violations) bool {
	for id, t := range told {
		same := expression(id) == expression(v.ID) ||
			t.Check == v.Check && v.Check == verdict.Memory && t.Pos == v.Pos
		if same && goesOnPast(t.At) && b.passing(t.At).Has(v.At.Instr) {
			return true
		}
	}
	return false
}

// passing returns what a run may come to past violations.
func (b *behind) passing(list ...ir.At) *ir.After {
	var from []*ir.Instr
	for _, at := range list {
		from = append(from, at.Instr)
		if at.Instr.Op == ir.OpTrap {
			for _, p := range at.Instr.Block.Preds {
				from = append(from, p.Term())
			}
		}
	}
	return ir.AfterOf(b.p.Module, b.p.Entry, from...)
}

// expression returns an ID without the number that tells equal expressions of a function apart.
func expression(id string) string {
	id = verdict.Site(id)
	if n := strings.LastIndex(id, "."); n > strings.LastIndex(id, "#") {
		return id[:n]
	}
	return id
}

// failsBehind reports a violation by coming to a place that always fails: no run came there before.
func failsBehind(v *problem.Settled) bool { return v != nil && v.At.Instr.AlwaysFails() }
