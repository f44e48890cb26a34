package certificate

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/ring"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Refutation shows that the formula of the program has no model in which one of its goals holds: a claim is violated,
// a path that the walk left out is possible, a bound is passed. The walk of the program is repeated with the recorded
// answers about paths; each answer "this path is impossible" is a goal, too, so that nothing rests on who gave it.
type Refutation struct {
	Turns   int            `json:"turns"`             // per loop, at most
	Loops   map[string]int `json:"loops,omitempty"`   // loops that may take more, by name
	Ordered bool           `json:"ordered,omitempty"` // the order of products is assumed, too (ring.Ordered)
	Cut     *Cut           `json:"cut,omitempty"`     // instead of Turns and Probes
	Past    []string       `json:"past,omitempty"`    // claims that executions go on behind
	Ends    bool           `json:"ends,omitempty"`    // shows that every run ends, where no claim is violated
	Probes  string         `json:"probes,omitempty"`  // answers about paths, in the order of the walk: 1 possible, 0 not
	Clauses Digest         `json:"clauses"`
	Proof   string         `json:"proof"` // file with the steps that derive the opposite of each goal
	Bytes   int64          `json:"bytes"` // of that file
}

// runs reports whether r is about whole runs of the program without checks.
func (r *Refutation) runs() bool { return r.Cut != nil && r.Cut.runs() }

// prepare makes p the program that r is about.
func (r *Refutation) prepare(p *program) (err error) {
	if r.runs() {
		err = p.unchecked()
	} else if r.Ends {
		err = p.jumpsNowhere()
	}
	if err == nil {
		p.Past, err = p.pastOf(r.Past)
	}
	return err
}

// goal is something that a refutation excludes.
type goal struct {
	claim string // the ID of what it is about
	what  string // where it is about no claim
	bad   ilr.Term
	at    []*ir.Instr // of bounds: where executions pass one
}

// bads lists what the goals exclude.
func bads(goals []goal) (out []ilr.Term) {
	for _, g := range goals {
		out = append(out, g.bad)
	}
	return out
}

// prober answers the questions of a walk and keeps them, with the answers.
type prober struct {
	solver encode.Prober // nil: the answers are given
	given  string
	kept   []byte
	pruned []ilr.Term // conditions of paths that are said to be impossible
	asked  int
	done   func() // frees the solver; may be nil
}

func (p *prober) close() {
	if p.done != nil {
		p.done()
	}
}

// Feasible implements encode.Prober.
func (p *prober) Feasible(ctx context.Context, cond ilr.Term) bool {
	return p.answer(cond, func() bool { return p.solver.Feasible(ctx, cond) })
}

// Possible implements encode.Prober.
func (p *prober) Possible(ctx context.Context, cond ilr.Term) bool {
	return p.answer(cond, func() bool { return p.solver.Possible(ctx, cond) })
}

func (p *prober) answer(cond ilr.Term, ask func() bool) bool {
	possible := true
	switch {
	case p.solver != nil:
		possible = ask()
	case p.asked < len(p.given):
		possible = p.given[p.asked] != '0'
	}
	p.asked++
	mark := byte('1')
	if !possible {
		mark = '0'
		p.pruned = append(p.pruned, cond)
	}
	p.kept = append(p.kept, mark)
	return possible
}

// walk encodes the program with as many turns of loops as r says, without rules that simplify.
func (p *program) walk(ctx context.Context, r *Refutation, store *ilr.Store, pr *prober) (*encode.Formula, error) {
	opts := p.Encoding()
	opts.Unwind, opts.UnwindSet, opts.Depth, opts.MaxUnwind, opts.More = p.Unwind, p.UnwindSet, p.Depth, r.Turns, r.Loops
	f, err := encode.Encode(ctx, p.Module, p.Entry, store, opts, pr)
	if err == nil && pr.solver == nil && pr.asked != len(pr.given) {
		err = fmt.Errorf("the walk of the program asks %d questions about paths, the certificate answers %d", pr.asked,
			len(pr.given))
	}
	return f, err
}

