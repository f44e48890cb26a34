package harness

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Count says which parameter counts what a pointer leads to, or leads to its end.
type Count struct {
	Parameter string
	Bytes     bool // and not elements
	End       bool // it leads to the end
}

// String is the form that ParseCount reads.
func (c Count) String() string {
	switch {
	case c.Bytes:
		return c.Parameter + " bytes"
	case c.End:
		return c.Parameter + " ends"
	}
	return c.Parameter
}

// ParseCount reads the name of a parameter, with ` bytes` behind it where these are counted, ` ends` where it leads to the end.
func ParseCount(text string) Count {
	name, bytes := strings.CutSuffix(text, " bytes")
	name, end := strings.CutSuffix(name, " ends")
	return Count{name, bytes, end}
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

// noteCounted notes how much a pointer leads to, as a number counts it.
func (h *harness) noteCounted(name, number string, origin verdict.Origin, text string) string {
	id := h.note(name, verdict.Extent, origin, "%s", text)
	h.noted(id).Other = number
	return id
}

// countOfOther returns the parameter that says in another version how much pointer i leads to, -1 if none does.
func (h *harness) countOfOther(i int, name string) (n int, bytes, known bool) {
	c, known := h.p.counts[h.of.CName+"."+name]
	if !known || c.End {
		return -1, false, false
	}
	for n, v := range h.vars {
		if n != i && v != nil && v.Name == c.Parameter && h.isCount(i, n) && !ir.IsStruct(h.elemOf(i)) {
			return n, c.Bytes, true
		}
	}
	return -1, false, false
}

// Needs says how many bytes of what the pointer FUNCTION.NAME leads to another version of the function accesses at most: one
// structure that it copies, or as far as its lengths and what it compares its indices with allow.
func (p *Program) Needs(place string, bytes int64) { p.needs[place] = bytes }

// noteNeed notes how many bytes of what a pointer leads to the function accesses at most, as Program.Needs has it.
func (h *harness) noteNeed(name string, bytes int64) {
	if h.out.Needs == nil {
		h.out.Needs = map[string]int64{}
	}
	h.out.Needs[name] = bytes
}

// lessInOther has a pointer lead to as many bytes as another version accesses, and reports whether it does: where nothing
// bounds what this one accesses (loose), or where it is one element more, or more than the one structure that the other
// copies. A bound that is further off was meant to be another one. Callers in the program that are known to pass as many as
// this one needs decide.
func (h *harness) lessInOther(name string, e *extent, loose bool, passed int64) bool {
	n, known := h.p.needs[h.of.CName+"."+name]
	one := ir.SizeInC(e.elem)
	whole := ir.IsStruct(e.elem) && n == one
	if !known || !loose && (n >= e.bytes || !whole && n+one < e.bytes) || passed >= e.bytes && passed > n {
		return false
	}
	e.bytes, e.origin = n, verdict.Observed
	e.note = fmt.Sprintf("%s leads to %d bytes, as many as the other commit of the change accesses", name, n)
	return true
}

// isCount reports whether parameter n is a number, or a pointer to one, that may say how much pointer i leads to. One that
// is made before i, and may be null, leads to none.
func (h *harness) isCount(i, n int) bool {
	return h.of.Params[n].T.IsInt() || ir.IsNumber(h.numberOf(n)) && h.vars[n].T.Kind == ir.DPointer &&
		(n > i || !h.mayBeNull(n)) && h.given(h.nameOf(n)).size(1) == 0
}

// numberOf returns the type in C of the number that parameter n is, or leads to; nil: it is not known.
func (h *harness) numberOf(n int) *ir.DType {
	v := h.vars[n]
	switch {
	case v == nil:
		return nil
	case v.T != nil && h.of.Params[n].T.IsPtr():
		return v.T.Elem
	}
	return v.T
}

// countType returns the type of a count, as isCount.
func (h *harness) countType(n int) *ir.Type {
	if t := h.of.Params[n].T; t.IsInt() {
		return t
	}
	return ir.Int(h.numberOf(n).Bits)
}

// countName is a count in words.
func (h *harness) countName(n int) string {
	if h.of.Params[n].T.IsPtr() {
		return "*" + h.nameOf(n)
	}
	return h.nameOf(n)
}
