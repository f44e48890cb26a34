package bitterm

import (
	"context"
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// part is a condition on the numbers at a loop's header.
type part func(s *ilr.Store, vals []ilr.Term) ilr.Term

func everywhere(s *ilr.Store, _ []ilr.Term) ilr.Term { return s.True() }

// positive returns the part where number v is above 0, as signed; of one bit: where it is set.
func positive(h *encode.Header, v int) part {
	w := h.Vars[v].Width
	return func(s *ilr.Store, x []ilr.Term) ilr.Term {
		if w == 1 {
			return x[v]
		}
		return s.Slt(s.Int(w, 0), x[v])
	}
}

// rankCases finds measures that differ with the sign of a number that turns leave alone: a loop that goes up or down.
func (r *ranker) rankCases(ctx context.Context, h *encode.Header) []measure {
	tried := 0
	for v := range h.Vars {
		x := &h.Vars[v]
		if x.Moves || x.Ghost || x.Cell || x.Mask || x.Width == 0 {
			continue
		}
		if tried++; tried > policy.MaxRankCases || ctx.Err() != nil {
			return nil
		}
		up := positive(h, v)
		above := r.rankHeader(ctx, h, up)
		if above == nil {
			continue
		}
		below := r.rankHeader(ctx, h, func(s *ilr.Store, x []ilr.Term) ilr.Term { return s.Not(up(s, x)) })
		if below != nil {
			return merged(x.Name, up, above, below)
		}
	}
	return nil
}

// merged returns the measures above where up holds, and those below elsewhere.
func merged(name string, up part, above, below []measure) []measure {
	out := make([]measure, max(len(above), len(below)))
	for i := range out {
		a, b := at(above, i), at(below, i)
		out[i] = measure{fmt.Sprintf("(%s if %s > 0, otherwise %s)", a.text, name, b.text),
			func(s *ilr.Store, x []ilr.Term) ilr.Term {
				then, other := a.of(s, x), b.of(s, x)
				w := max(s.Width(then), s.Width(other))
				return s.Ite(up(s, x), s.Zext(then, w), s.Zext(other, w))
			}}
	}
	return out
}

// at returns measure i, or one that no turn changes.
func at(by []measure, i int) measure {
	if i < len(by) {
		return by[i]
	}
	return measure{"0", func(s *ilr.Store, _ []ilr.Term) ilr.Term { return s.Int(1, 0) }}
}
