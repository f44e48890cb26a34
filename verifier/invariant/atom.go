package invariant

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ellipse"
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
	atomSumLow                   // the sum of coef*var is k modulo its width
	atomProducts                 // the sum of the products is 0
	atomSumSle                   // the sum of coef*var <= k
	atomTree                     // the expression is true
	atomEllipse                  // floating-point numbers lie in the ellipse
)

// atom is a condition on the numbers of a header. Of the way back from a call,
// the values on entry are those before the call.
type atom struct {
	kind atomKind
	v, w int
	k    bits.Vec
	sum  []summand // atomLinear, atomSum
	tree *tree     // atomTree

	products []product // atomProducts

	ellipse *ellipse.Ellipse // atomEllipse
	inside  []int            // its variables

	float bool // atomSle and atomUle bound a floating-point number
}

type summand struct {
	coef int64
	v    int
}

// term returns the atom for the given values of the numbers; entry are those on entry.
func (a *atom) term(s *ilr.Store, vals, entry []ilr.Term) ilr.Term {
	v := vals[a.v]
	switch a.kind {
	case atomTree:
		return a.tree.term(s, vals)
	case atomEllipse:
		return a.ellipseTerm(s, vals)
	case atomSumSle:
		return s.Sle(a.total(s, vals), s.Const(a.k))
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
		if a.sum[0].coef != 1 {
			return s.Eq(a.total(s, vals), s.Const(a.k))
		}
		return a.solved(s, vals)
	case atomSumLow:
		return s.Eq(s.Trunc(a.total(s, vals), a.k.Width()), s.Const(a.k))
	case atomProducts:
		return a.productsTerm(s, vals, entry)
	}
	x, y := v, vals[a.w]
	if n := max(s.Width(x), s.Width(y)); s.Width(x) != s.Width(y) {
		if a.kind == atomUleVar {
			return s.Ule(s.Zext(x, n), s.Zext(y, n))
		}
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

// vars lists the variables that a is about.
func (a *atom) vars() []int {
	switch a.kind {
	case atomEqVar, atomSleVar, atomUleVar:
		return []int{a.v, a.w}
	case atomTree:
		return a.tree.vars()
	case atomEllipse:
		return a.inside
	case atomLinear, atomSum, atomSumLow, atomSumSle:
		var out []int
		for _, m := range a.sum {
			out = append(out, m.v)
		}
		return out
	case atomProducts:
		var out []int
		for _, m := range a.products {
			for _, x := range m.factors {
				out = append(out, x.v)
			}
		}
		return out
	}
	return []int{a.v}
}

// relative reports that a speaks of values on entry.
func (a *atom) relative() bool {
	switch a.kind {
	case atomLow, atomEqEntry, atomSleEntry, atomUleEntry, atomSgeEntry, atomUgeEntry, atomLinear:
		return true
	}
	return slices.ContainsFunc(a.products, func(m product) bool {
		return slices.ContainsFunc(m.factors, func(x factor) bool { return x.entry })
	})
}

// sumWidth is the width of a's sum.
func (a *atom) sumWidth(h *encode.Header) int {
	n := 0
	for _, m := range a.sum {
		n = max(n, h.Vars[m.v].Width)
	}
	return n
}

// total returns the sum of a linear atom, at the width of its widest number.
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

// solved returns an atomSum as what its first number, whose coefficient is 1, is: solvers
// find that easier.
func (a *atom) solved(s *ilr.Store, vals []ilr.Term) ilr.Term {
	n := a.k.Width()
	wide := func(v ilr.Term) ilr.Term {
		if s.Width(v) < n {
			return s.Sext(v, n)
		}
		return v
	}
	t := ilr.Term(0)
	for _, m := range a.sum[1:] {
		x := wide(vals[m.v])
		if c := -m.coef; c != 1 {
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
		t = s.Const(a.k)
	case !a.k.IsZero():
		t = s.Add(t, s.Const(a.k))
	}
	return s.Eq(wide(vals[a.sum[0].v]), t)
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
	v, was := name(a.v), "its value on entry"
	if h.Calls {
		was = "its value before"
	}
	if h.Vars[a.v].Mask && a.kind == atomEq {
		if a.k.IsZero() != neg {
			return encode.MaskedName(v) + " has a value"
		}
		return encode.MaskedName(v) + " is indeterminate"
	}
	if a.float {
		return a.floatText(v, neg)
	}
	switch a.kind {
	case atomEq:
		return v + op(" == ", " != ") + NumberText(a.k)
	case atomSle:
		return v + op(" <= ", " > ") + NumberText(a.k)
	case atomUle:
		u, _ := a.k.Uint64()
		return v + op(" <= ", " > ") + fmt.Sprintf("%du", u)
	case atomLow:
		return fmt.Sprintf("%s %% %d is%s as on entry", v, int64(1)<<a.k.Width(), op("", " not"))
	case atomEqEntry:
		return v + op(" == ", " != ") + was
	case atomSleEntry:
		return v + op(" <= ", " > ") + was
	case atomUleEntry:
		return v + op(" <= ", " > ") + was + " (unsigned)"
	case atomSgeEntry:
		return v + op(" >= ", " < ") + was
	case atomUgeEntry:
		return v + op(" >= ", " < ") + was + " (unsigned)"
	case atomEqVar:
		return v + op(" == ", " != ") + name(a.w)
	case atomSleVar:
		return v + op(" <= ", " > ") + name(a.w)
	case atomUleVar:
		return v + op(" <= ", " > ") + name(a.w) + " (unsigned)"
	}
	switch a.kind {
	case atomProducts:
		return a.productsText(h, op(" == ", " != "))
	case atomTree:
		return op("", "!") + a.tree.text(h)
	case atomEllipse:
		return a.ellipseText(h)
	}
	var parts []string
	for _, m := range a.sum {
		parts = append(parts, fmt.Sprintf("%d*%s", m.coef, name(m.v)))
	}
	sum := strings.ReplaceAll(strings.ReplaceAll(strings.Join(parts, " + "), "+ -", "- "), "1*", "")
	switch a.kind {
	case atomSumLow:
		return fmt.Sprintf("(%s) %% %d", sum, int64(1)<<a.k.Width()) + op(" == ", " != ") + fmt.Sprint(a.k.Low64())
	case atomSumSle:
		return sum + op(" <= ", " > ") + NumberText(a.k)
	case atomSum:
		return sum + op(" == ", " != ") + NumberText(a.k)
	}
	return sum + op(" is", " is not") + " as on entry"
}

// NumberText writes k as people read it: signed, in hexadecimal if it is large.
func NumberText(k bits.Vec) string {
	n, ok := k.Int64()
	if !ok {
		return "0x" + k.Hex()
	}
	return fmt.Sprint(n)
}
