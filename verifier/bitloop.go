package verifier

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
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
const (
	maxEntries    = 8  // entries tried per header
	maxSetAtoms   = 60 // conditions per entry
	lowBits       = 3  // residues modulo 2, 4 and 8
	endlessLimit  = 20_000
	leastVisits   = 100 // of the loop's head by the interpreter
	loopSetVars   = 8   // numbers that are related to each other
	loopSetConsts = 8   // constants that numbers are compared with
)

// loopSet is a recurrent set found.
type loopSet struct {
	header int
	set    []literal
	inputs []input.Input // of a run into it
}

// recurrentBits looks for a run that never ends by recurrent sets over bit vectors.
func (u *unbounded) recurrentBits(ctx context.Context) (verdict.Claim, bool) {
	p, why := u.cutProver(ctx, true)
	if p == nil {
		slog.Debug("no recurrent set over bits", "why", why)
		return verdict.Claim{}, false
	}
	defer p.solver.Close()
	for i := range p.f.Headers {
		h := &p.f.Headers[i]
		if h.Loop == nil || len(h.Arrivals) < 2 || len(h.Sites) != 1 {
			continue
		}
		set := p.trapped(ctx, i)
		if set == nil && h.Arrivals[0].After == 0 {
			set = p.loopSet(ctx, i)
		}
		if set != nil {
			return u.endless(ctx, p, set)
		}
	}
	return verdict.Claim{}, false
}

// trapped is the empty set of conditions, for a loop that no turn leaves. Then what
// comes before may be abstracted: it is enough that the interpreter gets there.
func (p *prover) trapped(ctx context.Context, header int) *loopSet {
	h := &p.f.Headers[header]
	p.solver.LimitConflicts(endlessLimit)
	defer p.solver.LimitConflicts(0)
	ans, ev := p.ask(ctx, h.Arrivals[0].Guard)
	if ans != solve.Sat || !p.staysIn(ctx, h, nil) {
		return nil
	}
	return &loopSet{header: header, inputs: p.f.Inputs(ev)}
}

// loopSet tries some entries of a header.
func (p *prover) loopSet(ctx context.Context, header int) *loopSet {
	s, h := p.f.Store, &p.f.Headers[header]
	p.solver.LimitConflicts(endlessLimit)
	defer p.solver.LimitConflicts(0)
	entry := h.Arrivals[0]
	tried := []ilr.Term{entry.Guard}
	for n := 0; n < maxEntries && ctx.Err() == nil; n++ {
		ans, ev := p.ask(ctx, tried...)
		if ans != solve.Sat {
			return nil
		}
		inputs := p.f.Inputs(ev)
		set := p.trueAt(h, ev)
		full := conj(s, set, entry.Values, entry.Entry)
		if set = p.kept(ctx, h, set); set != nil && p.staysIn(ctx, h, set) {
			return &loopSet{header, set, inputs}
		}
		tried = append(tried, s.Not(full))
	}
	return nil
}

func conj(s *ilr.Store, set []literal, vals, entry []ilr.Term) ilr.Term {
	out := make([]ilr.Term, len(set))
	for i, l := range set {
		if out[i] = l.term(s, vals, entry); l.neg {
			out[i] = s.Not(out[i])
		}
	}
	return s.And(out...)
}

// trueAt lists the conditions that hold where the model enters the loop.
func (p *prover) trueAt(h *encode.Header, ev *ilr.Evaluator) []literal {
	s, first := p.f.Store, h.Arrivals[0]
	var out []literal
	add := func(a atom) {
		if len(out) < maxSetAtoms {
			out = append(out, literal{&a, !ev.Holds(a.term(s, first.Values, first.Entry))})
		}
	}
	var vars []int
	for v := range h.Vars {
		if x := &h.Vars[v]; !x.Ghost && !x.Cell && x.Width > 1 {
			vars = append(vars, v)
		}
	}
	for _, v := range vars {
		for _, k := range h.Consts[h.Vars[v].Width][:min(loopSetConsts, len(h.Consts[h.Vars[v].Width]))] {
			add(atom{kind: atomSle, v: v, k: k})
			add(atom{kind: atomUle, v: v, k: k})
			add(atom{kind: atomEq, v: v, k: k})
		}
		for _, x := range vars { // the ranges of narrower numbers
			if n := h.Vars[x].Width; n < h.Vars[v].Width {
				add(atom{kind: atomUle, v: v, k: bits.Zext(bits.Not(bits.New(n, 0)), h.Vars[v].Width)})
			}
		}
		now := ev.Value(first.Values[v])
		for z := 1; z <= lowBits && z < h.Vars[v].Width; z++ {
			add(atom{kind: atomSumLow, sum: []summand{{1, v}}, k: bits.Extract(now, z-1, 0)})
		}
		add(atom{kind: atomEqEntry, v: v})
	}
	for i, v := range vars[:min(len(vars), loopSetVars)] {
		for _, w := range vars[:i] {
			if h.Vars[v].Width == h.Vars[w].Width {
				add(atom{kind: atomEqVar, v: v, w: w})
				add(atom{kind: atomSleVar, v: v, w: w})
				add(atom{kind: atomUleVar, v: v, w: w})
			}
		}
	}
	return out
}

