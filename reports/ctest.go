package reports

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// CTest is a C file that plays the inputs of a counterexample back: the nondet functions return what they returned in
// the trace. It is a start for a unit test; `firmproof replay` plays back all kinds of input. Empty where the trace has
// no such input.
func CTest(r *verdict.Result, c *verdict.Claim) string {
	type function struct {
		name, typ string
		values    []string
	}
	byName := map[string]*function{}
	var order []*function
	var rest []string
	for _, s := range c.Trace {
		name, isCall := strings.CutSuffix(s.What, "()")
		switch {
		case s.Kind == verdict.StepInput && isCall && isIdentifier(name) && isCType(s.Type) && isScalar(s.Value):
			f := byName[name]
			if f == nil {
				f = &function{name: name, typ: s.Type}
				byName[name] = f
				order = append(order, f)
			}
			f.values = append(f.values, s.Value)
		case fromOutside(s.Kind):
			rest = append(rest, line(strings.ReplaceAll(fmt.Sprintf("%s: %s", s.Pos, StepText(s)), "*/", "* /")))
		}
	}
	if len(order) == 0 && len(rest) == 0 || !isIdentifier(r.Entry) {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "/* %s\n * %s, on %s */\n#include <stddef.h>\n#include <stdint.h>\n\n", comment(c.Pos.String()+": "+
		c.Message), comment(c.ID), comment(r.Target))
	for _, f := range order {
		fmt.Fprintf(&b, "%s %s(void)\n{\n\tstatic const %s values[] = {%s};\n\tstatic unsigned next;\n\n\treturn values[next++];\n}\n\n",
			f.typ, f.name, f.typ, strings.Join(f.values, ", "))
	}
	for i, l := range rest {
		if i == 0 {
			b.WriteString("/* These inputs come otherwise, which `firmproof replay` plays back:\n")
		}
		fmt.Fprintf(&b, " * %s\n", l)
		if i == len(rest)-1 {
			b.WriteString(" */\n\n")
		}
	}
	fmt.Fprintf(&b, "void %s(void);\n\nint main(void)\n{\n\t%s();\n\treturn 0;\n}\n", r.Entry, r.Entry)
	if r.Entry == "main" {
		return b.String()[:strings.Index(b.String(), "void main(void);")]
	}
	return b.String()
}

// comment is text that does not end a C comment.
func comment(s string) string { return strings.ReplaceAll(line(s), "*/", "* /") }

func isIdentifier(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && !('a' <= r && r <= 'z') && !('A' <= r && r <= 'Z') && !('0' <= r && r <= '9')
	}) && !('0' <= s[0] && s[0] <= '9')
}

// isCType reports whether s is the name of an arithmetic type.
func isCType(s string) bool {
	words := strings.Fields(s)
	for _, w := range words {
		if !isIdentifier(w) {
			return false
		}
	}
	return len(words) > 0
}

// isScalar reports whether s can stand in an initialiser.
func isScalar(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("+-.'\\ xeE", r) && !('0' <= r && r <= '9') && !('a' <= r && r <= 'z') &&
			!('A' <= r && r <= 'Z')
	}) && !strings.Contains(s, " ")
}
