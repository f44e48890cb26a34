package memory

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Content is the memory of one object at one moment; it is never changed once
// shared. A byte is in the cell that covers it, else in arr, else in base.
type Content struct {
	Live  ilr.Term // Bool
	Cells Trie[Cell]
	Base  *Base
	Array *array // once written at an unknown offset, nil before
}

// Cell is a value as wide as it was written. Every byte that it still holds
// points to it, so overwriting a part needs no splitting.
type Cell struct {
	Off, N int64
	V      Val   // raw: p, or t of 8n bits
	Fill   bool  // v.t is one byte that all n bytes have
	Of     *Cell // the same value before a decision narrowed it, or nil
}

// Root is the cell as it was written.
func (x *Cell) Root() *Cell {
	if x.Of != nil {
		return x.Of
	}
	return x
}

// baseKind says what bytes no cell covers hold.
type baseKind uint8

const (
	BaseInvalid baseKind = iota
	BaseTable            // data, then zeros
	BaseFill             // fill everywhere
	BaseUnknown          // anything: named as they are read
)

// Base is the contents of an object before any write. The bytes of an unknown
// one get their variables when they are first read, the same on every path.
type Base struct {
	Kind   baseKind
	Data   []byte
	Fill   ilr.Term
	Cells  Trie[Cell] // relocations of a table; named bytes of an unknown base
	Array  *array     // as an array, once needed
	Uninit bool       // never written: indeterminate
	// with uninit, of an array: which bits are indeterminate is unknown
	AnyMask bool
	Silent  bool // no event per byte: the event of the whole block tells them
	Object  *Object
}

func (e *Space) UnknownBase(o *Object) *Base {
	return &Base{Kind: BaseUnknown, Object: o, Uninit: e.Shadow && (o.Kind == ObjStack || o.Kind == ObjHeap)}
}

func (e *Space) ZeroBase(o *Object) *Base { return &Base{Kind: BaseTable, Object: o} }

// ReadRaw is bytes off..off+n of c as a pointer or a bit-vector.
func (e *Space) ReadRaw(o *Object, c *Content, off, n int64) Val {
	return e.readCells(c.Cells, off, n, func(i, k int64) Val {
		if c.Array != nil {
			return e.arrayAt(c.Array, i, k)
		}
		return e.baseRead(c.Base, i, k)
	})
}

// readCells is n bytes from off on: of cells, and of rest(i, k) the k bytes from i on that no cell has.
func (e *Space) readCells(cells Trie[Cell], off, n int64, rest func(i, k int64) Val) Val {
	if x := cells.Get(off); x != nil && x.Off == off && x.N == n && !x.Fill && Covered(cells, x, off, n) == n {
		return x.V
	}
	var parts []Val
	for i := off; i < off+n; {
		x := cells.Get(i)
		k := Covered(cells, x, i, off+n-i)
		if x != nil {
			parts = append(parts, e.slice(x, i-x.Off, k))
		} else {
			parts = append(parts, rest(i, k))
		}
		i += k
	}
	return e.assemble(parts)
}

// Covered is how many of the n bytes from i on lie in x (nil: in no cell).
func Covered(t Trie[Cell], x *Cell, i, n int64) int64 {
	for k := int64(0); k < n; k++ {
		if t.Get(i+k) != x {
			return k
		}
	}
	return n
}

// slice is bytes from..from+n of a cell.
func (e *Space) slice(x *Cell, from, n int64) Val {
	if x.Fill {
		out := Val{Term: e.Repeat(x.V.Term, n)}
		if x.V.Undef != 0 {
			out.Undef = e.Repeat(x.V.Undef, n)
		}
		return out
	}
	if from == 0 && n == x.N {
		return x.V
	}
	out := Val{Term: e.bytesOf(e.num8(x.V, x.N), from, n)}
	if x.V.Undef != 0 {
		out.Undef = e.bytesOf(x.V.Undef, from, n)
	}
	return out
}

// num8 is a raw value as a bit-vector of n bytes.
func (e *Space) num8(v Val, n int64) ilr.Term {
	t := e.Num(v)
	if e.s.Width(t) < int(8*n) {
		t = e.s.Zext(t, int(8*n))
	}
	return t
}

// bytesOf is bytes from..from+n, in memory order, of the value t.
func (e *Space) bytesOf(t ilr.Term, from, n int64) ilr.Term {
	lo := 8 * from
	if e.lay.BigEndian {
		lo = int64(e.s.Width(t)) - 8*(from+n)
	}
	return e.s.Extract(t, int(lo+8*n-1), int(lo))
}

