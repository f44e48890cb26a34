package bitterm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
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

// Ranking tries to show that every run ends by measures over bit vectors.
type Ranking struct{}

// Run implements problem.Engine.
func (Ranking) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	defer a.Stage("ranked bits")(nil)
	cert, evidence, err := rank(ctx, p)
	if err != nil {
		return fmt.Errorf("no bit-precise ranking: %w", err)
	}
	c := p.TerminationClaim()
	c.Certificate, c.Evidence = cert, evidence
	c.Learn(verdict.Always)
	a.Settle(&problem.Settled{Claim: c, Assumptions: []verdict.Assumption{problem.UndefinedEnds}})
	return nil
}

// ranker looks for measures of the headers of a cut program.
type ranker struct {
	cut    *invariant.Cut
	f      *encode.Formula
	lemmas *invariant.Prover
	cases  bool // a loop may have other measures where a number that turns leave alone is positive
}

// headerRank is a ranking of one header.
type headerRank struct {
	header int
	by     []measure // lexicographic
}

// rank returns a certificate that every run ends.
func rank(ctx context.Context, p *problem.Problem) (*verdict.Certificate, *certificate.Inductive, error) {
	r, err := newRanker(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	defer r.cut.Close()
	ranks, err := r.rankAll(ctx)
	if err != nil && ctx.Err() == nil {
		r.lemmas.Branches = true
		part, cancel := budget.Share(ctx, policy.RankLemmaPercent)
		r.lemmas.Lemmas(part, []ilr.Term{r.f.Store.True()})
		cancel()
		r.lemmas.Instantiate()
		r.cases = true
		ranks, err = r.rankAll(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	return r.certify(ctx, ranks)
}

func newRanker(ctx context.Context, p *problem.Problem) (*ranker, error) {
	cut, err := openLoops(ctx, p, false)
	if err != nil {
		return nil, err
	}
	return &ranker{cut: cut, f: cut.Formula, lemmas: invariant.NewProver(cut)}, nil
}

// openLoops walks p, without checks, with its loops cut. Signed overflow wraps
// around, or gives any value.
func openLoops(ctx context.Context, p *problem.Problem, anyOverflow bool) (*invariant.Cut, error) {
	cut, err := invariant.OpenCut(ctx, p.Unchecked(), invariant.CutOptions{AnyOverflow: anyOverflow})
	if err != nil {
		return nil, err
	}
	if cut.Recursive() {
		cut.Close()
		return nil, errors.New("recursion is not ranked bit by bit")
	}
	return cut, nil
}

// beyondModel returns the term: (B1) is broken. Beside the gaps, the walk leaves out
// turns that change nothing.
func beyondModel(f *encode.Formula) ilr.Term {
	return f.Store.Or(append([]ilr.Term{invariant.Unmodelled(f)}, f.Endless...)...)
}

// rankAll ranks every header, under the lemmas found.
func (r *ranker) rankAll(ctx context.Context) ([]headerRank, error) {
	r.cut.LimitConflicts(policy.MeasureConflicts)
	defer r.cut.LimitConflicts(0)
	if ans, _ := r.check(ctx, beyondModel(r.f)); ans != solve.Unsat {
		return nil, errors.New("a path leaves what is modelled, nests calls too deep, or goes round in one state")
	}
	ranks := []headerRank{}
	for i := range r.f.Headers {
		h := &r.f.Headers[i]
		if len(h.Arrivals) < 2 {
			continue
		}
		if len(h.Sites) != 1 {
			return nil, errors.New("a loop in several states")
		}
		by := r.rankHeader(ctx, h, everywhere)
		if by == nil && r.cases {
			by = r.rankCases(ctx, h)
		}
		if by == nil {
			return nil, fmt.Errorf("no measure was found for the loop at %s", h.Pos)
		}
		ranks = append(ranks, headerRank{i, by})
	}
	return ranks, nil
}

// rankHeader finds measures that fall in lexicographic order on each turn that begins where it says.
func (r *ranker) rankHeader(ctx context.Context, h *encode.Header, where part) []measure {
	all := append(measures(h), r.stepped(ctx, h)...)
	slog.Debug("measures", "header", h.Key, "vars", len(h.Vars), "candidates", len(all))
	var by []measure
	for len(by) < policy.MaxLexicographic {
		rest := slices.Clone(all)
		if m, ok := r.sieve(ctx, turns{h, where, by}, &rest, true); ok {
			return append(by, m)
		}
		if len(by) == policy.MaxLexicographic-1 {
			return nil
		}
		rest = slices.Clone(all) // what rises here may not, where the next measure stays as it is
		m, ok := r.sieve(ctx, turns{h, where, by}, &rest, false)
		if !ok {
			return nil
		}
		by = append(by, m)
	}
	return nil
}

// sieve finds a measure that falls on each of the turns; or, if not strict, one that never rises there and falls on some.
func (r *ranker) sieve(ctx context.Context, on turns, left *[]measure, strict bool) (measure, bool) {
	s, without := r.f.Store, raised
	if strict {
		without = notLowered
	}
	for len(*left) > 0 && ctx.Err() == nil {
		m := (*left)[0]
		ans, ev := r.check(ctx, on.change(s, m, without))
		switch ans {
		case solve.Unsat:
			*left = (*left)[1:]
			if strict || r.fallsSomewhere(ctx, on, m) {
				return m, true
			}
		case solve.Sat:
			*left = slices.DeleteFunc(*left, func(c measure) bool {
				return ev.Holds(on.change(s, c, without))
			})
		default:
			*left = (*left)[1:]
		}
	}
	return measure{}, false
}

func (r *ranker) fallsSomewhere(ctx context.Context, on turns, m measure) bool {
	ans, _ := r.check(ctx, on.change(r.f.Store, m, lowered))
	return ans == solve.Sat
}

// check asks whether bad is possible under the lemmas found.
func (r *ranker) check(ctx context.Context, bad ilr.Term) (solve.Answer, *ilr.Evaluator) {
	return r.cut.Check(ctx, []ilr.Term{r.lemmas.Hold()}, bad)
}

// change says how an iteration changes a measure.
type change uint8

const (
	notLowered change = iota
	raised
	lowered
)

// turns are those of a loop that begin in a part of its states and leave the earlier measures as they are.
type turns struct {
	h       *encode.Header
	where   part
	earlier []measure
}

// change returns the term: one of the turns changes m as asked.
func (t turns) change(s *ilr.Store, m measure, how change) ilr.Term {
	before := t.h.Sites[0]
	var out []ilr.Term
	for _, a := range t.h.Arrivals[1:] {
		cond := []ilr.Term{before.Guard, a.Guard, t.where(s, before.Values)}
		for _, e := range t.earlier {
			cond = append(cond, s.Eq(e.of(s, before.Values), e.of(s, a.Values)))
		}
		now, then := m.of(s, before.Values), m.of(s, a.Values)
		switch how {
		case lowered:
			cond = append(cond, s.Ult(then, now))
		case raised:
			cond = append(cond, s.Ult(now, then))
		default:
			cond = append(cond, s.Not(s.Ult(then, now)))
		}
		out = append(out, s.And(cond...))
	}
	return s.Or(out...)
}

// fails returns the term: some iteration breaks (B3).
func (r headerRank) fails(f *encode.Formula) ilr.Term {
	h, n := &f.Headers[r.header], len(r.by)-1
	bad := []ilr.Term{turns{h, everywhere, r.by[:n]}.change(f.Store, r.by[n], notLowered)}
	for i := range n {
		bad = append(bad, turns{h, everywhere, r.by[:i]}.change(f.Store, r.by[i], raised))
	}
	return f.Store.Or(bad...)
}

// certify checks lemmas and measures on a second encoding.
func (r *ranker) certify(ctx context.Context, ranks []headerRank) (*verdict.Certificate, *certificate.Inductive,
	error) {
	broken := func(f *encode.Formula) []ilr.Term {
		bad := []ilr.Term{beyondModel(f)}
		for _, x := range ranks {
			bad = append(bad, x.fails(f))
		}
		return bad
	}
	var keep []*lemma.Lemma
	if r.lemmas.Any() {
		keep = r.lemmas.Needed(ctx, broken(r.f))
	}
	checked, err := r.cut.Recheck(ctx, keep, broken)
	if err != nil {
		return nil, nil, err
	}
	cert := &verdict.Certificate{Method: "bit-precise ranking function", Checked: checked}
	for _, x := range ranks {
		cert.Detail = append(cert.Detail, fmt.Sprintf("loop at %s: each turn lowers %s", r.f.Headers[x.header].Pos,
			x.text()))
	}
	if len(ranks) == 0 {
		cert.Detail = append(cert.Detail, "every loop has a constant number of turns")
	}
	for _, l := range r.cut.Text(keep) {
		cert.Detail = append(cert.Detail, "invariant: "+l)
	}
	evidence := &certificate.Inductive{Cut: certificate.Cut{Ranking: true, Lemmas: r.cut.Portable(keep)}}
	for _, x := range ranks {
		h := &r.f.Headers[x.header]
		m := certificate.Measures{Place: certificate.PlaceAt(h)}
		for _, by := range x.by {
			m.Fall = append(m.Fall, certificate.Express(h, func(s *ilr.Store, now, _ []ilr.Term) ilr.Term {
				return by.of(s, now)
			}))
		}
		evidence.Cut.Measures = append(evidence.Cut.Measures, m)
	}
	return cert, evidence, nil
}

func (r headerRank) text() string {
	var parts []string
	for _, m := range r.by {
		parts = append(parts, m.text)
	}
	return strings.Join(parts, ", else ") + " (unsigned)"
}
