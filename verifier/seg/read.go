package seg

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func (b *builder) load(s *state, in *ir.Instr) result {
	n := b.m.Layout.StoreSize(in.Access)
	v := b.value(s, in.Args[0])
	o, ok := b.access(s, v, n, int64(in.Align))
	if !ok {
		return stop("invalid read")
	}
	if b.opts.Fresh(in) && (o == nil || !o.private) || in.Flags.Has(ir.Atomic) &&
		o == nil {
		x := b.fresh(s, in.T, "volatile", b.class(in))
		s.input(VolatileInput, in, in.T.Width, x)
		return b.set(s, in, x)
	}
	if o == nil {
		b.fault(s, verdict.Uninitialised, "the memory has a value")
		return b.unknown(s, in)
	}
	if !o.written.covers(s.know.plain(v.lin), n) {
		b.fault(s, verdict.Uninitialised, "the memory has a value")
	}
	return b.set(s, in, b.readCell(s, o.id, v.lin, n, in.Access, b.nameOf(in), b.class(in)))
}

// readCell returns the value of the n bytes at off; an unknown value is written down so that
// a later read finds the same.
func (b *builder) readCell(s *state, id int, off exact.Lin, n int64, t *ir.Type, name string, r rep) value {
	o := s.object(id)
	clear := true // nothing written may overlap
	for i, c := range o.cells {
		if c.size == n && b.same(s, c.off, off) {
			s.own(id).cells[i].read = true
			if v, ok := b.retype(s, c.val, t); ok {
				return v
			}
			s.inexact("memory read with another type")
			return b.fresh(s, t, name, r)
		}
		clear = clear && b.apart(s, c.off, c.size, off, n)
	}
	var v value
	switch {
	case clear && (o.rest == zeroBytes || o.rest == initBytes):
		v = b.initial(s, o, off, n, t, name, r)
	case clear && o.rest == freshBytes:
		v = b.fresh(s, t, name, r)
	default:
		s.inexact("content of " + o.name)
		v = b.fresh(s, t, name, r)
		b.bound(s, o, off, n, t, v)
		if at, ok := off.Const.Int64(); ok && off.IsConst() && t.IsPtr() && o.next != nil {
			b.branches(s, o, *o.next, at)
		}
	}
	if v.kind != opaqueValue && v.kind != boolValue && v.kind != aggValue {
		o = s.own(id)
		o.cells = append(o.cells, cell{off: off, size: n, val: v, read: true})
	}
	return v
}

// retype lets a cell be read as t of the same size.
func (b *builder) retype(s *state, v value, t *ir.Type) (value, bool) {
	switch t.Kind {
	case ir.KindInt:
		if v.kind == boolValue && t.Width == 1 {
			return v, true
		}
		return v, v.kind == intValue && t.Width > 1 || v.kind == ptrValue && t.Width == b.m.Layout.PtrBits
	case ir.KindPtr:
		if v.kind == intValue && v.rep == signed {
			v = number(b.fit(s, v.lin, t.Width, unsigned), unsigned)
		}
		return v, v.kind == ptrValue || v.kind == funcValue || v.kind == intValue
	}
	return v, v.kind == opaqueValue
}

// same and apart compare places in one object.
func (b *builder) same(s *state, x, y exact.Lin) bool {
	d := x.Sub(y)
	return d.IsConst() && d.Const.IsZero() || !d.IsConst() && b.ask.provesEq(s.know, d)
}

func (b *builder) apart(s *state, x exact.Lin, n int64, y exact.Lin, m int64) bool {
	return b.ask.proves(s.know, y.Sub(x).AddInt(-n)) || b.ask.proves(s.know, x.Sub(y).AddInt(-m))
}

// initial reads the bytes that a global starts with.
func (b *builder) initial(s *state, o *object, off exact.Lin, n int64, t *ir.Type, name string, r rep) value {
	if o.rest == zeroBytes {
		switch t.Kind {
		case ir.KindInt, ir.KindPtr:
			if t.Kind == ir.KindInt && t.Width == 1 {
				return value{kind: boolValue, cond: truth(false)}
			}
			return number(exact.Lin{}, anyRep)
		}
		return opaque()
	}
	if i := s.know.interval(off); i.constant() {
		if at, ok := i.lo.Int64(); ok {
			if v, ok := b.constantAt(s, o.global.T, o.global.Init, at, t); ok {
				return v
			}
		}
	}
	s.inexact("content of " + o.name)
	x := b.fresh(s, t, name, r)
	b.bound(s, o, off, n, t, x)
	return x
}

// constantAt is the part of an initialiser of type from at byte off that has type t, if one element of it has all of that.
func (b *builder) constantAt(s *state, from *ir.Type, c *ir.Const, off int64, t *ir.Type) (value, bool) {
	switch {
	case off < 0 || off+b.m.Layout.StoreSize(t) > b.m.Layout.SizeOf(from): // some of it is beside it
	case c.Kind == ir.ConstZero || c.Kind == ir.ConstNull && t.IsPtr():
		if t.Kind == ir.KindInt && t.Width > 1 || t.IsPtr() {
			return number(exact.Lin{}, anyRep), true
		}
	case c.Kind == ir.ConstBytes:
		if t.Kind == ir.KindInt && t.Width == 8 && off < int64(len(c.Bytes)) {
			return literal(bits.New(8, uint64(c.Bytes[off]))), true
		}
	case c.Kind == ir.ConstAgg:
		for i := range c.Elems {
			at, et := b.m.Layout.FieldOffset(from, i), from.ElemAt(i)
			if off >= at && off < at+b.m.Layout.SizeOf(et) {
				return b.constantAt(s, et, c.Elems[i], off-at, t)
			}
		}
	case off == 0 && c.T.Kind == t.Kind && c.T.Width == t.Width && (t.IsPtr() || t.Kind == ir.KindInt && t.Width > 1):
		v := b.constant(s, c)
		return v, v.kind != opaqueValue
	}
	return value{}, false
}
