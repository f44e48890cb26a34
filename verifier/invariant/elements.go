package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/policy"
)

// cells proposes values of array elements that a counter has passed, or has
// not yet reached: k < i implies a[k] == c.
func (p *proposer) cells() {
	ghost := -1
	for v := range p.h.Vars {
		if p.h.Vars[v].Ghost {
			ghost = v
		}
	}
	if ghost < 0 {
		return
	}
	for a := range p.h.Vars {
		if !p.h.Vars[a].Cell || p.h.Vars[a].Next > 0 {
			continue
		}
		facts := p.cellFacts(a, ghost)
		var outside []Literal // k is no index of the array
		if n := p.h.Vars[a].Count; n > 0 {
			outside = append(outside, Literal{&atom{kind: atomSle, v: ghost, k: bits.NewInt(p.width(ghost), n-1)},
				true})
		}
		for i := range p.h.Vars {
			x := &p.h.Vars[i]
			if !x.Moves || x.Cell || x.Offset || p.width(i) < 8 {
				continue
			}
			below := &atom{kind: atomSleVar, v: i, w: ghost} // i <= k: not passed
			above := &atom{kind: atomSleVar, v: ghost, w: i} // k <= i: not passed on the way down
			for _, l := range facts {
				p.add(append(slices.Clip(outside), Literal{below, false}, l)...)
				p.add(append(slices.Clip(outside), Literal{above, false}, l)...)
				p.add(append(slices.Clip(outside), Literal{below, true}, l)...)
			}
		}
	}
}

// cellFacts are literals about the ghost cell of array a.
func (p *proposer) cellFacts(a, ghost int) []Literal {
	var out []Literal
	w := p.width(a)
	ks := p.h.Consts[w]
	for _, k := range ks[:min(policy.MaxCellConsts, len(ks))] {
		for _, kind := range []atomKind{atomEq, atomSle, atomUle} {
			out = append(out, Literal{&atom{kind: kind, v: a, k: k}, false})
		}
		out = append(out, Literal{&atom{kind: atomSle, v: a, k: bits.Sub(k, bits.New(w, 1))}, true})
	}
	if !p.h.Calls || p.h.Vars[a].Before > 0 {
		out = append(out, Literal{&atom{kind: atomEqEntry, v: a}, false})
	}
	out = append(out, Literal{&atom{kind: atomEqVar, v: a, w: ghost}, false})
	for v := range p.h.Vars {
		if v != a && v != ghost && p.width(v) == w && !p.h.Vars[v].Offset && p.h.Vars[v].Next == 0 {
			out = append(out, Literal{&atom{kind: atomEqVar, v: a, w: v}, false},
				Literal{&atom{kind: atomSleVar, v: a, w: v}, false},
				Literal{&atom{kind: atomSleVar, v: v, w: a}, false}, Literal{&atom{kind: atomSleVar, v: a, w: v},
					true}, Literal{&atom{kind: atomSleVar, v: v, w: a}, true})
		}
	}
	return out
}