// kept drops the conditions that a turn from the set need not keep (L2).
func (p *prover) kept(ctx context.Context, h *encode.Header, set []literal) []literal {
	s, site := p.f.Store, h.Sites[0]
	for ctx.Err() == nil {
		var lost []ilr.Term
		for _, a := range h.Arrivals[1:] {
			lost = append(lost, s.And(a.Guard, s.Not(conj(s, set, a.Values, a.Entry))))
		}
		ans, ev := p.ask(ctx, site.Guard, conj(s, set, site.Values, site.Entry), s.Or(lost...))
		switch ans {
		case solve.Unsat:
			return set
		case solve.Sat:
			set = slices.DeleteFunc(set, func(l literal) bool {
				return slices.ContainsFunc(h.Arrivals[1:], func(a encode.Arrival) bool {
					return ev.Holds(a.Guard) && !ev.Holds(conj(s, []literal{l}, a.Values, a.Entry))
				})
			})
		default:
			return nil
		}
	}
	return nil
}

// leaves is that a turn from the set ends otherwise than by a back edge (L3).
func leaves(f *encode.Formula, h *encode.Header, set []literal) ilr.Term {
	s, site := f.Store, h.Sites[0]
	back := make([]ilr.Term, 0, len(h.Arrivals))
	for _, a := range h.Arrivals[1:] {
		back = append(back, a.Guard)
	}
	return s.And(site.Guard, conj(s, set, site.Values, site.Entry), s.Not(s.Or(back...)))
}

func (p *prover) staysIn(ctx context.Context, h *encode.Header, set []literal) bool {
	ans, _ := p.ask(ctx, leaves(p.f, h, set))
	return ans == solve.Unsat
}

// endless checks a set on a second encoding and has the interpreter run into it.
func (u *unbounded) endless(ctx context.Context, p *prover, set *loopSet) (verdict.Claim, bool) {
	c := verdict.Claim{Check: verdict.Termination}
	f, solver, err := p.encodeCut(ctx)
	if err != nil {
		return c, false
	}
	defer solver.Close()
	if f.Grown || !sameHeaders(p.f, f) {
		return c, false
	}
	s, h := f.Store, &f.Headers[set.header]
	bad := []ilr.Term{leaves(f, h, set.set)}
	for _, a := range h.Arrivals[1:] {
		bad = append(bad, s.And(h.Sites[0].Guard, conj(s, set.set, h.Sites[0].Values, h.Sites[0].Entry), a.Guard,
			s.Not(conj(s, set.set, a.Values, a.Entry))))
	}
	checked, ok := again(ctx, s, solver, f.Assumptions, bad)
	if !ok {
		return c, false
	}
	rec := &input.Recorder{Source: newThenZeros(set.inputs)}
	out, err := interp.RunLasso(ctx, u.m, u.interpOptions(confirmSteps), rec)
	switch {
	case err != nil:
		return c, false
	case out.Kind == interp.Lasso:
		return u.lassoClaim(ctx, rec.Inputs, out), true
	case out.Kind != interp.StepLimit || out.Visits[h.Loop.Header] < leastVisits:
		return c, false
	}
	c.Status, c.Replay, c.Pos = verdict.Violated, verdict.Confirmed, h.Pos
	c.Message = fmt.Sprintf(
		"this run never ends: the interpreter followed it for %d instructions, the recurrent set shows that it goes on", out.Executed)
	c.Certificate = &verdict.Certificate{Method: "bit-precise recurrent set", Checked: checked, Detail: []string{
		fmt.Sprintf("the loop at %s is entered, and no turn leaves it", h.Pos)}}
	if len(set.set) > 0 {
		c.Certificate.Detail = []string{fmt.Sprintf("the loop at %s is entered with, and every turn keeps:", h.Pos)}
	}
	for _, l := range set.set {
		c.Certificate.Detail = append(c.Certificate.Detail, "  "+l.text(h, l.neg))
	}
	for n, in := range rec.Inputs {
		if n == 100 {
			break
		}
		c.Inputs = append(c.Inputs, showInput(in))
	}
	return c, true
}
