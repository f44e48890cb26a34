package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// ranges evaluates memcpy and its relatives. A symbolic length is one range
// write, never a loop (LL-131).
func (c *modelCall) ranges(m ir.Model) (memory.Val, bool) {
	e, st := c.encoder, c.st
	switch m {
	case ir.ModelMemcpy, ir.ModelMemmove:
		n := c.count(2)
		e.copyMemory(c.fr, st, c.in, c.args[0], c.args[1], n, m == ir.ModelMemcpy)
		return c.args[0], true
	case ir.ModelMemset:
		n := c.count(2)
		if st.PC != nil {
			b := memory.Val{Term: e.s.Trunc(e.Num(c.args[1]), 8)}
			if c.args[1].Undef != 0 {
				b.Undef = e.s.Trunc(c.args[1].Undef, 8)
			}
			e.fillMemory(c.fr, st, c.in, c.args[0], b, n)
		}
		return c.args[0], true
	case ir.ModelHavoc, ir.ModelMakeSymbolic:
		n := c.count(1)
		if st.PC != nil {
			e.havocMemory(c.fr, st, c.in, c.args[0], n)
		}
		return c.number(0), true
	case ir.ModelHavocObj:
		if a, ok := c.args[0].Ptr.Only(); ok && a.Object != nil {
			e.havocMemory(c.fr, st, c.in, memory.Val{Ptr: e.To(a.Object, 0)}, a.Object.Size)
		} else {
			c.havocObjects(c.args[0])
		}
		return c.number(0), true
	}
	return memory.Val{}, false
}

// someBytes is the condition that a range of n bytes is not empty.
func (e *encoder) someBytes(n ilr.Term) ilr.Term { return e.s.Not(e.Eq(n, e.s.Int(e.w, 0))) }

// copyMemory copies n bytes, with the claims that both ranges are valid and,
// with disjoint, do not overlap unless they are the same.
func (e *encoder) copyMemory(fr *frame, st *memory.State, in *ir.Instr, dst, src memory.Val, n ilr.Term,
	disjoint bool) {
	some := e.someBytes(n)
	if st.PC == nil || e.s.IsFalse(some) {
		return
	}
	from := e.checkAccess(fr, st, in, src, e.wantRange(n, false), some)
	if st.PC == nil {
		return
	}
	to := e.checkAccess(fr, st, in, dst, e.wantRange(n, true), some)
	if st.PC == nil {
		return
	}
	if disjoint {
		e.checkOverlap(fr, st, in, to, from, n)
		if st.PC == nil {
			return
		}
	}
	volatile := in.Flags.Has(ir.Volatile)
	when := e.s.False()
	old := map[*memory.Object]*memory.Content{}
	for i, s := range from {
		switch {
		case s.vol != nil, s.obj != nil && volatile && e.volatileFresh(s.obj):
			when = e.s.Or(when, s.g)
			from[i].obj = nil
		case s.obj != nil:
			old[s.obj] = st.Get(s.obj)
		}
	}
	if e.fork(st, when) != nil {
		defer e.havocTargets(st, in, to, n, e.s.And(some, when), "volatile")
	}
	for _, d := range to {
		for _, s := range from {
			g := e.s.And(d.g, s.g, some)
			if d.obj == nil || s.obj == nil || e.s.IsFalse(g) {
				continue
			}
			c := st.Get(d.obj)
			x, ok := e.copyInto(d.obj, c, d.off, s.obj, old[s.obj], s.off, n)
			if !ok {
				e.gap(st, in, verdict.Unsupported, "copy of unknown length between objects of different layouts")
				return
			}
			st.Put(d.obj, e.MergeContents(d.obj, g, x, c))
		}
	}
}

// gapWhen ends the paths of st on which g holds.
func (e *encoder) gapWhen(st *memory.State, in *ir.Instr, g ilr.Term, format string, args ...any) {
	if one := e.fork(st, g); one != nil {
		e.gap(one, in, verdict.Unsupported, format, args...)
	}
	st.PC = e.And(st.PC, e.s.Not(g))
}

// checkOverlap claims that two valid ranges of n bytes are apart or the same.
func (e *encoder) checkOverlap(fr *frame, st *memory.State, in *ir.Instr, to, from []target, n ilr.Term) {
	bad := e.s.False()
	for _, d := range to {
		for _, s := range from {
			if d.obj == nil || d.obj != s.obj {
				continue
			}
			apart := e.s.Or(e.Eq(d.off, s.off), e.s.Ule(n, e.s.Sub(e.larger(d.off, s.off), e.smaller(d.off, s.off))))
			bad = e.s.Or(bad, e.s.And(d.g, s.g, e.s.Not(apart)))
		}
	}
	e.claimNot(fr, st, in, verdict.Memory, bad, true, "copy between overlapping ranges")
}

func (e *encoder) larger(a, b ilr.Term) ilr.Term       { return e.s.Ite(e.s.Ult(a, b), b, a) }
func (e *encoder) smaller(a, b ilr.Term) ilr.Term      { return e.s.Ite(e.s.Ult(a, b), a, b) }
func (e *encoder) offset(t ilr.Term, k int64) ilr.Term { return e.s.Add(t, e.s.Int(e.w, k)) }

