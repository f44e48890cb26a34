package bitterm

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// measure is a bit-precise function of the numbers at a loop's header, whose
// value is read as unsigned: it falls at most 2^w times.
type measure struct {
	text string
	of   func(s *ilr.Store, vals []ilr.Term) ilr.Term
}

// measures lists what may rank a loop: the numbers themselves read in either
// direction, as signed or unsigned; distances between two, also around the end of
// their range; distances modulo a mask or a length; and the lowest bit that is set.
func measures(h *encode.Header) []measure {
	var out []measure
	add := func(text string, of func(s *ilr.Store, vals []ilr.Term) ilr.Term) {
		if len(out) < policy.MaxMeasures {
			out = append(out, measure{text, of})
		}
	}
	var vars []int
	for v := range h.Vars {
		if x := &h.Vars[v]; !x.Ghost && !x.Cell && x.Width > 0 {
			vars = append(vars, v)
		}
	}
	for _, v := range vars {
		if h.Vars[v].Moves {
			single(h, v, add)
		}
	}
	if len(vars) > policy.MaxMeasureVars {
		vars = vars[:policy.MaxMeasureVars]
	}
	for _, ahead := range []int64{0, 1} {
		for _, v := range vars {
			for _, w := range vars {
				if v != w && h.Vars[v].Width == h.Vars[w].Width && h.Vars[v].Width > 1 && (h.Vars[v].Moves ||
					h.Vars[w].Moves) {
					distances(h, way{v, w, ahead}, add)
				}
			}
		}
	}
	for _, v := range vars { // behind all others: it seldom rises, and what stays then is harder to rank
		if h.Vars[v].Moves && h.Vars[v].Width > 1 {
			trailingZeros(h, v, add)
		}
	}
	return out
}

type addMeasure func(text string, of func(s *ilr.Store, vals []ilr.Term) ilr.Term)

// trailingZeros adds the measure that falls where a number has fewer zeros at its end.
func trailingZeros(h *encode.Header, v int, add addMeasure) {
	add(fmt.Sprintf("(lowest bit of %s) - 1", h.Vars[v].Name), func(s *ilr.Store, x []ilr.Term) ilr.Term {
		return s.Sub(s.BvAnd(x[v], s.Neg(x[v])), s.Int(h.Vars[v].Width, 1)) // without a bit: the greatest
	})
}

// single adds the measures of one number.
func single(h *encode.Header, v int, add addMeasure) {
	name, w := h.Vars[v].Name, h.Vars[v].Width
	sign := func(s *ilr.Store) ilr.Term { return s.Const(bits.Shl(bits.New(w, 1), uint(w-1))) }
	add(name, func(s *ilr.Store, x []ilr.Term) ilr.Term { return x[v] })
	add("~"+name, func(s *ilr.Store, x []ilr.Term) ilr.Term { return s.BvNot(x[v]) })
	if w == 1 {
		return
	}
	add("-"+name, func(s *ilr.Store, x []ilr.Term) ilr.Term { return s.Neg(x[v]) })
	add(name+" as signed", func(s *ilr.Store, x []ilr.Term) ilr.Term { return s.BvXor(x[v], sign(s)) })
	add("-"+name+" as signed", func(s *ilr.Store, x []ilr.Term) ilr.Term { return s.BvNot(s.BvXor(x[v], sign(s))) })
	add("|"+name+"|", func(s *ilr.Store, x []ilr.Term) ilr.Term {
		return s.Ite(s.Slt(x[v], s.Int(w, 0)), s.Neg(x[v]), x[v])
	})
	add(fmt.Sprintf("-(lowest bit of %s)", name), func(s *ilr.Store, x []ilr.Term) ilr.Term {
		return s.Neg(s.BvAnd(x[v], s.Neg(x[v])))
	})
	for _, k := range h.Consts[w] {
		constants(h, v, k, add)
	}
}

// constants adds the measures of one number and a constant of the program.
func constants(h *encode.Header, v int, k bits.Vec, add addMeasure) {
	name := h.Vars[v].Name
	c := lemma.NumberText(k)
	add(fmt.Sprintf("%s - %s", c, name), func(s *ilr.Store, x []ilr.Term) ilr.Term { return s.Sub(s.Const(k), x[v]) })
	add(fmt.Sprintf("%s - %s", name, c), func(s *ilr.Store, x []ilr.Term) ilr.Term { return s.Sub(x[v], s.Const(k)) })
	if !bits.And(k, bits.Add(k, bits.New(k.Width(), 1))).IsZero() {
		return
	}
	add(fmt.Sprintf("%s & %s", name, c), func(s *ilr.Store, x []ilr.Term) ilr.Term { return s.BvAnd(x[v], s.Const(k)) })
	add(fmt.Sprintf("-%s & %s", name, c), func(s *ilr.Store, x []ilr.Term) ilr.Term {
		return s.BvAnd(s.Neg(x[v]),
			s.Const(k))
	})
}
