package verifier

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// atomKind is the form of an atom.
type atomKind uint8

const (
	atomEq       atomKind = iota // v == k
	atomSle                      // v <= k
	atomUle                      // v <= k, unsigned
	atomLow                      // v is as on entry modulo k
	atomEqEntry                  // v == its value on entry
	atomSleEntry                 // v <= its value on entry
	atomUleEntry                 // the same, unsigned
	atomSgeEntry                 // v >= its value on entry
	atomUgeEntry                 // the same, unsigned
	atomEqVar                    // v == w
	atomSleVar                   // v <= w
	atomUleVar                   // v <= w, unsigned
	atomLinear                   // the sum of coef*var is as on entry
	atomSum                      // the sum of coef*var is k
)

// atom is a condition on the numbers of a cut loop's header.
type atom struct {
	kind atomKind
	v, w int
	k    bits.Vec
	sum  []summand // atomLinear, atomSum
}

type summand struct {
	coef int64
	v    int
}

// term is the atom for the given values of the numbers; entry are those on entry.
func (a *atom) term(s *ilr.Store, vals, entry []ilr.Term) ilr.Term {
	v := vals[a.v]
	switch a.kind {
	case atomEq:
		return s.Eq(v, s.Const(a.k))
	case atomSle:
		return s.Sle(v, s.Const(a.k))
	case atomUle:
		return s.Ule(v, s.Const(a.k))
	case atomLow:
		n := a.k.Width()
		return s.Eq(s.Trunc(v, n), s.Trunc(entry[a.v], n))
	case atomEqEntry:
		return s.Eq(v, entry[a.v])
	case atomSleEntry:
		return s.Sle(v, entry[a.v])
	case atomUleEntry:
		return s.Ule(v, entry[a.v])
	case atomSgeEntry:
		return s.Sle(entry[a.v], v)
	case atomUgeEntry:
		return s.Ule(entry[a.v], v)
	case atomLinear:
		return s.Eq(a.total(s, vals), a.total(s, entry))
	case atomSum:
		return s.Eq(a.total(s, vals), s.Const(a.k))
	}
	x, y := v, vals[a.w]
	if n := max(s.Width(x), s.Width(y)); s.Width(x) != s.Width(y) {
		x, y = s.Sext(x, n), s.Sext(y, n)
	}
	switch a.kind {
	case atomEqVar:
		return s.Eq(x, y)
	case atomSleVar:
		return s.Sle(x, y)
	}
	return s.Ule(x, y)
}

// total is the sum of a linear atom, at the width of its widest number.
func (a *atom) total(s *ilr.Store, vals []ilr.Term) ilr.Term {
	n := 0
	for _, m := range a.sum {
		n = max(n, s.Width(vals[m.v]))
	}
	t := s.Int(n, 0)
	for _, m := range a.sum {
		v := vals[m.v]
		if s.Width(v) < n {
			v = s.Sext(v, n)
		}
		t = s.Add(t, s.Mul(s.Int(n, m.coef), v))
	}
	return t
}

// text words the atom, or its opposite.
func (a *atom) text(h *encode.Header, neg bool) string {
	name := func(v int) string { return h.Vars[v].Name }
	op := func(yes, no string) string {
		if neg {
			return no
		}
		return yes
	}
	v := name(a.v)
	switch a.kind {
	case atomEq:
		return v + op(" == ", " != ") + signed(a.k)
	case atomSle:
		return v + op(" <= ", " > ") + signed(a.k)
	case atomUle:
		u, _ := a.k.Uint64()
		return v + op(" <= ", " > ") + fmt.Sprintf("%du", u)
	case atomLow:
		return fmt.Sprintf("%s %% %d is%s as on entry", v, int64(1)<<a.k.Width(), op("", " not"))
	case atomEqEntry:
		return v + op(" == ", " != ") + "its value on entry"
	case atomSleEntry:
		return v + op(" <= ", " > ") + "its value on entry"
	case atomUleEntry:
		return v + op(" <= ", " > ") + "its value on entry (unsigned)"
	case atomSgeEntry:
		return v + op(" >= ", " < ") + "its value on entry"
	case atomUgeEntry:
		return v + op(" >= ", " < ") + "its value on entry (unsigned)"
	case atomEqVar:
		return v + op(" == ", " != ") + name(a.w)
	case atomSleVar:
		return v + op(" <= ", " > ") + name(a.w)
	case atomUleVar:
		return v + op(" <= ", " > ") + name(a.w) + " (unsigned)"
	}
	var parts []string
	for _, m := range a.sum {
		parts = append(parts, fmt.Sprintf("%d*%s", m.coef, name(m.v)))
	}
	sum := strings.ReplaceAll(strings.ReplaceAll(strings.Join(parts, " + "), "+ -", "- "), "1*", "")
	if a.kind == atomSum {
		return sum + op(" == ", " != ") + signed(a.k)
	}
	return sum + op(" is", " is not") + " as on entry"
}

