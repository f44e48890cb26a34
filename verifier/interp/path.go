package interp

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// dtype is the object's C type, nil if unknown.
func (o *object) dtype() *ir.DType {
	if o.variable != nil {
		return o.variable.T
	}
	return o.guessed
}

// guess gives a heap block the C type that a pointer to its start leads to. Later ones count where it was taken for bytes
// and nothing was written.
func guess(o *object, t *ir.DType, written bool) {
	if o.kind != heapObject || t == nil || t.Kind != ir.DPointer || t.Elem == nil || t.Elem.Bits < 8 {
		return
	}
	if g := o.guessed; g != nil && (written || g.Kind != ir.DArray || g.Elem.Bits > 8) {
		return
	}
	e, n := t.Elem, int64(t.Elem.Bits/8)
	long := extended(e, o.size)
	switch {
	case n == o.size:
		o.guessed = e
	case long != nil:
		o.guessed = long
	case o.size/n > 1 || o.size%n == 0 && o.size > 0:
		o.guessed = arrayOf(e, o.size/n)
	default:
		o.guessed = e
	}
}

// name is the object as C code would write it; of a heap block, its mark.
func (x *Machine) name(o *object) string {
	switch {
	case o.variable != nil:
		return o.variable.Name
	case o.isLiteral():
		return o.literal()
	case o.global != nil:
		return o.global.Name
	case o.fn != nil:
		return o.fn.CName
	case o.region != nil:
		return o.region.Name
	case o.kind == heapObject:
		return blockMark(o)
	case o.born != nil && o.born.Name != "":
		return o.born.Name
	}
	return fmt.Sprintf("object_%d", o.num)
}

// isLiteral reports whether o is a string of the program's text.
func (o *object) isLiteral() bool {
	return o.global != nil && o.readOnly && (o.global.Name == ".str" || strings.HasPrefix(o.global.Name, ".str."))
}

// maxLiteral bounds the bytes of a literal that a name has.
const maxLiteral = 24

// literal is a string as C writes it, cut where it is long.
func (o *object) literal() string {
	var text []byte
	for at := int64(0); at < o.size; at++ {
		b, _ := o.byteAt(at)
		if b == 0 {
			break
		}
		if text = append(text, b); len(text) > maxLiteral {
			break
		}
	}
	return verdict.ShortLiteral(text, maxLiteral)
}

// placeName is a byte range of an object as a C expression and its C type, nil if unknown. In a union it is the member
// that an access of type like fits; nil fits all.
func (x *Machine) placeName(o *object, off, size int64, like *ir.Type) (string, *ir.DType) {
	name, t := x.name(o), o.dtype()
	if t == nil {
		switch {
		case off == 0 && size == o.size:
			return name, nil
		case size == 1 || o.kind == heapObject || o.kind == regionObject:
			return fmt.Sprintf("%s[%d]", name, off), nil
		}
		return fmt.Sprintf("%s + %d", name, off), nil
	}
	return descend(name, t, off*8, size*8, like)
}

// arrayName is an array of count elements of n bytes each at an offset, as a C expression.
func (x *Machine) arrayName(o *object, off, count, n int64) string {
	if t := o.dtype(); t != nil {
		if name := findArray(x.name(o), t, off*8, count, n*8); name != "" {
			return name
		}
	}
	name, _ := x.placeName(o, off, count*n, nil)
	return name
}

// pointerName is a pointer as C code would write it.
func (x *tracer) pointerName(v value) string {
	o, off := v.obj, int64(v.bits.Low64())
	if v.isBehindNull() {
		n, _ := v.bits.Int64()
		return fmt.Sprintf("NULL%+d bytes", n)
	}
	if o.fn != nil && off == 0 {
		return o.fn.CName
	}
	if o.isLiteral() && off >= 0 && off <= o.size {
		if off == 0 {
			return o.literal()
		}
		return fmt.Sprintf("&%s[%d]", o.literal(), off)
	}
	t := o.dtype()
	switch {
	case off < 0 || off > o.size || v.bits.Low64() > uint64(o.size):
		n, _ := v.bits.Int64()
		return fmt.Sprintf("&%s%+d bytes", x.name(o), n)
	case off == 0:
		if t != nil && t.Kind == ir.DArray && o.kind != heapObject {
			return x.name(o)
		}
		return "&" + x.name(o)
	case t != nil && off < o.size:
		name, _ := innermost(x.name(o), t, off*8)
		return "&" + name
	}
	return fmt.Sprintf("&%s[%d]", x.name(o), off)
}
