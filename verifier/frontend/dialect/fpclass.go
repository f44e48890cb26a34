package dialect

import (
	"fmt"
	"strconv"
	"strings"
)

// Classes of floating-point numbers, as bits of the mask of llvm.is.fpclass (LangRef).
const (
	classNaN       int = 1<<0 | 1<<1 // signalling, quiet
	classZero      int = 1<<5 | 1<<6 // of either sign
	classInfBelow  int = 1 << 2
	classNormBelow int = 1 << 3
	classSubBelow  int = 1 << 4
	classSubAbove  int = 1 << 7
	classNormAbove int = 1 << 8
	classInfAbove  int = 1 << 9
)

// between is the numbers of a class: those that both comparisons hold of. MIN stands for the least normal number.
var between = []struct {
	class       int
	first, then string
}{
	{classNaN, "uno X, 0.0", ""},
	{classZero, "oeq X, 0.0", ""},
	{classInfBelow, "oeq X, 0xFFF0000000000000", ""},
	{classInfAbove, "oeq X, 0x7FF0000000000000", ""},
	{classNormBelow, "ole X, -MIN", "ogt X, 0xFFF0000000000000"},
	{classNormAbove, "oge X, MIN", "olt X, 0x7FF0000000000000"},
	{classSubBelow, "olt X, -0.0", "ogt X, -MIN"},
	{classSubAbove, "ogt X, 0.0", "olt X, MIN"},
}

// least is the least normal number of a type, and the same below zero, as LLVM writes them.
var least = map[string][2]string{
	"float":  {"0x3810000000000000", "0xB810000000000000"},
	"double": {"0x0010000000000000", "0x8010000000000000"},
}

// fpclass writes a call of llvm.is.fpclass as comparisons, which tell no bits of a NaN. The sign of zero, or which NaN it
// is, they cannot tell: such calls stay.
func (n *normaliser) fpclass(ts []token, result string, open int) ([]token, bool) {
	end := closing(ts, open)
	args := split(ts[open+1 : end])
	if len(args) != 2 || result == "" {
		return ts, false
	}
	kind, x := args[0][0].text, args[0][len(args[0])-1].text
	mask, err := strconv.Atoi(args[1][len(args[1])-1].text)
	min, known := least[kind]
	if err != nil || !known {
		return ts, false
	}
	_, notes := behind(ts, end)
	e := expansion{n: n, notes: notes}
	any := "" // one of the classes so far
	for _, b := range between {
		if mask&b.class == 0 {
			continue
		}
		if mask&b.class != b.class {
			return ts, false
		}
		is := ""
		for _, c := range []string{b.first, b.then} {
			if c == "" {
				continue
			}
			c = strings.NewReplacer("X", x, "-MIN", min[1], "MIN", min[0]).Replace(c)
			predicate, operands, _ := strings.Cut(c, " ")
			is = e.also(is, "and", fmt.Sprintf("fcmp %s %s %s", predicate, kind, operands))
		}
		any = e.also(any, "or", is)
	}
	if any == "" {
		any = "false"
	}
	class := n.name(ClassPrefix)
	e.line(class, "or i1 %s, false", any)
	e.line(result, "or i1 %s, false", class)
	return lex(ts[0].before + e.String()), true
}

// also returns the name of a value that joins before, which may be empty, with an instruction, or a value by its name.
func (e *expansion) also(before, op, what string) string {
	if !strings.HasPrefix(what, "%") {
		name := e.n.name("firmproof.")
		e.line(name, "%s", what)
		what = name
	}
	if before == "" {
		return what
	}
	both := e.n.name("firmproof.")
	e.line(both, "%s i1 %s, %s", op, before, what)
	return both
}
