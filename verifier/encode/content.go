package encode

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// content is the memory of one object at one moment; it is never changed once
// shared. A byte is in the cell that covers it, else in arr, else in base.
type content struct {
	live  ilr.Term // Bool
	cells trie[cell]
	base  *base
	arr   *array // once written at an unknown offset, nil before
}

// cell is a value as wide as it was written. Every byte that it still holds
// points to it, so overwriting a part needs no splitting.
type cell struct {
	off, n int64
	v      val   // raw: p, or t of 8n bits
	fill   bool  // v.t is one byte that all n bytes have
	of     *cell // the same value before a decision narrowed it, or nil
}

// root is the cell as it was written.
func (x *cell) root() *cell {
	if x.of != nil {
		return x.of
	}
	return x
}

// baseKind says what bytes no cell covers hold.
type baseKind uint8

const (
	baseInvalid baseKind = iota
	baseTable            // data, then zeros
	baseFill             // fill everywhere
	baseUnknown          // anything: named as they are read
)

// base is the contents of an object before any write. The bytes of an unknown
// one get their variables when they are first read, the same on every path.
type base struct {
	kind   baseKind
	data   []byte
	fill   ilr.Term
	cells  trie[cell] // relocations of a table; named bytes of an unknown base
	arr    *array     // as an array, once needed
	uninit bool       // never written: indeterminate
	// with uninit, of an array: which bits are indeterminate is unknown
	anyMask bool
	silent  bool // no event per byte: the event of the whole block tells them
	obj     *object
}

func (e *encoder) unknownBase(o *object) *base {
	return &base{kind: baseUnknown, obj: o, uninit: e.shadow && (o.kind == objStack || o.kind == objHeap)}
}

func (e *encoder) zeroBase(o *object) *base { return &base{kind: baseTable, obj: o} }

// readRaw is bytes off..off+n of c as a pointer or a bit-vector.
func (e *encoder) readRaw(o *object, c *content, off, n int64) val {
	if x := c.cells.get(off); x != nil && x.off == off && x.n == n && !x.fill && covered(c.cells, x, off, n) == n {
		return x.v
	}
	var parts []val
	for i := off; i < off+n; {
		x := c.cells.get(i)
		k := covered(c.cells, x, i, off+n-i)
		switch {
		case x != nil:
			parts = append(parts, e.slice(x, i-x.off, k))
		case c.arr != nil:
			parts = append(parts, e.arrayAt(c.arr, i, k))
		default:
			parts = append(parts, e.baseRead(c.base, i, k))
		}
		i += k
	}
	return e.assemble(parts)
}

// covered is how many of the n bytes from i on lie in x (nil: in no cell).
func covered(t trie[cell], x *cell, i, n int64) int64 {
	for k := int64(0); k < n; k++ {
		if t.get(i+k) != x {
			return k
		}
	}
	return n
}

// slice is bytes from..from+n of a cell.
func (e *encoder) slice(x *cell, from, n int64) val {
	if x.fill {
		out := val{t: e.repeat(x.v.t, n)}
		if x.v.u != 0 {
			out.u = e.repeat(x.v.u, n)
		}
		return out
	}
	if from == 0 && n == x.n {
		return x.v
	}
	out := val{t: e.bytesOf(e.num8(x.v, x.n), from, n)}
	if x.v.u != 0 {
		out.u = e.bytesOf(x.v.u, from, n)
	}
	return out
}

// num8 is a raw value as a bit-vector of n bytes.
func (e *encoder) num8(v val, n int64) ilr.Term {
	t := e.num(v)
	if e.s.Width(t) < int(8*n) {
		t = e.s.Zext(t, int(8*n))
	}
	return t
}

// bytesOf is bytes from..from+n, in memory order, of the value t.
func (e *encoder) bytesOf(t ilr.Term, from, n int64) ilr.Term {
	lo := 8 * from
	if e.lay.BigEndian {
		lo = int64(e.s.Width(t)) - 8*(from+n)
	}
	return e.s.Extract(t, int(lo+8*n-1), int(lo))
}

// assemble joins parts in memory order (LL-79).
func (e *encoder) assemble(parts []val) val {
	if len(parts) == 1 {
		return parts[0]
	}
	t, u := ilr.Term(0), ilr.Term(0)
	hasU := false
	for _, p := range parts {
		hasU = hasU || p.u != 0
	}
	for _, p := range parts {
		pt := e.num(p)
		t = e.append(t, pt)
		if hasU {
			pu := p.u
			if pu == 0 {
				pu = e.s.Int(e.s.Width(pt), 0)
			}
			u = e.append(u, pu)
		}
	}
	return val{t: t, u: u}
}

