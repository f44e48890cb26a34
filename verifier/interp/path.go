package interp

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// dtype is the object's C type, nil if unknown.
func (o *object) dtype() *ir.DType {
	if o.variable != nil {
		return o.variable.T
	}
	return o.guessed
}

// guess gives a heap block the C type of a pointer to its start.
func (o *object) guess(t *ir.DType) {
	if o.kind != heapObject || o.guessed != nil || t == nil || t.Kind != ir.DPointer || t.Elem == nil ||
		t.Elem.Bits < 8 {
		return
	}
	n := int64(t.Elem.Bits / 8)
	switch {
	case n == o.size:
		o.guessed = t.Elem
	case o.size%n == 0:
		o.guessed = &ir.DType{Kind: ir.DArray, Elem: t.Elem, Count: o.size / n, Bits: int(o.size * 8),
			Name: fmt.Sprintf("%s[%d]", t.Elem, o.size/n)}
	}
}

// name is the object as C code would write it; blocks are numbered.
func (x *machine) name(o *object) string {
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
		return fmt.Sprintf("heap_%d", x.heapNumber(o))
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
		if at == maxLiteral {
			return strconv.QuoteToASCII(string(text)) + "..."
		}
		text = append(text, b)
	}
	return strconv.QuoteToASCII(string(text))
}

// heapNumber counts heap blocks from 1.
func (x *machine) heapNumber(o *object) int {
	n := 0
	for _, p := range x.objects {
		if p != nil && p.kind == heapObject {
			n++
		}
		if p == o {
			break
		}
	}
	return n
}

// placeName is a byte range of an object as a C expression and its C type, nil if unknown.
func (x *machine) placeName(o *object, off, size int64) (string, *ir.DType) {
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
	return descend(name, t, off*8, size*8)
}

// arrayName is an array of count elements of n bytes each at an offset, as a C expression.
func (x *machine) arrayName(o *object, off, count, n int64) string {
	if t := o.dtype(); t != nil {
		if name := findArray(x.name(o), t, off*8, count, n*8); name != "" {
			return name
		}
	}
	name, _ := x.placeName(o, off, count*n)
	return name
}

// findArray looks, in all members of unions, for an array of count elements of n bits each at off; "" if there is none.
func findArray(name string, t *ir.DType, off, count, n int64) string {
	switch t.Kind {
	case ir.DArray:
		if t.Elem == nil || t.Elem.Bits <= 0 {
			return ""
		}
		size := int64(t.Elem.Bits)
		if off == 0 && t.Count == count && size == n {
			return name
		}
		return findArray(fmt.Sprintf("%s[%d]", name, off/size), t.Elem, off%size, count, n)
	case ir.DStruct, ir.DUnion:
		for i := range t.Fields {
			f := &t.Fields[i]
			if f.IsBits || f.T == nil || off < f.BitOff || off >= f.BitOff+f.BitSize {
				continue
			}
			member := name
			if f.Name != "" {
				member += "." + f.Name
			}
			if found := findArray(member, f.T, off-f.BitOff, count, n); found != "" {
				return found
			}
		}
	}
	return ""
}

// isPadding reports whether no member lies in the bits.
func isPadding(t *ir.DType, off, size int64) bool {
	switch {
	case t == nil:
	case t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits > 0:
		n := int64(t.Elem.Bits)
		return off/n == (off+size-1)/n && isPadding(t.Elem, off%n, size)
	case t.Kind == ir.DStruct && len(t.Fields) > 0:
		for i := range t.Fields {
			f := &t.Fields[i]
			if off < f.BitOff+f.BitSize && f.BitOff < off+size {
				return !f.IsBits && off >= f.BitOff && off+size <= f.BitOff+f.BitSize &&
					isPadding(f.T, off-f.BitOff, size)
			}
		}
		return true
	}
	return false
}

// descend follows members and elements down to the part of size bits at off.
func descend(name string, t *ir.DType, off, size int64) (string, *ir.DType) {
	for {
		switch {
		case t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits > 0 && !(off == 0 && size == int64(t.Bits)):
			n := int64(t.Elem.Bits)
			name, off, t = fmt.Sprintf("%s[%d]", name, off/n), off%n, t.Elem
		case (t.Kind == ir.DStruct || t.Kind == ir.DUnion) && !(off == 0 && size == int64(t.Bits) && !single(t, size)):
			f := memberAt(t, off, size)
			if f == nil {
				return fmt.Sprintf("%s + %d", name, off/8), nil
			}
			if f.Name != "" {
				name += "." + f.Name
			}
			off, t = off-f.BitOff, f.T
			if f.IsBits {
				return name, nil
			}
		default:
			if off != 0 {
				return fmt.Sprintf("%s + %d", name, off/8), nil
			}
			return name, t
		}
	}
}

// single reports a struct with one member as large as itself.
func single(t *ir.DType, size int64) bool {
	return len(t.Fields) == 1 && t.Fields[0].BitSize == size || t.Kind == ir.DUnion && size <= 64
}

// memberAt is the member that holds the bits; in a union one of their size, if there is one.
func memberAt(t *ir.DType, off, size int64) *ir.DField {
	var found *ir.DField
	for i := range t.Fields {
		f := &t.Fields[i]
		if off >= f.BitOff && off+size <= f.BitOff+f.BitSize && (found == nil || f.BitSize == size &&
			found.BitSize != size) {
			found = f
		}
	}
	return found
}

// pointerName is a pointer as C code would write it.
func (x *machine) pointerName(v value) string {
	o, off := v.obj, int64(v.bits.Low64())
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
		if t != nil && t.Kind == ir.DArray {
			return x.name(o)
		}
		return "&" + x.name(o)
	case t != nil && off < o.size:
		name, _ := innermost(x.name(o), t, off*8)
		return "&" + name
	}
	return fmt.Sprintf("&%s[%d]", x.name(o), off)
}

// innermost follows members and elements to the first scalar that starts at off.
func innermost(name string, t *ir.DType, off int64) (string, *ir.DType) {
	for {
		switch {
		case t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits > 0:
			n := int64(t.Elem.Bits)
			name, off, t = fmt.Sprintf("%s[%d]", name, off/n), off%n, t.Elem
		case t.Kind == ir.DStruct || t.Kind == ir.DUnion:
			f := memberAt(t, off, 8)
			if f == nil {
				return fmt.Sprintf("%s + %d", name, off/8), nil
			}
			name, off, t = name+"."+f.Name, off-f.BitOff, f.T
		default:
			if off != 0 {
				name = fmt.Sprintf("%s + %d", name, off/8)
			}
			return name, t
		}
	}
}
