package invariant

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve"
)

// Needed picks lemmas that suffice to exclude the goals and to be inductive:
// those that refutations of the goals use, then those that refutations of their
// own failures use, until there is nothing new.
func (p *Prover) Needed(ctx context.Context, goals []ilr.Term) []*lemma.Lemma {
	used := map[ilr.Term]bool{}
	asked := map[*candidate]bool{}
	all := selectors(p.alive)
	for todo := slices.Clone(goals); len(todo) > 0; {
		for _, t := range todo {
			if ans, _ := p.cut.Check(ctx, all, t); ans != solve.Unsat {
				return lemmas(p.alive)
			}
			for _, t := range p.cut.core {
				used[t] = true
			}
		}
		todo = nil
		for _, c := range p.alive {
			if used[c.selector] && !asked[c] {
				asked[c] = true
				todo = append(todo, c.fails)
			}
		}
	}
	keep := slices.DeleteFunc(slices.Clone(p.alive), func(c *candidate) bool { return !asked[c] })
	if len(keep) > policy.MaxThinned {
		return lemmas(keep)
	}
	return lemmas(p.thin(ctx, keep, p.f.Store.Or(goals...)))
}

// thin drops what is not needed after all.
func (p *Prover) thin(ctx context.Context, keep []*candidate, bad ilr.Term) []*candidate {
	for i := 0; i < len(keep); {
		less := slices.Delete(slices.Clone(keep), i, i+1)
		if ans, _ := p.cut.Check(ctx, selectors(less), append(failsOf(less), bad)...); ans == solve.Unsat {
			keep = less
			continue
		}
		i++
	}
	return keep
}

func selectors(cs []*candidate) []ilr.Term {
	out := make([]ilr.Term, len(cs))
	for i, c := range cs {
		out[i] = c.selector
	}
	return out
}

func failsOf(cs []*candidate) []ilr.Term {
	out := make([]ilr.Term, len(cs))
	for i, c := range cs {
		out[i] = c.fails
	}
	return out
}

func lemmas(cs []*candidate) []*lemma.Lemma {
	out := make([]*lemma.Lemma, len(cs))
	for i, c := range cs {
		out[i] = c.Lemma
	}
	return out
}