// append puts part behind t in memory order.
func (e *encoder) append(t, part ilr.Term) ilr.Term {
	switch {
	case t == 0:
		return part
	case e.lay.BigEndian:
		return e.s.Concat(t, part)
	}
	return e.s.Concat(part, t)
}

func (e *encoder) repeat(b ilr.Term, n int64) ilr.Term {
	t := b
	for have := int64(1); have < n; {
		k := min(have, n-have)
		part := t
		if k < have {
			part = e.s.Trunc(t, int(8*k))
		}
		t = e.s.Concat(t, part)
		have += k
	}
	return t
}

// baseRead is n bytes of b from off on, none of which is in a cell of the content.
func (e *encoder) baseRead(b *base, off, n int64) val {
	if x := b.cells.get(off); x != nil && x.off == off && x.n == n && covered(b.cells, x, off, n) == n {
		return x.v
	}
	var parts []val
	for i := off; i < off+n; {
		x := b.cells.get(i)
		k := covered(b.cells, x, i, off+n-i)
		switch {
		case x != nil:
			parts = append(parts, e.slice(x, i-x.off, k))
		case b.arr != nil:
			parts = append(parts, e.arrayAt(b.arr, i, k))
		case b.kind == baseTable:
			parts = append(parts, val{t: e.literal(b.data, i, k)})
		case b.kind == baseFill:
			parts = append(parts, val{t: e.repeat(b.fill, k)})
		default:
			parts = append(parts, e.nameBytes(b, i, k))
		}
		i += k
	}
	return e.assemble(parts)
}

// literal is k bytes of data from i on.
func (e *encoder) literal(data []byte, i, k int64) ilr.Term {
	t := ilr.Term(0)
	for ; k > 0; k-- {
		v := byte(0)
		if i < int64(len(data)) {
			v = data[i]
		}
		t = e.append(t, e.s.Int(8, int64(v)))
		i++
	}
	return t
}

// nameBytes gives the bytes off..off+n of an unknown base a variable.
func (e *encoder) nameBytes(b *base, off, n int64) val {
	v := val{t: e.s.Fresh("mem!"+b.obj.name, ilr.BV(int(8*n)))}
	if b.uninit {
		v.u = e.s.Int(int(8*n), -1)
	}
	x := &cell{off: off, n: n, v: v}
	b.cells = b.cells.fill(off, n, x)
	if !b.silent {
		e.event(Event{Kind: input.Bytes, Instr: b.obj.in, Guard: b.obj.born, Value: v.t, Object: b.obj.id,
			Offset: off, Name: b.obj.name})
	}
	return v
}

// writeRaw is c with n bytes from off on replaced by raw value v.
func (e *encoder) writeRaw(c *content, off, n int64, v val) *content {
	d := *c
	d.cells = c.cells.fill(off, n, &cell{off: off, n: n, v: v})
	return &d
}

// fromRaw reads a scalar of type t out of raw bytes.
func (e *encoder) fromRaw(v val, t *ir.Type) val {
	out := val{}
	switch {
	case t.Kind == ir.KindPtr:
		out.p = e.asPtr(v)
	case v.p != nil && t.Kind == ir.KindInt && t.Width == e.w:
		out.p, out.t = v.p, v.t
	default:
		n := e.num(v)
		if e.s.Width(n) > t.Width {
			n = e.s.Trunc(n, t.Width)
		}
		if t.Kind == ir.KindFloat {
			out.t = n
		} else {
			out = e.scalar(n)
		}
	}
	if v.u != 0 {
		out.u = v.u
		if w := e.bitsOf(t); e.s.Width(v.u) > w {
			out.u = e.s.Trunc(v.u, w)
		}
		out.u = e.tidy(out.u)
	}
	return out
}

// toRaw is a scalar of type t as the bytes of a store.
func (e *encoder) toRaw(v val, t *ir.Type) val {
	n := int(8 * e.lay.StoreSize(t))
	out := val{u: v.u}
	if v.u != 0 && e.s.Width(v.u) < n {
		out.u = e.s.Zext(v.u, n)
	}
	if v.p != nil && n == e.w {
		out.p, out.t = v.p, v.t
		return out
	}
	out.t = e.num(v)
	if e.s.Width(out.t) < n {
		out.t = e.s.Zext(out.t, n)
	}
	return out
}

// bitsOf is the width of a scalar type.
func (e *encoder) bitsOf(t *ir.Type) int {
	if t.Kind == ir.KindPtr {
		return e.w
	}
	return t.Width
}
