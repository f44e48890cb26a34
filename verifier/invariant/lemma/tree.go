package lemma

import (
	"fmt"
	"maps"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Tree is an expression over the numbers of a header, apart from any store of terms: the number v, where kind is
// ilr.KVar, the constant k, where it is ilr.KConst, or an operation.
type Tree struct {
	kind ilr.Kind
	sort ilr.Sort
	imm  uint64
	Args []*Tree
	v    int
	k    bits.Vec
}

// term returns the expression for the given values of the numbers.
func (x *Tree) term(s *ilr.Store, vals []ilr.Term) ilr.Term {
	switch x.kind {
	case ilr.KVar:
		return vals[x.v]
	case ilr.KConst:
		return s.Const(x.k)
	}
	args := make([]ilr.Term, len(x.Args))
	for i, a := range x.Args {
		args[i] = a.term(s, vals)
	}
	return s.Make(x.kind, x.sort, x.imm, args)
}

// Vars lists the numbers that x is about.
func (x *Tree) Vars() []int {
	if x.kind == ilr.KVar {
		return []int{x.v}
	}
	var out []int
	for _, a := range x.Args {
		out = append(out, a.Vars()...)
	}
	return out
}

// symbols are the operators of expressions as people read them.
var symbols = map[ilr.Kind]string{ilr.KAnd: "&&", ilr.KEq: "==", ilr.KBvAnd: "&", ilr.KBvOr: "|", ilr.KBvXor: "^",
	ilr.KAdd: "+", ilr.KMul: "*", ilr.KUdiv: "/u", ilr.KUrem: "%u", ilr.KSdiv: "/", ilr.KSrem: "%", ilr.KShl: "<<",
	ilr.KLshr: ">>u", ilr.KAshr: ">>", ilr.KConcat: "::", ilr.KUlt: "<u", ilr.KSlt: "<"}

// text words the expression.
func (x *Tree) text(h *encode.Header) string {
	var parts []string
	for _, a := range x.Args {
		parts = append(parts, a.text(h))
	}
	switch x.kind {
	case ilr.KVar:
		return h.Vars[x.v].Name
	case ilr.KConst:
		return NumberText(x.k)
	case ilr.KNot:
		return "!" + parts[0]
	case ilr.KBvNot:
		return "~" + parts[0]
	case ilr.KNeg:
		return "-" + parts[0]
	case ilr.KIte:
		return fmt.Sprintf("(%s ? %s : %s)", parts[0], parts[1], parts[2])
	case ilr.KZext, ilr.KSext:
		return parts[0]
	case ilr.KExtract:
		return fmt.Sprintf("%s{%d..%d}", parts[0], x.imm>>32, uint32(x.imm))
	}
	return "(" + strings.Join(parts, " "+symbols[x.kind]+" ") + ")"
}

// Speaker says terms of the walk in the numbers of a header.
type Speaker struct {
	S      *ilr.Store
	Leaves map[ilr.Term]int // the numbers, by their terms in the unknown state
}

// SpeakerAt returns one for h.
func SpeakerAt(s *ilr.Store, h *encode.Header) *Speaker {
	x := &Speaker{S: s, Leaves: map[ilr.Term]int{}}
	for v, t := range h.Sites[0].Values {
		if _, known := s.ConstVal(t); known {
			continue
		}
		x.Put(t, v)
		if h.Vars[v].Cell && s.Kind(t) == ilr.KIte { // the element, where the ghost index is one of the array
			x.Put(s.Arg(t, 1), v)
		}
	}
	return x
}

func (x *Speaker) Put(t ilr.Term, v int) {
	if _, had := x.Leaves[t]; !had {
		x.Leaves[t] = v
	}
}

// Tree returns t as an expression over the header's numbers; nil where it is none, or too large.
func (x *Speaker) Tree(t ilr.Term) *Tree {
	left := policy.MaxTree
	return x.grow(t, &left)
}

func (x *Speaker) grow(t ilr.Term, left *int) *Tree {
	if *left--; *left < 0 {
		return nil
	}
	if v, ok := x.Leaves[t]; ok {
		return &Tree{kind: ilr.KVar, v: v}
	}
	if k, ok := x.S.ConstVal(t); ok {
		return &Tree{kind: ilr.KConst, k: k}
	}
	k := x.S.Kind(t)
	if k < ilr.KNot || k > ilr.KSlt {
		return nil
	}
	out := &Tree{kind: k, sort: x.S.Sort(t), imm: x.S.Imm(t)}
	for i := range x.S.NumArgs(t) {
		a := x.grow(x.S.Arg(t, i), left)
		if a == nil {
			return nil
		}
		out.Args = append(out.Args, a)
	}
	return out
}

// Affine is a sum of the numbers of a header, by their coefficients, and a constant. Widths are left aside: what is made
// of it is a guess.
type Affine struct {
	Coefs map[int]int64
	K     int64
}

// Affine returns t as a sum of the header's numbers.
func (x *Speaker) Affine(t ilr.Term) (a Affine, ok bool) {
	a.Coefs = map[int]int64{}
	ok = x.addTo(&a, t, 1)
	maps.DeleteFunc(a.Coefs, func(_ int, c int64) bool { return c == 0 })
	return a, ok
}

func (x *Speaker) addTo(a *Affine, t ilr.Term, coef int64) bool {
	if v, ok := x.Leaves[t]; ok {
		a.Coefs[v] += coef
		return true
	}
	if k, ok := x.S.ConstVal(t); ok {
		n, fits := k.Int64()
		if k.Width() < 32 && n < -policy.SmallOffset { // an index of few bits, which has no sign
			n += 1 << k.Width()
		}
		a.K += coef * n
		return fits
	}
	switch x.S.Kind(t) {
	case ilr.KAdd:
		return x.addTo(a, x.S.Arg(t, 0), coef) && x.addTo(a, x.S.Arg(t, 1), coef)
	case ilr.KNeg:
		return x.addTo(a, x.S.Arg(t, 0), -coef)
	case ilr.KMul:
		for i := range 2 {
			if c, known := x.S.ConstVal(x.S.Arg(t, i)); known {
				n, fits := c.Int64()
				return fits && max(n, -n) < policy.MaxScaled && x.addTo(a, x.S.Arg(t, 1-i), coef*n)
			}
		}
	case ilr.KSext, ilr.KZext:
		return x.addTo(a, x.S.Arg(t, 0), coef)
	case ilr.KExtract:
		return uint32(x.S.Imm(t)) == 0 && x.addTo(a, x.S.Arg(t, 0), coef)
	}
	return false
}

// Per returns a divided by n; false where a coefficient is no multiple.
func (a Affine) Per(n int64) (Affine, bool) {
	out := Affine{Coefs: map[int]int64{}, K: (a.K - ((a.K%n)+n)%n) / n}
	for v, c := range a.Coefs {
		if c%n != 0 {
			return a, false
		}
		out.Coefs[v] = c / n
	}
	return out, true
}
