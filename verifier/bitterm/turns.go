package bitterm

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/solve"
)

// Bounds of loops over the bits of words: each turn goes down in an order that has few steps, such as from a set of
// bits to a part of it. (B1) and (B2) hold as for rankings.

// order is a strict order of a loop's states without longer chains than most steps.
type order struct {
	most  int64
	below func(s *ilr.Store, then, now []ilr.Term) ilr.Term
}

// Turns returns how often a run takes back edges of a loop at most between entering and leaving it, by the loop's
// header, for the loops where that is shown in each context in which p comes to them.
func Turns(ctx context.Context, p *problem.Problem) map[*ir.Block]int64 {
	cut, err := invariant.OpenCut(ctx, p.Unchecked(), invariant.CutOptions{All: true})
	if err != nil {
		return nil
	}
	defer cut.Close()
	if cut.Recursive() {
		return nil
	}
	r := &ranker{cut: cut, f: cut.Formula, lemmas: invariant.NewProver(cut)}
	out := r.turns(ctx)
	if len(out) < len(r.loops()) && ctx.Err() == nil {
		part, cancel := budget.Share(ctx, policy.RankLemmaPercent)
		r.lemmas.Lemmas(part, []ilr.Term{r.f.Store.True()})
		cancel()
		if r.lemmas.Any() {
			if more := r.turns(ctx); len(more) > len(out) {
				return more
			}
		}
	}
	return out
}

// loops lists the headers of each loop, by block.
func (r *ranker) loops() map[*ir.Block][]*encode.Header {
	out := map[*ir.Block][]*encode.Header{}
	for i := range r.f.Headers {
		if h := &r.f.Headers[i]; h.Loop != nil {
			out[h.Loop.Header] = append(out[h.Loop.Header], h)
		}
	}
	return out
}

// turns is Turns under the lemmas found.
func (r *ranker) turns(ctx context.Context) map[*ir.Block]int64 {
	r.cut.LimitConflicts(policy.MeasureConflicts)
	defer r.cut.LimitConflicts(0)
	if ans, _ := r.check(ctx, beyondModel(r.f)); ans != solve.Unsat {
		return nil
	}
	out := map[*ir.Block]int64{}
	for block, hs := range r.loops() {
		most, all := int64(0), true
		for _, h := range hs {
			n, ok := r.turnsOf(ctx, h)
			most, all = max(most, n), all && ok
		}
		if all {
			out[block] = most
		}
	}
	return out
}

// turnsOf returns how many turns the loop of h takes at most.
func (r *ranker) turnsOf(ctx context.Context, h *encode.Header) (most int64, ok bool) {
	if len(h.Sites) != 1 {
		return 0, false
	}
	left := orders(h)
	for len(left) > 0 && ctx.Err() == nil {
		o := left[0]
		ans, ev := r.check(ctx, o.kept(r.f.Store, h))
		switch ans {
		case solve.Unsat:
			return o.most, true
		case solve.Sat:
			left = slices.DeleteFunc(left, func(c order) bool { return ev.Holds(c.kept(r.f.Store, h)) })
		default:
			left = left[1:]
		}
	}
	return r.turnsOfSmall(ctx, h)
}

// kept returns the term: some turn of the loop does not go down.
func (o order) kept(s *ilr.Store, h *encode.Header) ilr.Term {
	var out []ilr.Term
	for _, a := range h.Arrivals[1:] {
		out = append(out, s.And(h.Sites[0].Guard, a.Guard, s.Not(o.below(s, a.Values, h.Sites[0].Values))))
	}
	return s.Or(out...)
}

// orders lists orders of the numbers at h by their bits.
func orders(h *encode.Header) []order {
	var out []order
	for v := range h.Vars {
		if x := &h.Vars[v]; x.Moves && !x.Ghost && !x.Cell && x.Width > 1 {
			out = append(out, bitOrders(x.Width, v)...)
		}
	}
	return out[:min(len(out), policy.MaxMeasures)]
}

// bitOrders lists the orders of number v, of w bits: bits are cleared, or set; the lowest bit that is set moves up, the
// highest one down or up, that of the absolute value down.
func bitOrders(w, v int) []order {
	zero := func(s *ilr.Store) ilr.Term { return s.Int(w, 0) }
	part := func(s *ilr.Store, x, of ilr.Term) ilr.Term { // x has some of the bits of the other
		return s.And(s.Eq(s.BvAnd(x, s.BvNot(of)), zero(s)), s.Not(s.Eq(x, of)))
	}
	shorter := func(s *ilr.Store, x, than ilr.Term) ilr.Term { // its highest bit is lower
		return s.Ult(x, s.BvAnd(than, s.BvNot(x)))
	}
	abs := func(s *ilr.Store, x ilr.Term) ilr.Term { return s.Ite(s.Slt(x, zero(s)), s.Neg(x), x) }
	var out []order
	for _, below := range []func(s *ilr.Store, then, now ilr.Term) ilr.Term{
		part,
		func(s *ilr.Store, then, now ilr.Term) ilr.Term { return part(s, now, then) },
		shorter,
		func(s *ilr.Store, then, now ilr.Term) ilr.Term { return shorter(s, now, then) },
		func(s *ilr.Store, then, now ilr.Term) ilr.Term { return shorter(s, abs(s, then), abs(s, now)) },
		func(s *ilr.Store, then, now ilr.Term) ilr.Term {
			low := func(x ilr.Term) ilr.Term { return s.Neg(s.BvAnd(x, s.Neg(x))) } // 0 where no bit is set
			return s.Ult(low(then), low(now))
		},
	} {
		out = append(out, order{int64(w), func(s *ilr.Store, then, now []ilr.Term) ilr.Term {
			return below(s, then[v], now[v])
		}})
	}
	return out
}

// turnsOfSmall is turnsOf by a measure that is small wherever a turn begins.
func (r *ranker) turnsOfSmall(ctx context.Context, h *encode.Header) (most int64, ok bool) {
	left := append(measures(h), r.stepped(ctx, h)...)
	for range policy.MaxFalling {
		m, found := r.sieve(ctx, turns{h: h, where: everywhere}, &left, true)
		if !found {
			break
		}
		if most, ok = r.greatest(ctx, h, m); ok {
			return most, true
		}
	}
	return 0, false
}

// greatest returns what m is at most where a turn begins, if that is little.
func (r *ranker) greatest(ctx context.Context, h *encode.Header, m measure) (most int64, ok bool) {
	s, at := r.f.Store, h.Sites[0]
	value := m.of(s, at.Values)
	for _, limit := range policy.SmallMeasures {
		w := s.Width(value)
		if w < 63 && limit >= int64(1)<<w-1 {
			return int64(1)<<w - 1, true
		}
		k := s.Const(bits.New(w, uint64(limit)))
		if ans, _ := r.check(ctx, s.And(at.Guard, s.Ult(k, value))); ans == solve.Unsat {
			return limit, true
		}
	}
	return 0, false
}
