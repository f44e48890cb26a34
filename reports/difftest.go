package reports

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// DifferenceTest is a C program that calls the function of a comparison with the input of a difference, writes what can be seen
// of the call, and fails where that is not what the old version did: it includes the file of the function. Empty where C cannot
// say the input, or what is seen is a call, an access or a check.
func DifferenceTest(c *verdict.Comparison, d *verdict.Difference) string {
	t := &differenceTest{blocks: map[string]bool{}}
	if d.Kind != verdict.DiffersResult && d.Kind != verdict.DiffersMemory || c.Pos.File == "" || !isIdentifier(c.Function) || !t.read(d) {
		return ""
	}
	seen := slices.Clone(t.after)
	call := fmt.Sprintf("%s(%s)", c.Function, strings.Join(t.args, ", "))
	if t.result != "" {
		call = "__typeof__(" + call + ") result = " + call
		seen = append(seen, [2]string{"result", t.result})
	}
	if len(seen) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "/* %s differs: %s. It has to do what the old version did. */\n#include \"%s\"\n#include <stdbool.h>\n#include <stdio.h>\n"+
		"#include <string.h>\n\nstatic int failed;\n\n"+
		"#define EXPECT(what, old) \\\n\tdo { \\\n\t\tprintf(\"%%s = %%.21Lg\\n\", #what, (long double)(what)); \\\n"+
		"\t\tif ((what) != (__typeof__(what))(old)) { \\\n\t\t\tprintf(\"\\twas %%s\\n\", #old); \\\n\t\t\tfailed = 1; \\\n\t\t} \\\n\t} while (0)\n\n"+
		"int main(void)\n{\n", c.Function, comment(d.Name), path.Clean(c.Pos.File))
	for _, l := range append(t.before, call+";") {
		fmt.Fprintf(&b, "\t%s\n", l)
	}
	for _, e := range seen {
		fmt.Fprintf(&b, "\tEXPECT(%s, %s);\n", e[0], e[1])
	}
	return b.String() + "\treturn failed;\n}\n"
}

// differenceTest is what a trace of both calls says in terms of C.
type differenceTest struct {
	blocks map[string]bool // names of the pointers to blocks
	before []string        // statements in front of the call
	args   []string
	after  [][2]string // places that the old version wrote, and what it left there
	result string      // what it gave
}

// argument is one of a call as a trace writes it.
var argument = regexp.MustCompile(`^(\w+) = (\(block for (\w+)\)|[^,(){}"&]+)$`)

// read reads the trace up to the end of the call of the old version; false: C cannot say it.
func (t *differenceTest) read(d *verdict.Difference) bool {
	called := false
	for _, s := range d.Trace {
		switch {
		case s.Kind == verdict.StepVolatile, called && s.Kind == verdict.StepInput:
			return false // the environment gives it
		case s.Kind == verdict.StepReturn && s.Depth == 0:
			if s.Value != "" && s.Type != "void" {
				t.result = s.Value
			}
			return called && (t.result == "" || isScalar(t.result))
		case s.Kind == verdict.StepCall && s.Depth == 1 && called: // the new version's: the old one gave nothing
			return true
		case s.Kind == verdict.StepCall && s.Depth == 1:
			if called = true; !t.calls(s.Value) {
				return false
			}
		case s.Kind == verdict.StepAssign && !called:
			if !t.holds(&s) {
				return false
			}
		case s.Kind == verdict.StepAssign && s.Depth > 0 && s.Frame == 0:
			if !isScalar(s.Value) || !isPlace(s.What) || s.Depth > 1 && !t.isKnown(s.What) {
				return false
			}
			t.after = slices.DeleteFunc(t.after, func(e [2]string) bool { return e[0] == s.What })
			t.after = append(t.after, [2]string{s.What, s.Value})
		}
	}
	return false
}

// calls notes the arguments of the call.
func (t *differenceTest) calls(text string) bool {
	if text == "" {
		return true
	}
	for _, a := range strings.Split(text, ", ") {
		m := argument.FindStringSubmatch(a)
		switch {
		case m == nil, m[3] != "" && !t.blocks[m[3]]:
			return false
		case m[3] != "":
			t.args = append(t.args, m[3])
		case !isScalar(m[2]):
			return false
		default:
			t.args = append(t.args, m[2])
		}
	}
	return true
}

// holds notes what memory holds before the call.
func (t *differenceTest) holds(s *verdict.Step) bool {
	typ := strings.TrimSpace(strings.NewReplacer("const ", "", "volatile ", "").Replace(s.Type))
	if typ == "" || strings.ContainsAny(s.Value, "&?\n") || strings.Contains(s.Value, "...") || strings.Contains(typ, "*") {
		return false
	}
	elem, count, array := strings.Cut(typ, "[")
	name, block := strings.CutPrefix(s.What, "*")
	switch {
	case !isIdentifier(name):
		return false
	case !block && array:
		t.before = append(t.before, fmt.Sprintf("memcpy(%s, (%s)%s, sizeof %s);", name, typ, braced(s.Value), name))
	case !block:
		t.before = append(t.before, fmt.Sprintf("%s = (%s)%s;", name, typ, s.Value))
	case s.Behind != name || t.blocks[name]:
		return false
	case array:
		t.blocks[name] = true
		t.before = append(t.before, fmt.Sprintf("%s %s[%s = %s;", elem, name, count, s.Value))
	default:
		t.blocks[name] = true
		t.before = append(t.before, fmt.Sprintf("%s %s[] = {%s};", typ, name, s.Value))
	}
	return true
}

// braced is an initial value of an array in braces.
func braced(v string) string {
	if strings.HasPrefix(v, "{") {
		return v
	}
	return "{" + v + "}"
}

// isKnown reports whether a place is one of the test's: a name in a function that is called may be another thing.
func (t *differenceTest) isKnown(place string) bool {
	return !strings.ContainsAny(place, "[.-*")
}

// isPlace reports whether text names a variable, a member or an element with a constant index.
func isPlace(s string) bool { return placeInC.MatchString(s) }

var placeInC = regexp.MustCompile(`^\*?\w+((\.|->)\w+|\[\d+\])*$`)
