package certificate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ellipse"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/ring"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Cut is about a program whose loops and recursions are cut (encode.Cuts): each turn begins in an unknown state, of
// which lemmas are assumed that every way to the loop's header has to establish.
type Cut struct {
	All      bool       `json:"all,omitempty"`   // loops are cut also where they end by themselves
	Turns    int        `json:"turns,omitempty"` // for how many they are cut, 0 for one
	Walks    []string   `json:"walks"`           // answers about paths, for each walk; the last one shows what is cut
	Lemmas   []Lemma    `json:"lemmas,omitempty"`
	Ranking  bool       `json:"ranking,omitempty"` // shows that every run ends; else claims
	Measures []Measures `json:"measures,omitempty"`
	Trap     *Trap      `json:"trap,omitempty"` // shows that a run never ends

	derived  bool // question derived equations between products
	ellipses bool // and bounds of filters
}

// runs reports whether c is about whole runs, not claims on their way.
func (c *Cut) runs() bool { return c.Ranking || c.Trap != nil }

// walkCut repeats the walks. ask makes a prober for the answers given, or for new ones.
func (p *program) walkCut(ctx context.Context, c *Cut, ask func(n int, s *ilr.Store) (*prober, error)) (
	*encode.Formula, *prober, error) {
	if c.Turns < 0 || c.Turns > policy.MaxInductionTurns || c.Turns > 1 && c.runs() {
		return nil, nil, fmt.Errorf("loops cannot be cut for %d turns here", c.Turns)
	}
	cuts := &encode.Cuts{All: c.All, Turns: c.Turns}
	opts := p.Encoding()
	opts.Depth, opts.MaxUnwind, opts.Cuts = policy.CutDepth, policy.ProbedTurns, cuts
	opts.AnyOverflow = c.Trap != nil // whatever it does, the run goes on
	if p.Depth > 0 {
		opts.Depth = min(opts.Depth, p.Depth)
	}
	for n := range policy.MaxWalks {
		store := ilr.NewStore(nil)
		pr, err := ask(n, store)
		if err != nil {
			return nil, nil, err
		}
		f, err := encode.Encode(ctx, p.Module, p.Entry, store, opts, pr)
		pr.close()
		switch {
		case err != nil:
			return nil, nil, err
		case pr.solver == nil && pr.asked != len(pr.given):
			return nil, nil, fmt.Errorf(
				"walk %d of the program asks %d questions about paths, the certificate answers %d",
				n+1, pr.asked, len(pr.given))
		case !f.Grown:
			return f, pr, nil
		}
	}
	return nil, nil, errors.New("the unknown states keep growing")
}

// given returns the answers of the certificate, walk by walk.
func (c *Cut) given(n int, _ *ilr.Store) (*prober, error) {
	if n >= len(c.Walks) {
		return nil, fmt.Errorf("the program needs more than the %d walks of the certificate", len(c.Walks))
	}
	return &prober{given: c.Walks[n]}, nil
}

// headerAt finds a place in a walk of the program.
func headerAt(f *encode.Formula, at Place) (*encode.Header, error) {
	i := slices.IndexFunc(f.Headers, func(h encode.Header) bool { return h.Key == at.Header })
	if i < 0 {
		return nil, fmt.Errorf("the program has no loop %q", at.Header)
	}
	if h := &f.Headers[i]; slices.Equal(PlaceAt(h).Vars, at.Vars) {
		return h, nil
	}
	return nil, fmt.Errorf("the loop %q has other variables than the certificate says", at.Header)
}

// lemmas returns what is assumed of the unknown states, what of that holds at all of them, what the lemmas say where
// ways come to their headers, and for each lemma the goal that a way breaks it.
func (c *Cut) lemmas(f *encode.Formula) (facts, known, ways []ilr.Term, goals []goal, err error) {
	s := f.Store
	for n, l := range c.Lemmas {
		h, err := headerAt(f, l.Place)
		if err != nil {
			return nil, nil, nil, nil, err
		}
		for _, x := range h.Sites {
			t, err := read(s, l.Holds, x.Values, x.Entry, ilr.Bool)
			if err != nil {
				return nil, nil, nil, nil, err
			}
			known = append(known, t)
			t = s.Implies(x.Guard, t)
			facts = append(append(facts, t), f.AtReads(t, policy.MaxInstances)...)
		}
		broken := s.False()
		for _, a := range h.Arrivals {
			t, err := read(s, l.Holds, a.Values, a.Entry, ilr.Bool)
			if err != nil {
				return nil, nil, nil, nil, err
			}
			ways = append(ways, t)
			broken = s.Or(broken, s.And(a.Guard, s.Not(t)))
		}
		goals = append(goals, goal{what: fmt.Sprintf("ways to %s that break lemma %d, %s", l.Where, n+1, l.Holds),
			bad: broken})
	}
	return facts, known, ways, goals, nil
}

