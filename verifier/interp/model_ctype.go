package interp

import (
	"github.com/firmproof/firmproof/verifier/verdict"
)

// ctype executes ctype.h in the "C" locale (C11 7.4). The argument must be an
// unsigned char or EOF (-1).
func (c *call) ctype() {
	a := c.args[0]
	if !c.decide(a, "argument of "+c.name) {
		return
	}
	n, _ := a.Bits.Int64()
	if n < -1 || n > 255 {
		c.stop(verdict.Builtin, "argument %d of %s is neither an unsigned char nor EOF", n, c.name)
		return
	}
	switch c.name {
	case "toupper":
		if n >= 'a' && n <= 'z' {
			n -= 'a' - 'A'
		}
		c.number(n)
		return
	case "tolower":
		if n >= 'A' && n <= 'Z' {
			n += 'a' - 'A'
		}
		c.number(n)
		return
	}
	is, known := classOf(c.name, n)
	if !known {
		c.EndRun(Unsupported, "", "call of "+c.name)
		return
	}
	if is {
		c.result(c.nonZero())
		return
	}
	c.number(0)
}

// classOf answers isalpha and the like with 0 or 1.
func classOf(name string, n int64) (is, known bool) {
	between := func(lo, hi int64) bool { return n >= lo && n <= hi }
	upper, lower, digit := between('A', 'Z'), between('a', 'z'), between('0', '9')
	graph := between(33, 126)
	switch name {
	case "isalpha":
		return upper || lower, true
	case "isdigit":
		return digit, true
	case "isalnum":
		return upper || lower || digit, true
	case "isspace":
		return n == ' ' || between(9, 13), true
	case "isupper":
		return upper, true
	case "islower":
		return lower, true
	case "isxdigit":
		return digit || between('a', 'f') || between('A', 'F'), true
	case "isprint":
		return graph || n == ' ', true
	case "ispunct":
		return graph && !upper && !lower && !digit, true
	case "iscntrl":
		return between(0, 31) || n == 127, true
	case "isgraph":
		return graph, true
	case "isblank":
		return n == ' ' || n == '\t', true
	}
	return false, false
}
