package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// onlyWhileHeld assumes of a static function that the program keeps in members of a structure alone, such as a state of a
// state machine, that it is called with a structure which holds it.
func (h *harness) onlyWhileHeld(args []ir.Value) {
	if !h.of.Addr || !h.calls.cone.static(h.of) || len(h.p.calls[h.of]) > 0 {
		return
	}
	for i := range args {
		if h.handle(i) == nil {
			continue
		}
		var is ir.Value
		for _, off := range h.p.heldIn(h.of, h.vars[i].T.Elem) {
			c := ir.Value(h.Compare(ir.EQ, h.Load(h.Ptr(), h.Gep(args[i], off, nil, 0)), h.AddrOfFunc(h.of)))
			if is != nil {
				c = h.Or(is, c)
			}
			is = c
		}
		if is != nil {
			brings(h.note(h.nameOf(i), verdict.Calls, verdict.Chosen,
				"%s is called only while %s holds it: the program keeps its address nowhere else", h.of.CName, h.nameOf(i)),
				h.Assume(is))
			return
		}
	}
}

// heldIn lists the offsets of the members of a t where the program stores the address of f; none where it does more with it
// than to store it there and to compare it.
func (p *Program) heldIn(f *ir.Func, t *ir.DType) (out []int64) {
	for _, g := range p.m.Globals {
		if holdsFunc(g.Init, f) {
			return nil
		}
	}
	for _, by := range p.m.Funcs {
		if by.Made || by.Driven() {
			continue
		}
		vars := by.VarsBySlot()
		for _, b := range by.Blocks {
			for _, in := range b.Instrs {
				for i, a := range in.Args {
					c, ok := a.(*ir.Const)
					if !ok || !holdsFunc(c, f) || in.Op == ir.OpIcmp {
						continue
					}
					if in.Op != ir.OpStore || i != 0 || c.Func != f {
						return nil
					}
					at := places.PlacesAt(vars, in.Args[1])
					if len(at) == 0 {
						return nil
					}
					for _, to := range at {
						if to.Of != places.LayoutOf(t) {
							return nil
						}
						if !slices.Contains(out, to.Off) {
							out = append(out, to.Off)
						}
					}
				}
			}
		}
	}
	return out
}

// holdsFunc reports whether the address of f is part of a constant.
func holdsFunc(c *ir.Const, f *ir.Func) bool {
	return c != nil && (c.Func == f || slices.ContainsFunc(c.Elems, func(e *ir.Const) bool { return holdsFunc(e, f) }))
}
