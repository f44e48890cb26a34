package harness

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Count says which parameter counts what a pointer leads to.
type Count struct {
	Parameter string
	Bytes     bool // and not elements
}

// String is the form that ParseCount reads.
func (c Count) String() string {
	if c.Bytes {
		return c.Parameter + " bytes"
	}
	return c.Parameter
}

// ParseCount reads the name of a parameter, with ` bytes` behind it where these are counted.
func ParseCount(text string) Count {
	name, bytes := strings.CutSuffix(text, " bytes")
	return Count{name, bytes}
}

// Counts says what counts the elements of the pointer FUNCTION.NAME, where the code of the program does not: that of
// another version of it does.
func (p *Program) Counts(place string, c Count) { p.counts[place] = c }

// counts notes what counts the elements of a pointer.
func (h *harness) counts(name string, c Count) {
	if h.out.Counts == nil {
		h.out.Counts = map[string]Count{}
	}
	h.out.Counts[name] = c
}

// countOfOther returns the parameter that says in another version how much pointer i leads to, -1 if none does.
func (h *harness) countOfOther(i int, name string) (n int, bytes, known bool) {
	c, known := h.p.counts[h.of.CName+"."+name]
	if !known {
		return -1, false, false
	}
	for n, v := range h.vars {
		if n != i && v != nil && v.Name == c.Parameter && h.of.Params[n].T.IsInt() && !ir.IsStruct(h.elemOf(i)) {
			return n, c.Bytes, true
		}
	}
	return -1, false, false
}