// question returns facts and goals about the claims that are wanted.
func (c *Cut) question(p *program, f *encode.Formula, pr *prober, wanted map[string]bool) (facts []ilr.Term, goals []goal,
	err error) {
	if c.Trap != nil && len(c.Lemmas) == 0 { // what comes before the loop may be anything
		goals, err = c.Trap.goals(f, pr)
		return f.Assumptions, goals, err
	}
	facts, known, ways, goals, err := c.lemmas(f)
	if err != nil {
		return nil, nil, err
	}
	facts = slices.Concat(f.Assumptions, f.Remainders(), facts)
	s := f.Store
	matters := func(*ir.Instr) bool { return true }
	if !c.runs() {
		matters = p.before(f, wanted)
	}
	beyond := []ilr.Term{s.Or(pr.pruned...)}
	for i := range f.Gaps {
		if g := &f.Gaps[i]; matters(g.Instr) {
			beyond = append(beyond, g.Guard)
		}
	}
	for i := range f.Claims {
		if cl := &f.Claims[i]; cl.Check == verdict.Unwinding && matters(cl.Instr) {
			beyond = append(beyond, cl.Violated)
		}
	}
	if c.Ranking {
		beyond = append(beyond, f.Endless...)
	}
	goals = append(goals, goal{what: unmodelled, bad: s.Or(beyond...)})
	var asked []goal
	switch {
	case c.Trap != nil:
		asked, err = c.Trap.goals(f, pr)
	case c.Ranking:
		asked, err = c.falls(f)
	default:
		asked = goalsAbout(f, wanted, func(cl *encode.Claim) (ilr.Term, bool) {
			return f.ViolationAtGhost(cl, policy.MaxReads), cl.Check != verdict.Unwinding
		})
	}
	goals = append(goals, asked...)
	bad := bads(goals)
	more := append(ring.Ordered(s, bad), ring.Consequences(s, known, bad, f.ComesBack())...)
	c.derived = len(more) > 0
	facts = append(facts, more...)
	more = ellipse.Consequences(s, known, bad)
	if c.ellipses = len(more) > 0; !c.ellipses {
		return facts, goals, err
	}
	hidden := ellipse.Hidden{}
	hidden.Hide(s, known)
	hidden.Hide(s, ways)
	x := hidden.In(s, append(facts, more...), bad)
	for i, t := range x[1] {
		goals[i].bad = t
	}
	return x[0], goals, err
}

// falls lists the goals that a turn of a cut loop does not lower its measures. Every loop that is cut needs some.
func (c *Cut) falls(f *encode.Formula) ([]goal, error) {
	s := f.Store
	var goals []goal
	for i := range f.Headers {
		h := &f.Headers[i]
		if h.Loop == nil {
			return nil, fmt.Errorf("there are no measures for the recursion of %q", h.Key)
		}
		if len(h.Arrivals) < 2 {
			continue
		}
		k := slices.IndexFunc(c.Measures, func(m Measures) bool { return m.Header == h.Key })
		if k < 0 || len(h.Sites) != 1 {
			return nil, fmt.Errorf("the certificate has no measures for the loop %q", h.Key)
		}
		m := &c.Measures[k]
		if _, err := headerAt(f, m.Place); err != nil {
			return nil, err
		}
		bad := s.False()
		for _, a := range h.Arrivals[1:] {
			lower, same := s.False(), s.True()
			for _, text := range m.Fall {
				now, err := read(s, text, h.Sites[0].Values, h.Sites[0].Entry, ilr.BV(1))
				if err != nil {
					return nil, err
				}
				then, err := read(s, text, a.Values, a.Entry, ilr.BV(1))
				if err != nil {
					return nil, err
				}
				lower = s.Or(lower, s.And(same, s.Ult(then, now)))
				same = s.And(same, s.Eq(then, now))
			}
			bad = s.Or(bad, s.And(h.Sites[0].Guard, a.Guard, s.Not(lower)))
		}
		goals = append(goals, goal{what: fmt.Sprintf("turns of the loop at %s that lower no measure of %v", m.Where,
			m.Fall), bad: bad})
	}
	return goals, nil
}

// kind names the evidence.
func (c *Cut) kind() string {
	if c.Trap != nil {
		return fmt.Sprintf("recurrent set of %d conditions, bit by bit, with %d invariants", len(c.Trap.Set),
			len(c.Lemmas))
	}
	if c.Ranking {
		return fmt.Sprintf("ranking of %d loops bit by bit, with %d invariants", len(c.Measures), len(c.Lemmas))
	}
	return fmt.Sprintf("%d inductive invariants", len(c.Lemmas))
}
