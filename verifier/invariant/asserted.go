package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
)

// assert proposes of header p.h what the claims ask for.
func (p *proposer) assert(claims []assertion) []*lemma.Lemma {
	ghost := lemma.GhostOf(p.h)
	if ghost < 0 || !p.on(MakeAsserted) || p.h.Loop == nil || len(p.h.Arrivals) == 0 || len(p.h.Sites) == 0 {
		return nil
	}
	p.maker = MakeAsserted
	others := p.out
	p.out = nil
	x := lemma.SpeakerAt(p.f.Store, p.h)
	boundaries := p.boundaries(ghost)
	for _, c := range claims {
		q := p.say(x, c)
		if len(q.cells) == 0 {
			continue
		}
		p.failsNot(q, nil)
		for _, b := range boundaries {
			p.failsNot(q, b)
		}
	}
	if len(p.out) > 0 {
		p.counters()
	}
	out := p.out
	p.out = others
	for _, l := range out {
		l.Everywhere = true
	}
	return out
}

// said holds the conditions of a violation in the numbers of a header, negated.
type said struct {
	cells  []lemma.Literal // about elements
	moving []lemma.Literal // about other numbers that turns change
	fixed  []lemma.Literal // about the index alone, and numbers that stay the same
	always []lemma.Literal // the index is not one that the claim reads at
}

// say says the conditions of c in the numbers of the header, as far as they can be.
func (p *proposer) say(x *lemma.Speaker, c assertion) said {
	var q said
	for _, t := range c.index {
		if e := x.Tree(t); e != nil {
			q.always = append(q.always, lemma.Not(&lemma.Atom{Kind: lemma.IsTrue, Tree: e}))
		}
	}
	for _, t := range c.conditions {
		e := x.Tree(t)
		if e == nil || len(e.Vars()) == 0 {
			continue
		}
		vars := e.Vars()
		l := lemma.Not(&lemma.Atom{Kind: lemma.IsTrue, V: vars[0], Tree: e})
		is := func(what func(v *encode.Var) bool) bool {
			return slices.ContainsFunc(vars, func(v int) bool { return what(&p.h.Vars[v]) })
		}
		switch {
		case is(func(v *encode.Var) bool { return v.Cell }):
			q.cells = append(q.cells, l)
		case slices.ContainsFunc(vars, p.counts):
			q.moving = append(q.moving, l)
		case is(func(v *encode.Var) bool { return v.Ghost }):
			q.fixed = append(q.fixed, l)
		}
	}
	return q
}

// failsNot proposes that the conditions of q do not hold at once unless the index is beyond the boundary, if there is
// one.
func (p *proposer) failsNot(q said, boundary *lemma.Atom) {
	base := slices.Concat(p.outside(), q.always, q.cells)
	passes := []int{}
	if boundary != nil {
		base = append(base, lemma.Is(boundary))
		passes = boundary.Vars()
	}
	moving := slices.DeleteFunc(slices.Clone(q.moving), func(l lemma.Literal) bool {
		return slices.ContainsFunc(l.Vars(), func(v int) bool { return slices.Contains(passes, v) && p.counts(v) })
	})
	if boundary != nil {
		if begins := p.begins(boundary); begins != nil {
			p.add(append(slices.Clone(base), *begins)...)
		}
	}
	p.add(base...)
	if len(moving) > 0 {
		p.add(slices.Concat(base, moving)...)
	}
	if len(q.fixed) > 0 {
		p.add(slices.Concat(base, q.fixed)...)
	}
	if len(q.fixed) > 0 && len(moving) > 0 {
		p.add(slices.Concat(base, q.fixed, moving)...)
	}
}

// begins returns the condition that the ghost index is one that the counter of the boundary began above; nil if it began
// at none.
func (p *proposer) begins(boundary *lemma.Atom) *lemma.Literal {
	ghost := lemma.GhostOf(p.h)
	if boundary.Kind != lemma.SleVar || boundary.W != ghost {
		return nil
	}
	k, known := p.f.Store.ConstVal(p.h.Arrivals[0].Values[boundary.V])
	if n, fits := k.Int64(); known && fits && n > 0 {
		below := lemma.Is(&lemma.Atom{Kind: lemma.Sle, V: ghost, K: bits.NewInt(p.width(ghost), n-1)})
		return &below
	}
	return nil
}

// outside lists that the ghost index is none of the arrays whose size is known, the largest one.
func (p *proposer) outside() []lemma.Literal {
	ghost, most := lemma.GhostOf(p.h), int64(0)
	for v := range p.h.Vars {
		if p.h.Vars[v].Cell {
			most = max(most, p.h.Vars[v].Count)
		}
	}
	if most == 0 {
		return nil
	}
	return []lemma.Literal{{Atom: &lemma.Atom{Kind: lemma.Sle, V: ghost, K: bits.NewInt(p.width(ghost), most-1)},
		Neg: true}}
}

// counters proposes that the numbers which turns change stay above where they begin, and below those that stay the same.
func (p *proposer) counters() {
	for v := range p.h.Vars {
		if !p.counts(v) || p.h.Vars[v].Offset || p.width(v) < 8 {
			continue
		}
		if k, known := p.f.Store.ConstVal(p.h.Arrivals[0].Values[v]); known {
			p.unit(lemma.Atom{Kind: lemma.Sle, V: v, K: bits.Sub(k, bits.New(p.width(v), 1))}, true)
		}
		for w := range p.h.Vars {
			if y := &p.h.Vars[w]; !y.Moves && !y.Cell && !y.Ghost && p.width(w) == p.width(v) {
				p.unit(lemma.Atom{Kind: lemma.SleVar, V: v, W: w}, false)
				p.unit(lemma.Atom{Kind: lemma.UleVar, V: v, W: w}, false)
			}
		}
		for _, k := range p.h.Consts[p.width(v)] {
			p.unit(lemma.Atom{Kind: lemma.Sle, V: v, K: k}, false)
		}
	}
}
