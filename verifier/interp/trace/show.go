package trace

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/cexpr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// hexBytes are the bytes of v in the order of memory.
func (x *tracer) hexBytes(b bits.Vec) string {
	n := (b.Width() + 7) / 8
	if n > 16 {
		return ""
	}
	b = interp.Resize(b, n*8)
	parts := make([]string, n)
	for i := range parts {
		at := i
		if x.Layout.BigEndian {
			at = n - 1 - i
		}
		parts[at] = fmt.Sprintf("%02x", bits.Extract(b, 8*i+7, 8*i).Low64())
	}
	return strings.Join(parts, " ")
}

// showIn is show of what a place holds, whose name a local of the callers may have, too: `out = main::out`.
func (x *tracer) showIn(place string, t *ir.DType, v interp.Value) string {
	text := x.show(t, v)
	name := strings.TrimPrefix(text, "&")
	if o := v.Object; name == place && o != nil && o.Variable != nil && o.Born != nil {
		return strings.TrimSuffix(text, name) + o.Born.Block.Func.CName + "::" + name
	}
	return text
}

// show writes a value in C terms; pointers as what they point to.
func (x *tracer) show(t *ir.DType, v interp.Value) string {
	if v.Elems != nil {
		parts := make([]string, 0, len(v.Elems))
		for i, e := range v.Elems {
			if i == 8 {
				parts = append(parts, "...")
				break
			}
			parts = append(parts, x.show(nil, e))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	mark := ""
	if !v.Defined() {
		mark = " (indeterminate)"
	}
	if v.Object != nil && (t == nil || t.Kind == ir.DPointer) {
		return x.pointerName(v) + mark
	}
	return cexpr.Value(t, v.Bits) + mark
}

// guess gives a heap block the C type that a pointer to its start leads to. Later ones count where it was taken for
// bytes and nothing was written.
func guess(o *interp.Object, t *ir.DType, written bool) {
	if o.Kind != interp.HeapObject || t == nil || t.Kind != ir.DPointer || t.Elem == nil || t.Elem.Bits < 8 {
		return
	}
	if g := o.Guessed; g != nil && (written || g.Kind != ir.DArray || g.Elem.Bits > 8) {
		return
	}
	e, n := t.Elem, int64(t.Elem.Bits/8)
	long := cexpr.Extended(e, o.Size)
	switch {
	case n == o.Size:
		o.Guessed = e
	case long != nil:
		o.Guessed = long
	case o.Size/n > 1 || o.Size%n == 0 && o.Size > 0:
		o.Guessed = cexpr.ArrayOf(e, o.Size/n)
	default:
		o.Guessed = e
	}
}

// pointerName is a pointer as C code would write it.
func (x *tracer) pointerName(v interp.Value) string {
	o, off := v.Object, int64(v.Bits.Low64())
	if v.IsBehindNull() {
		n, _ := v.Bits.Int64()
		return fmt.Sprintf("NULL%+d bytes", n)
	}
	if o.Func != nil && off == 0 {
		return o.Func.CName
	}
	if o.IsLiteral() && off >= 0 && off <= o.Size {
		if off == 0 {
			return o.Literal()
		}
		return fmt.Sprintf("&%s[%d]", o.Literal(), off)
	}
	t := o.CType()
	switch {
	case off < 0 || off > o.Size || v.Bits.Low64() > uint64(o.Size):
		n, _ := v.Bits.Int64()
		return fmt.Sprintf("&%s%+d bytes", x.Name(o), n)
	case off == 0:
		if t != nil && t.Kind == ir.DArray && o.Kind != interp.HeapObject {
			return x.Name(o)
		}
		return "&" + x.Name(o)
	case t != nil && off < o.Size:
		name, _ := cexpr.Innermost(x.Name(o), t, off*8)
		return "&" + name
	}
	return fmt.Sprintf("&%s[%d]", x.Name(o), off)
}
