package bitterm

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// extreme is a choice of a value that ends of a type's range have, for a number that turns leave alone.
type extreme struct {
	terms []ilr.Term      // that hold on entry
	kept  []lemma.Literal // what turns keep because of them
}

// extremes lists choices for the numbers at h that turns leave alone: all bits set, the greatest, the least, zero;
// first with the other such numbers as they are, then with steps of eight, which go past most ends.
func extremes(s *ilr.Store, h *encode.Header) []extreme {
	var still []int
	for v := range h.Vars {
		x := &h.Vars[v]
		_, known := s.ConstVal(h.Arrivals[0].Values[v])
		if !x.Moves && !x.Ghost && !x.Cell && x.Width > 1 && !known && len(still) < policy.MaxExtremes {
			still = append(still, v)
		}
	}
	values := h.Arrivals[0].Values
	var out, steps []extreme
	for _, v := range still {
		w := h.Vars[v].Width
		sign := bits.Shl(bits.New(w, 1), uint(w-1))
		for _, k := range []bits.Vec{bits.Not(bits.New(w, 0)), bits.Not(sign), sign, bits.New(w, 0)} {
			e := extreme{[]ilr.Term{s.Eq(values[v], s.Const(k))}, []lemma.Literal{invariant.Equal(v, k)}}
			out = append(out, e)
			for _, u := range still {
				if n := h.Vars[u].Width; u != v && n > 3 {
					e.terms = append(e.terms, s.Eq(s.Trunc(values[u], 3), s.Int(3, 0)))
				}
			}
			if len(e.terms) > 1 {
				steps = append(steps, e)
			}
		}
	}
	return append(out, steps...)
}
