package memory

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
	Term  ilr.Term
	Undef ilr.Term // which bits are indeterminate, or 0
	Word  int64
	Index int // index width
}

// ArrayOf turns c into an array without cells on top. want is the access width
// that asks for it.
func (e *Space) ArrayOf(o *Object, c *Content, want int64) *Content {
	d := *c
	if d.Array == nil {
		a := e.BaseArray(c.Base, o, want)
		d.Array = a
	}
	a := *d.Array
	last := int64(-1)
	d.Cells.Each(func(k int64, _ *Cell) {
		w := k / a.Word
		if w == last {
			return
		}
		last = w
		e.arrayPut(&a, e.s.Int(a.Index, w), e.ReadRaw(o, &d, w*a.Word, a.Word))
	})
	d.Array, d.Cells = &a, Trie[Cell]{}
	return &d
}

// arrayPut stores raw word v at index i.
func (e *Space) arrayPut(a *array, i ilr.Term, v Val) {
	a.Term = e.s.Store(a.Term, i, e.Num(v))
	if v.Undef != 0 && a.Undef == 0 {
		a.Undef = e.s.ArrConst(a.Index, e.s.Int(int(8*a.Word), 0))
	}
	if a.Undef != 0 {
		u := v.Undef
		if u == 0 {
			u = e.s.Int(int(8*a.Word), 0)
		}
		a.Undef = e.s.Store(a.Undef, i, u)
	}
}

// BaseArray is b as an array; made once.
func (e *Space) BaseArray(b *Base, o *Object, want int64) *array {
	if b.Array != nil {
		return b.Array
	}
	a := &array{Word: e.wordFor(b, o, want), Index: e.w}
	if o.CSize >= 0 && !e.Ranges {
		a.Index = max(1, mbits.Len64(uint64((o.CSize+a.Word-1)/a.Word)))
	}
	w := int(8 * a.Word)
	named := b.Cells
	switch b.Kind {
	case BaseTable:
		if len(b.Data) == 0 {
			a.Term = e.s.ArrConst(a.Index, e.s.Int(w, 0))
		} else {
			a.Term = e.s.ArrTable(a.Index, b.Data)
		}
	case BaseFill:
		a.Term = e.s.ArrConst(a.Index, e.Repeat(b.Fill, a.Word))
	default:
		a.Term = e.s.Fresh("mem!"+o.Name, ilr.Array(a.Index, w))
		switch {
		case b.Uninit && b.AnyMask:
			a.Undef = e.s.Fresh("mask!"+o.Name, ilr.Array(a.Index, w))
		case b.Uninit:
			a.Undef = e.s.ArrConst(a.Index, e.s.Int(w, -1))
		}
		if !b.Silent {
			e.Event(Event{Kind: input.Bytes, Instr: o.Instr, Guard: o.Born, Value: a.Term, Object: o.ID, Name: o.Name,
				Word: a.Word})
		}
	}
	e.linkNamed(b, o, a, named)
	b.Array = a
	return a
}

// linkNamed makes the bytes that already have cells agree with the array.
func (e *Space) linkNamed(b *Base, o *Object, a *array, named Trie[Cell]) {
	last := int64(-1)
	named.Each(func(k int64, _ *Cell) {
		w := k / a.Word
		if w == last {
			return
		}
		last = w
		v := e.baseRead(b, w*a.Word, a.Word)
		i := e.s.Int(a.Index, w)
		if b.Kind == BaseUnknown {
			e.Assume(e.s.Eq(e.s.Select(a.Term, i), e.Num(v)))
			return
		}
		e.arrayPut(a, i, v)
	})
}

// wordFor chooses the element size: that of the declared elements or of the
// first access where everything is uniform, else bytes.
func (e *Space) wordFor(b *Base, o *Object, want int64) int64 {
	if e.Ranges || len(b.Data) > 0 || o.CSize < 0 || o.CSize%want != 0 || want > 8 || want&(want-1) != 0 {
		return 1
	}
	t := o.Elem
	for t != nil && t.Kind == ir.KindArray {
		t = t.Elem
	}
	if t != nil && (t.IsAggregate() || e.lay.SizeOf(t) != want) {
		return 1
	}
	return want
}

