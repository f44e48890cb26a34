package pair

import (
	"errors"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// fromStart asserts of each access of the old version through a pointer that it is not before the start of what that
// leads to. Then pointers into blocks are no more than pointers to their start: the version neither reads nor writes what is
// before. An access that is not possible is excused, and not asked about. The error says that code is of both versions,
// which is no more excused than asserted.
func (w *pairing) fromStart(reach [2]places.Reach) error {
	for _, f := range w.Module.Funcs {
		if !reach[0].Funcs[f] || f.IsDecl() || f.Model != ir.ModelNone {
			continue
		}
		if reach[1].Funcs[f] {
			return errors.New("both versions come to the same function by a pointer")
		}
		w.RewriteFunc(f, func(in *ir.Instr) {
			for i, a := range in.Args {
				if a.Type().IsPtr() && !isOwn(a) && looksBehind(in, i) {
					off := w.Model(ir.ModelPtrOffset, "firmproof.offset", w.Word(), a)
					w.claimAt(FactStart, f.CName, w.Compare(ir.SLE, w.Int(w.Word(), 0), off), *in.Pos)
				}
			}
			switch {
			case len(w.twins) > 0: // that it goes no further than these is asked
			case in.Op == ir.OpLoad:
				w.assumeAccess(ir.ModelROK, in.Args[0], in.T)
			case in.Op == ir.OpStore:
				w.assumeAccess(ir.ModelWOK, in.Args[1], in.Args[0].Type())
			}
			w.Keep(in)
		})
	}
	return nil
}

// looksBehind reports whether an instruction accesses what operand i leads to, or hands it to code that does.
func looksBehind(in *ir.Instr, i int) bool {
	if in.Op != ir.OpCall {
		return ir.Accessed(in, i)
	}
	f := ir.CalledFunc(in)
	return in.CalledModel() != ir.ModelNone || f == nil || f.IsDecl()
}

func (w *pairing) assumeAccess(how ir.Model, p ir.Value, t *ir.Type) {
	if !isOwn(p) {
		w.Assume(w.Model(how, "firmproof.accessible", ir.Int(1), p, w.Int(w.Word(), w.Module.Layout.SizeOf(t))))
	}
}

// isOwn reports an address in a variable, by name.
func isOwn(v ir.Value) bool {
	switch r := ir.Root(v).(type) {
	case *ir.Instr:
		return r.Op == ir.OpAlloca
	case *ir.Const:
		return r.Global != nil
	}
	return false
}
