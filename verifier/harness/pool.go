package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/harness/uses"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A pointer whose address the code orders against that of a variable (`p >= pool && p < pool + n`, `(p - pool) / size`) leads
// into that variable (C17 6.5.6p9, 6.5.8p5): it is a pool, of which pointers are handed out. Each leads to where an element
// of it begins.

// Pool has pointers that functions order against the variable of that name lead into it: somebody says so. It reports
// whether there is such a variable.
func (p *Program) Pool(name string) bool {
	p.pools[name] = true
	return p.variable(name) != nil
}

// pool returns the variable that parameter i leads into, and who says so; nil: none.
func (h *harness) pool(i int) (*ir.Global, verdict.Origin) {
	if name := h.given(h.nameOf(i)).In; name != "" {
		return h.p.variable(name), verdict.Declared
	}
	var pool *ir.Global
	for g, how := range h.uses[i].In {
		if how&uses.Ordered == 0 || g.Const || g.Extern || !partsAre(g.Var, h.elemOf(i)) {
			continue
		}
		if pool != nil {
			return nil, verdict.Chosen // it leads into one of several
		}
		pool = g
	}
	if pool != nil && h.p.pools[ir.NameOf(pool)] {
		return pool, verdict.Declared
	}
	return pool, verdict.Chosen
}

// partsAre reports whether a variable is an array of what a pointer to t can lead to: of bytes the program may make parts by
// rules of its own.
func partsAre(v *ir.Var, t *ir.DType) bool {
	return v != nil && v.T != nil && v.T.Kind == ir.DArray && v.T.Elem != nil &&
		(!ir.IsNumber(v.T.Elem) || !ir.IsVoid(t) && ir.SizeInC(t) == ir.SizeInC(v.T.Elem))
}

// variable returns the variable of that name that the program defines; nil: it has none.
func (p *Program) variable(name string) *ir.Global {
	i := slices.IndexFunc(p.m.Globals, func(g *ir.Global) bool {
		return !g.Extern && g.Var != nil && g.Var.T != nil && g.Var.Name == name
	})
	if i < 0 {
		return nil
	}
	return p.m.Globals[i]
}

// element is the part of a pool that a pointer leads to the start of, in bytes.
func (h *harness) element(pool *ir.Global) int64 {
	if t := pool.Var.T; t.Kind == ir.DArray {
		return max(ir.SizeInC(t.Elem), 1)
	}
	return max(ir.SizeInC(pool.Var.T), 1)
}

// inPool makes a pointer of that name to an element of a pool.
func (h *harness) inPool(name string, pool *ir.Global, by verdict.Origin) ir.Value {
	size, word := h.element(pool), h.Word()
	k := h.any("the element that "+name+" leads to", word)
	h.Assume(h.Compare(ir.ULT, k, h.Int(word, ir.SizeInC(pool.Var.T)/size)))
	id := h.note(name, verdict.Extent, by, "%s leads to an element of %s", name, ir.NameOf(pool))
	h.noted(id).Line = "in " + ir.NameOf(pool)
	return h.made(id, h.Gep(h.AddrOfGlobal(pool), 0, k, size))
}
