package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// proposer makes lemmas for one header from templates over one or two numbers
// (Flanagan and Leino, Houdini, an annotation assistant, 2001).
type proposer struct {
	f     *encode.Formula
	index int
	h     *encode.Header
	out   []*Lemma

	on        func(maker string) bool // whether it is not left out
	maker     string                  // whose turn it is
	samples   []sample                // of executions
	mixed     bool                    // that may be of other headers of the same loop
	suggested []*Lemma                // that samples suggest
	found     []*atom                 // sums that samples agree on
	rules     int
	equal     []*Lemma // equations between products that samples suggest
}

// propose finds the lemmas that the templates give for header i of f, less those
// that a sample refutes. What is compared with what is in x.
func propose(f *encode.Formula, x *comparisons, i int, samples []sample, on func(string) bool) *proposer {
	p := &proposer{on: on, f: f, index: i, h: &f.Headers[i], samples: samples}
	for j := range f.Headers {
		p.mixed = p.mixed || j != i && p.h.Loop != nil && f.Headers[j].Loop == p.h.Loop
	}
	if len(p.h.Arrivals) == 0 || len(p.h.Sites) == 0 { // of a function that never returns
		return p
	}
	for _, m := range templates {
		if p.on(m.name) {
			p.maker = m.name
			m.propose(p, x)
		}
	}
	return p
}

func (p *proposer) width(v int) int { return p.h.Vars[v].Width }

// unit adds the lemma that one literal is.
func (p *proposer) unit(a atom, neg bool) { p.add(Literal{&a, neg}) }

func (p *proposer) add(lits ...Literal) {
	if len(p.out) >= policy.MaxCandidates {
		return
	}
	l := &Lemma{header: p.index, lits: lits, maker: p.maker}
	s := p.f.Store
	if a := &p.h.Arrivals[0]; s.IsFalse(l.term(s, a.Values, a.Entry)) || !slices.ContainsFunc(p.h.Sites,
		func(x encode.Site) bool { return !s.IsTrue(l.term(s, x.Values, x.Entry)) }) {
		return
	}
	if p.mixed || !refuted(s, l, p.samples) {
		p.out = append(p.out, l)
	}
}

// single proposes bounds, residues and orders against the value on entry.
func (p *proposer) single(v int) {
	w := p.width(v)
	if w == 1 {
		p.unit(atom{kind: atomEq, v: v, k: bits.New(1, 0)}, false)
		p.unit(atom{kind: atomEq, v: v, k: bits.New(1, 1)}, false)
		return
	}
	for _, k := range p.h.Consts[w] {
		p.unit(atom{kind: atomSle, v: v, k: k}, false)
		p.unit(atom{kind: atomUle, v: v, k: k}, false)
		p.unit(atom{kind: atomSle, v: v, k: bits.Sub(k, bits.New(w, 1))}, true)
	}
	p.unit(atom{kind: atomEq, v: v, k: bits.New(w, 0)}, true)
	for _, z := range []int{1, 2, 3} {
		if !p.h.Calls || p.h.Vars[v].Before > 0 {
			p.unit(atom{kind: atomLow, v: v, k: bits.New(z, 0)}, false)
		}
	}
	if p.movesFromUnknown(v) {
		for _, k := range []atomKind{atomEqEntry, atomSleEntry, atomUleEntry, atomSgeEntry, atomUgeEntry} {
			p.unit(atom{kind: k, v: v}, false)
		}
	}
}

// movesFromUnknown reports that v is worth comparing with its value on entry.
func (p *proposer) movesFromUnknown(v int) bool {
	if p.h.Calls {
		return p.h.Vars[v].Before > 0
	}
	_, known := p.f.Store.ConstVal(p.h.Arrivals[0].Values[v])
	return !known
}

// pairs proposes orders, and sums and differences that stay the same.
func (p *proposer) pairs() {
	vs := p.h.Vars
	for v := range min(policy.MaxPaired, len(vs)) {
		for w := range min(policy.MaxPaired, len(vs)) {
			if v != w && (vs[v].Moves || vs[w].Moves) && p.width(v) == p.width(w) && p.width(v) > 1 && !vs[v].Ghost &&
				!vs[w].Ghost && vs[v].Next+vs[w].Next == 0 {
				p.pair(v, w)
			}
		}
		if vs[v].Offset && !p.h.Calls {
			p.scaled(v)
		}
	}
}

// limits proposes orders of what moves against narrower numbers that stay the same, as the program extends them.
func (p *proposer) limits(x *comparisons) {
	for v := range p.h.Vars {
		for w := range p.h.Vars {
			a, b := &p.h.Vars[v], &p.h.Vars[w]
			if !a.Moves || b.Moves || a.Cell || b.Cell || a.Ghost || b.Ghost || b.Width < 8 || b.Width >= a.Width {
				continue
			}
			switch x.extended[p.h.Sites[0].Values[w]] {
			case ilr.KZext:
				p.unit(atom{kind: atomUleVar, v: v, w: w}, false)
			case ilr.KSext:
				p.unit(atom{kind: atomSleVar, v: v, w: w}, false)
			}
		}
	}
}

