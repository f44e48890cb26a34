package harness

import (
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// apart notes of each two blocks that parameters lead to that they do not overlap, where nothing in their types keeps
// them from it (C17 6.5p7). Where one of them is declared with restrict, callers see to it (C17 6.7.3.1).
func (h *harness) apart(args []ir.Value) {
	block := func(i int) *ir.Instr {
		if v := h.vars[i]; v == nil || v.T == nil || v.T.Kind != ir.DPointer {
			return nil // a structure, passed by value
		}
		in, ok := args[i].(*ir.Instr)
		for ok && in.Op == ir.OpSelect { // null, or the block
			in, ok = in.Args[len(in.Args)-1].(*ir.Instr)
		}
		if !ok || in.Model != ir.ModelMalloc {
			return nil
		}
		return in
	}
	for i := range args {
		for k := i + 1; k < len(args); k++ {
			p, q := block(i), block(k)
			if p == nil || q == nil || p == q || !mayOverlap(h.elemOf(i), h.elemOf(k)) {
				continue
			}
			origin := verdict.Chosen
			if h.vars[i].T.Restrict || h.vars[k].T.Restrict {
				origin = verdict.Read
			}
			id := h.note(h.nameOf(i)+", "+h.nameOf(k), verdict.Apart, origin,
				"what %s leads to and what %s leads to do not overlap", h.nameOf(i), h.nameOf(k))
			brings(id, p, q)
		}
	}
}

// mayOverlap reports whether objects of these types can share bytes: bytes with anything, else those of one size and kind.
func mayOverlap(a, b *ir.DType) bool {
	bytes := func(t *ir.DType) bool { return ir.IsVoid(t) || ir.SizeInC(t) == 1 }
	switch {
	case a == nil || b == nil || bytes(a) || bytes(b):
		return true
	case ir.IsStruct(a) && ir.IsStruct(b):
		return places.LayoutOf(a) == places.LayoutOf(b)
	}
	return ir.IsStruct(a) == ir.IsStruct(b) && ir.SizeInC(a) == ir.SizeInC(b)
}
