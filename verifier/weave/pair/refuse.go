package pair

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// refuse returns an error where code does what depends on where its memory stands, or on what is there byte by byte, or
// calls through pointers: that is not compared beside memory of another layout.
func (w *pairing) refuse(reach [2]places.Reach) error {
	if !w.j.ThroughPointers && w.callsIndirectly(reach) {
		return fmt.Errorf("%w, beside memory of another layout", ErrPointers)
	}
	if w.args == Any && w.mayOverlap(reach) {
		return errors.New("pointers may lead into memory of another layout")
	}
	for _, f := range ofEither(w.Module, reach) {
		differs := map[ir.Value]bool{} // numbers of addresses that are subtracted from each other
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == ir.OpSub && isAddress(in.Args[0]) && isAddress(in.Args[1]) {
					differs[in] = true
				}
			}
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, a := range in.Args {
					if k, ok := a.(*ir.Const); isAddress(a) && !differs[in] || ok && k.Kind == ir.ConstAddrInt {
						return errors.New("an address is a number, beside memory of another layout")
					}
				}
				if in.Flags.Has(ir.Volatile) && in.Op != ir.OpLoad && in.Op != ir.OpStore {
					return errors.New("a volatile access of another kind, beside memory of another layout")
				}
			}
		}
	}
	return nil
}

func isAddress(v ir.Value) bool {
	in, ok := v.(*ir.Instr)
	return ok && in.Op == ir.OpPtrToInt
}

// volatileElsewhere reports whether a volatile access goes to memory that both versions share, or to a variable of the
// function.
func (w *pairing) volatileElsewhere(in *ir.Instr) bool {
	if in.Op != ir.OpLoad && in.Op != ir.OpStore {
		return false
	}
	switch r := ir.Root(in.Args[len(in.Args)-1]).(type) {
	case *ir.Instr:
		if r.Op == ir.OpIntToPtr {
			_, constant := r.Args[0].(*ir.Const)
			return constant
		}
		return r.Op == ir.OpAlloca
	case *ir.Const:
		return r.Global == nil || !slices.Contains(w.j.apart, r.Global)
	}
	return false
}

// mayOverlap reports whether some pointer of any arguments may lead into what another one leads to, or into a variable.
func (w *pairing) mayOverlap(reach [2]places.Reach) bool {
	pointers := 0
	for _, p := range w.now.Params {
		if p.T.IsPtr() {
			pointers++
		}
	}
	variable := func(g *ir.Global) bool {
		return (reach[0].Globals[g] || reach[1].Globals[g]) && !g.Const && !strings.HasPrefix(g.Name, logPrefix)
	}
	return pointers > 1 || pointers == 1 && slices.ContainsFunc(w.Module.Globals, variable)
}