func signed(k bits.Vec) string {
	n, ok := k.Int64()
	if !ok {
		return "0x" + k.Hex()
	}
	return fmt.Sprint(n)
}

// literal is an atom or its opposite.
type literal struct {
	*atom
	neg bool
}

// lemma is a disjunction of literals that is claimed of a header.
type lemma struct {
	header int // in Formula.Headers
	lits   []literal
}

func (l *lemma) term(s *ilr.Store, vals, entry []ilr.Term) ilr.Term {
	ts := make([]ilr.Term, len(l.lits))
	for i, x := range l.lits {
		if ts[i] = x.term(s, vals, entry); x.neg {
			ts[i] = s.Not(ts[i])
		}
	}
	return s.Or(ts...)
}

func (l *lemma) text(f *encode.Formula) string {
	parts := make([]string, len(l.lits))
	for i, x := range l.lits {
		parts[i] = x.text(&f.Headers[l.header], x.neg)
	}
	return strings.Join(parts, " or ")
}

func heads(h *encode.Header) []ilr.Term {
	out := make([]ilr.Term, len(h.Vars))
	for i := range h.Vars {
		out[i] = h.Vars[i].Head
	}
	return out
}

// holds is that l is true whenever control is at its header.
func (l *lemma) holds(f *encode.Formula) ilr.Term {
	h := &f.Headers[l.header]
	return f.Store.Implies(h.Guard, l.term(f.Store, heads(h), h.Arrivals[0].Values))
}

// fails is that some way to the header gets there with l false.
func (l *lemma) fails(f *encode.Formula) ilr.Term {
	h, s := &f.Headers[l.header], f.Store
	var ts []ilr.Term
	for _, a := range h.Arrivals {
		ts = append(ts, s.And(a.Guard, s.Not(l.term(s, a.Values, h.Arrivals[0].Values))))
	}
	return s.Or(ts...)
}

// candidate is a lemma on trial.
type candidate struct {
	*lemma
	selector, head, fails ilr.Term
}

// sameHeaders reports that lemmas about the headers of f speak of the same in g.
func sameHeaders(f, g *encode.Formula) bool {
	if len(f.Headers) != len(g.Headers) {
		return false
	}
	for i := range f.Headers {
		a, b := &f.Headers[i], &g.Headers[i]
		if a.Key != b.Key || len(a.Vars) != len(b.Vars) {
			return false
		}
		for j := range a.Vars {
			if a.Vars[j].Name != b.Vars[j].Name || f.Store.Width(a.Vars[j].Head) != g.Store.Width(b.Vars[j].Head) {
				return false
			}
		}
	}
	return true
}

// maxReads is how many reads before a claim the ghost index is chosen by.
const maxReads = 8

// violation is that claim c is violated, for the ghost index that the last reads
// of arrays before it name. An invariant about a cell holds for every index, so
// it is enough to refute the violation for one that is chosen by the execution.
func violation(f *encode.Formula, c *encode.Claim) ilr.Term {
	s := f.Store
	if f.Ghost == 0 || s.IsFalse(c.Violated) {
		return c.Violated
	}
	choice := s.True()
	for _, r := range f.Reads[max(0, c.Reads-maxReads):c.Reads] {
		choice = s.Ite(r.Guard, s.Eq(f.Ghost, r.Index), choice)
	}
	return s.And(c.Violated, choice)
}
