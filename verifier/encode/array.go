package encode

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// array is an object's contents as an array of words: element i holds bytes
// i*word.. of the object, in the target's byte order. Indices are just wide
// enough for the object, which every access was checked to lie in.
type array struct {
	t    ilr.Term
	u    ilr.Term // which bits are indeterminate, or 0
	word int64
	idx  int // index width
}

// arrayOf turns c into an array without cells on top. want is the access width
// that asks for it.
func (e *encoder) arrayOf(o *object, c *content, want int64) *content {
	d := *c
	if d.arr == nil {
		a := e.baseArray(c.base, o, want)
		d.arr = a
	}
	a := *d.arr
	last := int64(-1)
	d.cells.each(func(k int64, _ *cell) {
		w := k / a.word
		if w == last {
			return
		}
		last = w
		e.arrayPut(&a, e.s.Int(a.idx, w), e.readRaw(o, &d, w*a.word, a.word))
	})
	d.arr, d.cells = &a, trie[cell]{}
	return &d
}

// arrayPut stores raw word v at index i.
func (e *encoder) arrayPut(a *array, i ilr.Term, v val) {
	a.t = e.s.Store(a.t, i, e.num(v))
	if v.u != 0 && a.u == 0 {
		a.u = e.s.ArrConst(a.idx, e.s.Int(int(8*a.word), 0))
	}
	if a.u != 0 {
		u := v.u
		if u == 0 {
			u = e.s.Int(int(8*a.word), 0)
		}
		a.u = e.s.Store(a.u, i, u)
	}
}

// baseArray is b as an array; made once.
func (e *encoder) baseArray(b *base, o *object, want int64) *array {
	if b.arr != nil {
		return b.arr
	}
	a := &array{word: e.wordFor(b, o, want), idx: e.w}
	if o.csize >= 0 && !e.ranges {
		a.idx = max(1, mbits.Len64(uint64((o.csize+a.word-1)/a.word)))
	}
	w := int(8 * a.word)
	named := b.cells
	switch b.kind {
	case baseTable:
		if len(b.data) == 0 {
			a.t = e.s.ArrConst(a.idx, e.s.Int(w, 0))
		} else {
			a.t = e.s.ArrTable(a.idx, b.data)
		}
	case baseFill:
		a.t = e.s.ArrConst(a.idx, e.repeat(b.fill, a.word))
	default:
		a.t = e.s.Fresh("mem!"+o.name, ilr.Array(a.idx, w))
		switch {
		case b.uninit && b.anyMask:
			a.u = e.s.Fresh("mask!"+o.name, ilr.Array(a.idx, w))
		case b.uninit:
			a.u = e.s.ArrConst(a.idx, e.s.Int(w, -1))
		}
		if !b.silent {
			e.event(Event{Kind: input.Bytes, Instr: o.in, Guard: o.born, Value: a.t, Object: o.id, Name: o.name,
				Word: a.word})
		}
	}
	e.linkNamed(b, o, a, named)
	b.arr = a
	return a
}

// linkNamed makes the bytes that already have cells agree with the array.
func (e *encoder) linkNamed(b *base, o *object, a *array, named trie[cell]) {
	last := int64(-1)
	named.each(func(k int64, _ *cell) {
		w := k / a.word
		if w == last {
			return
		}
		last = w
		v := e.baseRead(b, w*a.word, a.word)
		i := e.s.Int(a.idx, w)
		if b.kind == baseUnknown {
			e.assume(e.s.Eq(e.s.Select(a.t, i), e.num(v)))
			return
		}
		e.arrayPut(a, i, v)
	})
}

// wordFor chooses the element size: that of the declared elements or of the
// first access where everything is uniform, else bytes.
func (e *encoder) wordFor(b *base, o *object, want int64) int64 {
	if e.ranges || len(b.data) > 0 || o.csize < 0 || o.csize%want != 0 || want > 8 || want&(want-1) != 0 {
		return 1
	}
	t := o.elem
	for t != nil && t.Kind == ir.KindArray {
		t = t.Elem
	}
	if t != nil && (t.IsAggregate() || e.lay.SizeOf(t) != want) {
		return 1
	}
	return want
}

