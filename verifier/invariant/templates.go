package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// proposer makes lemmas for one header from templates over one or two numbers
// (Flanagan and Leino, Houdini, an annotation assistant, 2001).
type proposer struct {
	f     *encode.Formula
	index int
	h     *encode.Header
	out   []*lemma.Lemma

	on        func(maker string) bool // whether it is not left out
	maker     string                  // whose turn it is
	samples   []sample                // of executions
	mixed     bool                    // that may be of other headers of the same loop
	suggested []*lemma.Lemma          // that samples suggest
	found     []*lemma.Atom           // sums that samples agree on
	rules     int
	equal     []*lemma.Lemma // equations between products that samples suggest
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
func (p *proposer) unit(a lemma.Atom, neg bool) { p.add(lemma.Literal{Atom: &a, Neg: neg}) }

func (p *proposer) add(lits ...lemma.Literal) {
	if len(p.out) >= policy.MaxCandidates {
		return
	}
	l := &lemma.Lemma{Header: p.index, Literals: lits, Maker: p.maker}
	s := p.f.Store
	if a := &p.h.Arrivals[0]; s.IsFalse(l.Term(s, a.Values, a.Entry)) || !slices.ContainsFunc(p.h.Sites,
		func(x encode.Site) bool { return !s.IsTrue(l.Term(s, x.Values, x.Entry)) }) {
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
		p.unit(lemma.Atom{Kind: lemma.Eq, V: v, K: bits.New(1, 0)}, false)
		p.unit(lemma.Atom{Kind: lemma.Eq, V: v, K: bits.New(1, 1)}, false)
		return
	}
	for _, k := range p.h.Consts[w] {
		p.unit(lemma.Atom{Kind: lemma.Sle, V: v, K: k}, false)
		p.unit(lemma.Atom{Kind: lemma.Ule, V: v, K: k}, false)
		p.unit(lemma.Atom{Kind: lemma.Sle, V: v, K: bits.Sub(k, bits.New(w, 1))}, true)
	}
	p.unit(lemma.Atom{Kind: lemma.Eq, V: v, K: bits.New(w, 0)}, true)
	for _, z := range []int{1, 2, 3} {
		if !p.h.Calls || p.h.Vars[v].Before > 0 {
			p.unit(lemma.Atom{Kind: lemma.Low, V: v, K: bits.New(z, 0)}, false)
		}
	}
	if p.movesFromUnknown(v) {
		for _, k := range []lemma.Kind{lemma.EqEntry, lemma.SleEntry, lemma.UleEntry, lemma.SgeEntry, lemma.UgeEntry} {
			p.unit(lemma.Atom{Kind: k, V: v}, false)
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
				p.unit(lemma.Atom{Kind: lemma.UleVar, V: v, W: w}, false)
			case ilr.KSext:
				p.unit(lemma.Atom{Kind: lemma.SleVar, V: v, W: w}, false)
			}
		}
	}
}

func (p *proposer) pair(v, w int) {
	p.unit(lemma.Atom{Kind: lemma.SleVar, V: v, W: w}, false)
	p.unit(lemma.Atom{Kind: lemma.SleVar, V: w, W: v}, true)
	p.unit(lemma.Atom{Kind: lemma.UleVar, V: v, W: w}, false)
	p.unit(lemma.Atom{Kind: lemma.UleVar, V: w, W: v}, true)
	if p.h.Calls || !p.h.Vars[v].Moves || !p.h.Vars[w].Moves {
		return
	}
	coefs := []int64{-2, -3, -4}
	if v < w {
		coefs = []int64{-1, 1, -2, -3, -4}
	}
	for _, c := range coefs {
		p.unit(lemma.Atom{Kind: lemma.Linear, Sum: []lemma.Summand{{Coef: 1, V: v}, {Coef: c, V: w}}}, false)
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
			p.unit(lemma.Atom{Kind: lemma.Linear, Sum: []lemma.Summand{{Coef: 1, V: v}, {Coef: c, V: w}}}, false)
		}
	}
}

