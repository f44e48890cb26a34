package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/check"
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/flow/ranges"
)

// checkRanges drops the ranges of variables with static storage that package check, which shares no code with the analysis
// that found them, does not show. Ranges of members of structures are not checked: what rests on them is conditional.
func (p *Program) checkRanges() {
	var facts []check.Fact
	for _, g := range p.m.Globals {
		if !ranges.HoldsNumber(g) {
			continue
		}
		if rest, ever, ok := p.spans.Rest(places.Place{Global: g}, g.Var.T); ok {
			facts = append(facts, check.Fact{Global: g, Bits: g.Var.T.Bits, Rest: [2]int64{rest.Low, rest.High},
				Ever: [2]int64{ever.Low, ever.High}, Writer: p.spans.Soles[g]})
		}
	}
	refused := check.Refused(p.m, facts)
	for g := range refused {
		p.spans.Refuse(g)
	}
	facts = slices.DeleteFunc(facts, func(x check.Fact) bool { return refused[x.Global] != "" })
	p.leaning = check.Uninterrupted(p.m, facts)
	for _, x := range facts {
		if p.leaning[x.Global] != "" && x.Writer != nil {
			p.leanOn = append(p.leanOn, leftBy(x.Writer, x.Global))
		}
	}
}
