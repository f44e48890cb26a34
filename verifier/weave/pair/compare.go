package pair

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
)

// compareResults asserts that both calls give the same.
func (w *pairing) compareResults() {
	x, y := w.results[0], w.results[1]
	switch t := w.now.Ret; {
	case t.IsVoid():
	case t.IsInt() && !w.inRegister():
		width := max(x.Type().Width, y.Type().Width)
		if was, is := w.old.DRet, w.now.DRet; was != nil && is != nil && was.Signed != is.Signed &&
			!w.j.machines.plainChars(was, is) {
			width++ // as numbers, not as bits
		}
		w.claim(FactResult, "the result", w.Compare(ir.EQ, w.widen(x, width, w.old.DRet), w.widen(y, width, w.now.DRet)))
	case t.IsPtr():
		w.comparePointers(FactResult, "the result", x, y)
	default:
		size := w.Module.Layout.SizeOf(t)
		p, q := w.Alloca("", t, w.Int(w.Word(), 1)), w.Alloca("", t, w.Int(w.Word(), 1))
		w.Store(x, q, 1)
		w.Store(y, p, 1)
		c := w.now.DRet
		if c == nil || ir.SizeInC(c) > size || ir.SizeInC(c) == 0 {
			w.compareBytes(FactResult, "the result", p, q, size)
			return
		}
		w.compareAt(FactResult, "the result", c, p, q)
	}
}

// inRegister reports whether both versions give a structure or union that the ABI makes an integer of, in whose padding
// anything is. In memory the integer begins with it.
func (w *pairing) inRegister() bool {
	for i, f := range []*ir.Func{w.old, w.now} {
		t := w.results[i].Type()
		if f.DRet == nil || f.DRet.Kind != ir.DStruct && f.DRet.Kind != ir.DUnion || !t.IsInt() || t.Width != w.now.Ret.Width {
			return false
		}
		if more := w.Module.Layout.SizeOf(t) - ir.SizeInC(f.DRet); more < 0 || more > 0 && w.Module.Layout.BigEndian {
			return false
		}
	}
	return true
}

// widen extends a number to a width, as C does it.
func (w *pairing) widen(v ir.Value, width int, t *ir.DType) ir.Value {
	if v.Type().Width >= width || t == nil || !t.Signed {
		return w.Resize(v, ir.Int(width))
	}
	return w.Emit(&ir.Instr{Op: ir.OpSext, T: ir.Int(width), Args: []ir.Value{v}})
}

// compareObject asserts that the old version left in memory what the new one did: of any one element, which stands
// for all.
func (w *pairing) compareObject(o *memory) {
	t, one := o.t, ir.SizeInC(o.t)
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
		i := w.Nondet("index in "+o.name, w.Word())
		count := o.size
		if one > 1 {
			count = w.Binary(ir.OpUdiv, count, w.Int(w.Word(), one))
		}
		inside, next := w.NewBlock("inside."+o.name), w.NewBlock("next."+o.name)
		w.Branch(w.Compare(ir.ULT, i, count), inside, next)
		w.At(inside)
		w.compareElement(o, t, i, one)
		w.Jump(next)
		w.At(next)
	}
}

func (w *pairing) compareElement(o *memory, t *ir.DType, i ir.Value, one int64) {
	p, q := w.Gep(o.at, 0, i, one), w.Gep(o.saved[1], 0, i, one)
	if t == nil {
		w.claim(FactMemory, o.name, w.Compare(ir.EQ, w.Load(ir.Int(8), p), w.Load(ir.Int(8), q)))
		return
	}
	w.compareAt(FactMemory, o.name+"[]", t, p, q)
}

// indexBelow is any number below n.
func (w *pairing) indexBelow(name string, n int64) ir.Value {
	if n == 1 {
		return w.Int(w.Word(), 0)
	}
	i := w.Nondet("index in "+name, w.Word())
	return w.Emit(&ir.Instr{Op: ir.OpSelect, T: w.Word(), Args: []ir.Value{
		w.Compare(ir.ULT, i, w.Int(w.Word(), n)), i, w.Int(w.Word(), 0)}})
}

// compareBytes asserts that size bytes are the same at p and q.
func (w *pairing) compareBytes(kind FactKind, name string, p, q ir.Value, size int64) {
	if size > 0 {
		i := w.indexBelow(name, size)
		w.claim(kind, name, w.Compare(ir.EQ, w.Load(ir.Int(8), w.Gep(p, 0, i, 1)), w.Load(ir.Int(8), w.Gep(q, 0, i, 1))))
	}
}

