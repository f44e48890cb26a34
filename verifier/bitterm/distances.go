package bitterm

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
)

// way leads up from one number to another, or from the place one ahead of it: loops that ask behind the step begin
// where they end.
type way struct {
	from, to int
	ahead    int64
}

// distances adds the measures of two numbers of h: how far it is from one to the other, also around a ring whose length
// is a constant or its mask.
func distances(h *encode.Header, d way, add addMeasure) {
	x, y, w := h.Vars[d.from].Name, h.Vars[d.to].Name, h.Vars[d.from].Width
	if d.ahead > 0 {
		x = fmt.Sprintf("(%s + %d)", x, d.ahead)
	}
	from := func(s *ilr.Store, vals []ilr.Term) ilr.Term { return s.Add(vals[d.from], s.Int(w, d.ahead)) }
	straight := func(s *ilr.Store, vals []ilr.Term) ilr.Term { return s.Sub(vals[d.to], from(s, vals)) }
	add(fmt.Sprintf("%s - %s", y, x), straight)
	for _, k := range h.Consts[w] {
		if k.IsZero() {
			continue
		}
		if bits.And(k, bits.Add(k, bits.New(w, 1))).IsZero() {
			add(fmt.Sprintf("(%s - %s) & %s", y, x, lemma.NumberText(k)),
				func(s *ilr.Store, vals []ilr.Term) ilr.Term { return s.BvAnd(straight(s, vals), s.Const(k)) })
		}
		add(fmt.Sprintf("distance from %s to %s modulo %s", x, y, lemma.NumberText(k)),
			func(s *ilr.Store, vals []ilr.Term) ilr.Term {
				n := straight(s, vals)
				return s.Ite(s.Ule(from(s, vals), vals[d.to]), n, s.Add(n, s.Const(k)))
			})
	}
}
