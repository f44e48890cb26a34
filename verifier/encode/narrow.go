package encode

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// learn narrows what the numbers of a branch's comparisons were loaded from.
func (e *encoder) learn(fr *frame, st *memory.State, br *ir.Instr) {
	if br.Op != ir.OpCondBr || e.cutter != nil {
		return
	}
	for _, d := range comparisons(br) {
		for _, a := range d.Args {
			in, ok := a.(*ir.Instr)
			if ok && (in.Op == ir.OpZext || in.Op == ir.OpSext) {
				in, ok = in.Args[0].(*ir.Instr)
			}
			if ok && in.Op == ir.OpLoad && in.Access.IsInt() && !in.Flags.Has(ir.Volatile) {
				e.learnOf(fr, st, in)
			}
		}
	}
}

// comparisons are those that a branch follows: of its own condition, or, where that
// joins the ways of && and ||, of theirs.
func comparisons(br *ir.Instr) []*ir.Instr {
	var out []*ir.Instr
	take := func(v ir.Value) {
		if d, ok := v.(*ir.Instr); ok && d.Op == ir.OpIcmp {
			out = append(out, d)
		}
	}
	take(br.Args[0])
	if phi, ok := br.Args[0].(*ir.Instr); ok && phi.Op == ir.OpPhi {
		for i, b := range phi.Incoming {
			take(phi.Args[i])
			if t := b.Term(); t.Op == ir.OpCondBr {
				take(t.Args[0])
			}
		}
	}
	return out
}

// learnOf narrows what a load found, where that is still there.
func (e *encoder) learnOf(fr *frame, st *memory.State, in *ir.Instr) {
	v, p := e.value(fr, st, in, in), e.arg(fr, st, in, 0).Ptr
	t := e.narrow(st.PC, v.Term)
	if t == v.Term || p == nil || len(p.Alts) != 1 || p.Alts[0].Object == nil {
		return
	}
	if off, ok := e.ConstOf(p.Alts[0].Off); ok {
		e.refine(st, p.Alts[0].Object, int64(off), v.Term, t)
	}
}

// refine puts t in the place of a cell at off that holds old.
func (e *encoder) refine(st *memory.State, o *memory.Object, off int64, old, t ilr.Term) {
	c := st.Get(o)
	x := c.Cells.Get(off)
	if x == nil || x.Off != off || x.Fill || x.V.Term != old || memory.Covered(c.Cells, x, off, x.N) != x.N {
		return
	}
	out := *c
	out.Cells = c.Cells.Fill(off, x.N, &memory.Cell{Off: off, N: x.N, V: memory.Val{Term: t, Undef: x.V.Undef},
		Of: x.Root()})
	st.Put(o, &out)
}

// narrow is a term with the value that t has on p: where the newest decisions bound
// an unsigned number from above, its high bits are 0. A join of both branches of a
// comparison knows nothing of it; this keeps counters and indices as wide as their bounds.
// Decisions that only cut off a failed claim do not count: later claims look behind them.
func (e *encoder) narrow(p *memory.Path, t ilr.Term) ilr.Term {
	s := e.s
	w := 0
	if t != 0 {
		w = s.Width(t)
	}
	if t == 0 || p == nil || s.Sort(t).Kind != ilr.SortBV || w < 8 || w > 64 || s.Kind(t) == ilr.KConst ||
		s.Kind(t) == ilr.KZext {
		return t
	}
	b := bounds{high: ^uint64(0) >> uint(64-w)}
	for q, n := p, 0; q.Depth > 0 && n < policy.NarrowLook; q, n = q.Up, n+1 {
		if q.Branch == q.Lit {
			steps := policy.NarrowLook
			b.decided(s, q.Lit, t, w, &steps)
		}
	}
	if b.notNegative && b.signed {
		b.high = min(b.high, b.most)
	}
	n := mbits.Len64(b.high)
	switch {
	case n > w-8:
		return t
	case n == 0:
		return s.Int(w, 0)
	case s.IsFalse(s.Ult(s.Int(w, 4<<n-1), t)): // the term itself says almost as much
		return t
	}
	return s.Zext(s.Extract(t, n-1, 0), w)
}

// bounds holds what decisions say of a number.
type bounds struct {
	high        uint64 // unsigned, at most
	notNegative bool
	signed      bool   // at most this as a signed number, which is not negative:
	most        uint64 //
}

// decided takes up one decision about t, of w bits; of a conjunction its parts, so many steps.
func (b *bounds) decided(s *ilr.Store, lit, t ilr.Term, w int, steps *int) {
	holds := s.Kind(lit) != ilr.KNot
	if !holds {
		lit = s.Arg(lit, 0)
	}
	k := s.Kind(lit)
	if *steps--; *steps >= 0 && k == ilr.KAnd && holds {
		for i := range s.NumArgs(lit) {
			b.decided(s, s.Arg(lit, i), t, w, steps)
		}
		return
	}
	if k != ilr.KUlt && k != ilr.KSlt && (k != ilr.KEq || !holds) {
		return
	}
	x, y := s.Arg(lit, 0), s.Arg(lit, 1)
	less := x == t // t < c, or c < t
	if less {
		x = y
	} else if y != t {
		return
	}
	v, ok := s.ConstVal(x)
	if !ok {
		return
	}
	c := v.Low64()
	negative := c>>uint(w-1) == 1
	switch {
	case k == ilr.KEq:
		b.high = min(b.high, c)
	case k == ilr.KUlt && less && holds && c > 0:
		b.high = min(b.high, c-1)
	case k == ilr.KUlt && !less && !holds:
		b.high = min(b.high, c)
	case k == ilr.KSlt && less && holds && !negative && c > 0:
		b.atMost(c - 1)
	case k == ilr.KSlt && !less && !holds && !negative:
		b.atMost(c)
	case k == ilr.KSlt && less && !holds && !negative, k == ilr.KSlt && !less && holds &&
		(!negative || c == ^uint64(0)>>uint(64-w)):
		b.notNegative = true
	}
}

func (b *bounds) atMost(c uint64) {
	if !b.signed || c < b.most {
		b.most = c
	}
	b.signed = true
}