// compareAt asserts that the objects of a C type at p and q have the same members. Padding does not count.
func (w *pairing) compareAt(kind FactKind, name string, t *ir.DType, p, q ir.Value) {
	size := ir.SizeInC(t)
	switch {
	case t.Kind == ir.DStruct:
		for i := range t.Fields {
			f := &t.Fields[i]
			switch {
			case f.IsBits:
				w.compareBits(kind, name+"."+f.Name, f, p, q)
			case f.T != nil && ir.SizeInC(f.T) > 0:
				off := f.BitOff / 8
				w.compareAt(kind, name+"."+f.Name, f.T, w.Gep(p, off, nil, 0), w.Gep(q, off, nil, 0))
			}
		}
	case t.Kind == ir.DArray && t.Elem != nil && t.Count > 0 && ir.SizeInC(t.Elem) > 0:
		i := w.indexBelow(name, t.Count)
		one := ir.SizeInC(t.Elem)
		w.compareAt(kind, name+"[]", t.Elem, w.Gep(p, 0, i, one), w.Gep(q, 0, i, one))
	case t.Kind == ir.DPointer && size == int64(w.Module.Layout.PtrBits/8):
		w.comparePointers(kind, name, w.Load(w.Ptr(), q), w.Load(w.Ptr(), p))
	case t.Kind != ir.DUnion && t.Kind != ir.DArray && t.Bits%8 == 0 && t.Bits > 0 && t.Bits <= 64:
		n := ir.Int(t.Bits)
		w.claim(kind, name, w.Compare(ir.EQ, w.Load(n, p), w.Load(n, q)))
	default:
		if len(w.twins) > 0 && ir.HoldsPointer(t) {
			kind = FactPointer // each version has its own
		}
		w.compareBytes(kind, name, p, q, size)
	}
}

// compareBits asserts that a bit-field is the same: on a machine of the other byte order, with what shares its bytes.
func (w *pairing) compareBits(kind FactKind, name string, f *ir.DField, p, q ir.Value) {
	var differ ir.Value
	for at := f.BitOff / 8; at*8 < f.BitOff+f.BitSize; at++ {
		mask := int64(0)
		for k := range int64(8) {
			if bit := at*8 + k; bit >= f.BitOff && bit < f.BitOff+f.BitSize || w.Module.Layout.BigEndian {
				mask |= 1 << k
			}
		}
		x := w.Xor(w.Load(ir.Int(8), w.Gep(p, at, nil, 0)), w.Load(ir.Int(8), w.Gep(q, at, nil, 0)))
		d := ir.Value(w.And(x, w.Int(ir.Int(8), int64(int8(mask)))))
		if differ != nil {
			d = w.Or(differ, d)
		}
		differ = d
	}
	if differ != nil {
		w.claim(kind, name, w.Compare(ir.EQ, differ, w.Int(ir.Int(8), 0)))
	}
}

// comparePointers asserts that pointers x, of the old version, and y are equal; as a fact of its own where one leads to
// what only one version has, since these correspond perhaps.
func (w *pairing) comparePointers(kind FactKind, name string, x, y ir.Value) {
	equal := w.Compare(ir.EQ, x, y)
	one := ir.Int(1)
	not := func(v ir.Value) ir.Value { return w.Xor(v, w.Int(one, -1)) }
	both := w.And(w.leadsToKnown(x), w.leadsToKnown(y))
	if len(w.twins) > 0 && !w.strict {
		corresponds, same := w.corresponds(x, y)
		equal = w.Or(equal, corresponds)
		both = w.And(w.And(w.Or(w.leadsToKnown(x), w.leadsToTwin(0, x)), w.Or(w.leadsToKnown(y), w.leadsToTwin(1, y))), not(same))
	}
	w.claim(kind, name, w.Or(equal, not(both)))
	w.claim(FactPointer, name, w.Or(equal, both))
}

// leadsToKnown is true of a pointer that is null or leads into memory that both versions have.
func (w *pairing) leadsToKnown(v ir.Value) ir.Value {
	var out ir.Value = w.Compare(ir.EQ, v, w.Null())
	for _, o := range w.known {
		out = w.Or(out, w.Model(ir.ModelSameObject, "firmproof.same.object", ir.Int(1), v, o))
	}
	return out
}

// String names the kind.
func (k FactKind) String() string {
	names := [...]string{"invalid", "result", "memory", "pointer", "event", "events", "capacity", "end", "start", "size", "seen", "turn"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("fact(%d)", uint8(k))
}
