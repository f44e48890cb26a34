package invariant

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// candidate makes a lemma assumable under a selector of its own.
func (p *Prover) candidate(l *lemma.Lemma) *candidate {
	s := p.f.Store
	seen := p.view(l.Fails(p.f), l.Holds(p.f))
	c := &candidate{Lemma: l, fails: seen[0]}
	c.selector = s.Eq(s.Fresh("keep", ilr.BV(1)), s.Int(1, 1))
	p.cut.assert(s.Implies(c.selector, seen[1]))
	if l.Everywhere {
		p.atReads(c, policy.TrialInstances)
	}
	return c
}

// assumeAlive makes a new hold for those alive: one assumption costs the solver
// less than hundreds.
func (p *Prover) assumeAlive() {
	s := p.f.Store
	p.hold = s.Eq(s.Fresh("hold", ilr.BV(1)), s.Int(1, 1))
	for _, c := range p.alive {
		p.cut.assert(s.Implies(p.hold, c.selector))
	}
}

// Instantiate assumes what holds of any element of those that the program reads.
func (p *Prover) Instantiate() {
	for _, c := range p.alive {
		p.atReads(c, policy.MaxInstances)
	}
}

// atReads assumes c at the last indices that the program reads arrays at, at most so many.
func (p *Prover) atReads(c *candidate, most int) {
	for _, t := range p.f.AtReads(c.Holds(p.f), most) {
		p.cut.assert(p.f.Store.Implies(c.selector, t))
	}
}

// candidate is a lemma on trial.
type candidate struct {
	*lemma.Lemma
	selector ilr.Term // assuming it assumes the lemma
	fails    ilr.Term // some way to the header gets there with the lemma false
}
