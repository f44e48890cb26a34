package trace

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/cexpr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func typeText(t *ir.DType, access *ir.Type) string {
	if t != nil {
		return t.String()
	}
	return widthText(access)
}

// holdsPointers reports a pointer, or an array of them: by the type in C, or where that is not known by what is
// accessed.
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
func (x *tracer) Storing(in *ir.Instr, o *interp.Object, off int64) {
	x.old = nil
	if n := x.Layout.StoreSize(in.Access); n <= 8 && o.CType() != nil {
		v := x.GetBits(o, off, n, int(n*8))
		x.old = &v
	}
}

// Store implements Observer: it notes an assignment; bit-fields that share the stored unit only if they change.
func (x *tracer) Store(in *ir.Instr, o *interp.Object, off int64) {
	t, old := in.Access, x.old
	size := x.Layout.StoreSize(t)
	if in.Op == ir.OpStore {
		x.noteHolder(o, off, x.Eval(in.Args[0]))
	}
	x.noteWrite(in, o, off, size)
	if _, param := in.Args[0].(*ir.Param); param && o.Variable != nil && o.Variable.Param {
		return // the call shows it
	}
	if o.Variable == nil && o.Global == nil && o.Kind == interp.StackObject {
		return // a temporary of the compiler
	}
	if o.Global != nil && strings.HasPrefix(o.Global.Name, ".") {
		return // no name of C: a helper of the frontend or the compiler
	}
	if cexpr.IsPadding(o.CType(), off*8, size*8) || x.traceBitFields(in, o, off, size, old) {
		return
	}
	v := x.Get(o, off, t)
	show := func(o *interp.Object, s *verdict.Step) {
		var ct *ir.DType
		s.What, ct = x.PlaceName(o, off, size, t)
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
func (x *tracer) assignTo(o *interp.Object) verdict.Step {
	return verdict.Step{Kind: verdict.StepAssign, Object: o.Number + 1, Frame: o.Frame, Behind: x.madeBehind(o)}
}

// bytesAt is the memory in hexadecimal; whole pointers have no bytes yet.
func (x *tracer) bytesAt(o *interp.Object, off, n int64, v interp.Value) string {
	if v.Object != nil || n > 16 {
		return ""
	}
	parts := make([]string, n)
	for i := range parts {
		b, _ := o.ByteAt(off + int64(i))
		parts[i] = fmt.Sprintf("%02x", b)
	}
	return strings.Join(parts, " ")
}

func (x *tracer) noteWrite(in *ir.Instr, o *interp.Object, off, n int64) {
	if x.writes == nil {
		x.writes = map[*interp.Object]map[int64]*ir.Instr{}
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
func (x *tracer) traceBitFields(in *ir.Instr, o *interp.Object, off, size int64, old *interp.Value) bool {
	t := o.CType()
	if t == nil || old == nil {
		return false
	}
	name := x.Name(o)
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
		unit := x.GetBits(o, off, size, int(size*8)).Bits
		now, was := x.field(unit, f, bitOff, size), x.field(old.Bits, f, bitOff, size)
		if now != was || !x.field(old.Mask(), f, bitOff, size).IsZero() {
			s := x.assignTo(o)
			s.What, s.Value, s.Type = f.Of(name), cexpr.Value(f.T, now), f.T.String()
			x.addStep(in, s)
		}
	}
	return found
}

// field takes a bit-field out of its unit, extended to its type.
func (x *tracer) field(unit bits.Vec, f *ir.DField, unitOff, size int64) bits.Vec {
	lo := f.BitOff - unitOff
	if x.Layout.BigEndian {
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
func (x *tracer) Outside(o *interp.Object, shown *verdict.Object) {
	if o.Dead != "" || o.Region != nil {
		return
	}
	var parts []string
	for at := shown.Start; at < min(shown.Start+policy.ObjectShown, o.Size); at++ {
		b, undef := o.ByteAt(at)
		switch _, whole := x.PointerAt(o, at); {
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
