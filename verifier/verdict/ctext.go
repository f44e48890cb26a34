package verdict

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns bytes of a program as text of a message: UTF-8 as it is, a byte that is none as `\xNN`. More than most
// bytes are cut before the character that would pass them, and end with an ellipsis.
func Text(b []byte, most int) string {
	cut := len(b) > most
	if cut {
		b = wholeRunes(b, most)
	}
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&out, `\x%02x`, b[0])
		} else {
			out.Write(b[:n])
		}
		b = b[n:]
	}
	if cut {
		out.WriteString("…")
	}
	return out.String()
}

// Literal returns bytes of a program as a string literal of C: UTF-8 that can be read as it is, all else escaped.
func Literal(b []byte) string {
	var out strings.Builder
	out.WriteByte('"')
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch short := strings.IndexByte("\a\b\f\n\r\t\v", b[0]); {
		case b[0] == '"' || b[0] == '\\':
			out.Write([]byte{'\\', b[0]})
		case short >= 0:
			out.Write([]byte{'\\', "abfnrtv"[short]})
		case r == utf8.RuneError && n == 1 || !unicode.IsPrint(r):
			for _, c := range b[:n] {
				fmt.Fprintf(&out, `\%03o`, c) // unlike \x, it ends after three digits
			}
		default:
			out.Write(b[:n])
		}
		b = b[n:]
	}
	out.WriteByte('"')
	return out.String()
}

// ShortLiteral is Literal of the first most bytes, or a little less where that would cut a character, with an ellipsis
// behind it where something is left out.
func ShortLiteral(b []byte, most int) string {
	if len(b) <= most {
		return Literal(b)
	}
	return Literal(wholeRunes(b, most)) + "..."
}

// Readable reports whether all of b is UTF-8 that can be read, with line ends and tabs.
func Readable(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 || r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return false
		}
		b = b[n:]
	}
	return true
}

// wholeRunes returns at most n bytes of b, which has more, that end where a character ends.
func wholeRunes(b []byte, n int) []byte {
	for at := n; at > max(0, n-utf8.UTFMax); at-- {
		if utf8.RuneStart(b[at]) {
			return b[:at]
		}
	}
	return b[:n]
}