// assemble joins parts in memory order (LL-79).
func (e *Space) assemble(parts []Val) Val {
	if len(parts) == 1 {
		return parts[0]
	}
	t, u := ilr.Term(0), ilr.Term(0)
	hasU := false
	for _, p := range parts {
		hasU = hasU || p.Undef != 0
	}
	for _, p := range parts {
		pt := e.Num(p)
		t = e.Append(t, pt)
		if hasU {
			pu := p.Undef
			if pu == 0 {
				pu = e.s.Int(e.s.Width(pt), 0)
			}
			u = e.Append(u, pu)
		}
	}
	return Val{Term: t, Undef: u}
}

// Append puts part behind t in memory order.
func (e *Space) Append(t, part ilr.Term) ilr.Term {
	switch {
	case t == 0:
		return part
	case e.lay.BigEndian:
		return e.s.Concat(t, part)
	}
	return e.s.Concat(part, t)
}

func (e *Space) Repeat(b ilr.Term, n int64) ilr.Term {
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
func (e *Space) baseRead(b *Base, off, n int64) Val {
	return e.readCells(b.Cells, off, n, func(i, k int64) Val {
		switch {
		case b.Array != nil:
			return e.arrayAt(b.Array, i, k)
		case b.Kind == BaseTable:
			return Val{Term: e.literal(b.Data, i, k)}
		case b.Kind == BaseFill:
			return Val{Term: e.Repeat(b.Fill, k)}
		}
		return e.nameBytes(b, i, k)
	})
}

// literal is k bytes of data from i on.
func (e *Space) literal(data []byte, i, k int64) ilr.Term {
	t := ilr.Term(0)
	for ; k > 0; k-- {
		v := byte(0)
		if i < int64(len(data)) {
			v = data[i]
		}
		t = e.Append(t, e.s.Int(8, int64(v)))
		i++
	}
	return t
}

// nameBytes gives the bytes off..off+n of an unknown base a variable.
func (e *Space) nameBytes(b *Base, off, n int64) Val {
	v := Val{Term: e.s.Fresh("mem!"+b.Object.Name, ilr.BV(int(8*n)))}
	if b.Uninit {
		v.Undef = e.s.Int(int(8*n), -1)
	}
	x := &Cell{Off: off, N: n, V: v}
	b.Cells = b.Cells.Fill(off, n, x)
	if !b.Silent {
		e.Event(Event{Kind: input.Bytes, Instr: b.Object.Instr, Guard: b.Object.Born, Value: v.Term, Object: b.Object.ID,
			Offset: off, Name: b.Object.Name})
	}
	return v
}

// WriteRaw is c with n bytes from off on replaced by raw value v.
func (e *Space) WriteRaw(c *Content, off, n int64, v Val) *Content {
	d := *c
	d.Cells = c.Cells.Fill(off, n, &Cell{Off: off, N: n, V: v})
	return &d
}

// FromRaw reads a scalar of type t out of raw bytes.
func (e *Space) FromRaw(v Val, t *ir.Type) Val {
	out := Val{}
	switch {
	case t.Kind == ir.KindPtr:
		out.Ptr = e.AsPtr(v)
	case v.Ptr != nil && t.Kind == ir.KindInt && t.Width == e.w:
		out.Ptr, out.Term = v.Ptr, v.Term
	default:
		n := e.Num(v)
		if e.s.Width(n) > t.Width {
			n = e.s.Trunc(n, t.Width)
		}
		if t.Kind == ir.KindFloat {
			out.Term = n
		} else {
			out = e.Scalar(n)
		}
	}
	if v.Undef != 0 {
		out.Undef = v.Undef
		if w := e.BitsOf(t); e.s.Width(v.Undef) > w {
			out.Undef = e.s.Trunc(v.Undef, w)
		}
		out.Undef = e.Tidy(out.Undef)
	}
	return out
}

// ToRaw is a scalar of type t as the bytes of a store.
func (e *Space) ToRaw(v Val, t *ir.Type) Val {
	n := int(8 * e.lay.StoreSize(t))
	out := Val{Undef: v.Undef}
	if v.Undef != 0 && e.s.Width(v.Undef) < n {
		out.Undef = e.s.Zext(v.Undef, n)
	}
	if v.Ptr != nil && n == e.w {
		out.Ptr, out.Term = v.Ptr, v.Term
		return out
	}
	out.Term = e.Num(v)
	if e.s.Width(out.Term) < n {
		out.Term = e.s.Zext(out.Term, n)
	}
	return out
}

// BitsOf is the width of a scalar type.
func (e *Space) BitsOf(t *ir.Type) int {
	if t.Kind == ir.KindPtr {
		return e.w
	}
	return t.Width
}
