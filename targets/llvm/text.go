package llvm

import (
	"fmt"
	"strconv"
	"strings"
)

// In LLVM's text, a name of other than plain characters is in quotes, and its bytes that are not printable ASCII are
// escaped, as `@"gr\C3\B6\C3\9Fer"` (LangRef: identifiers); so are the strings of metadata.

// Name returns the name that a symbol of LLVM's text stands for.
func Name(text []byte) string { return Unescape(strings.Trim(string(text), `"`)) }

// Unescape returns a string of LLVM's text without its escapes.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+2 < len(s) {
			if b, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				out.WriteByte(byte(b))
				i += 2
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// Quote writes a name or a string of metadata in quotes, as LLVM's text does.
func Quote(name string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := range len(name) {
		if b := name[i]; b < ' ' || b > '~' || b == '"' || b == '\\' {
			fmt.Fprintf(&out, `\%02X`, b)
		} else {
			out.WriteByte(b)
		}
	}
	out.WriteByte('"')
	return out.String()
}
