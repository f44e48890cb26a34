package weave

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
)

// compareResults asserts that both calls give the same.
func (w *pairing) compareResults() {
	x, y := w.results[0], w.results[1]
	switch t := w.now.Ret; {
	case t.IsVoid():
	case t.IsInt():
		width := max(x.Type().Width, y.Type().Width)
		if was, is := w.old.DRet, w.now.DRet; was != nil && is != nil && was.Signed != is.Signed {
			width++ // as numbers, not as bits
		}
		w.claim(FactResult, "the result", w.compare(ir.EQ, w.widen(x, width, w.old.DRet), w.widen(y, width, w.now.DRet)))
	case t.IsPtr():
		w.comparePointers(FactResult, "the result", x, y)
	default:
		size := w.m.Layout.SizeOf(t)
		p, q := w.alloca("", t, w.int(w.word(), 1)), w.alloca("", t, w.int(w.word(), 1))
		w.store(x, q, 1)
		w.store(y, p, 1)
		c := w.now.DRet
		if c == nil || sizeOf(c) > size || sizeOf(c) == 0 {
			w.compareBytes(FactResult, "the result", p, q, size)
			return
		}
		w.compareAt(FactResult, "the result", c, p, q)
	}
}

// widen extends a number to a width, as C does it.
func (w *pairing) widen(v ir.Value, width int, t *ir.DType) ir.Value {
	if v.Type().Width >= width || t == nil || !t.Signed {
		return w.resize(v, ir.Int(width))
	}
	return w.emit(&ir.Instr{Op: ir.OpSext, T: ir.Int(width), Args: []ir.Value{v}})
}

// compareObject asserts that the old version left in memory what the new one did: of any one element, which stands
// for all.
func (w *pairing) compareObject(o *memory) {
	t, one := o.t, sizeOf(o.t)
	if one <= 0 || o.fixed > 0 && o.fixed%one != 0 {
		t, one = nil, 1
	}
	switch {
	case o.fixed == one && t != nil:
		w.compareAt(FactMemory, o.name, t, o.at, o.saved[1])
	case o.fixed > 0:
		i := w.indexBelow(o.name, o.fixed/one)
		w.compareElement(o, t, i, one)
	default:
		i := w.nondet("index in "+o.name, w.word())
		count := o.size
		if one > 1 {
			count = w.binary(ir.OpUdiv, count, w.int(w.word(), one))
		}
		inside, next := w.newBlock("inside."+o.name), w.newBlock("next."+o.name)
		w.branch(w.compare(ir.ULT, i, count), inside, next)
		w.at(inside)
		w.compareElement(o, t, i, one)
		w.jump(next)
		w.at(next)
	}
}

func (w *pairing) compareElement(o *memory, t *ir.DType, i ir.Value, one int64) {
	p, q := w.gep(o.at, 0, i, one), w.gep(o.saved[1], 0, i, one)
	if t == nil {
		w.claim(FactMemory, o.name, w.compare(ir.EQ, w.load(ir.Int(8), p), w.load(ir.Int(8), q)))
		return
	}
	w.compareAt(FactMemory, o.name+"[]", t, p, q)
}

// indexBelow is any number below n.
func (w *pairing) indexBelow(name string, n int64) ir.Value {
	if n == 1 {
		return w.int(w.word(), 0)
	}
	i := w.nondet("index in "+name, w.word())
	return w.emit(&ir.Instr{Op: ir.OpSelect, T: w.word(), Args: []ir.Value{
		w.compare(ir.ULT, i, w.int(w.word(), n)), i, w.int(w.word(), 0)}})
}

// compareBytes asserts that size bytes are the same at p and q.
func (w *pairing) compareBytes(kind FactKind, name string, p, q ir.Value, size int64) {
	if size > 0 {
		i := w.indexBelow(name, size)
		w.claim(kind, name, w.compare(ir.EQ, w.load(ir.Int(8), w.gep(p, 0, i, 1)), w.load(ir.Int(8), w.gep(q, 0, i, 1))))
	}
}

