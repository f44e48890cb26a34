package cexpr

import (
	"math"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/interp/ieee"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Value writes a scalar in C syntax of its C type: enumerators by name,
// characters in quotes, floats as short as they read back, pointers in
// hexadecimal. With t nil, or of a size that does not match, it is a signed decimal.
func Value(t *ir.DType, b bits.Vec) string {
	if t == nil || b.Width() == 0 {
		return Decimal(b, true)
	}
	if t.Swapped && b.Width() == t.Bits {
		b = bits.Bswap(b)
	}
	switch t.Kind {
	case ir.DBool:
		return strconv.FormatBool(!b.IsZero())
	case ir.DChar:
		n := b.Low64()
		if IsPlainChar(t.Name) && b.Width() == 8 && n >= 32 && n < 127 {
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
	return Decimal(b, t.Signed || t.Kind == ir.DFloat)
}

// Decimal is b in decimal.
func Decimal(b bits.Vec, signed bool) string {
	switch {
	case b.Width() == 0:
		return "?"
	case signed:
		return b.Signed().String()
	}
	return b.Unsigned().String()
}

// IsPlainChar reports a type of characters of one byte, by its name.
func IsPlainChar(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "const "), "volatile ")
	return name == "char" || name == "signed char" || name == "unsigned char"
}

func enumerator(t *ir.DType, b bits.Vec) string {
	for _, e := range t.Enum {
		if bits.NewInt(b.Width(), e.Value) == b {
			return e.Name
		}
	}
	return "(" + t.Name + ")" + Decimal(b, t.Signed)
}

func formatFloat(b bits.Vec) string {
	f := ieee.Double(b)
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
