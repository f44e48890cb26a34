// Package printf reads the formats of output functions (C17 7.21.6.1): which arguments they take, and of which types.
package printf

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Conversion is one conversion specification of a format of printf (C17 7.21.6.1).
type Conversion struct {
	Text      string // as it is written, with the %
	Verb      byte   // the conversion specifier; 0 if there is none
	Length    string // hh, h, l, ll, j, z, t, L or nothing
	StarWidth bool   // the width is an argument
	Precision int    // -1: none
	StarPrec  bool   // the precision is an argument
}

// Conversions lists the conversions of a format that take arguments.
func Conversions(format string) []Conversion {
	var out []Conversion
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			return out
		}
		c, n := conversion(format[i:])
		format = format[i+n:]
		if c.Verb != '%' {
			out = append(out, c)
		}
	}
}

// conversion reads the one that s begins with, and its length.
func conversion(s string) (Conversion, int) {
	c := Conversion{Precision: -1}
	i := 1
	at := func() byte {
		if i < len(s) {
			return s[i]
		}
		return 0
	}
	number := func() int {
		n := 0
		for at() >= '0' && at() <= '9' {
			n = min(n*10+int(at()-'0'), 1<<20)
			i++
		}
		return n
	}
	for strings.IndexByte("-+ #0", at()) >= 0 && at() != 0 {
		i++
	}
	if c.StarWidth = at() == '*'; c.StarWidth {
		i++
	} else {
		number()
	}
	if at() == '.' {
		i++
		if c.StarPrec = at() == '*'; c.StarPrec {
			i++
		} else {
			c.Precision = number()
		}
	}
	for _, l := range []string{"hh", "h", "ll", "l", "j", "z", "t", "L"} {
		if strings.HasPrefix(s[i:], l) {
			c.Length = l
			i += len(l)
			break
		}
	}
	if c.Verb = at(); c.Verb != 0 {
		i++
	}
	c.Text = s[:i]
	return c, i
}

// width returns the width of an integer argument with a length modifier, promoted.
func width(l *ir.Layout, length string) int {
	switch length {
	case "l":
		return max(l.PtrBits, 32)
	case "ll", "j":
		return 64
	case "z", "t":
		return l.PtrBits
	}
	return l.IntBits()
}

// Stored returns the type of the integer that %n writes.
func Stored(l *ir.Layout, c Conversion) *ir.Type {
	w := width(l, c.Length)
	switch c.Length {
	case "hh":
		w = 8
	case "h":
		w = 16
	}
	return &ir.Type{Kind: ir.KindInt, Width: w}
}

// Misfit says what is wrong with an argument of type t for c: "" if it fits. known
// is false for conversions that are not followed.
func Misfit(l *ir.Layout, c Conversion, t *ir.Type) (why string, known bool) {
	wrong := func(want string) (string, bool) {
		return "format " + c.Text + " expects " + want + ", the argument is of type " + t.String(), true
	}
	switch c.Verb {
	case 'd', 'i', 'u', 'o', 'x', 'X', 'c':
		if c.Verb == 'c' && c.Length != "" {
			return "", false
		}
		if w := width(l, c.Length); !t.IsInt() || t.Width != w {
			return wrong((&ir.Type{Kind: ir.KindInt, Width: w}).String())
		}
	case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A':
		if t.Kind != ir.KindFloat {
			return wrong("a floating-point number")
		}
		if t.Width > 64 && c.Length != "L" {
			return wrong("a double")
		}
	case 's', 'n', 'p':
		if c.Verb == 's' && c.Length != "" {
			return "", false
		}
		if !t.IsPtr() {
			return wrong("a pointer")
		}
	default:
		return "", false
	}
	return "", true
}

// Reads says what an output function reads: which argument is the format, or the text.
type Reads struct {
	Format int  // -1: none
	Text   int  // -1: none
	List   bool // the arguments of the format are a va_list
	Null   bool // the text may be null
	Block  bool // writes argument 1 * argument 2 bytes at argument 0
}

// ReadBy says what a function of ir.ModelPrintf reads, by its name.
func ReadBy(name string) Reads {
	p := Reads{Format: -1, Text: -1}
	switch name {
	case "printf":
		p.Format = 0
	case "fprintf", "__printf_chk":
		p.Format = 1
	case "__fprintf_chk":
		p.Format = 2
	case "vprintf":
		p.Format, p.List = 0, true
	case "vfprintf":
		p.Format, p.List = 1, true
	case "puts", "fputs":
		p.Text = 0
	case "perror":
		p.Text, p.Null = 0, true
	case "fwrite":
		p.Block = true
	}
	return p
}