// atomsOf lists the atoms that clauses about header i are made of, those first
// that say less, and more; only those that picked names, unless it is nil.
func atomsOf(f *encode.Formula, i int, picked *comparisons, more []*lemma.Atom) []*lemma.Atom {
	h := &f.Headers[i]
	var bounds, equal, order []*lemma.Atom
	for v := range h.Vars {
		x := &h.Vars[v]
		w := x.Width
		if x.Next > 0 {
			continue
		}
		if w == 1 {
			equal = append(equal, &lemma.Atom{Kind: lemma.Eq, V: v, K: bits.New(1, 1)})
			continue
		}
		if x.Ghost {
			for u := range h.Vars {
				if n := h.Vars[u].Count; n > 0 {
					bounds = append(bounds, &lemma.Atom{Kind: lemma.Sle, V: v, K: bits.NewInt(w, n-1)})
				}
			}
			continue
		}
		below := lemma.Sle
		if picked.unsigned(i, v) {
			below = lemma.Ule
		}
		for _, k := range picked.constants(i, v, h.Consts[w]) {
			bounds = append(bounds, &lemma.Atom{Kind: below, V: v, K: k})
			equal = append(equal, &lemma.Atom{Kind: lemma.Eq, V: v, K: k})
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
			below := lemma.SleVar
			if picked.unsigned(i, u) && picked.unsigned(i, v) {
				below = lemma.UleVar
			}
			order = append(order, &lemma.Atom{Kind: below, V: v, W: u})
			if v < u {
				order = append(order, &lemma.Atom{Kind: lemma.EqVar, V: v, W: u})
			}
		}
	}
	return append(append(append(order, bounds...), equal...), more...)
}

// Equal returns the condition: number v of the header is k.
func Equal(v int, k bits.Vec) lemma.Literal {
	return lemma.Is(&lemma.Atom{Kind: lemma.Eq, V: v, K: k})
}

// TrueAt lists conditions on the numbers at header h that hold where the model
// enters it: the templates of recurrent sets.
func TrueAt(s *ilr.Store, h *encode.Header, ev *ilr.Evaluator) []lemma.Literal {
	first := h.Arrivals[0]
	var out []lemma.Literal
	add := func(a lemma.Atom) {
		if len(out) < policy.MaxSetAtoms {
			out = append(out, lemma.Literal{Atom: &a, Neg: !ev.Holds(a.Term(s, first.Values, first.Entry))})
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
			add(lemma.Atom{Kind: lemma.Sle, V: v, K: k})
			add(lemma.Atom{Kind: lemma.Ule, V: v, K: k})
			add(lemma.Atom{Kind: lemma.Eq, V: v, K: k})
		}
		for _, x := range vars { // the ranges of narrower numbers
			if n := h.Vars[x].Width; n < h.Vars[v].Width {
				add(lemma.Atom{Kind: lemma.Ule, V: v, K: bits.Zext(bits.Not(bits.New(n, 0)), h.Vars[v].Width)})
			}
		}
		now := ev.Value(first.Values[v])
		for z := 1; z <= policy.MaxResidueBits && z < h.Vars[v].Width; z++ {
			add(lemma.Atom{Kind: lemma.SumLow, Sum: []lemma.Summand{{Coef: 1, V: v}}, K: bits.Extract(now, z-1, 0)})
		}
		add(lemma.Atom{Kind: lemma.EqEntry, V: v})
	}
	for i, v := range vars[:min(len(vars), policy.MaxSetVars)] {
		for _, w := range vars[:i] {
			if h.Vars[v].Width == h.Vars[w].Width {
				add(lemma.Atom{Kind: lemma.EqVar, V: v, W: w})
				add(lemma.Atom{Kind: lemma.SleVar, V: v, W: w})
				add(lemma.Atom{Kind: lemma.UleVar, V: v, W: w})
			}
		}
	}
	return out
}