func (p *proposer) pair(v, w int) {
	p.unit(atom{kind: atomSleVar, v: v, w: w}, false)
	p.unit(atom{kind: atomSleVar, v: w, w: v}, true)
	p.unit(atom{kind: atomUleVar, v: v, w: w}, false)
	p.unit(atom{kind: atomUleVar, v: w, w: v}, true)
	if p.h.Calls || !p.h.Vars[v].Moves || !p.h.Vars[w].Moves {
		return
	}
	coefs := []int64{-2, -3, -4}
	if v < w {
		coefs = []int64{-1, 1, -2, -3, -4}
	}
	for _, c := range coefs {
		p.unit(atom{kind: atomLinear, sum: []summand{{1, v}, {c, w}}}, false)
	}
}

// scaled proposes that the offset of a pointer goes with a count.
func (p *proposer) scaled(v int) {
	for w := range p.h.Vars {
		x := &p.h.Vars[w]
		if w == v || !x.Moves || x.Offset || x.Cell || p.width(w) < 8 || p.width(w) > p.width(v) {
			continue
		}
		for _, c := range []int64{-1, -2, -4, -8} {
			p.unit(atom{kind: atomLinear, sum: []summand{{1, v}, {c, w}}}, false)
		}
	}
}

// atomsOf lists the atoms that clauses about header i are made of, those first
// that say less, and more; only those that picked names, unless it is nil.
func atomsOf(f *encode.Formula, i int, picked *comparisons, more []*atom) []*atom {
	h := &f.Headers[i]
	var bounds, equal, order []*atom
	for v := range h.Vars {
		x := &h.Vars[v]
		w := x.Width
		if x.Next > 0 {
			continue
		}
		if w == 1 {
			equal = append(equal, &atom{kind: atomEq, v: v, k: bits.New(1, 1)})
			continue
		}
		if x.Ghost {
			for u := range h.Vars {
				if n := h.Vars[u].Count; n > 0 {
					bounds = append(bounds, &atom{kind: atomSle, v: v, k: bits.NewInt(w, n-1)})
				}
			}
			continue
		}
		below := atomSle
		if picked.unsigned(i, v) {
			below = atomUle
		}
		for _, k := range picked.constants(i, v, h.Consts[w]) {
			bounds = append(bounds, &atom{kind: below, v: v, k: k})
			equal = append(equal, &atom{kind: atomEq, v: v, k: k})
		}
	}
	for v := range min(policy.MaxPaired, len(h.Vars)) {
		for u := range min(policy.MaxPaired, len(h.Vars)) {
			x, y := &h.Vars[v], &h.Vars[u]
			wx, wy := x.Width, y.Width
			if u == v || x.Next+y.Next > 0 || wx < 2 || wx != wy && !x.Ghost && !y.Ghost ||
				!x.Moves && !y.Moves && !h.Calls && !picked.kindred(i, u, v) ||
				len(h.Vars) > policy.MaxFree && !x.Ghost && !y.Ghost && !picked.related(i, u, v) {
				continue
			}
			below := atomSleVar
			if picked.unsigned(i, u) && picked.unsigned(i, v) {
				below = atomUleVar
			}
			order = append(order, &atom{kind: below, v: v, w: u})
			if v < u {
				order = append(order, &atom{kind: atomEqVar, v: v, w: u})
			}
		}
	}
	return append(append(append(order, bounds...), equal...), more...)
}

// Equal returns the condition: number v of the header is k.
func Equal(v int, k bits.Vec) Literal { return Literal{&atom{kind: atomEq, v: v, k: k}, false} }

// TrueAt lists conditions on the numbers at header h that hold where the model
// enters it: the templates of recurrent sets.
func TrueAt(s *ilr.Store, h *encode.Header, ev *ilr.Evaluator) []Literal {
	first := h.Arrivals[0]
	var out []Literal
	add := func(a atom) {
		if len(out) < policy.MaxSetAtoms {
			out = append(out, Literal{&a, !ev.Holds(a.term(s, first.Values, first.Entry))})
		}
	}
	var vars []int
	for v := range h.Vars {
		if x := &h.Vars[v]; !x.Ghost && !x.Cell && x.Width > 1 {
			vars = append(vars, v)
		}
	}
	for _, v := range vars {
		ks := h.Consts[h.Vars[v].Width]
		for _, k := range ks[:min(policy.MaxSetConsts, len(ks))] {
			add(atom{kind: atomSle, v: v, k: k})
			add(atom{kind: atomUle, v: v, k: k})
			add(atom{kind: atomEq, v: v, k: k})
		}
		for _, x := range vars { // the ranges of narrower numbers
			if n := h.Vars[x].Width; n < h.Vars[v].Width {
				add(atom{kind: atomUle, v: v, k: bits.Zext(bits.Not(bits.New(n, 0)), h.Vars[v].Width)})
			}
		}
		now := ev.Value(first.Values[v])
		for z := 1; z <= policy.MaxResidueBits && z < h.Vars[v].Width; z++ {
			add(atom{kind: atomSumLow, sum: []summand{{1, v}}, k: bits.Extract(now, z-1, 0)})
		}
		add(atom{kind: atomEqEntry, v: v})
	}
	for i, v := range vars[:min(len(vars), policy.MaxSetVars)] {
		for _, w := range vars[:i] {
			if h.Vars[v].Width == h.Vars[w].Width {
				add(atom{kind: atomEqVar, v: v, w: w})
				add(atom{kind: atomSleVar, v: v, w: w})
				add(atom{kind: atomUleVar, v: v, w: w})
			}
		}
	}
	return out
}
