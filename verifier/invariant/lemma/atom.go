// Package lemma is the language of lemmas about headers (encode.Header): conditions on the numbers there (Atom), their
// disjunctions (Lemma), as terms, as words, and as C. Package invariant proposes them and says which hold.
package lemma

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ellipse"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// Kind is the form of an atom.
type Kind uint8

const (
	Eq        Kind = iota // v == k
	Sle                   // v <= k
	Ule                   // v <= k, unsigned
	Low                   // v is as on entry modulo k
	EqEntry               // v == its value on entry
	SleEntry              // v <= its value on entry
	UleEntry              // the same, unsigned
	SgeEntry              // v >= its value on entry
	UgeEntry              // the same, unsigned
	EqVar                 // v == w
	SleVar                // v <= w
	UleVar                // v <= w, unsigned
	Linear                // the sum of coef*var is as on entry
	Sum                   // the sum of coef*var is k
	SumLow                // the sum of coef*var is k modulo its width
	Products              // the sum of the products is 0
	SumSle                // the sum of coef*var <= k
	IsTrue                // the expression is true
	InEllipse             // floating-point numbers lie in the ellipse
)

// Atom is a condition on the numbers of a header. Of the way back from a call,
// the values on entry are those before the call.
type Atom struct {
	Kind Kind
	V, W int
	K    bits.Vec
	Sum  []Summand // atomLinear, atomSum
	Tree *Tree     // atomTree

	Products []Product // atomProducts

	Ellipse *ellipse.Ellipse // atomEllipse
	Inside  []int            // its variables

	Float bool // atomSle and atomUle bound a floating-point number
	Zeros bool // atomEqVar and atomLinear extend numbers of fewer bits by zeros, not by their sign
}

type Summand struct {
	Coef int64
	V    int
}

// Term returns the atom for the given values of the numbers; entry are those on entry.
func (a *Atom) Term(s *ilr.Store, vals, entry []ilr.Term) ilr.Term {
	v := vals[a.V]
	switch a.Kind {
	case IsTrue:
		return a.Tree.term(s, vals)
	case InEllipse:
		return a.ellipseTerm(s, vals)
	case SumSle:
		return s.Sle(a.Total(s, vals), s.Const(a.K))
	case Eq:
		return s.Eq(v, s.Const(a.K))
	case Sle:
		return s.Sle(v, s.Const(a.K))
	case Ule:
		return s.Ule(v, s.Const(a.K))
	case Low:
		n := a.K.Width()
		return s.Eq(s.Trunc(v, n), s.Trunc(entry[a.V], n))
	case EqEntry:
		return s.Eq(v, entry[a.V])
	case SleEntry:
		return s.Sle(v, entry[a.V])
	case UleEntry:
		return s.Ule(v, entry[a.V])
	case SgeEntry:
		return s.Sle(entry[a.V], v)
	case UgeEntry:
		return s.Ule(entry[a.V], v)
	case Linear:
		return s.Eq(a.Total(s, vals), a.Total(s, entry))
	case Sum:
		if a.Sum[0].Coef != 1 {
			return s.Eq(a.Total(s, vals), s.Const(a.K))
		}
		return a.solved(s, vals)
	case SumLow:
		return s.Eq(s.Trunc(a.Total(s, vals), a.K.Width()), s.Const(a.K))
	case Products:
		return a.productsTerm(s, vals, entry)
	}
	x, y := v, vals[a.W]
	if n := max(s.Width(x), s.Width(y)); s.Width(x) != s.Width(y) {
		if a.Kind == UleVar {
			return s.Ule(s.Zext(x, n), s.Zext(y, n))
		}
		x, y = a.extend(s, x, n), a.extend(s, y, n)
	}
	switch a.Kind {
	case EqVar:
		return s.Eq(x, y)
	case SleVar:
		return s.Sle(x, y)
	}
	return s.Ule(x, y)
}

// Vars lists the variables that a is about.
func (a *Atom) Vars() []int {
	switch a.Kind {
	case EqVar, SleVar, UleVar:
		return []int{a.V, a.W}
	case IsTrue:
		return a.Tree.Vars()
	case InEllipse:
		return a.Inside
	case Linear, Sum, SumLow, SumSle:
		var out []int
		for _, m := range a.Sum {
			out = append(out, m.V)
		}
		return out
	case Products:
		var out []int
		for _, m := range a.Products {
			for _, x := range m.Factors {
				out = append(out, x.V)
			}
		}
		return out
	}
	return []int{a.V}
}

// Relative reports that a speaks of values on entry.
func (a *Atom) Relative() bool {
	switch a.Kind {
	case Low, EqEntry, SleEntry, UleEntry, SgeEntry, UgeEntry, Linear:
		return true
	}
	return slices.ContainsFunc(a.Products, func(m Product) bool {
		return slices.ContainsFunc(m.Factors, func(x Factor) bool { return x.Entry })
	})
}