// copyInto is c with n bytes from off to on taken from offset from of so, whose
// content is sc; both ranges are valid or n is 0. It fails when the arrays differ in shape.
func (e *encoder) copyInto(o *memory.Object, c *memory.Content, to ilr.Term, so *memory.Object, sc *memory.Content,
	from, n ilr.Term) (*memory.Content,
	bool) {
	k, kok := e.ConstOf(n)
	t, tok := e.ConstOf(to)
	f, fok := e.ConstOf(from)
	switch {
	case kok && tok && e.OutOf(o, t, int64(k)) || kok && fok && e.OutOf(so, f, int64(k)):
		return c, true // only where nothing goes
	case kok && tok && fok && t == 0 && f == 0 && int64(k) == o.CSize && o.CSize == so.CSize &&
		(o == so || o.CSize > 64):
		d := *sc
		d.Live = c.Live
		return &d, true
	case kok && tok && fok && k <= policy.UnrolledBytes:
		return e.copyCells(o, c, int64(t), so, sc, int64(f), int64(k)), true
	case kok && k <= 64, kok && k <= 256 && e.fitsUnrolled(o, c, to, k) && e.fitsUnrolled(so, sc, from, k):
		return e.copyWords(o, c, to, so, sc, from, int64(k)), true
	case o.CSize >= 0 && o.CSize <= policy.GuardedBytes && c.Array == nil:
		return e.copyGuarded(o, c, to, so, sc, from, n), true
	}
	a, b := e.ArrayOf(o, c, 1), e.ArrayOf(so, sc, 1)
	if a.Array.Word != 1 || b.Array.Word != 1 {
		if o.CSize > 1<<14 || so.CSize > 1<<14 {
			return nil, false
		}
		a, b = e.ToBytes(o, a), e.ToBytes(so, b)
	}
	if a.Array.Index != b.Array.Index {
		if kok && k <= policy.UnrolledBytes {
			return e.copyWords(o, c, to, so, sc, from, int64(k)), true
		}
		return nil, false
	}
	idx := func(t ilr.Term) ilr.Term { return e.Index(t, a.Array) }
	d, m := *a, *a.Array
	m.Term = e.s.ArrCopy(a.Array.Term, idx(to), b.Array.Term, idx(from), idx(n))
	if a.Array.Undef != 0 || b.Array.Undef != 0 {
		none := e.s.ArrConst(m.Index, e.s.Int(8, 0))
		x, y := a.Array.Undef, b.Array.Undef
		if x == 0 {
			x = none
		}
		if y == 0 {
			y = none
		}
		m.Undef = e.s.ArrCopy(x, idx(to), y, idx(from), idx(n))
	}
	d.Array = &m
	return &d, true
}

// fitsUnrolled: k bytes at an unknown offset of o are cheap enough word by word.
func (e *encoder) fitsUnrolled(o *memory.Object, c *memory.Content, off ilr.Term, k uint64) bool {
	_, ok := e.PlacesOf(o, c, off, int64(min(k, uint64(e.w/8))), true)
	return ok
}

// copyCells copies a constant range, cell by cell, so that what was written as
// a whole stays whole.
func (e *encoder) copyCells(o *memory.Object, c *memory.Content, to int64, so *memory.Object, sc *memory.Content,
	from, n int64) *memory.Content {
	for i := int64(0); i < n; {
		k := e.chunk(so, sc, from+i, n-i)
		c = e.WriteRaw(c, to+i, k, e.ReadRaw(so, sc, from+i, k))
		i += k
	}
	return c
}

// chunk is how many of the left bytes at off of o to copy as one.
func (e *encoder) chunk(o *memory.Object, c *memory.Content, off, left int64) int64 {
	for _, t := range []memory.Trie[memory.Cell]{c.Cells, c.Base.Cells} {
		if x := t.Get(off); x != nil {
			if x.Fill {
				return min(left, 8, memory.Covered(t, x, off, left))
			}
			return memory.Covered(t, x, off, min(left, x.Off+x.N-off))
		}
	}
	k := int64(1)
	if o.Elem != nil {
		if at, n := e.Leaf(o.Elem, off); at == off && n <= left {
			k = n
		}
	}
	return max(1, min(k, memory.Covered(c.Cells, nil, off, k)))
}

// copyWords copies a constant length between unknown offsets in the widest
// words that both allow.
func (e *encoder) copyWords(o *memory.Object, c *memory.Content, to ilr.Term, so *memory.Object, sc *memory.Content,
	from ilr.Term,
	n int64) *memory.Content {
	for i := int64(0); i < n; {
		k := int64(e.w / 8)
		for k > 1 && (i+k > n || e.LowZeros(e.offset(to, i)) < memory.Log2(k) || e.LowZeros(e.offset(from,
			i)) < memory.Log2(k)) {
			k /= 2
		}
		c = e.WriteAt(o, c, e.offset(to, i), k, e.ReadAt(so, sc, e.offset(from, i), k))
		i += k
	}
	return c
}

// copyGuarded writes every byte (or word) of a small object that may lie in the range.
func (e *encoder) copyGuarded(o *memory.Object, c *memory.Content, to ilr.Term, so *memory.Object, sc *memory.Content,
	from, n ilr.Term) *memory.Content {
	step := e.grain(o, to, from, n)
	out := c
	for k := int64(0); k+step <= o.CSize; k += step {
		rel := e.s.Sub(e.s.Int(e.w, k), to)
		in := e.s.Ult(rel, n)
		if e.s.IsFalse(in) {
			continue
		}
		v := e.ReadAt(so, sc, e.s.Add(rel, from), step)
		out = e.WriteRaw(out, k, step, e.Pick(in, v, e.ReadRaw(o, c, k, step)))
	}
	return out
}

// grain is the word in which a guarded range write can go: all of its ends are
// multiples of it, and so is the object's size.
func (e *encoder) grain(o *memory.Object, ts ...ilr.Term) int64 {
	k := int64(e.w / 8)
	for ; k > 1; k /= 2 {
		fits := o.CSize%k == 0
		for _, t := range ts {
			fits = fits && e.LowZeros(t) >= memory.Log2(k)
		}
		if fits {
			break
		}
	}
	return k
}
