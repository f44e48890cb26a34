package problem

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve"
)

// Prober answers what encode asks with the formula's own solver; what it cannot tell is feasible. A question that holds
// under the model of an earlier answer is answered by it, and one that the choices of executions answer by themselves by
// their diagram: the solver is asked about the others.
type Prober struct {
	Solver solve.Solver
	Store  *ilr.Store
	Most   int  // terms of a question of Feasible; a larger one is not asked. 0: any
	Proven bool // the solver proves what is not possible, and nobody else says so

	givenUp int              // questions of Possible
	choices *diagrams        // nil before the first question
	gained  int              // steps that their answers were worth, less those that they took
	wrong   int              // models of theirs that did not suit, less those that did
	untold  []ilr.Term       // what no choices lead to, and the solver does not know of
	models  []*ilr.Evaluator // of earlier answers, the one that was of use last first
}

// Feasible implements encode.Prober.
func (p *Prober) Feasible(ctx context.Context, cond ilr.Term) bool {
	if p.Most > 0 && p.Store.Larger(cond, p.Most) {
		return true
	}
	return p.ask(ctx, cond) != solve.Unsat
}

// Possible implements encode.Prober; it takes few conflicts, and fewer once many questions were given up: most that are
// impossible need next to none.
func (p *Prober) Possible(ctx context.Context, cond ilr.Term) bool {
	if p.Most > 0 && p.Store.Larger(cond, p.Most) {
		return true
	}
	limit := policy.ProbeConflicts
	if p.givenUp >= policy.ProbesGivenUp {
		limit = policy.LateProbeConflicts
	}
	p.Solver.LimitConflicts(limit)
	defer p.Solver.LimitConflicts(0)
	ans := p.ask(ctx, cond)
	if ans == solve.Unknown {
		p.givenUp++
	}
	return ans != solve.Unsat
}

// ask answers Unsat only if the solver does without an error. A model says what every variable is, 0 where it does not
// name one, so a question that holds under it is satisfiable whatever it was the model of.
func (p *Prober) ask(ctx context.Context, cond ilr.Term) solve.Answer {
	p.models = p.models[:min(len(p.models), policy.ProbeValues/max(1, p.Store.Len()))]
	for i, m := range p.models {
		if holds(p.Store, m, cond) {
			p.models = slices.Insert(slices.Delete(p.models, i, i+1), 0, m)
			return solve.Sat
		}
	}
	if excluded, m := p.choose(cond); excluded {
		p.untold = append(p.untold, cond)
		return solve.Unsat
	} else if m != nil {
		p.keep(m)
		return solve.Sat
	}
	p.tell()
	ans, err := p.Solver.Check(ctx, cond)
	switch {
	case err != nil:
		return solve.Unknown
	case ans == solve.Sat:
		p.keep(p.Store.NewEvaluator(p.Solver.Model(), ilr.EvalFloat))
	}
	return ans
}

// tell has the solver know what the diagrams excluded: it would have learned as much from these questions, and searches
// longer without. Where diagrams answer all questions, it is not asked, and need not know.
func (p *Prober) tell() {
	for _, t := range p.untold {
		p.Solver.Assert(p.Store.Not(t))
	}
	p.untold = nil
}

// keep takes a model in.
func (p *Prober) keep(m *ilr.Evaluator) {
	p.models = slices.Insert(p.models[:min(len(p.models), policy.ProbeModels-1)], 0, m)
}

// choose reports whether no choices lead to cond, or returns a model of it if theirs is one. The diagrams take steps as
// long as their answers are worth it: the solver would have gone through the formula for each.
func (p *Prober) choose(cond ilr.Term) (excluded bool, m *ilr.Evaluator) {
	steps := min((policy.ChoicesAhead*p.Store.Len()+p.gained)/2, policy.ChoiceSteps)
	if p.Proven || steps <= 0 {
		return false, nil
	}
	if p.choices == nil || p.choices.full() {
		p.choices = newDiagrams(p.Store)
	}
	e := p.choices.make(cond, steps)
	p.gained -= steps - max(0, p.choices.left)
	if e == never {
		p.gain()
		return true, nil
	}
	if p.wrong >= policy.WrongChoices {
		return false, nil
	}
	m = p.Store.NewEvaluator(p.choices.model(e), ilr.EvalFloat)
	if !holds(p.Store, m, cond) {
		p.wrong++
		return false, nil
	}
	p.gain()
	p.wrong = max(0, p.wrong-1)
	return false, m
}

// gain counts an answer: as many steps as the solver would have taken, about; what was gained long ago does not count.
func (p *Prober) gain() {
	p.gained = min(p.gained+policy.ChoicesPerTerm*p.Store.Len(), 2*policy.ChoiceSteps)
}

// holds reports whether m satisfies each of the terms that cond is the conjunction of; the first that it does not
// satisfy ends it.
func holds(s *ilr.Store, m *ilr.Evaluator, cond ilr.Term) bool {
	seen := map[ilr.Term]bool{}
	for stack := []ilr.Term{cond}; len(stack) > 0; {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case seen[t]:
		case s.Kind(t) == ilr.KAnd && !m.Known(t):
			seen[t] = true
			stack = append(stack, s.Arg(t, 1), s.Arg(t, 0))
		case !m.Holds(t):
			return false
		}
	}
	return m.Holds(cond) // for the questions that it is a part of
}
