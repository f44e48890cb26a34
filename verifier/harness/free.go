package harness

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// freePrefix starts the names of the functions that Free makes.
const freePrefix = "firmproof.free."

// Free adds a harness of f that takes as little for granted as it can: numbers and variables have any value, and a
// pointer to what holds no pointers leads to the start of a block of any size, with any contents; with overlap also
// anywhere into the block of another one, or into a variable that callers may have the address of. It is for two versions
// of a function: what the old one cannot do with is no difference. A parameter that the function does not compare with
// null is not null, which is said nowhere: that is as good as an empty block where no other code asks, either.
func (p *Program) Free(f *ir.Func, overlap bool) (*Harnessed, error) {
	return p.callOf(f, freePrefix, func(h *harness) {
		h.free, h.overlap, h.anyState = true, overlap, true
		if h.variant = "free."; overlap {
			h.variant = "free.overlap."
		}
	})
}

// anywhere makes a pointer to elem that leads to a block of any size, or anywhere into another one.
func (h *harness) anywhere(name string, elem *ir.DType) ir.Value {
	var size ir.Value = h.any("bytes behind "+name, h.Word())
	block := h.anyBlock(name, size)
	h.holdsElements(elem)
	base := ir.Value(block)
	if h.overlap {
		base, size = h.otherPlace(name, block, size)
	}
	if base == ir.Value(block) {
		return block
	}
	at := h.any(name+" in its block", h.Word())
	h.Assume(h.Compare(ir.ULE, at, size))
	if align := h.alignOf(elem); !ir.IsVoid(elem) && align > 1 {
		h.Assume(h.Compare(ir.EQ, h.And(at, h.Int(h.Word(), align-1)), h.Int(h.Word(), 0)))
	}
	return h.Gep(base, 0, at, 1)
}

// otherPlace returns what a pointer of that name leads into, with its size: its own block, that of a pointer before it, or
// a variable.
func (h *harness) otherPlace(name string, block *ir.Instr, size ir.Value) (ir.Value, ir.Value) {
	base := ir.Value(block)
	or := func(of string, at, bytes ir.Value) {
		here := h.any(name+" leads into "+of, ir.Int(1))
		base = h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{here, at, base}})
		size = h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Word(), Args: []ir.Value{here, bytes, size}})
	}
	for _, b := range h.out.Blocks {
		if b.At != block && h.anywhereIn[b.At] && len(h.anywhereIn) <= policy.ApartPairs {
			or(b.pointer, b.At, b.Size)
			h.same[[2]ir.Value{b.At, block}], h.same[[2]ir.Value{block, b.At}] = true, true
		}
	}
	for _, g := range h.Module.Globals {
		if h.isGround(g) && len(h.anywhereIn) <= policy.ApartPairs {
			v := h.AddrOfGlobal(g)
			or(ir.NameOf(g), v, h.Int(h.Word(), ir.SizeInC(g.Var.T)))
			h.same[[2]ir.Value{v, block}], h.same[[2]ir.Value{block, v}] = true, true
		}
	}
	if h.anywhereIn == nil {
		h.anywhereIn = map[*ir.Instr]bool{}
	}
	h.anywhereIn[block] = true
	return base, size
}

// takesAnything reports whether a pointer to elem leads anywhere in this harness.
func (h *harness) takesAnything(elem *ir.DType) bool {
	return h.free && !ir.HoldsPointer(elem) && (ir.IsVoid(elem) || ir.SizeInC(elem) > 0)
}
