package encode

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// Which bits are indeterminate at a header is unknown like the bits themselves, and a number that invariants speak
// about: 1 where some bit of a place, or of the element that the ghost index names, is.

// maskName is the name of the number that tells whether something of this name is indeterminate.
func maskName(name string) string { return "indeterminate(" + name + ")" }

// MaskedName returns what a Var that is a Mask is about.
func MaskedName(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "indeterminate("), ")")
}

// isOnes reports a mask that is all ones.
func (e *encoder) isOnes(u ilr.Term) bool {
	if u == 0 {
		return false
	}
	v, known := e.s.ConstVal(u)
	return known && bits.Not(v).IsZero()
}

// masked is one bit: v has indeterminate bits.
func (e *encoder) masked(v memory.Val) ilr.Term {
	if v.Undef == 0 {
		return e.s.Int(1, 0)
	}
	return e.s.BoolToBV(e.s.NonZero(v.Undef), 1)
}

// maskVar tells whether the element of o that the ghost index names has indeterminate bits.
func (e *encoder) maskVar(o *memory.Object, n, count int64, entry, st *memory.State) *cutVar {
	read := func(st *memory.State) ilr.Term { return e.ghostPart(o, st, e.f.Ghost, n, 1, e.masked) }
	return &cutVar{name: maskName(e.cellName(o)), mask: true, entry: read(entry), head: read(st), moves: true,
		cell:  true,
		count: count, at: func(in edge) ilr.Term { return read(in.st) }}
}

// maybeIndeterminate reports whether an object with these contents may have indeterminate bits.
func (e *encoder) maybeIndeterminate(c *memory.Content) bool {
	found := false
	look := func(_ int64, x *memory.Cell) { found = found || x.V.Undef != 0 || x.V.Elems != nil }
	c.Cells.Each(look)
	switch {
	case found:
	case c.Array != nil:
		found = c.Array.Undef != 0
	default:
		c.Base.Cells.Each(look)
		found = found || c.Base.Uninit || c.Base.Kind == memory.BaseInvalid || c.Base.Array != nil && c.Base.Array.Undef != 0
	}
	return found
}
