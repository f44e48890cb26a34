package invariant

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Literal is an atom or its opposite.
type Literal struct {
	*atom
	neg bool
}

// Lemma is a disjunction of literals that is claimed of a header.
type Lemma struct {
	header int // in Formula.Headers
	lits   []Literal
	maker  string // by whom it was proposed

	everywhere bool // worth assuming at other indices than the ghost's while it is on trial
}

// Term returns the literal for the given values of the numbers; entry are those on entry.
func (l Literal) Term(s *ilr.Store, vals, entry []ilr.Term) ilr.Term {
	t := l.atom.term(s, vals, entry)
	if l.neg {
		t = s.Not(t)
	}
	return t
}

// Text words the literal about header h.
func (l Literal) Text(h *encode.Header) string { return l.atom.text(h, l.neg) }

// Conjunction returns the term: all literals of set hold for the given values.
func Conjunction(s *ilr.Store, set []Literal, vals, entry []ilr.Term) ilr.Term {
	out := make([]ilr.Term, len(set))
	for i, l := range set {
		out[i] = l.Term(s, vals, entry)
	}
	return s.And(out...)
}

func (l *Lemma) term(s *ilr.Store, vals, entry []ilr.Term) ilr.Term {
	ts := make([]ilr.Term, len(l.lits))
	for i, x := range l.lits {
		ts[i] = x.Term(s, vals, entry)
	}
	return s.Or(ts...)
}

func (l *Lemma) text(f *encode.Formula) string {
	h := &f.Headers[l.header]
	parts := make([]string, len(l.lits))
	for i, x := range l.lits {
		parts[i] = x.Text(h)
	}
	out := l.forAny(h) + strings.Join(parts, " or ")
	if h.What != "" {
		out = h.What + ": " + out
	}
	return out
}

// forAny says for which index l holds, where it speaks of the elements of an array.
func (l *Lemma) forAny(h *encode.Header) string {
	ghost := ghostOf(h)
	for _, x := range l.lits {
		for _, v := range x.vars() {
			if ghost >= 0 && (v == ghost || h.Vars[v].Cell) {
				return "for every " + h.Vars[ghost].Name + ": "
			}
		}
	}
	return ""
}

// holds returns the term: l is true whenever control is at its header.
func (l *Lemma) holds(f *encode.Formula) ilr.Term {
	s := f.Store
	var ts []ilr.Term
	for _, x := range f.Headers[l.header].Sites {
		ts = append(ts, s.Implies(x.Guard, l.term(s, x.Values, x.Entry)))
	}
	return s.And(ts...)
}

// assumed lists what l says wherever control is at its header: of the ghost index, and of those that the program reads
// arrays at.
func (l *Lemma) assumed(f *encode.Formula) []ilr.Term {
	t := l.holds(f)
	return append(f.AtReads(t, policy.MaxInstances), t)
}

// fails returns the term: some way to the header gets there with l false.
func (l *Lemma) fails(f *encode.Formula) ilr.Term {
	s := f.Store
	var ts []ilr.Term
	for _, a := range f.Headers[l.header].Arrivals {
		ts = append(ts, s.And(a.Guard, s.Not(l.term(s, a.Values, a.Entry))))
	}
	return s.Or(ts...)
}

// candidate is a lemma on trial.
type candidate struct {
	*Lemma
	selector ilr.Term // assuming it assumes the lemma
	fails    ilr.Term // some way to the header gets there with the lemma false
}

// Portable writes the lemmas down for a certificate.
func (c *Cut) Portable(keep []*Lemma) []certificate.Lemma {
	var out []certificate.Lemma
	for _, l := range keep {
		h := &c.Formula.Headers[l.header]
		out = append(out, certificate.Lemma{Place: certificate.PlaceAt(h), Holds: certificate.Express(h, l.term)})
	}
	return out
}
