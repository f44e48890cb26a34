package verifier

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// The bit-precise fallback of termination: loops are cut as in the inductive
// proof, and for each header measures are sought by counterexamples. A model of a
// turn on which a candidate does not fall rules out all that do not fall there.
//
//	(B1) control leaves nothing that is modelled, nests calls within the limit, every
//	     recursion is unwound, and no loop is in the state of the turn before
//	(B2) the lemmas hold on entry of each loop and after each turn
//	(B3) on every turn of every cut loop its measures fall in lexicographic order
//
// An execution without end would take the back edges of some loop for ever, and
// of those the outermost one without leaving it: (B3) forbids that. Signed
// arithmetic wraps around here.
const (
	maxLexicographic   = 3
	conflictsOfMeasure = 4000
	rankLemmaPercent   = 40
)

// bitRank is a ranking of one header.
type bitRank struct {
	header int
	by     []measure // lexicographic
}

// bitPrecise tries to show that every run ends by measures over bit vectors.
func (u *unbounded) bitPrecise(ctx context.Context) (*verdict.Certificate, string) {
	p, why := u.cutProver(ctx, false)
	if p == nil {
		return nil, why
	}
	defer p.solver.Close()
	ranks, why := p.rankAll(ctx)
	if ranks == nil && ctx.Err() == nil {
		part, cancel := share(ctx, rankLemmaPercent)
		p.lemmas(part, []ilr.Term{p.f.Store.True()})
		cancel()
		if len(p.alive) > 0 {
			ranks, why = p.rankAll(ctx)
		}
	}
	if ranks == nil {
		return nil, why
	}
	return p.certifyRanks(ctx, ranks)
}

// cutProver walks the program with its loops cut. Signed overflow wraps around, or
// gives any value.
func (u *unbounded) cutProver(ctx context.Context, anyOverflow bool) (*prover, string) {
	plan := u.plan
	plan.Checks, plan.Dumps, plan.Dump = verdict.CheckSet{}, nil, nil
	b := &bounded{m: u.m, entry: u.entry, plan: plan, res: &verdict.Result{}, settled: map[string]*verdict.Claim{}}
	p := &prover{bounded: b, cuts: &encode.Cuts{}, effort: 1, anyOverflow: anyOverflow}
	if !p.walk(ctx) || len(p.cuts.Funcs()) > 0 {
		if p.solver != nil {
			p.solver.Close()
		}
		if p.why == "" {
			p.why = "recursion is not ranked bit by bit"
		}
		return nil, p.why
	}
	p.gaps = endlessOf(p.f)
	p.hold = p.f.Store.True()
	return p, ""
}

// endlessOf is that (B1) is broken: beside the gaps, the walk leaves out turns that
// change nothing.
func endlessOf(f *encode.Formula) ilr.Term {
	return f.Store.Or(append([]ilr.Term{gapsOf(f)}, f.Endless...)...)
}

// rankAll ranks every header, under the lemmas in p.hold.
func (p *prover) rankAll(ctx context.Context) ([]bitRank, string) {
	p.solver.LimitConflicts(conflictsOfMeasure)
	defer p.solver.LimitConflicts(0)
	if ans, _ := p.check(ctx, []ilr.Term{p.hold}, p.gaps); ans != solve.Unsat {
		return nil, "a path leaves what is modelled, nests calls too deep, or goes round in one state"
	}
	ranks := []bitRank{}
	for i := range p.f.Headers {
		h := &p.f.Headers[i]
		if len(h.Arrivals) < 2 {
			continue
		}
		if len(h.Sites) != 1 {
			return nil, "a loop in several states"
		}
		by := p.rankHeader(ctx, h)
		if by == nil {
			return nil, fmt.Sprintf("no measure was found for the loop at %s", h.Pos)
		}
		ranks = append(ranks, bitRank{i, by})
	}
	return ranks, ""
}

// rankHeader finds measures that fall in lexicographic order on each turn.
func (p *prover) rankHeader(ctx context.Context, h *encode.Header) []measure {
	all := append(measures(h), p.stepped(ctx, h)...)
	slog.Debug("measures", "header", h.Key, "vars", len(h.Vars), "candidates", len(all))
	var by []measure
	for len(by) < maxLexicographic {
		rest := slices.Clone(all)
		if m, ok := p.sieve(ctx, h, by, &rest, true); ok {
			return append(by, m)
		}
		if len(by) == maxLexicographic-1 {
			return nil
		}
		m, ok := p.sieve(ctx, h, by, &all, false)
		if !ok {
			return nil
		}
		by = append(by, m)
	}
	return nil
}

