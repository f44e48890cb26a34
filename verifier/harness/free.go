package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// freePrefix starts the names of the functions that Free makes.
const freePrefix = "firmproof.free."

// Free adds a harness of f that takes as little for granted as it can: numbers and variables have any value, and a
// pointer to what holds no pointers leads to the start of a block of any size, with any contents; with overlap anywhere
// into that, into the block of another one, or into a variable that callers may have the address of. It is for two versions
// of a function: what the old one cannot do with is no difference. A parameter that the function does not compare with
// null is not null, which is said nowhere: that is as good as an empty block where no other code asks, either. With
// unaligned, what pointers lead to stands anywhere, whatever their types ask for.
func (p *Program) Free(f *ir.Func, overlap, unaligned bool) (*Harnessed, error) {
	return p.callOf(f, freePrefix, func(h *harness) {
		h.free, h.overlap, h.unaligned, h.anyState = true, overlap, unaligned, true
		if h.variant = "free."; overlap {
			h.variant = "free.overlap."
		}
	})
}

// anywhere makes a pointer to elem that leads to a block of any size; with overlap anywhere into it, or into what else it
// may lead to: of two pointers into one object, either may be the lower one.
func (h *harness) anywhere(name string, elem *ir.DType) ir.Value {
	block := h.anyBlock(name, h.any("bytes behind "+name, h.Word()))
	if h.holdsElements(elem); ir.IsVoid(elem) || h.unaligned {
		block.Align = 1 // callers may pass a part of anything
	}
	if !h.overlap {
		return block
	}
	base, size := h.otherPlace(&ground{name: name, at: block, size: block.Args[0]})
	at := h.any(name+" in its block", h.Word())
	h.Assume(h.Compare(ir.ULE, at, size))
	if align := h.alignOf(elem); !ir.IsVoid(elem) && !h.unaligned && align > 1 {
		h.Assume(h.Compare(ir.EQ, h.And(at, h.Int(h.Word(), align-1)), h.Int(h.Word(), 0)))
	}
	return h.Gep(base, 0, at, 1)
}

// otherPlace returns what the pointer of own leads into, with its size: that, the block of a pointer before it, or a
// variable.
func (h *harness) otherPlace(own *ground) (base, size ir.Value) {
	base, size = own.at, own.size
	if len(h.places) < policy.ApartPairs {
		list := slices.Clone(h.places)
		for _, g := range h.Module.Globals {
			if h.isGround(g) {
				list = append(list, h.groundOf(g))
			}
		}
		for _, g := range list {
			here := h.any(own.name+" leads into "+g.name, ir.Int(1))
			base = h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{here, g.at, base}})
			size = h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Word(), Args: []ir.Value{here, g.size, size}})
			h.same[[2]ir.Value{g.at, own.at}], h.same[[2]ir.Value{own.at, g.at}] = true, true
		}
	}
	h.places = append(h.places, own)
	return base, size
}

// takesFew reports whether a pointer to elem leads to one in this harness (Program.Few).
func (h *harness) takesFew(elem *ir.DType) bool {
	return h.takesAnything(elem) && h.p.isFew(elem)
}

// takesAnything reports whether a pointer to elem leads anywhere in this harness.
func (h *harness) takesAnything(elem *ir.DType) bool {
	return h.free && !ir.HoldsPointer(elem) && (ir.IsVoid(elem) || ir.SizeInC(elem) > 0)
}
