package harness

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// readsText reports whether a function of type t has the form of fgets (C17 7.21.7.2): a char *, a number and a pointer to
// what it reads from, where the result is a char *, too.
func readsText(t *ir.DType, sig *ir.Type) bool {
	if sig == nil || len(t.Params) != 3 || len(sig.Fields) != 3 || !leadsToChars(t.Elem) || !leadsToChars(t.Params[0]) {
		return false
	}
	return ir.IsNumber(t.Params[1]) && sig.Fields[1].IsInt() && sig.Fields[2].IsPtr()
}

// leadsToChars reports a pointer to plain char that may be written through.
func leadsToChars(t *ir.DType) bool {
	return t != nil && t.Kind == ir.DPointer && t.Elem != nil && t.Elem.Kind == ir.DChar && t.Elem.Name == "char"
}

// callsAny notes that a pointer to a t leads to any function, in which sense, and returns the assumption's ID.
func (h *harness) callsAny(name string, t *ir.DType) string {
	if readsText(t, h.p.places.Sigs[t.Name]) {
		return h.note(name, verdict.Calls, verdict.Chosen, "%s leads to any function that reads a text as fgets does: "+
			"it changes at most as many bytes behind its first argument as the second says, of which one is the zero at the "+
			"end, and gives the first or null", name)
	}
	return h.note(name, verdict.Calls, verdict.Chosen, "%s leads to any function: it gives any result and "+
		"changes what its pointers to numbers lead to from there on", name)
}

// text writes what a function of type t does that reads a text into its first parameter, and returns its result. It may
// be shorter than what was asked for; where the program asks for more than there is room for, it does not end.
func (s *harness) text(t *ir.DType, h *harness) *ir.Instr {
	to, most := s.Func.Params[0], s.Resize(s.Func.Params[1], s.Word())
	pred := ir.NE
	if t.Params[1].Signed {
		pred = ir.SGT
	}
	some, ends, out := s.NewBlock("some"), s.NewBlock("ends"), s.NewBlock("read")
	s.Branch(s.Compare(pred, s.Func.Params[1], s.Int(s.Func.Params[1].T, 0)), some, out)
	s.At(some)
	s.havoc(to, most, t.Params[0].Elem, h)
	last := s.Binary(ir.OpSub, most, s.Int(s.Word(), 1))
	length := s.Nondet(fmt.Sprintf("length of what %s reads", s.Func.CName), s.Word())
	at := s.Emit(&ir.Instr{Op: ir.OpSelect, T: s.Word(), Args: []ir.Value{s.Compare(ir.ULT, length, last), length, last}})
	end := s.Gep(to, 0, at, 1)
	s.Branch(s.Model(ir.ModelWOK, "firmproof.w_ok", ir.Int(1), end, s.Int(s.Word(), 1)), ends, out)
	s.At(ends)
	s.Store(s.Int(ir.Int(8), 0), end, 1)
	s.Jump(out)
	s.At(out)
	return s.Emit(&ir.Instr{Op: ir.OpSelect, T: s.Ptr(), Args: []ir.Value{s.Nondet(s.Func.CName+ir.IsNull, ir.Int(1)),
		s.Null(), to}})
}
