package witness

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// constant is the value of a step as a constant of C; false if it is neither a number nor the null pointer.
func constant(s *verdict.Step) (string, bool) {
	switch t := s.Type; {
	case strings.HasSuffix(t, "*"):
		return "0", s.Value == "NULL" || s.Value == "0"
	case t == "float", t == "double":
		return float(s.Bytes)
	case t == "long double":
		return "", false
	default:
		if v, err := strconv.ParseInt(s.Value, 10, 64); err == nil {
			return signed(v), true
		} else if u, err := strconv.ParseUint(s.Value, 10, 64); err == nil {
			return unsigned(u), true
		}
		return number(s.Bytes, !strings.Contains(t, "unsigned") && !strings.HasPrefix(t, "u"))
	}
}

// number reads an integer from hexadecimal bytes in the order of memory of a machine with the low byte first.
func number(bytes string, isSigned bool) (string, bool) {
	u, n, ok := low(bytes)
	if !ok || !isSigned {
		return unsigned(u), ok
	}
	return signed(int64(u<<(64-8*n)) >> (64 - 8*n)), true
}

func signed(v int64) string {
	if v == math.MinInt64 {
		return "(-9223372036854775807LL - 1)"
	}
	return fmt.Sprint(v)
}

func unsigned(u uint64) string {
	switch {
	case u > math.MaxInt64:
		return fmt.Sprintf("%dULL", u)
	case u > math.MaxInt32:
		return fmt.Sprintf("%dU", u)
	}
	return fmt.Sprint(u)
}

func low(bytes string) (u uint64, n int, ok bool) {
	parts := strings.Fields(bytes)
	if len(parts) == 0 || len(parts) > 8 {
		return 0, 0, false
	}
	for i, p := range parts {
		b, err := strconv.ParseUint(p, 16, 8)
		if err != nil {
			return 0, 0, false
		}
		u |= b << (8 * i)
	}
	return u, len(parts), true
}

// float is a floating point number in hexadecimal, which is exact.
func float(bytes string) (string, bool) {
	u, n, ok := low(bytes)
	v := math.Float64frombits(u)
	if n == 4 {
		v = float64(math.Float32frombits(uint32(u)))
	}
	if !ok || n != 4 && n != 8 || math.IsNaN(v) || math.IsInf(v, 0) || v == 0 && math.Signbit(v) {
		return "", false
	}
	return strconv.FormatFloat(v, 'x', -1, 64), true
}