// arrayAt is n bytes at a constant offset.
func (e *Space) arrayAt(a *array, off, n int64) Val {
	var parts []Val
	for i := off; i < off+n; {
		w, at := i/a.Word, i%a.Word
		k := min(a.Word-at, off+n-i)
		ix := e.s.Int(a.Index, w)
		v := Val{Term: e.bytesOf(e.s.Select(a.Term, ix), at, k)}
		if a.Undef != 0 {
			v.Undef = e.bytesOf(e.s.Select(a.Undef, ix), at, k)
		}
		parts = append(parts, v)
		i += k
	}
	return e.assemble(parts)
}

// arrayRead is n bytes at offset off.
func (e *Space) arrayRead(a *array, off ilr.Term, n int64) Val {
	var parts []Val
	if n%a.Word == 0 && e.LowZeros(off) >= Log2(a.Word) {
		i := e.Index(off, a)
		for k := int64(0); k < n/a.Word; k++ {
			ix := e.s.Add(i, e.s.Int(a.Index, k))
			v := Val{Term: e.s.Select(a.Term, ix)}
			if a.Undef != 0 {
				v.Undef = e.s.Select(a.Undef, ix)
			}
			parts = append(parts, v)
		}
		return e.assemble(parts)
	}
	for k := int64(0); k < n; k++ {
		ix, sh := e.byteAt(a, e.s.Add(off, e.s.Int(e.w, k)))
		v := Val{Term: e.s.Trunc(e.s.Lshr(e.s.Select(a.Term, ix), sh), 8)}
		if a.Undef != 0 {
			v.Undef = e.s.Trunc(e.s.Lshr(e.s.Select(a.Undef, ix), sh), 8)
		}
		parts = append(parts, v)
	}
	return e.assemble(parts)
}

// arrayWrite stores n bytes of raw value v at offset off.
func (e *Space) arrayWrite(a array, off ilr.Term, n int64, v Val) *array {
	t := e.num8(v, n)
	part := func(from, k int64) Val {
		x := Val{Term: e.bytesOf(t, from, k)}
		if v.Undef != 0 {
			x.Undef = e.bytesOf(v.Undef, from, k)
		}
		return x
	}
	if n%a.Word == 0 && e.LowZeros(off) >= Log2(a.Word) {
		i := e.Index(off, &a)
		for k := int64(0); k < n/a.Word; k++ {
			e.arrayPut(&a, e.s.Add(i, e.s.Int(a.Index, k)), part(k*a.Word, a.Word))
		}
		return &a
	}
	for k := int64(0); k < n; k++ {
		ix, sh := e.byteAt(&a, e.s.Add(off, e.s.Int(e.w, k)))
		x := part(k, 1)
		w := int(8 * a.Word)
		keep := e.s.BvNot(e.s.Shl(e.s.Int(w, 0xff), sh))
		put := func(old, b ilr.Term) ilr.Term { return e.s.BvOr(e.s.BvAnd(old, keep), e.s.Shl(e.s.Zext(b, w), sh)) }
		word := Val{Term: put(e.s.Select(a.Term, ix), x.Term)}
		if a.Undef != 0 || x.Undef != 0 {
			old, b := e.s.Int(w, 0), x.Undef
			if a.Undef != 0 {
				old = e.s.Select(a.Undef, ix)
			}
			if b == 0 {
				b = e.s.Int(8, 0)
			}
			word.Undef = put(old, b)
		}
		e.arrayPut(&a, ix, word)
	}
	return &a
}

// byteAt is the element that holds byte off and the shift down to it.
func (e *Space) byteAt(a *array, off ilr.Term) (ix, sh ilr.Term) {
	w := int(8 * a.Word)
	if a.Word == 1 {
		return e.Index(off, a), e.s.Int(w, 0)
	}
	k := Log2(a.Word)
	at := e.s.Trunc(off, k)
	if e.lay.BigEndian {
		at = e.s.BvNot(at)
	}
	return e.Index(off, a), e.s.Shl(e.s.Zext(at, w), e.s.Int(w, 3))
}

// Index is off / word, cut to the array's index width.
func (e *Space) Index(off ilr.Term, a *array) ilr.Term {
	i := e.divPow2(off, Log2(a.Word))
	if e.s.Width(i) < a.Index {
		return e.s.Zext(i, a.Index)
	}
	return e.Low(i, a.Index)
}
