package harness

import (
	"github.com/firmproof/firmproof/verifier/flow/check"
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// checkRanges drops the ranges of variables with static storage that package check, which shares no code with the analysis
// that found them, does not show. Ranges of members of structures are not checked: what rests on them is conditional.
func (p *Program) checkRanges() {
	var facts []check.Fact
	for _, g := range p.m.Globals {
		if g.Var == nil || !ir.IsNumber(g.Var.T) {
			continue
		}
		if rest, ever, ok := p.spans.Rest(places.Place{Global: g}, g.Var.T); ok {
			facts = append(facts, check.Fact{Global: g, Bits: g.Var.T.Bits, Rest: [2]int64{rest.Low, rest.High},
				Ever: [2]int64{ever.Low, ever.High}, Writer: p.spans.Soles[g]})
		}
	}
	for g := range check.Refused(p.m, facts) {
		p.spans.Refuse(g)
	}
}
