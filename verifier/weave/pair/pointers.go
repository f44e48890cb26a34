package pair

import (
	"errors"
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
)

// ErrPointers is the error where code calls functions through pointers that cannot be followed. Joined.ThroughPointers does
// without following any.
var ErrPointers = errors.New("calls through pointers")

// pointers returns an error where calls through pointers are not followed and should be, or the other way round.
func (w *pairing) pointers(reach [2]places.Reach) error {
	if !w.callsIndirectly(reach) {
		return nil
	}
	changed := harness.ChangedGlobals(w.Module)
	for side := range reach {
		for _, f := range w.followed(side) {
			for _, b := range f.Blocks {
				for _, in := range b.Instrs {
					if in.Op == ir.OpCall && in.Callee != nil && !w.j.ThroughPointers && mayChange(in.Callee, changed) {
						return fmt.Errorf("%w that the program sets", ErrPointers)
					}
					for _, a := range in.Args {
						if k, ok := a.(*ir.Const); ok && w.j.ThroughPointers && namesOld(k) {
							return fmt.Errorf("%w that may lead to functions that changed", ErrPointers)
						}
					}
				}
			}
		}
		for g := range reach[side].Globals {
			if w.j.ThroughPointers && namesOld(g.Init) {
				return fmt.Errorf("%w that may lead to functions that changed", ErrPointers)
			}
		}
	}
	return nil
}

// mayChange reports a pointer that is read from a variable that may hold another one: a harness takes it for what it holds at first.
func mayChange(v ir.Value, changed map[*ir.Global]bool) bool {
	in, ok := v.(*ir.Instr)
	if !ok || in.Op != ir.OpLoad {
		return false
	}
	g := ir.VariableAt(in.Args[0])
	return g != nil && !g.Const && (g.Extern || changed[g] || g.Var != nil && g.Var.Public)
}

// namesOld reports whether a constant holds the address of a function of the old version, which the new one does not have.
func namesOld(k *ir.Const) bool {
	if k == nil {
		return false
	}
	if k.Func != nil && !k.Func.IsDecl() && strings.HasPrefix(k.Func.Name, OldPrefix) {
		return true
	}
	for _, e := range k.Elems {
		if namesOld(e) {
			return true
		}
	}
	return false
}

// pointerEvent is a call through a pointer: that leads to the same function in both versions, or is none that both make.
func (w *pairing) pointerEvent(in *ir.Instr) (*event, error) {
	e := &event{kind: fmt.Sprint("through a pointer, ", in.T, " of ", len(in.Args)), name: "call through a pointer",
		through: true, args: []ir.Value{in.Callee}}
	if err := w.callOf(e, in, &ir.Func{}, "a function that is called through a pointer"); err != nil {
		return nil, err
	}
	e.calls = true
	return e, nil
}