// SumWidth is the width of a's sum.
func (a *Atom) SumWidth(h *encode.Header) int {
	n := 0
	for _, m := range a.Sum {
		n = max(n, h.Vars[m.V].Width)
	}
	return n
}

// Total returns the sum of a linear atom, at the width of its widest number.
func (a *Atom) Total(s *ilr.Store, vals []ilr.Term) ilr.Term {
	n := 0
	for _, m := range a.Sum {
		n = max(n, s.Width(vals[m.V]))
	}
	t := s.Int(n, 0)
	for _, m := range a.Sum {
		v := vals[m.V]
		if s.Width(v) < n {
			v = a.extend(s, v, n)
		}
		t = s.Add(t, s.Mul(s.Int(n, m.Coef), v))
	}
	return t
}

// extend returns v with n bits.
func (a *Atom) extend(s *ilr.Store, v ilr.Term, n int) ilr.Term {
	if a.Zeros {
		return s.Zext(v, n)
	}
	return s.Sext(v, n)
}

// solved returns an atomSum as what its first number, whose coefficient is 1, is: solvers
// find that easier.
func (a *Atom) solved(s *ilr.Store, vals []ilr.Term) ilr.Term {
	n := a.K.Width()
	wide := func(v ilr.Term) ilr.Term {
		if s.Width(v) < n {
			return s.Sext(v, n)
		}
		return v
	}
	t := ilr.Term(0)
	for _, m := range a.Sum[1:] {
		x := wide(vals[m.V])
		if c := -m.Coef; c != 1 {
			x = s.Mul(s.Int(n, c), x)
		}
		if t == 0 {
			t = x
		} else {
			t = s.Add(t, x)
		}
	}
	switch {
	case t == 0:
		t = s.Const(a.K)
	case !a.K.IsZero():
		t = s.Add(t, s.Const(a.K))
	}
	return s.Eq(wide(vals[a.Sum[0].V]), t)
}

// text words the atom, or its opposite.
func (a *Atom) text(h *encode.Header, neg bool) string {
	name := func(v int) string { return h.Vars[v].Name }
	op := func(yes, no string) string {
		if neg {
			return no
		}
		return yes
	}
	v, was := name(a.V), "its value on entry"
	if h.Calls {
		was = "its value before"
	}
	if h.Vars[a.V].Mask && a.Kind == Eq {
		if a.K.IsZero() != neg {
			return encode.MaskedName(v) + " has a value"
		}
		return encode.MaskedName(v) + " is indeterminate"
	}
	if a.Float {
		return a.floatText(v, neg)
	}
	switch a.Kind {
	case Eq:
		return v + op(" == ", " != ") + NumberText(a.K)
	case Sle:
		return v + op(" <= ", " > ") + NumberText(a.K)
	case Ule:
		u, _ := a.K.Uint64()
		return v + op(" <= ", " > ") + fmt.Sprintf("%du", u)
	case Low:
		return fmt.Sprintf("%s %% %d is%s as on entry", v, int64(1)<<a.K.Width(), op("", " not"))
	case EqEntry:
		return v + op(" == ", " != ") + was
	case SleEntry:
		return v + op(" <= ", " > ") + was
	case UleEntry:
		return v + op(" <= ", " > ") + was + " (unsigned)"
	case SgeEntry:
		return v + op(" >= ", " < ") + was
	case UgeEntry:
		return v + op(" >= ", " < ") + was + " (unsigned)"
	case EqVar:
		return v + op(" == ", " != ") + name(a.W) + a.bySign()
	case SleVar:
		return v + op(" <= ", " > ") + name(a.W)
	case UleVar:
		return v + op(" <= ", " > ") + name(a.W) + " (unsigned)"
	}
	switch a.Kind {
	case Products:
		return a.productsText(h, op(" == ", " != "))
	case IsTrue:
		return op("", "!") + a.Tree.text(h)
	case InEllipse:
		return a.ellipseText(h)
	}
	var parts []string
	for _, m := range a.Sum {
		parts = append(parts, fmt.Sprintf("%d*%s", m.Coef, name(m.V)))
	}
	sum := strings.ReplaceAll(strings.ReplaceAll(strings.Join(parts, " + "), "+ -", "- "), "1*", "")
	switch a.Kind {
	case SumLow:
		return fmt.Sprintf("(%s) %% %d", sum, int64(1)<<a.K.Width()) + op(" == ", " != ") + fmt.Sprint(a.K.Low64())
	case SumSle:
		return sum + op(" <= ", " > ") + NumberText(a.K)
	case Sum:
		return sum + op(" == ", " != ") + NumberText(a.K)
	}
	return sum + op(" is", " is not") + " as on entry" + a.bySign()
}

// bySign says where numbers are not extended by their sign.
func (a *Atom) bySign() string {
	if a.Zeros {
		return " (unsigned)"
	}
	return ""
}

// NumberText writes k as people read it: signed, in hexadecimal if it is large.
func NumberText(k bits.Vec) string {
	n, ok := k.Int64()
	if !ok {
		return "0x" + k.Hex()
	}
	return fmt.Sprint(n)
}
