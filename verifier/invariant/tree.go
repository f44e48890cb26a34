package invariant

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// tree is an expression over the numbers of a header, apart from any store of terms: the number v, where kind is
// ilr.KVar, the constant k, where it is ilr.KConst, or an operation.
type tree struct {
	kind ilr.Kind
	sort ilr.Sort
	imm  uint64
	args []*tree
	v    int
	k    bits.Vec
}

// term returns the expression for the given values of the numbers.
func (x *tree) term(s *ilr.Store, vals []ilr.Term) ilr.Term {
	switch x.kind {
	case ilr.KVar:
		return vals[x.v]
	case ilr.KConst:
		return s.Const(x.k)
	}
	args := make([]ilr.Term, len(x.args))
	for i, a := range x.args {
		args[i] = a.term(s, vals)
	}
	return s.Make(x.kind, x.sort, x.imm, args)
}

// vars lists the numbers that x is about.
func (x *tree) vars() []int {
	if x.kind == ilr.KVar {
		return []int{x.v}
	}
	var out []int
	for _, a := range x.args {
		out = append(out, a.vars()...)
	}
	return out
}

// symbols are the operators of expressions as people read them.
var symbols = map[ilr.Kind]string{ilr.KAnd: "&&", ilr.KEq: "==", ilr.KBvAnd: "&", ilr.KBvOr: "|", ilr.KBvXor: "^",
	ilr.KAdd: "+", ilr.KMul: "*", ilr.KUdiv: "/u", ilr.KUrem: "%u", ilr.KSdiv: "/", ilr.KSrem: "%", ilr.KShl: "<<",
	ilr.KLshr: ">>u", ilr.KAshr: ">>", ilr.KConcat: "::", ilr.KUlt: "<u", ilr.KSlt: "<"}

// text words the expression.
func (x *tree) text(h *encode.Header) string {
	var parts []string
	for _, a := range x.args {
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

// speaker says terms of the walk in the numbers of a header.
type speaker struct {
	s      *ilr.Store
	leaves map[ilr.Term]int // the numbers, by their terms in the unknown state
}

// speakerAt returns one for h.
func speakerAt(s *ilr.Store, h *encode.Header) *speaker {
	x := &speaker{s: s, leaves: map[ilr.Term]int{}}
	for v, t := range h.Sites[0].Values {
		if _, known := s.ConstVal(t); known {
			continue
		}
		x.put(t, v)
		if h.Vars[v].Cell && s.Kind(t) == ilr.KIte { // the element, where the ghost index is one of the array
			x.put(s.Arg(t, 1), v)
		}
	}
	return x
}

func (x *speaker) put(t ilr.Term, v int) {
	if _, had := x.leaves[t]; !had {
		x.leaves[t] = v
	}
}

// tree returns t as an expression over the header's numbers; nil where it is none, or too large.
func (x *speaker) tree(t ilr.Term) *tree {
	left := policy.MaxTree
	return x.grow(t, &left)
}

func (x *speaker) grow(t ilr.Term, left *int) *tree {
	if *left--; *left < 0 {
		return nil
	}
	if v, ok := x.leaves[t]; ok {
		return &tree{kind: ilr.KVar, v: v}
	}
	if k, ok := x.s.ConstVal(t); ok {
		return &tree{kind: ilr.KConst, k: k}
	}
	k := x.s.Kind(t)
	if k < ilr.KNot || k > ilr.KSlt {
		return nil
	}
	out := &tree{kind: k, sort: x.s.Sort(t), imm: x.s.Imm(t)}
	for i := range x.s.NumArgs(t) {
		a := x.grow(x.s.Arg(t, i), left)
		if a == nil {
			return nil
		}
		out.args = append(out.args, a)
	}
	return out
}
