package bitterm

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Bit-precise recurrent sets: a conjunction of conditions on the numbers at a
// loop's header that
//
//	(L1) holds on entry for some inputs, where nothing before was abstracted
//	(L2) each turn keeps, whatever it reads
//	(L3) leaves the turn no other way out than the back edge
//
// So a run that enters the loop there never leaves it. Signed overflow gives any
// value here: whatever it does, the run goes on. Which conditions: those of
// the templates that are true on some entry, less those that turns do not keep
// (Houdini); another entry is tried when the rest lets a run out.

// RecurrentSets looks for a run that never ends by recurrent sets over bit vectors.
type RecurrentSets struct{}

// Run implements problem.Engine.
func (RecurrentSets) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	defer a.Stage("recurrent bits")(nil)
	cut, err := openLoops(ctx, p, true)
	if err != nil {
		return err
	}
	defer cut.Close()
	for i := range cut.Formula.Headers {
		h := &cut.Formula.Headers[i]
		if h.Loop == nil || len(h.Arrivals) < 2 || len(h.Sites) != 1 || p.EndsUnasked && !h.Loop.Exits {
			continue
		}
		x := &recurrence{cut: cut, header: i, h: h}
		found := x.trapped(ctx)
		if !found && h.Arrivals[0].After == 0 {
			found = x.search(ctx, p)
		}
		if !found {
			continue
		}
		if err := x.confirm(ctx, p, a); err == nil || !p.EndsUnasked {
			return err
		}
	}
	return problem.ErrOpen
}

// recurrence is the search for a recurrent set at one header.
type recurrence struct {
	cut    *invariant.Cut
	header int
	h      *encode.Header
	set    []lemma.Literal
	keep   []*lemma.Lemma
	inputs []input.Input // of a run into the set
	exact  bool          // what a turn from the set does is defined, its signed arithmetic too
}

// trapped tries the empty set of conditions, for a loop that no turn leaves. Then what
// comes before may be abstracted: it is enough that the interpreter gets there.
func (x *recurrence) trapped(ctx context.Context) bool {
	x.cut.LimitConflicts(policy.SetConflicts)
	defer x.cut.LimitConflicts(0)
	ans, ev := x.cut.Ask(ctx, x.h.Arrivals[0].Guard)
	if ans != solve.Sat || !x.staysIn(ctx, nil) {
		return false
	}
	x.inputs = x.cut.Formula.Inputs(ev)
	return true
}

// search tries some entries of the header; then some with an extreme value in a number that turns leave alone. Such a
// loop may go on until a signed number overflows, which is no run to show: its turns have to be defined.
func (x *recurrence) search(ctx context.Context, p *problem.Problem) bool {
	x.cut.LimitConflicts(policy.SetConflicts)
	defer x.cut.LimitConflicts(0)
	if x.enter(ctx, extreme{}, policy.MaxEntries) {
		return true
	}
	for _, e := range extremes(x.cut.Formula.Store, x.h) {
		if x.enter(ctx, e, policy.ExtremeEntries) && x.defined(ctx, p, true) {
			x.exact = true
			return true
		}
	}
	return false
}

// enter looks for a set that holds on one of the first entries that are so.
func (x *recurrence) enter(ctx context.Context, so extreme, entries int) bool {
	s, f := x.cut.Formula.Store, x.cut.Formula
	entry := x.h.Arrivals[0]
	tried := append([]ilr.Term{entry.Guard}, so.terms...)
	for n := 0; n < entries && ctx.Err() == nil; n++ {
		ans, ev := x.cut.Ask(ctx, tried...)
		if ans != solve.Sat {
			return false
		}
		inputs := f.Inputs(ev)
		all := append(slices.Clone(so.kept), invariant.TrueAt(s, x.h, ev)...)
		if set, ok := x.kept(ctx, all); ok && x.staysIn(ctx, set) {
			x.set, x.inputs = set, inputs
			return true
		}
		tried = append(tried, s.Not(lemma.Conjunction(s, all, entry.Values, entry.Entry)))
	}
	return false
}

