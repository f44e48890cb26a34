package encode

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
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
func (e *encoder) masked(v val) ilr.Term {
	if v.u == 0 {
		return e.s.Int(1, 0)
	}
	return e.s.BoolToBV(e.s.NonZero(v.u), 1)
}

// maskVar tells whether the element of o that the ghost index names has indeterminate bits.
func (e *encoder) maskVar(o *object, n, count int64, entry, st *state) *cutVar {
	read := func(st *state) ilr.Term { return e.ghostPart(o, st, e.f.Ghost, n, 1, e.masked) }
	return &cutVar{name: maskName(e.cellName(o)), mask: true, entry: read(entry), head: read(st), moves: true,
		cell:  true,
		count: count, at: func(in edge) ilr.Term { return read(in.st) }}
}

// maybeIndeterminate reports whether an object with these contents may have indeterminate bits.
func (e *encoder) maybeIndeterminate(c *content) bool {
	found := false
	look := func(_ int64, x *cell) { found = found || x.v.u != 0 || x.v.el != nil }
	c.cells.each(look)
	switch {
	case found:
	case c.arr != nil:
		found = c.arr.u != 0
	default:
		c.base.cells.each(look)
		found = found || c.base.uninit || c.base.kind == baseInvalid || c.base.arr != nil && c.base.arr.u != 0
	}
	return found
}
