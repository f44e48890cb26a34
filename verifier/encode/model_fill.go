package encode

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// fillMemory sets n bytes at dst to b.
func (e *encoder) fillMemory(fr *frame, st *state, in *ir.Instr, dst, b val, n ilr.Term) {
	some := e.someBytes(n)
	if e.s.IsFalse(some) {
		return
	}
	for _, t := range e.checkAccess(fr, st, in, dst, e.wantRange(n, true), some) {
		if t.vol != nil || t.obj == nil {
			continue
		}
		c := st.get(t.obj)
		st.put(t.obj, e.mergeContents(t.obj, e.s.And(t.g, some), e.fillInto(t.obj, c, t.off, b, n), c))
	}
}

// fillInto is c with n bytes from off on set to b.
func (e *encoder) fillInto(o *object, c *content, off ilr.Term, b val, n ilr.Term) *content {
	k, kok := e.constOf(n)
	t, tok := e.constOf(off)
	d := *c
	switch {
	case kok && tok && e.outOf(o, t, int64(k)):
		return c // only where nothing goes
	case kok && tok && t == 0 && int64(k) == o.csize && b.u == 0:
		d.cells, d.arr = trie[cell]{}, nil
		if e.isZero(b.t) {
			d.base = e.zeroBase(o)
		} else {
			d.base = &base{kind: baseFill, fill: b.t, obj: o}
		}
		return &d
	case kok && tok && k <= policy.UnrolledBytes:
		d.cells = c.cells.fill(int64(t), int64(k), &cell{off: int64(t), n: int64(k), fill: true, v: b})
		return &d
	case o.csize >= 0 && o.csize <= policy.GuardedBytes && c.arr == nil:
		step := e.grain(o, off, n)
		v := val{t: e.repeat(b.t, step)}
		if b.u != 0 {
			v.u = e.repeat(b.u, step)
		}
		for i := int64(0); i+step <= o.csize; i += step {
			in := e.s.Ult(e.s.Sub(e.s.Int(e.w, i), off), n)
			if !e.s.IsFalse(in) {
				d = *e.writeRaw(&d, i, step, e.pick(in, v, e.readRaw(o, c, i, step)))
			}
		}
		return &d
	}
	a := e.arrayOf(o, c, 1)
	if a.arr.word != 1 && (e.lowZeros(off) < log2(a.arr.word) || e.lowZeros(n) < log2(a.arr.word)) {
		a = e.toBytes(o, a)
	}
	d, m := *a, *a.arr
	m.t = e.s.ArrSet(m.t, e.index(off, a.arr), e.index(n, a.arr), e.repeat(b.t, m.word))
	if m.u != 0 || b.u != 0 {
		if m.u == 0 {
			m.u = e.s.ArrConst(m.idx, e.s.Int(int(8*m.word), 0))
		}
		u := b.u
		if u == 0 {
			u = e.s.Int(8, 0)
		}
		m.u = e.s.ArrSet(m.u, e.index(off, a.arr), e.index(n, a.arr), e.repeat(u, m.word))
	}
	d.arr = &m
	return &d
}

func (e *encoder) isZero(t ilr.Term) bool {
	c, ok := e.constOf(t)
	return ok && c == 0
}

// havocMemory makes n bytes at dst unknown.
func (e *encoder) havocMemory(fr *frame, st *state, in *ir.Instr, dst val, n ilr.Term) {
	some := e.someBytes(n)
	if e.s.IsFalse(some) {
		return
	}
	ts := e.checkAccess(fr, st, in, dst, want{n: n, align: 1, write: true, what: "write"}, some)
	if st.pc == nil {
		return
	}
	e.havocTargets(st, in, ts, n, some, "havoc")
}

// havocTargets makes n bytes at each of ts unknown under its guard, and under some.
// name is what the input is called.
func (e *encoder) havocTargets(st *state, in *ir.Instr, ts []target, n, some ilr.Term, name string) {
	ev := Event{Kind: input.Havoc, Instr: in, Guard: e.s.And(st.pc.all, some), Name: name}
	k, kok := e.constOf(n)
	// One unknown block, as wide as the range; the targets take their part of it.
	size := e.s.Int(e.w, -1)
	if kok {
		size = n
	}
	o := &object{kind: objHeap, name: "havoc", size: size, csize: -1, align: 1, in: in, born: e.s.True()}
	if kok {
		o.csize = int64(k)
	}
	if len(ts) == 1 && ts[0].obj != nil && kok && ts[0].obj.csize == int64(k) {
		o.elem = ts[0].obj.elem
	}
	b := &base{kind: baseUnknown, obj: o, silent: true}
	src := &content{live: e.s.True(), base: b}
	for _, t := range ts {
		if t.obj == nil || t.vol != nil {
			continue
		}
		c := st.get(t.obj)
		d, ok := e.copyInto(t.obj, c, t.off, o, src, e.s.Int(e.w, 0), n)
		if !ok {
			e.gap(st, in, verdict.Unsupported, "havoc of unknown length in an object of this layout")
			return
		}
		st.put(t.obj, e.mergeContents(t.obj, e.s.And(t.g, some), d, c))
	}
	ev.block = b
	e.event(ev)
}
