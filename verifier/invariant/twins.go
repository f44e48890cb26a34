package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// twins proposes that two numbers which turns change are equal, or differ as on entry, also where one has fewer bits and
// is extended by zeros: a loop that two versions of a program turn together keeps most things twice.
func (p *proposer) twins() {
	n := min(policy.MaxPaired, len(p.h.Vars))
	for v := range n {
		for w := range n {
			x, y := &p.h.Vars[v], &p.h.Vars[w]
			if v == w || x.Mask || y.Mask || x.Ghost || y.Ghost || x.Next+y.Next > 0 || x.Cell != y.Cell || !x.Moves ||
				!y.Moves || x.Width > y.Width || x.Width == y.Width && v > w {
				continue
			}
			switch {
			case x.Width == y.Width && x.Offset == y.Offset && x.Count == y.Count:
				p.suggest(lemma.Is(&lemma.Atom{Kind: lemma.EqVar, V: v, W: w}))
			case x.Width < y.Width && x.Width >= 8 && !x.Cell:
				p.extended(v, w)
			}
		}
	}
}

// extended proposes that w goes with v, which has fewer bits.
func (p *proposer) extended(v, w int) {
	coefs := []int64{-1, 1}
	if p.h.Vars[w].Offset {
		coefs = []int64{-1, -2, -4, -8, 1}
	} else {
		p.suggest(lemma.Is(&lemma.Atom{Kind: lemma.EqVar, V: v, W: w, Zeros: true}))
		p.suggest(lemma.Is(&lemma.Atom{Kind: lemma.EqVar, V: v, W: w}))
	}
	if !p.entered(v) || !p.entered(w) {
		return
	}
	for _, c := range coefs {
		sum := []lemma.Summand{{Coef: 1, V: w}, {Coef: c, V: v}}
		p.suggest(lemma.Is(&lemma.Atom{Kind: lemma.Linear, V: w, Sum: sum, Zeros: true}))
		p.suggest(lemma.Is(&lemma.Atom{Kind: lemma.Linear, V: w, Sum: sum}))
	}
}

// entered reports whether it is known what v was on entry, wherever that is asked.
func (p *proposer) entered(v int) bool {
	known := func(entry []ilr.Term) bool { return entry[v] != 0 && p.f.Store.Width(entry[v]) == p.width(v) }
	return !slices.ContainsFunc(p.h.Arrivals, func(a encode.Arrival) bool { return !known(a.Entry) }) &&
		!slices.ContainsFunc(p.h.Sites, func(x encode.Site) bool { return !known(x.Entry) })
}
