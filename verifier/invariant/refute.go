package invariant

import (
	"context"
	"log/slog"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/solve"
)

// goal is something to refute: an instance of the claim id, or the exits at an instruction.
type goal struct {
	id       string
	exit     bool
	at       *ir.Instr
	bad      ilr.Term
	after    int  // sites before it
	asserted bool // by the program
}

// refutation holds what the search for clauses achieved.
type refutation struct {
	lemmas   []*lemma.Lemma  // that exclude the goals which did not fail
	open     map[string]bool // the claims that could not be refuted
	passed   []*ir.Instr     // exits that could not be excluded, or are behind such: claims behind them are open
	unplaced bool            // an exit that may be anywhere could not be excluded: nothing is proved
	gaveUp   bool            // time or levels ran out: nothing is known
	why      string          // of passed, unplaced and gaveUp
}

func (x *refutation) failed(g goal) bool {
	return g.exit && slices.Contains(x.passed, g.at) || !g.exit && x.open[g.id]
}

// fail notes that g, one of goals, was not refuted, and with an exit all that is behind it.
func (p *Prover) fail(x *refutation, g goal, goals []goal) {
	switch {
	case !g.exit:
		x.open[g.id] = true
	case g.at == nil:
		x.unplaced = true
	default:
		behind := p.behind(g.at)
		for _, o := range goals {
			switch {
			case o.at == nil || !behind.Has(o.at):
			case o.exit:
				x.passed = append(x.passed, o.at)
			default:
				x.open[o.id] = true
			}
		}
	}
}

// behind follows the executions that pass one of the exits; nil without any.
func (p *Prover) behind(exits ...*ir.Instr) *ir.After {
	if len(exits) == 0 {
		return nil
	}
	return ir.AfterOf(p.cut.p.Module, p.cut.p.Entry, exits...)
}

// reaches reports whether an execution may come to an instance of g behind exits. What is claimed of the program's end
// has other places than the walk met.
func reaches(g *problem.Group, behind *ir.After) bool {
	return behind != nil && (g.First.Check.Of().Driver || slices.ContainsFunc(g.Instances,
		func(c *encode.Claim) bool { return c.Instr == nil || behind.Has(c.Instr) }))
}

// live lists the goals that did not fail, none if no claim is among them.
func (x *refutation) live(goals []goal) []goal {
	out := slices.DeleteFunc(slices.Clone(goals), x.failed)
	if x.unplaced || !slices.ContainsFunc(out, func(g goal) bool { return !g.exit }) && len(x.passed) > 0 {
		return nil
	}
	return out
}

func gaveUp(why string) *refutation { return &refutation{gaveUp: true, why: why} }

// refute finds what the lemmas of the templates exclude, and clauses that exclude the other goals. Where these are not
// found, the former counts.
func (p *Prover) refute(ctx context.Context, goals []goal) *refutation {
	x := &refutation{open: map[string]bool{}}
	p.cut.LimitConflicts(policy.ConflictsOfAll)
	ans, _ := p.cut.Check(ctx, []ilr.Term{p.hold}, bads(goals)...)
	p.cut.LimitConflicts(0)
	switch {
	case ans == solve.Unsat:
		return x
	case ctx.Err() != nil:
		return gaveUp("out of time")
	case ans == solve.Unknown || p.cut.words != nil || !p.cut.p.On(MakeClauses):
		p.goalByGoal(ctx, goals, x, policy.ConflictsOfOne)
		return x
	}
	p.byHalves(ctx, goals, goals, x)
	rest := goals
	if !x.unplaced {
		rest = slices.DeleteFunc(slices.Clone(goals), func(g goal) bool { return !x.failed(g) })
	}
	part, end := budget.Share(ctx, policy.ClausesPercent)
	defer end()
	if found := p.clauses(part, rest); !found.gaveUp {
		return found
	}
	return x
}

// clauses finds clauses that exclude the goals.
func (p *Prover) clauses(ctx context.Context, goals []goal) *refutation {
	picked := compared(p.f)
	first := p.search(ctx, goals, picked)
	if first.gaveUp || !first.unplaced && len(first.open)+len(first.passed) == 0 || !picked.partial {
		return first
	}
	rest := goals
	if !first.unplaced {
		rest = slices.DeleteFunc(slices.Clone(goals), func(g goal) bool { return !first.failed(g) })
	}
	second := p.search(ctx, rest, nil)
	switch {
	case second.gaveUp && first.unplaced:
		return second
	case second.gaveUp:
		return first
	}
	second.lemmas = append(first.lemmas, second.lemmas...)
	return second
}

// search looks for the clauses, over atoms that picked names, or over all if it is nil.
func (p *Prover) search(ctx context.Context, goals []goal, picked *comparisons) *refutation {
	x := &refutation{open: map[string]bool{}}
	r := &reach{p: p, open: map[string]bool{}, calls: p.f.ComesBack()}
	r.start(picked)
	r.level()
	for n := 1; n <= policy.MaxLevels; n++ {
		if !r.exclude(ctx, n, goals, x) {
			return gaveUp("out of time")
		}
		if len(x.live(goals)) == 0 {
			return x
		}
		slog.Debug("frame", "n", n, "clauses", len(r.clauses), "questions", p.cut.solver.Stats().Calls, "failed",
			len(x.open))
		r.level()
		done, ok := r.push(ctx, n)
		if !ok {
			return gaveUp("out of time")
		}
		if done >= 0 {
			for _, c := range r.clauses {
				if c.level > done {
					x.lemmas = append(x.lemmas, r.lemma(c))
				}
			}
			return x
		}
	}
	return gaveUp("too many levels")
}

// goalByGoal notes the goals that do not follow from the lemmas of the templates,
// where all at once are too hard.
func (p *Prover) goalByGoal(ctx context.Context, goals []goal, x *refutation, conflicts int) {
	defer p.cut.LimitConflicts(0)
	p.cut.LimitConflicts(conflicts)
	for _, g := range goals {
		if x.failed(g) {
			continue
		}
		if ans, _ := p.cut.Check(ctx, []ilr.Term{p.hold}, g.bad); ans != solve.Unsat {
			p.fail(x, g, goals)
		}
	}
	x.why = lemmasOpen
}

// byHalves notes which of part do not follow from the lemmas of the templates: some of goals that do not all follow.
func (p *Prover) byHalves(ctx context.Context, part, goals []goal, x *refutation) {
	if len(part) == 1 {
		p.fail(x, part[0], goals)
		x.why = lemmasOpen
		return
	}
	for _, half := range [][]goal{part[:len(part)/2], part[len(part)/2:]} {
		half = slices.DeleteFunc(slices.Clone(half), x.failed)
		if len(half) == 0 || x.unplaced {
			continue
		}
		p.cut.LimitConflicts(policy.ConflictsOfOne)
		ans, _ := p.cut.Check(ctx, []ilr.Term{p.hold}, bads(half)...)
		p.cut.LimitConflicts(0)
		if ans != solve.Unsat {
			p.byHalves(ctx, half, goals, x)
		}
	}
}

const lemmasOpen = "the lemmas do not exclude unmodelled code"

func bads(goals []goal) []ilr.Term {
	out := make([]ilr.Term, len(goals))
	for i := range goals {
		out[i] = goals[i].bad
	}
	return out
}