// kept drops the conditions that a turn from the set need not keep (L2); ok is false
// where that could not be decided.
func (x *recurrence) kept(ctx context.Context, set []lemma.Literal) (left []lemma.Literal, ok bool) {
	s, site := x.cut.Formula.Store, x.h.Sites[0]
	left, ans := invariant.Houdini(set, func(set []lemma.Literal) (solve.Answer, *ilr.Evaluator) {
		return x.cut.Ask(ctx, site.Guard, lemma.Conjunction(s, set, site.Values, site.Entry),
			s.Or(lostBy(s, x.h, set)...))
	}, func(l lemma.Literal, ev *ilr.Evaluator) bool {
		return slices.ContainsFunc(lostBy(s, x.h, []lemma.Literal{l}), ev.Holds)
	})
	return left, ans == solve.Unsat
}

// lostBy returns for each back edge the term: it is taken, and set does not hold behind it.
func lostBy(s *ilr.Store, h *encode.Header, set []lemma.Literal) []ilr.Term {
	var out []ilr.Term
	for _, a := range h.Arrivals[1:] {
		out = append(out, s.And(a.Guard, s.Not(lemma.Conjunction(s, set, a.Values, a.Entry))))
	}
	return out
}

// leaves returns the term: a turn from the set ends otherwise than by a back edge (L3).
func leaves(s *ilr.Store, h *encode.Header, set []lemma.Literal) ilr.Term {
	site := h.Sites[0]
	back := make([]ilr.Term, 0, len(h.Arrivals))
	for _, a := range h.Arrivals[1:] {
		back = append(back, a.Guard)
	}
	return s.And(site.Guard, lemma.Conjunction(s, set, site.Values, site.Entry), s.Not(s.Or(back...)))
}

func (x *recurrence) staysIn(ctx context.Context, set []lemma.Literal) bool {
	ans, _ := x.cut.Ask(ctx, leaves(x.cut.Formula.Store, x.h, set))
	return ans == solve.Unsat
}

// confirm checks the set on a second encoding and has the interpreter run into it.
func (x *recurrence) confirm(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	checked, err := x.cut.Recheck(ctx, x.keep, func(f *encode.Formula) []ilr.Term {
		s, h := f.Store, &f.Headers[x.header]
		inside := lemma.Conjunction(s, x.set, h.Sites[0].Values, h.Sites[0].Entry)
		bad := []ilr.Term{leaves(s, h, x.set)}
		if len(x.keep) > 0 {
			bad = append(bad, invariant.Unmodelled(f))
		}
		for _, t := range lostBy(s, h, x.set) {
			bad = append(bad, s.And(h.Sites[0].Guard, inside, t))
		}
		return bad
	})
	if err != nil {
		return err
	}
	rec, out, err := x.follow(ctx, p)
	switch {
	case err != nil:
		return err
	case replay.Meant(ctx, p, rec.Inputs, out):
		return problem.ErrOpen
	case out.Kind == interp.Lasso:
		a.Settle(&problem.Settled{Claim: replay.LassoClaim(ctx, p, rec.Inputs, out)})
		return nil
	case !x.goesRound(out):
		return fmt.Errorf("the run into the recurrent set ended with %s", out.Kind)
	}
	c := replay.EndlessClaim(ctx, p, rec.Inputs, out)
	c.Pos = x.h.Pos
	c.Certificate = &verdict.Certificate{Method: "bit-precise recurrent set", Checked: checked, Detail: []string{
		fmt.Sprintf("the loop at %s is entered, and no turn leaves it", x.h.Pos)}}
	if len(x.set) > 0 {
		c.Certificate.Detail = []string{fmt.Sprintf("the loop at %s is entered with, and every turn keeps:", x.h.Pos)}
	}
	var set []string
	for _, l := range x.set {
		set = append(set, certificate.Express(x.h, l.Term))
		c.Certificate.Detail = append(c.Certificate.Detail, "  "+l.Text(x.h))
	}
	for _, l := range x.cut.Text(x.keep) {
		c.Certificate.Detail = append(c.Certificate.Detail, "invariant: "+l)
	}
	c.Evidence = &certificate.Inductive{Cut: certificate.Cut{Lemmas: x.cut.Portable(x.keep),
		Trap: certificate.TrapAt(x.h, set, rec.Inputs)}}
	a.Settle(&problem.Settled{Claim: c})
	return nil
}
