package interp

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// FormatValue writes a scalar in C syntax of its C type: enumerators by name,
// characters in quotes, floats as short as they read back, pointers in
// hexadecimal. With t nil, or of a size that does not match, it is a signed decimal.
func FormatValue(t *ir.DType, b bits.Vec) string {
	if t == nil || b.Width() == 0 {
		return decimal(b, true)
	}
	switch t.Kind {
	case ir.DBool:
		return strconv.FormatBool(!b.IsZero())
	case ir.DChar:
		n := b.Low64()
		if isPlainChar(t.Name) && b.Width() == 8 && n >= 32 && n < 127 {
			return strconv.QuoteRune(rune(n))
		}
	case ir.DEnum:
		return enumerator(t, b)
	case ir.DFloat:
		if b.Width() == t.Bits && b.Width() <= 64 {
			return formatFloat(b)
		}
	case ir.DPointer:
		if b.IsZero() {
			return "NULL"
		}
		return "0x" + strings.TrimLeft(b.Hex(), "0")
	}
	return decimal(b, t.Signed || t.Kind == ir.DFloat)
}

func decimal(b bits.Vec, signed bool) string {
	switch {
	case b.Width() == 0:
		return "?"
	case signed:
		return b.Signed().String()
	}
	return b.Unsigned().String()
}

func isPlainChar(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "const "), "volatile ")
	return name == "char" || name == "signed char" || name == "unsigned char"
}

func enumerator(t *ir.DType, b bits.Vec) string {
	for _, e := range t.Enum {
		if bits.NewInt(b.Width(), e.Value) == b {
			return e.Name
		}
	}
	return "(" + t.Name + ")" + decimal(b, t.Signed)
}

func formatFloat(b bits.Vec) string {
	f := toDouble(b)
	switch {
	case math.IsNaN(f):
		return "NAN"
	case math.IsInf(f, 1):
		return "INFINITY"
	case math.IsInf(f, -1):
		return "-INFINITY"
	}
	size, suffix := 64, ""
	if b.Width() <= 32 {
		size, suffix = 32, "f"
	}
	s := strconv.FormatFloat(f, 'g', -1, size)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + suffix
}

// hexBytes are the bytes of v in the order of memory.
func (x *tracer) hexBytes(b bits.Vec) string {
	n := (b.Width() + 7) / 8
	if n > 16 {
		return ""
	}
	b = resize(b, n*8)
	parts := make([]string, n)
	for i := range parts {
		at := i
		if x.l.BigEndian {
			at = n - 1 - i
		}
		parts[at] = fmt.Sprintf("%02x", bits.Extract(b, 8*i+7, 8*i).Low64())
	}
	return strings.Join(parts, " ")
}

// showIn is show of what a place holds, whose name a local of the callers may have, too: `out = main::out`.
func (x *tracer) showIn(place string, t *ir.DType, v value) string {
	text := x.show(t, v)
	name := strings.TrimPrefix(text, "&")
	if o := v.obj; name == place && o != nil && o.variable != nil && o.born != nil {
		return strings.TrimSuffix(text, name) + o.born.Block.Func.CName + "::" + name
	}
	return text
}

// show writes a value in C terms; pointers as what they point to.
func (x *tracer) show(t *ir.DType, v value) string {
	if v.elems != nil {
		parts := make([]string, 0, len(v.elems))
		for i, e := range v.elems {
			if i == 8 {
				parts = append(parts, "...")
				break
			}
			parts = append(parts, x.show(nil, e))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	mark := ""
	if !v.defined() {
		mark = " (indeterminate)"
	}
	if v.obj != nil && (t == nil || t.Kind == ir.DPointer) {
		return x.pointerName(v) + mark
	}
	return FormatValue(t, v.bits) + mark
}