// goalsOf lists what has to be impossible: that nothing was left out wrongly, the violation of each
// claim that is wanted, and what makes the formula incomplete.
func goalsOf(f *encode.Formula, pr *prober, wanted map[string]bool) (goals []goal) {
	s := f.Store
	if t := s.Or(pr.pruned...); !s.IsFalse(t) {
		goals = append(goals, goal{what: pruned, bad: t})
	}
	goals = append(goals, goalsAbout(f, wanted, func(c *encode.Claim) (ilr.Term, bool) {
		return c.Violated, !s.IsFalse(c.Violated)
	})...)
	var beyond []ilr.Term
	var at []*ir.Instr
	for i := range f.Claims {
		if c := &f.Claims[i]; c.Check == verdict.Unwinding {
			beyond = append(beyond, c.Violated)
			if !s.IsFalse(c.Violated) && !slices.Contains(at, c.Instr) {
				at = append(at, c.Instr)
			}
		}
	}
	if t := s.Or(beyond...); !s.IsFalse(t) {
		goals = append(goals, goal{what: bounds, bad: t, at: at})
	}
	var gaps []ilr.Term
	for i := range f.Gaps {
		gaps = append(gaps, f.Gaps[i].Guard)
	}
	if t := s.Or(gaps...); !s.IsFalse(t) {
		goals = append(goals, goal{what: unmodelled, bad: t})
	}
	return goals
}

// goalsAbout lists a goal for each wanted claim of f: what of says of one of its lines, if it says anything.
func goalsAbout(f *encode.Formula, wanted map[string]bool, of func(*encode.Claim) (ilr.Term, bool)) (goals []goal) {
	index := map[string]int{}
	for i := range f.Claims {
		c := &f.Claims[i]
		if !wanted[c.ID] {
			continue
		}
		bad, ok := of(c)
		if !ok {
			continue
		}
		n, known := index[c.ID]
		if !known {
			n = len(goals)
			index[c.ID] = n
			goals = append(goals, goal{claim: c.ID, bad: f.Store.False()})
		}
		goals[n].bad = f.Store.Or(goals[n].bad, bad)
	}
	return goals
}

// What goals are about that are about no claim.
const (
	pruned     = "executions on paths that the walk leaves out"
	bounds     = "turns or calls beyond the bounds"
	unmodelled = "executions that come to what is not modelled"
	repeated   = "turns that end in the state in which they begin"
)

// check repeats the walk and follows the proof. claims are those that the certificate refers to it.
func (r *Refutation) check(ctx context.Context, p *program, claims map[string]bool, open opener) (*Finding, error) {
	if err := r.prepare(p); err != nil {
		return nil, err
	}
	f, facts, goals, err := r.question(ctx, p, claims)
	if err != nil {
		return nil, err
	}
	proof, err := open(r.Proof, r.Bytes)
	if err != nil {
		return nil, err
	}
	defer func() { _ = proof.Close() }() // it is only read
	holds, steps, err := refuted(ctx, f.Store, facts, goals, r.Clauses, proof)
	if err != nil {
		return nil, err
	}
	out := r.shown(p, f, goals, holds, claims)
	out.Checked = fmt.Sprintf("%d clauses made afresh from the program, %d steps of the proof by unit propagation",
		r.Clauses.Clauses, steps.Lemmas+steps.Refuted)
	return out, nil
}

// question repeats the walk, and returns the facts and the goals.
func (r *Refutation) question(ctx context.Context, p *program, claims map[string]bool) (f *encode.Formula,
	facts []ilr.Term, goals []goal, err error) {
	if r.Cut == nil {
		pr := &prober{given: r.Probes}
		if f, err = p.walk(ctx, r, ilr.NewStore(nil), pr); err != nil {
			return nil, nil, nil, err
		}
		goals = goalsOf(f, pr, claims)
		if t := f.Store.Or(f.Endless...); r.Ends && !f.Store.IsFalse(t) {
			goals = append(goals, goal{what: repeated, bad: t})
		}
		facts = f.Assumptions
		if r.Ordered {
			facts = append(slices.Clone(facts), ring.Ordered(f.Store, bads(goals))...)
		}
		return f, facts, goals, nil
	}
	f, pr, err := p.walkCut(ctx, r.Cut, r.Cut.given)
	if err != nil {
		return nil, nil, nil, err
	}
	facts, goals, err = r.Cut.question(p, f, pr, claims)
	if err == nil && r.Cut.Trap != nil {
		err = r.Cut.Trap.entered(ctx, p, f, pr)
	}
	return f, facts, goals, err
}