// sieve finds a measure that falls on every turn on which the earlier ones stay;
// or, if not strict, one that never rises there and falls on some.
func (p *prover) sieve(ctx context.Context, h *encode.Header, earlier []measure, left *[]measure,
	strict bool) (measure, bool) {
	s := p.f.Store
	for len(*left) > 0 && ctx.Err() == nil {
		m := (*left)[0]
		ans, ev := p.check(ctx, []ilr.Term{p.hold}, turns(s, h, earlier, m, !strict, false))
		switch ans {
		case solve.Unsat:
			*left = (*left)[1:]
			if strict || p.fallsSomewhere(ctx, h, earlier, m) {
				return m, true
			}
		case solve.Sat:
			*left = slices.DeleteFunc(*left, func(c measure) bool {
				return ev.Holds(turns(s, h, earlier, c, !strict,
					false))
			})
		default:
			*left = (*left)[1:]
		}
	}
	return measure{}, false
}

func (p *prover) fallsSomewhere(ctx context.Context, h *encode.Header, earlier []measure, m measure) bool {
	ans, _ := p.check(ctx, []ilr.Term{p.hold}, turns(p.f.Store, h, earlier, m, false, true))
	return ans == solve.Sat
}

// turns is that a turn of the loop leaves the earlier measures as they are and
// does not lower m; with weak that it raises m; with falls that it lowers m.
func turns(s *ilr.Store, h *encode.Header, earlier []measure, m measure, weak, falls bool) ilr.Term {
	before := h.Sites[0]
	var out []ilr.Term
	for _, a := range h.Arrivals[1:] {
		cond := []ilr.Term{before.Guard, a.Guard}
		for _, e := range earlier {
			cond = append(cond, s.Eq(e.of(s, before.Values), e.of(s, a.Values)))
		}
		now, then := m.of(s, before.Values), m.of(s, a.Values)
		switch {
		case falls:
			cond = append(cond, s.Ult(then, now))
		case weak:
			cond = append(cond, s.Ult(now, then))
		default:
			cond = append(cond, s.Not(s.Ult(then, now)))
		}
		out = append(out, s.And(cond...))
	}
	return s.Or(out...)
}

// fails is that some turn breaks (B3).
func (r bitRank) fails(f *encode.Formula) ilr.Term {
	h, n := &f.Headers[r.header], len(r.by)-1
	bad := []ilr.Term{turns(f.Store, h, r.by[:n], r.by[n], false, false)}
	for i := range n {
		bad = append(bad, turns(f.Store, h, r.by[:i], r.by[i], true, false))
	}
	return f.Store.Or(bad...)
}

// certifyRanks checks lemmas and measures on a second encoding, by z3 or a second
// run of our solver.
func (p *prover) certifyRanks(ctx context.Context, ranks []bitRank) (*verdict.Certificate, string) {
	bad := []ilr.Term{p.gaps}
	for _, r := range ranks {
		bad = append(bad, r.fails(p.f))
	}
	var keep []*candidate
	if len(p.alive) > 0 {
		keep = p.needed(ctx, bad)
	}
	f, solver, err := p.encodeCut(ctx)
	if err != nil {
		return nil, "second encoding: " + err.Error()
	}
	defer solver.Close()
	if f.Grown || !sameHeaders(p.f, f) {
		return nil, "the second encoding differs"
	}
	bad = []ilr.Term{endlessOf(f)}
	facts := f.Assumptions
	for _, c := range keep {
		facts = append(facts, c.holds(f))
		bad = append(bad, c.lemma.fails(f))
	}
	for _, r := range ranks {
		bad = append(bad, r.fails(f))
	}
	checked, ok := again(ctx, f.Store, solver, facts, bad)
	if !ok {
		return nil, "the second check did not agree"
	}
	cert := &verdict.Certificate{Method: "bit-precise ranking function", Checked: checked}
	for _, r := range ranks {
		h := &f.Headers[r.header]
		cert.Detail = append(cert.Detail, fmt.Sprintf("loop at %s: each turn lowers %s", h.Pos, r.text()))
	}
	if len(ranks) == 0 {
		cert.Detail = append(cert.Detail, "every loop has a constant number of turns")
	}
	if len(keep) > 0 {
		for _, l := range p.detail(keep) {
			cert.Detail = append(cert.Detail, "invariant: "+l)
		}
	}
	return cert, ""
}

func (r bitRank) text() string {
	var parts []string
	for _, m := range r.by {
		parts = append(parts, m.text)
	}
	return strings.Join(parts, ", else ") + " (unsigned)"
}