// compareAt asserts that the objects of a C type at p and q have the same members. Padding does not count.
func (w *pairing) compareAt(kind FactKind, name string, t *ir.DType, p, q ir.Value) {
	size := sizeOf(t)
	switch {
	case t.Kind == ir.DStruct:
		for i := range t.Fields {
			f := &t.Fields[i]
			switch {
			case f.IsBits:
				w.compareBits(kind, name+"."+f.Name, f, p, q)
			case f.T != nil && sizeOf(f.T) > 0:
				off := f.BitOff / 8
				w.compareAt(kind, name+"."+f.Name, f.T, w.gep(p, off, nil, 0), w.gep(q, off, nil, 0))
			}
		}
	case t.Kind == ir.DArray && t.Elem != nil && t.Count > 0 && sizeOf(t.Elem) > 0:
		i := w.indexBelow(name, t.Count)
		one := sizeOf(t.Elem)
		w.compareAt(kind, name+"[]", t.Elem, w.gep(p, 0, i, one), w.gep(q, 0, i, one))
	case t.Kind == ir.DPointer && size == int64(w.m.Layout.PtrBits/8):
		w.comparePointers(kind, name, w.load(w.ptr(), q), w.load(w.ptr(), p))
	case t.Kind != ir.DUnion && t.Kind != ir.DArray && t.Bits%8 == 0 && t.Bits > 0 && t.Bits <= 64:
		n := ir.Int(t.Bits)
		w.claim(kind, name, w.compare(ir.EQ, w.load(n, p), w.load(n, q)))
	default:
		w.compareBytes(kind, name, p, q, size)
	}
}

// compareBits asserts that a bit-field is the same: on a machine of the other byte order, with what shares its bytes.
func (w *pairing) compareBits(kind FactKind, name string, f *ir.DField, p, q ir.Value) {
	var differ ir.Value
	for at := f.BitOff / 8; at*8 < f.BitOff+f.BitSize; at++ {
		mask := int64(0)
		for k := range int64(8) {
			if bit := at*8 + k; bit >= f.BitOff && bit < f.BitOff+f.BitSize || w.m.Layout.BigEndian {
				mask |= 1 << k
			}
		}
		x := w.xor(w.load(ir.Int(8), w.gep(p, at, nil, 0)), w.load(ir.Int(8), w.gep(q, at, nil, 0)))
		d := ir.Value(w.and(x, w.int(ir.Int(8), int64(int8(mask)))))
		if differ != nil {
			d = w.or(differ, d)
		}
		differ = d
	}
	if differ != nil {
		w.claim(kind, name, w.compare(ir.EQ, differ, w.int(ir.Int(8), 0)))
	}
}

// comparePointers asserts that pointers x, of the old version, and y are equal; as a fact of its own where one leads to
// what only one version has, since these correspond perhaps.
func (w *pairing) comparePointers(kind FactKind, name string, x, y ir.Value) {
	equal := w.compare(ir.EQ, x, y)
	one := ir.Int(1)
	not := func(v ir.Value) ir.Value { return w.xor(v, w.int(one, -1)) }
	both := w.and(w.leadsToKnown(x), w.leadsToKnown(y))
	w.claim(kind, name, w.or(equal, not(both)))
	w.claim(FactPointer, name, w.or(equal, both))
}

// leadsToKnown is true of a pointer that is null or leads into memory that both versions have.
func (w *pairing) leadsToKnown(v ir.Value) ir.Value {
	var out ir.Value = w.compare(ir.EQ, v, w.null())
	for _, o := range w.known {
		out = w.or(out, w.model(ir.ModelSameObject, "firmproof.same.object", ir.Int(1), v, o))
	}
	return out
}

// String names the kind.
func (k FactKind) String() string {
	names := [...]string{"invalid", "result", "memory", "pointer", "event", "events", "capacity", "end"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("fact(%d)", uint8(k))
}