// arrayAt is n bytes at a constant offset.
func (e *encoder) arrayAt(a *array, off, n int64) val {
	var parts []val
	for i := off; i < off+n; {
		w, at := i/a.word, i%a.word
		k := min(a.word-at, off+n-i)
		ix := e.s.Int(a.idx, w)
		v := val{t: e.bytesOf(e.s.Select(a.t, ix), at, k)}
		if a.u != 0 {
			v.u = e.bytesOf(e.s.Select(a.u, ix), at, k)
		}
		parts = append(parts, v)
		i += k
	}
	return e.assemble(parts)
}

// arrayRead is n bytes at offset off.
func (e *encoder) arrayRead(a *array, off ilr.Term, n int64) val {
	var parts []val
	if n%a.word == 0 && e.lowZeros(off) >= log2(a.word) {
		i := e.index(off, a)
		for k := int64(0); k < n/a.word; k++ {
			ix := e.s.Add(i, e.s.Int(a.idx, k))
			v := val{t: e.s.Select(a.t, ix)}
			if a.u != 0 {
				v.u = e.s.Select(a.u, ix)
			}
			parts = append(parts, v)
		}
		return e.assemble(parts)
	}
	for k := int64(0); k < n; k++ {
		ix, sh := e.byteAt(a, e.s.Add(off, e.s.Int(e.w, k)))
		v := val{t: e.s.Trunc(e.s.Lshr(e.s.Select(a.t, ix), sh), 8)}
		if a.u != 0 {
			v.u = e.s.Trunc(e.s.Lshr(e.s.Select(a.u, ix), sh), 8)
		}
		parts = append(parts, v)
	}
	return e.assemble(parts)
}

// arrayWrite stores n bytes of raw value v at offset off.
func (e *encoder) arrayWrite(a array, off ilr.Term, n int64, v val) *array {
	t := e.num8(v, n)
	part := func(from, k int64) val {
		x := val{t: e.bytesOf(t, from, k)}
		if v.u != 0 {
			x.u = e.bytesOf(v.u, from, k)
		}
		return x
	}
	if n%a.word == 0 && e.lowZeros(off) >= log2(a.word) {
		i := e.index(off, &a)
		for k := int64(0); k < n/a.word; k++ {
			e.arrayPut(&a, e.s.Add(i, e.s.Int(a.idx, k)), part(k*a.word, a.word))
		}
		return &a
	}
	for k := int64(0); k < n; k++ {
		ix, sh := e.byteAt(&a, e.s.Add(off, e.s.Int(e.w, k)))
		x := part(k, 1)
		w := int(8 * a.word)
		keep := e.s.BvNot(e.s.Shl(e.s.Int(w, 0xff), sh))
		put := func(old, b ilr.Term) ilr.Term { return e.s.BvOr(e.s.BvAnd(old, keep), e.s.Shl(e.s.Zext(b, w), sh)) }
		word := val{t: put(e.s.Select(a.t, ix), x.t)}
		if a.u != 0 || x.u != 0 {
			old, b := e.s.Int(w, 0), x.u
			if a.u != 0 {
				old = e.s.Select(a.u, ix)
			}
			if b == 0 {
				b = e.s.Int(8, 0)
			}
			word.u = put(old, b)
		}
		e.arrayPut(&a, ix, word)
	}
	return &a
}

// byteAt is the element that holds byte off and the shift down to it.
func (e *encoder) byteAt(a *array, off ilr.Term) (ix, sh ilr.Term) {
	w := int(8 * a.word)
	if a.word == 1 {
		return e.index(off, a), e.s.Int(w, 0)
	}
	k := log2(a.word)
	at := e.s.Trunc(off, k)
	if e.lay.BigEndian {
		at = e.s.BvNot(at)
	}
	return e.index(off, a), e.s.Shl(e.s.Zext(at, w), e.s.Int(w, 3))
}

// index is off / word, cut to the array's index width.
func (e *encoder) index(off ilr.Term, a *array) ilr.Term {
	i := e.divPow2(off, log2(a.word))
	if e.s.Width(i) < a.idx {
		return e.s.Zext(i, a.idx)
	}
	return e.low(i, a.idx)
}
