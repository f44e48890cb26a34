package interp

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func typeText(t *ir.DType, access *ir.Type) string {
	if t != nil {
		return t.String()
	}
	return widthText(access)
}

// holdsPointers reports a pointer, or an array of them: by the type in C, or where that is not known by what is accessed.
func holdsPointers(t *ir.DType, access *ir.Type) bool {
	if t == nil {
		return access != nil && access.IsPtr()
	}
	for t.Kind == ir.DArray && t.Elem != nil {
		t = t.Elem
	}
	return t.Kind == ir.DPointer
}

// Storing implements Observer: it keeps what Store needs to know of a range that is about to be written.
func (x *tracer) Storing(in *ir.Instr, o *object, off int64) {
	x.old = nil
	if n := x.l.StoreSize(in.Access); n <= 8 && o.dtype() != nil {
		v := x.getBits(o, off, n, int(n*8))
		x.old = &v
	}
}

// Store implements Observer: it notes an assignment; bit-fields that share the stored unit only if they change.
func (x *tracer) Store(in *ir.Instr, o *object, off int64) {
	t, old := in.Access, x.old
	size := x.l.StoreSize(t)
	if in.Op == ir.OpStore {
		x.noteHolder(o, off, x.eval(in.Args[0]))
	}
	x.noteWrite(in, o, off, size)
	if _, param := in.Args[0].(*ir.Param); param && o.variable != nil && o.variable.Param {
		return // the call shows it
	}
	if o.variable == nil && o.global == nil && o.kind == stackObject {
		return // a temporary of the compiler
	}
	if o.global != nil && strings.HasPrefix(o.global.Name, ".") {
		return // no name of C: a helper of the frontend or the compiler
	}
	if isPadding(o.dtype(), off*8, size*8) || x.traceBitFields(in, o, off, size, old) {
		return
	}
	v := x.get(o, off, t)
	show := func(o *object, s *verdict.Step) {
		var ct *ir.DType
		s.What, ct = x.placeName(o, off, size, t)
		s.Type, s.Value, s.Pointer = typeText(ct, t), x.showIn(s.What, ct, v), holdsPointers(ct, t)
		if ct != nil && (ct.Kind == ir.DStruct || ct.Kind == ir.DUnion || ct.Kind == ir.DArray) {
			s.Value = x.memoryText(o, off, ct, 0)
		}
	}
	s := x.assignTo(o)
	s.Bytes = x.bytesAt(o, off, size, v)
	show(o, &s)
	x.addStep(in, s)
	x.showLater(o, off, size, show)
}

// assignTo is a step that writes to o, without place and value.
func (x *tracer) assignTo(o *object) verdict.Step {
	return verdict.Step{Kind: verdict.StepAssign, Object: o.num + 1, Frame: o.frame, Behind: x.madeBehind(o)}
}

// bytesAt is the memory in hexadecimal; whole pointers have no bytes yet.
func (x *tracer) bytesAt(o *object, off, n int64, v value) string {
	if v.obj != nil || n > 16 {
		return ""
	}
	parts := make([]string, n)
	for i := range parts {
		b, _ := o.byteAt(off + int64(i))
		parts[i] = fmt.Sprintf("%02x", b)
	}
	return strings.Join(parts, " ")
}

func (x *tracer) noteWrite(in *ir.Instr, o *object, off, n int64) {
	if x.writes == nil {
		x.writes = map[*object]map[int64]*ir.Instr{}
	}
	w := x.writes[o]
	if w == nil {
		w = map[int64]*ir.Instr{}
		x.writes[o] = w
	}
	for i := int64(0); i < min(n, 256); i++ {
		w[off+i] = in
	}
}

// traceBitFields handles a store to a unit that holds bit-fields.
func (x *tracer) traceBitFields(in *ir.Instr, o *object, off, size int64, old *value) bool {
	t := o.dtype()
	if t == nil || old == nil {
		return false
	}
	name := x.name(o)
	bitOff := off * 8
	for t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits > 0 {
		n := int64(t.Elem.Bits)
		name, bitOff, t = fmt.Sprintf("%s[%d]", name, bitOff/n), bitOff%n, t.Elem
	}
	found := false
	for i := range t.Fields {
		f := &t.Fields[i]
		if t.Kind == ir.DStruct && !f.IsBits && f.BitOff <= bitOff && bitOff+size*8 <= f.BitOff+f.BitSize &&
			f.T.Kind == ir.DStruct {
			return false // nested: shown as a whole
		}
		if !f.IsBits || f.BitOff < bitOff || f.BitOff+f.BitSize > bitOff+size*8 {
			continue
		}
		found = true
		unit := x.getBits(o, off, size, int(size*8)).bits
		now, was := x.field(unit, f, bitOff, size), x.field(old.bits, f, bitOff, size)
		if now != was || !x.field(old.mask(), f, bitOff, size).IsZero() {
			s := x.assignTo(o)
			s.What, s.Value, s.Type = name+"."+f.Name, FormatValue(f.T, now), f.T.String()
			x.addStep(in, s)
		}
	}
	return found
}

// field takes a bit-field out of its unit, extended to its type.
func (x *tracer) field(unit bits.Vec, f *ir.DField, unitOff, size int64) bits.Vec {
	lo := f.BitOff - unitOff
	if x.l.BigEndian {
		lo = size*8 - lo - f.BitSize
	}
	v := bits.Extract(unit, int(lo+f.BitSize-1), int(lo))
	w := max(f.T.Bits, v.Width())
	if f.T.Signed {
		return bits.Sext(v, w)
	}
	return bits.Zext(v, w)
}

// Outside implements Observer: it shows the bytes of o.
func (x *tracer) Outside(o *object, shown *verdict.Object) {
	if o.dead != "" || o.region != nil {
		return
	}
	var parts []string
	for at := shown.Start; at < min(shown.Start+maxObjectBytes, o.size); at++ {
		b, undef := o.byteAt(at)
		switch _, whole := x.pointerAt(o, at); {
		case undef != 0:
			parts = append(parts, "??")
		case whole:
			parts = append(parts, "pp")
		default:
			parts = append(parts, fmt.Sprintf("%02x", b))
		}
	}
	shown.Bytes = strings.Join(parts, " ")
}
