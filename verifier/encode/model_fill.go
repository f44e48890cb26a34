package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// fillMemory sets n bytes at dst to b.
func (e *encoder) fillMemory(fr *frame, st *memory.State, in *ir.Instr, dst, b memory.Val, n ilr.Term) {
	some := e.someBytes(n)
	if e.s.IsFalse(some) {
		return
	}
	for _, t := range e.checkAccess(fr, st, in, dst, e.wantRange(n, true), some) {
		if t.vol != nil || t.obj == nil {
			continue
		}
		c := st.Get(t.obj)
		st.Put(t.obj, e.MergeContents(t.obj, e.s.And(t.g, some), e.fillInto(t.obj, c, t.off, b, n), c))
	}
}

// fillInto is c with n bytes from off on set to b.
func (e *encoder) fillInto(o *memory.Object, c *memory.Content, off ilr.Term, b memory.Val,
	n ilr.Term) *memory.Content {
	k, kok := e.ConstOf(n)
	t, tok := e.ConstOf(off)
	d := *c
	switch {
	case kok && tok && e.OutOf(o, t, int64(k)):
		return c // only where nothing goes
	case kok && tok && t == 0 && int64(k) == o.CSize && b.Undef == 0:
		d.Cells, d.Array = memory.Trie[memory.Cell]{}, nil
		if e.IsZero(b.Term) {
			d.Base = e.ZeroBase(o)
		} else {
			d.Base = &memory.Base{Kind: memory.BaseFill, Fill: b.Term, Object: o}
		}
		return &d
	case kok && tok && k <= policy.UnrolledBytes:
		d.Cells = c.Cells.Fill(int64(t), int64(k), &memory.Cell{Off: int64(t), N: int64(k), Fill: true, V: b})
		return &d
	case o.CSize >= 0 && o.CSize <= policy.GuardedBytes && c.Array == nil:
		step := e.grain(o, off, n)
		v := memory.Val{Term: e.Repeat(b.Term, step)}
		if b.Undef != 0 {
			v.Undef = e.Repeat(b.Undef, step)
		}
		for i := int64(0); i+step <= o.CSize; i += step {
			in := e.s.Ult(e.s.Sub(e.s.Int(e.w, i), off), n)
			if !e.s.IsFalse(in) {
				d = *e.WriteRaw(&d, i, step, e.Pick(in, v, e.ReadRaw(o, c, i, step)))
			}
		}
		return &d
	}
	a := e.ArrayOf(o, c, 1)
	if a.Array.Word != 1 && (e.LowZeros(off) < memory.Log2(a.Array.Word) || e.LowZeros(n) < memory.Log2(a.Array.Word)) {
		a = e.ToBytes(o, a)
	}
	d, m := *a, *a.Array
	m.Term = e.s.ArrSet(m.Term, e.Index(off, a.Array), e.Index(n, a.Array), e.Repeat(b.Term, m.Word))
	if m.Undef != 0 || b.Undef != 0 {
		if m.Undef == 0 {
			m.Undef = e.s.ArrConst(m.Index, e.s.Int(int(8*m.Word), 0))
		}
		u := b.Undef
		if u == 0 {
			u = e.s.Int(8, 0)
		}
		m.Undef = e.s.ArrSet(m.Undef, e.Index(off, a.Array), e.Index(n, a.Array), e.Repeat(u, m.Word))
	}
	d.Array = &m
	return &d
}

// havocMemory makes n bytes at dst unknown.
func (e *encoder) havocMemory(fr *frame, st *memory.State, in *ir.Instr, dst memory.Val, n ilr.Term) {
	some := e.someBytes(n)
	if e.s.IsFalse(some) {
		return
	}
	ts := e.checkAccess(fr, st, in, dst, want{n: n, align: 1, write: true, what: "write"}, some)
	if st.PC == nil {
		return
	}
	e.havocTargets(st, in, ts, n, some, "havoc")
}

// havocTargets makes n bytes at each of ts unknown under its guard, and under some.
// name is what the input is called.
func (e *encoder) havocTargets(st *memory.State, in *ir.Instr, ts []target, n, some ilr.Term, name string) {
	ev := memory.Event{Kind: input.Havoc, Instr: in, Guard: e.s.And(st.PC.All, some), Name: name}
	k, kok := e.ConstOf(n)
	// One unknown block, as wide as the range; the targets take their part of it.
	size := e.s.Int(e.w, -1)
	if kok {
		size = n
	}
	o := &memory.Object{Kind: memory.ObjHeap, Name: "havoc", Size: size, CSize: -1, Align: 1, Instr: in, Born: e.s.True()}
	if kok {
		o.CSize = int64(k)
	}
	if len(ts) == 1 && ts[0].obj != nil && kok && ts[0].obj.CSize == int64(k) {
		o.Elem = ts[0].obj.Elem
	}
	b := &memory.Base{Kind: memory.BaseUnknown, Object: o, Silent: true}
	src := &memory.Content{Live: e.s.True(), Base: b}
	for _, t := range ts {
		if t.obj == nil || t.vol != nil {
			continue
		}
		c := st.Get(t.obj)
		d, ok := e.copyInto(t.obj, c, t.off, o, src, e.s.Int(e.w, 0), n)
		if !ok {
			e.gap(st, in, verdict.Unsupported, "havoc of unknown length in an object of this layout")
			return
		}
		st.Put(t.obj, e.MergeContents(t.obj, e.s.And(t.g, some), d, c))
	}
	ev.Block = b
	e.Event(ev)
}
