package harness

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Of a structure that the harness made and that holds pointers, any function changes the member alone whose address it
// is passed: a number, or an array of them; of a pointer to a structure, the members of that type. What else it is
// passed an address of there is not modelled.

// heldPart starts the names of the variables that any function finds structures by.
const heldPart = "firmproof.held."

// heldBlock is a block that begins with a structure which holds pointers.
type heldBlock struct {
	name string
	t    *ir.DType
	p    *ir.Instr  // its address, in the harness
	at   *ir.Global // holds that for other functions
}

// byteRange is a range of bytes of a structure.
type byteRange struct{ off, size int64 }

// holds notes that the block at p begins with a structure of type t.
func (h *harness) holds(name string, t *ir.DType, p ir.Value) {
	block, ok := p.(*ir.Instr)
	if !ok || block.Model != ir.ModelMalloc || len(h.held) >= policy.HeldBlocks || !ir.HoldsPointer(t) {
		return
	}
	h.held = append(h.held, &heldBlock{name: strings.TrimPrefix(name, "*"), t: t, p: block})
}

// showHeld lets any function find the structures that hold pointers, if there is such a function.
func (h *harness) showHeld() {
	if len(h.bodies) == 0 {
		h.held = nil
	}
	for i, b := range h.held {
		b.at = &ir.Global{Name: fmt.Sprintf("%s%s.%d", heldPart, h.unique(), i), T: h.Ptr(), Align: h.Module.Layout.PtrBits / 8,
			Init: &ir.Const{T: h.Ptr(), Kind: ir.ConstNull}}
		h.Module.Globals = append(h.Module.Globals, b.at)
		h.Store(b.p, h.AddrOfGlobal(b.at), 1)
	}
}

// havoc gives what p, a pointer to elem, leads to any contents from there on, at most n bytes of it where n is not nil:
// of the structures that h holds, a member alone.
func (s *harness) havoc(p, n ir.Value, elem *ir.DType, h *harness) {
	end := s.NewBlock("changed")
	for _, b := range h.held {
		list := membersFor(b.t, elem)
		if len(list) == 0 {
			continue
		}
		h.note(b.name, verdict.Calls, verdict.Chosen, "of the structure behind %s, a function that is not known changes the member alone that it is handed",
			b.name)
		inside, next := s.NewBlock("inside"), s.NewBlock("outside")
		from := s.Load(s.Ptr(), s.AddrOfGlobal(b.at))
		s.Branch(s.Model(ir.ModelSameObject, "firmproof.same", ir.Int(1), p, from), inside, next)
		s.At(inside)
		off := s.Model(ir.ModelPtrOffset, "firmproof.offset", s.Word(), p)
		for _, m := range list {
			hit, other := s.NewBlock("hit"), s.NewBlock("other")
			s.Branch(s.Compare(ir.ULT, s.Binary(ir.OpSub, off, s.Int(s.Word(), m.off)), s.Int(s.Word(), m.size)), hit,
				other)
			s.At(hit)
			s.Model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), s.Gep(from, m.off, nil, 0), s.Int(s.Word(), m.size))
			s.Jump(end)
			s.At(other)
		}
		s.Unsupported(fmt.Sprintf("what %s changes in the structure behind %s, where its pointer leads to no number",
			s.Func.CName, b.name))
		s.Jump(end)
		s.At(next)
	}
	args := []ir.Value{p}
	if n != nil {
		args = append(args, n)
	}
	s.Model(ir.ModelHavocRest, "any function", ir.Void(), args...)
	s.Jump(end)
	s.At(end)
}

// membersFor lists the members of t that a pointer to elem may lead to: numbers and arrays of them, or where elem is a
// structure, those of its type; nil if there are too many.
func membersFor(t, elem *ir.DType) []byteRange {
	var out []byteRange
	whole := func(t *ir.DType, off int64) {
		if n := ir.SizeInC(t); n > 0 {
			out = append(out, byteRange{off, n})
		}
	}
	var visit func(t *ir.DType, off int64, depth int)
	visit = func(t *ir.DType, off int64, depth int) {
		if t == nil || depth > policy.HeldDepth {
			return
		}
		single := t
		for single.Kind == ir.DArray && single.Elem != nil {
			single = single.Elem
		}
		switch {
		case ir.IsAggregate(elem) && sameAggregate(single, elem):
			whole(t, off)
		case t.Kind == ir.DStruct:
			for i := range t.Fields {
				if f := &t.Fields[i]; !f.IsBits {
					visit(f.T, off+f.BitOff/8, depth+1)
				}
			}
		case ir.IsAggregate(elem):
		case single.Kind == ir.DInt || single.Kind == ir.DChar || single.Kind == ir.DFloat || single.Kind == ir.DEnum,
			single.Kind == ir.DUnion && !needsFill(single, 0):
			whole(t, off)
		}
	}
	visit(t, 0, 0)
	if len(out) > policy.HeldMembers {
		return nil
	}
	return out
}

// sameAggregate reports whether a and b are one type of structure or union.
func sameAggregate(a, b *ir.DType) bool {
	bare := func(t *ir.DType) string { return strings.TrimPrefix(t.Name, "volatile ") }
	return a.Kind == b.Kind && bare(a) == bare(b) && a.Bits == b.Bits
}
