package trace

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/cexpr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// memoryText writes the memory at off as a value of type t in C syntax: structures by their members, arrays by their
// elements, arrays of characters as strings.
func (x *tracer) memoryText(o *interp.Object, off int64, t *ir.DType, depth int) string {
	size := int64(t.Bits / 8)
	switch {
	case off < 0 || off+size > o.Size || depth > 4:
		return "..."
	case t.Kind == ir.DStruct || t.Kind == ir.DUnion:
		return x.structText(o, off, t, depth)
	case t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits >= 8:
		return x.arrayText(o, off, t, depth)
	case size == 0 || size > 8:
		return x.bytesText(o, off, size)
	}
	if v, whole := o.Pointers[off]; whole {
		if t.Kind != ir.DPointer {
			v = x.ToInt(v, x.PtrBits)
		}
		return x.show(t, v)
	}
	return x.show(t, x.GetBits(o, off, size, t.Bits))
}

func (x *tracer) structText(o *interp.Object, off int64, t *ir.DType, depth int) string {
	if x.allZero(o, off, int64(t.Bits/8)) {
		return "{0}"
	}
	if t.Kind == ir.DUnion {
		if f := x.storedMember(o, off, t); f != nil {
			t = &ir.DType{Kind: ir.DUnion, Bits: t.Bits, Fields: []ir.DField{*f}}
		}
	}
	var parts []string
	for i := range t.Fields {
		f := &t.Fields[i]
		switch {
		case len(parts) == policy.MembersShown:
			return "{" + strings.Join(parts, ", ") + ", ...}"
		case f.IsBits:
			at := f.BitOff / 8 // of its first byte: packed, it may lie in two units of its type
			n := (f.BitOff+f.BitSize+7)/8 - at
			if f.BitSize == 0 || off+at+n > o.Size {
				continue
			}
			v := x.GetBits(o, off+at, n, int(n*8))
			parts = append(parts, fmt.Sprintf(".%s = %s", f.Name, cexpr.Value(f.T, x.field(v.Bits, f, at*8, n))))
		case f.BitOff%8 == 0:
			text := x.memoryText(o, off+f.BitOff/8, f.T, depth+1)
			if f.Name != "" {
				text = "." + f.Name + " = " + text
			}
			parts = append(parts, text)
		}
		if t.Kind == ir.DUnion && len(parts) > 0 {
			break // one member says what is there
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// storedMember is the member of a union that its first byte was stored through last, nil if that is not known.
func (x *tracer) storedMember(o *interp.Object, off int64, t *ir.DType) *ir.DField {
	in := x.writes[o][off]
	if in == nil || in.Op != ir.OpStore || in.Access == nil {
		return nil
	}
	return cexpr.MemberAt(t, 0, 8*x.Layout.StoreSize(in.Access), in.Access)
}

func (x *tracer) arrayText(o *interp.Object, off int64, t *ir.DType, depth int) string {
	n := int64(t.Elem.Bits / 8)
	count := int64(t.Bits/8) / n
	if s, ok := x.stringText(o, off, t, count); ok {
		return s
	}
	if x.allZero(o, off, count*n) {
		return "{0}"
	}
	if s, ok := x.bytesAsText(o, off, t, count); ok {
		return s
	}
	var parts []string
	for i := range min(count, policy.MembersShown) {
		parts = append(parts, x.memoryText(o, off+i*n, t.Elem, depth+1))
	}
	if count > policy.MembersShown {
		parts = append(parts, "...")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// stringText is an array of plain characters, up to a zero if there is one, as a string literal.
func (x *tracer) stringText(o *interp.Object, off int64, t *ir.DType, count int64) (string, bool) {
	if t.Elem.Kind != ir.DChar || !cexpr.IsPlainChar(t.Elem.Name) {
		return "", false
	}
	var text []byte
	for i := range count {
		b, undef := o.ByteAt(off + i)
		switch {
		case undef != 0:
			return "", false
		case b == 0:
			return verdict.Literal(text), verdict.Readable(text)
		case len(text) == policy.BytesShown:
			return "", false
		}
		text = append(text, b)
	}
	return verdict.Literal(text), verdict.Readable(text)
}

// bytesAsText is an array of unsigned bytes that hold text, as a parser gets it: the string literal of all up to the last
// that is not zero, if most of these can be read.
func (x *tracer) bytesAsText(o *interp.Object, off int64, t *ir.DType, count int64) (string, bool) {
	if t.Elem.Bits != 8 || t.Elem.Signed || t.Elem.Kind != ir.DChar && t.Elem.Kind != ir.DInt {
		return "", false
	}
	var text []byte
	readable, last := 0, 0
	for i := range min(count, policy.BytesShown) {
		b, undef := o.ByteAt(off + i)
		if _, whole := x.PointerAt(o, off+i); undef != 0 || whole {
			return "", false
		}
		text = append(text, b)
		if b != 0 {
			last = len(text)
		}
		if b >= ' ' && b < 0x7f || b == '\n' || b == '\r' || b == '\t' {
			readable++
		}
	}
	if readable < 2 || 4*readable < 3*last {
		return "", false
	}
	if last < len(text) || count <= policy.BytesShown {
		return verdict.Literal(text[:last]), true
	}
	return verdict.Literal(text) + "...", true
}

func (x *tracer) allZero(o *interp.Object, off, n int64) bool {
	if n > policy.ZerosShown {
		return false
	}
	for i := off; i < min(off+n, o.Size); i++ {
		b, undef := o.ByteAt(i)
		if _, whole := x.PointerAt(o, i); b != 0 || undef != 0 || whole {
			return false
		}
	}
	return true
}

// bytesText is a piece of memory without a type, byte by byte.
func (x *tracer) bytesText(o *interp.Object, off, n int64) string {
	if x.allZero(o, off, n) {
		return "{0}"
	}
	var parts []string
	for i := range min(n, 16) {
		b, _ := o.ByteAt(off + i)
		parts = append(parts, fmt.Sprintf("0x%02x", b))
	}
	if n > 16 {
		parts = append(parts, "...")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// nondetTypes are the C types of nondet functions by the end of their names.
var nondetTypes = map[string]string{"bool": "_Bool", "char": "char", "schar": "signed char", "uchar": "unsigned char",
	"short": "short", "ushort": "unsigned short", "int": "int", "uint": "unsigned int", "unsigned": "unsigned int",
	"long": "long", "ulong": "unsigned long", "longlong": "long long", "ulonglong": "unsigned long long",
	"float": "float", "double": "double", "size_t": "size_t", "pointer": "void *", "u8": "uint8_t", "u16": "uint16_t",
	"u32": "uint32_t", "u64": "uint64_t", "uint8_t": "uint8_t", "uint16_t": "uint16_t", "uint32_t": "uint32_t",
	"uint64_t": "uint64_t", "int8_t": "int8_t", "int16_t": "int16_t", "int32_t": "int32_t", "int64_t": "int64_t"}

// nondetType is the C type that a nondet function returns; of others the width is known only.
func nondetType(name string, t *ir.Type) string {
	if _, kind, ok := strings.Cut(name, "nondet_"); ok && nondetTypes[kind] != "" {
		return nondetTypes[kind]
	}
	return widthText(t)
}

// widthText is all that is known of a type without a name in C.
func widthText(t *ir.Type) string {
	switch {
	case t.IsPtr():
		return "pointer"
	case t.Kind == ir.KindInt && t.Width == 1:
		return "_Bool"
	case t.Kind == ir.KindInt:
		return fmt.Sprintf("%d bits", t.Width)
	case t.Kind == ir.KindFloat && t.Width == 32:
		return "float"
	case t.Kind == ir.KindFloat && t.Width == 64:
		return "double"
	}
	return t.String()
}
