package bitterm

import (
	"context"
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve"
)

// stepped are the measures that a turn suggests: where a number moved by 2^z times
// an odd d, v - k times the inverse of -d falls by 2^z on each such turn, modulo
// 2^w, until v is the target k.
func (r *ranker) stepped(ctx context.Context, h *encode.Header) []measure {
	s := r.f.Store
	var turn []ilr.Term
	for _, a := range h.Arrivals[1:] {
		turn = append(turn, s.And(h.Sites[0].Guard, a.Guard))
	}
	ans, ev := r.check(ctx, s.Or(turn...))
	if ans != solve.Sat {
		return nil
	}
	var out []measure
	for i, a := range h.Arrivals[1:] {
		if !ev.Holds(turn[i]) {
			continue
		}
		for v := range h.Vars {
			x := &h.Vars[v]
			if !x.Moves || x.Ghost || x.Cell || x.Width < 2 || x.Width > 64 || len(out) > policy.MaxMeasures {
				continue
			}
			d := bits.Sub(ev.Value(a.Values[v]), ev.Value(h.Sites[0].Values[v]))
			// powers of two have simpler measures
			if !d.IsZero() && !bits.And(d, bits.Sub(d, bits.New(x.Width, 1))).IsZero() {
				out = append(out, inverses(h, v, d)...)
			}
		}
	}
	return out
}

// inverses are the measures of one number that moves by d.
func inverses(h *encode.Header, v int, d bits.Vec) []measure {
	w, z := d.Width(), uint(0)
	for bits.And(d, bits.New(w, 1)).IsZero() {
		d, z = bits.Lshr(d, 1), z+1
	}
	factor := bits.Neg(inverse(d))
	name := h.Vars[v].Name
	to := func(target string, k func(s *ilr.Store, x []ilr.Term) ilr.Term) measure {
		text := fmt.Sprintf("turns from %s to %s in steps of %s", name, target, lemma.NumberText(bits.Shl(d, z)))
		return measure{text, func(s *ilr.Store, x []ilr.Term) ilr.Term {
			return s.Mul(s.Const(factor), s.Sub(x[v], k(s, x)))
		}}
	}
	out := []measure{to("0", func(s *ilr.Store, _ []ilr.Term) ilr.Term { return s.Int(w, 0) })}
	for _, k := range h.Consts[w] {
		out = append(out, to(lemma.NumberText(k), func(s *ilr.Store, _ []ilr.Term) ilr.Term { return s.Const(k) }))
	}
	for other := range h.Vars {
		if x := &h.Vars[other]; other != v && !x.Moves && x.Width == w {
			out = append(out, to(x.Name, func(_ *ilr.Store, x []ilr.Term) ilr.Term { return x[other] }))
		}
	}
	return out
}

// inverse is the inverse of an odd d modulo 2^w, by Newton's iteration, which
// doubles the right bits.
func inverse(d bits.Vec) bits.Vec {
	w := d.Width()
	x := d // right in three bits
	for n := 3; n < w; n *= 2 {
		x = bits.Mul(x, bits.Sub(bits.New(w, 2), bits.Mul(d, x)))
	}
	return x
}
