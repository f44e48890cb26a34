package change

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/flow"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// way is a way to call the function of an entry: both commits are executed on the same calls.
type way struct {
	now, before searched // the head and the base
	calls       bool     // any calls in any order, and not one
	limit       time.Duration
}

// searched is one commit in a search.
type searched struct {
	p      *problem.Problem
	own    *problem.Problem // of the entry itself, whose answer gets what is found; nil: p is it
	stands func(verdict.Claim) Standing
	held   []string       // Side.Held
	by     *problem.Calls // that p is the entry of; nil: it is none
	from   *flow.Rests    // once it is asked for
}

// ways lists the ways that both commits have: one call, a wider one (Plan.Wide), and any calls.
func (x *against) ways() []way {
	base, head := &x.sides[0], &x.sides[1]
	out := []way{{now: searched{p: x.head, stands: x.stands, held: head.Held},
		before: searched{p: x.base, stands: x.fell, held: base.Held}, limit: policy.SearchTime}}
	if now, before := head.wide(), base.wide(); now != nil && before != nil {
		out = append(out, way{now: searched{p: now, own: x.head, stands: x.stands, held: head.Held},
			before: searched{p: before, own: x.base, stands: x.fell, held: base.Held}, limit: policy.SearchMoreTime})
	}
	if now, before := head.calls(), base.calls(); now != nil && before != nil {
		out = append(out, way{now: searched{p: now, stands: x.stands, by: head.Plan.Calls},
			before: searched{p: before, stands: x.fell, by: base.Plan.Calls}, calls: true, limit: policy.SearchMoreTime})
	}
	return out
}

// differs returns a function that reports whether the commits have different functions of a name.
func (w *way) differs() func(*ir.Func) bool {
	known := map[string]bool{}
	return func(f *ir.Func) bool {
		out, is := known[f.Name]
		if !is {
			now, before := w.now.p.Module.Func(f.Name), w.before.p.Module.Func(f.Name)
			out = now == nil || before == nil ||
				w.now.p.Module.Substance(now) != w.before.p.Module.Substance(before)
			known[f.Name] = out
		}
		return out
	}
}

// wide is the problem of the entry with longer strings and more elements; nil: there is none.
func (s *Side) wide() *problem.Problem {
	w := s.Plan.Wide
	if w == nil {
		return nil
	}
	return s.problemOf(s.Plan.Beside(w.Entry, w.Assumptions, w.Open))
}

// calls is the problem of the entry of calls; nil: there is none.
func (s *Side) calls() *problem.Problem {
	c := s.Plan.Calls
	if c == nil || c.Entry == "" {
		return nil
	}
	q := s.Plan.Beside(c.Entry, c.Assumptions, c.Open)
	q.Checks = maps.Clone(q.Checks)
	delete(q.Checks, verdict.Leak)
	return s.problemOf(q)
}

// restsOnContents returns the contents that a harness made up and that c depends on, a violation at an instruction, with
// others that it does not happen with; nil: none.
func (s *searched) restsOnContents(ctx context.Context, c *verdict.Claim, in *ir.Instr) (*verdict.Assumption,
	replay.Contents) {
	q := claims.QuestionOf(s.p)
	if len(s.p.Open) == 0 || len(q.IDs) == 0 {
		return nil, replay.Contents{}
	}
	if s.from == nil {
		q.Holds = func(*ir.Instr) bool { return false }
		s.from = flow.Follow(q)
	}
	return claims.MadeUp(ctx, s.p, c, in, s.from.Operands(in), s.from.Nowhere(in))
}

// hasAt reports whether s has contents of the program other where that has them: the same bytes of the same block.
func (s *searched) hasAt(contents *verdict.Assumption, other *problem.Problem) bool {
	if contents.Relation != verdict.Contents {
		return true
	}
	for i := range s.p.Open {
		if a := &s.p.Open[i]; a.Relation == contents.Relation && a.Subject == contents.Subject {
			return replay.SameParts(s.p.Module, a.ID, other.Module, contents.ID)
		}
	}
	return false
}

// name says of a violation what it takes for granted beyond the answer of its entry: that more is handed over than that
// entry does, where that does not fail on the inputs.
func (s *changeSearch) name(f *failing, c *verdict.Claim, inputs []input.Input) {
	own := f.side.own
	if own == nil {
		return
	}
	out, err := replay.Execute(s.ctx, own, inputs, true)
	if err == nil {
		if _, id, fails := s.claims.Violated(own, out); fails && id == c.ID {
			return
		}
	}
	for _, a := range f.side.p.Assumptions {
		if !slices.ContainsFunc(own.Assumptions, func(o verdict.Assumption) bool { return o.ID == a.ID }) {
			c.Assumptions = append(c.Assumptions, a.ID)
			s.out.Assumptions = verdict.AddAssumptions(s.out.Assumptions, a)
		}
	}
}