// shown says what follows from the goals that are refuted.
func (r *Refutation) shown(p *program, f *encode.Formula, goals []goal, holds []bool,
	claims map[string]bool) *Finding {
	out := &Finding{Kind: "refutation", Shown: map[string]verdict.Status{}, Open: map[string]string{},
		Trusted: "encoder, bit-blaster"}
	if r.Ordered || r.Cut != nil && r.Cut.derived {
		out.Trusted += ", arithmetic of equations"
	}
	if r.Cut != nil && r.Cut.ellipses {
		out.Trusted += ", arithmetic of ellipses"
	}
	status, missing := verdict.Proved, ""
	var passed []*ir.Instr // where executions may pass a bound
	for i, g := range goals {
		switch {
		case holds[i] || g.claim != "" || status == verdict.Unknown:
		case g.what == bounds:
			status, passed, missing = verdict.Bounded, g.at, "it is not refuted that executions go past a bound"
		default:
			status, missing = verdict.Unknown, "it is not refuted that there are "+g.what
		}
	}
	known := map[string]bool{}
	for _, list := range [][]encode.Claim{f.Claims, f.Dead} {
		for i := range list {
			if id := list[i].ID; !known[id] {
				known[id] = true
				if list[i].Check != verdict.Unwinding { // a bound of this walk alone
					out.Claims = append(out.Claims, id)
				}
			}
		}
	}
	if r.Ends {
		out.Kind = "every path followed to its end"
		known[string(verdict.Termination)+"@"+p.Plan.Entry] = true
	}
	if r.Cut != nil {
		out.Kind = r.Cut.kind()
		if r.Cut.runs() {
			known[string(verdict.Termination)+"@"+p.Plan.Entry], out.Claims = true, nil
		}
		if r.Cut.Trap != nil && status == verdict.Proved {
			status = verdict.Violated
			out.Trusted += ", interpreter"
		}
	}
	for id := range claims {
		out.Shown[id], out.Open[id] = status, missing
		if !known[id] {
			out.Shown[id], out.Open[id] = verdict.Unknown, "the program has no such claim"
		}
	}
	if status == verdict.Bounded {
		for id := range beforeBounds(p, f, claims, passed) {
			out.Shown[id] = verdict.Proved
		}
	}
	for i, g := range goals {
		if g.claim != "" && !holds[i] {
			out.Shown[g.claim], out.Open[g.claim] = verdict.Unknown, "the proof does not refute its violation"
		}
	}
	return out
}

// beforeBounds lists those of claims that no execution comes to by way of a place where one may pass a bound: the walk
// looked at all executions that come to them. A claim of the end of the program has other places than the walk met.
func beforeBounds(p *program, f *encode.Formula, claims map[string]bool, passed []*ir.Instr) map[string]bool {
	var behind []*ir.After
	for _, in := range passed {
		behind = append(behind, ir.AfterOf(p.Module, p.Entry, in))
	}
	before := map[string]bool{}
	for _, list := range [][]encode.Claim{f.Claims, f.Dead} {
		for i := range list {
			if c := &list[i]; claims[c.ID] && !c.Check.Of().Driver && c.Check != verdict.Unwinding {
				was, seen := before[c.ID]
				before[c.ID] = (was || !seen) &&
					!slices.ContainsFunc(behind, func(a *ir.After) bool { return a.Has(c.Instr) })
			}
		}
	}
	for id, ok := range before {
		if !ok {
			delete(before, id)
		}
	}
	return before
}

// before returns which places an execution may pass on its way to one of the claims; nil may be any place.
func (p *program) before(f *encode.Formula, claims map[string]bool) func(*ir.Instr) bool {
	ends, instances := false, []*ir.Instr{}
	for _, list := range [][]encode.Claim{f.Claims, f.Dead} {
		for i := range list {
			if c := &list[i]; claims[c.ID] {
				ends = ends || c.Check.Of().Driver || c.Instr == nil
				instances = append(instances, c.Instr)
			}
		}
	}
	known := map[*ir.Instr]bool{}
	return func(in *ir.Instr) bool {
		if ends || in == nil {
			return true
		}
		passed, seen := known[in]
		if !seen {
			passed = slices.ContainsFunc(instances, ir.AfterOf(p.Module, p.Entry, in).Has)
			known[in] = passed
		}
		return passed
	}
}
