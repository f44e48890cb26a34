package linkerscript

import (
	"strconv"
	"strings"
)

var precedence = map[string]int{"|": 1, "&": 2, "<<": 3, ">>": 3, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5}

// expr reads an expression of the linker's (GNU ld: Expressions), left to right
// by precedence. It returns false for what only the linker knows.
func (p *parser) expr(prec int) (uint64, bool) {
	v, ok := p.primary()
	for ok {
		op := p.peek(0)
		q := precedence[op]
		if q == 0 || q <= prec {
			break
		}
		p.i++
		w, good := p.expr(q)
		if !good {
			return 0, false
		}
		v, ok = apply(op, v, w)
	}
	return v, ok
}

func apply(op string, a, b uint64) (uint64, bool) {
	switch op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "&":
		return a & b, true
	case "|":
		return a | b, true
	case "<<":
		return a << min(b, 64), true
	case ">>":
		return a >> min(b, 64), true
	}
	if b == 0 {
		return 0, false
	}
	if op == "/" {
		return a / b, true
	}
	return a % b, true
}

func (p *parser) primary() (uint64, bool) {
	t := p.peek(0)
	p.i++
	switch t {
	case "(":
		v, ok := p.expr(0)
		return v, ok && p.expect(")") == nil
	case "~":
		v, ok := p.primary()
		return ^v, ok
	case "-":
		v, ok := p.primary()
		return -v, ok
	case "ORIGIN", "LENGTH", "ABSOLUTE", "DEFINED", "ALIGN":
		if p.peek(0) != "(" {
			return 0, false
		}
		p.i++
		if t == "ABSOLUTE" {
			v, ok := p.expr(0)
			return v, ok && p.expect(")") == nil
		}
		v, ok := p.vars[t+" "+p.peek(0)]
		p.i++
		return v, ok && p.expect(")") == nil
	}
	if v, ok := number(t); ok {
		return v, true
	}
	v, ok := p.vars[t]
	return v, ok
}

// number reads decimal, 0x, octal, and K and M behind (GNU ld: Constants).
func number(s string) (uint64, bool) {
	shift := 0
	switch {
	case strings.HasSuffix(s, "K"), strings.HasSuffix(s, "k"):
		shift = 10
	case strings.HasSuffix(s, "M"), strings.HasSuffix(s, "m"):
		shift = 20
	}
	if shift > 0 {
		s = s[:len(s)-1]
	}
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	v, err := strconv.ParseUint(s, 0, 64)
	if err != nil || strings.Contains(s, "_") {
		return 0, false
	}
	return v << shift, true
}
