package lemma

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Literal is an atom or its opposite.
type Literal struct {
	*Atom
	Neg bool
}

// Is returns the literal: a holds.
func Is(a *Atom) Literal { return Literal{a, false} }

// Not returns the literal: a does not hold.
func Not(a *Atom) Literal { return Literal{a, true} }

// Lemma is a disjunction of literals that is claimed of a header.
type Lemma struct {
	Header   int // in Formula.Headers
	Literals []Literal
	Maker    string // by whom it was proposed

	Everywhere bool // worth assuming at other indices than the ghost's while it is on trial
}

// Term returns the literal for the given values of the numbers; entry are those on entry.
func (l Literal) Term(s *ilr.Store, vals, entry []ilr.Term) ilr.Term {
	t := l.Atom.Term(s, vals, entry)
	if l.Neg {
		t = s.Not(t)
	}
	return t
}

// Text words the literal about header h.
func (l Literal) Text(h *encode.Header) string { return l.Atom.text(h, l.Neg) }

// Conjunction returns the term: all literals of set hold for the given values.
func Conjunction(s *ilr.Store, set []Literal, vals, entry []ilr.Term) ilr.Term {
	out := make([]ilr.Term, len(set))
	for i, l := range set {
		out[i] = l.Term(s, vals, entry)
	}
	return s.And(out...)
}

func (l *Lemma) Term(s *ilr.Store, vals, entry []ilr.Term) ilr.Term {
	ts := make([]ilr.Term, len(l.Literals))
	for i, x := range l.Literals {
		ts[i] = x.Term(s, vals, entry)
	}
	return s.Or(ts...)
}

func (l *Lemma) Text(f *encode.Formula) string {
	h := &f.Headers[l.Header]
	parts := make([]string, len(l.Literals))
	for i, x := range l.Literals {
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
	ghost := GhostOf(h)
	for _, x := range l.Literals {
		for _, v := range x.Vars() {
			if ghost >= 0 && (v == ghost || h.Vars[v].Cell) {
				return "for every " + h.Vars[ghost].Name + ": "
			}
		}
	}
	return ""
}

// Holds returns the term: l is true whenever control is at its header.
func (l *Lemma) Holds(f *encode.Formula) ilr.Term {
	s := f.Store
	var ts []ilr.Term
	for _, x := range f.Headers[l.Header].Sites {
		ts = append(ts, s.Implies(x.Guard, l.Term(s, x.Values, x.Entry)))
	}
	return s.And(ts...)
}

// Assumed lists what l says wherever control is at its header: of the ghost index, and of those that the program reads
// arrays at.
func (l *Lemma) Assumed(f *encode.Formula) []ilr.Term {
	t := l.Holds(f)
	return append(f.AtReads(t, policy.MaxInstances), t)
}

// Fails returns the term: some way to the header gets there with l false.
func (l *Lemma) Fails(f *encode.Formula) ilr.Term {
	s := f.Store
	var ts []ilr.Term
	for _, a := range f.Headers[l.Header].Arrivals {
		ts = append(ts, s.And(a.Guard, s.Not(l.Term(s, a.Values, a.Entry))))
	}
	return s.Or(ts...)
}

// GhostOf returns the number of h that is the ghost index; -1 without one.
func GhostOf(h *encode.Header) int {
	return slices.IndexFunc(h.Vars, func(v encode.Var) bool { return v.Ghost })
}
