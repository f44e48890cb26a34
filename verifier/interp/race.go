package interp

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// raced words the failure of a trap of the check `race`, with the place of the handler's access where the run is
// traced: operands are what handlers count in at theirs, or a variable and a function that writes it (weave/interrupt).
func (x *Machine) raced(in *ir.Instr) {
	message := in.What
	if other := x.otherAccess(in.Args); other != nil && other.Pos.Line > 0 {
		message += fmt.Sprintf(" (at %s)", other.Pos)
	}
	x.stop(verdict.Race, "%s", message)
}

// otherAccess returns the access of a handler that a trap is about; nil: not known.
func (x *Machine) otherAccess(args []ir.Value) *ir.Instr {
	var variable *ir.Global
	for _, a := range args {
		k, ok := a.(*ir.Const)
		switch {
		case !ok:
		case k.Func != nil:
			return firstWrite(k.Func, variable)
		case k.Global != nil:
			variable = k.Global
			if w := x.on.LastWrite(x.Eval(a).Object, 0); w != nil {
				return w
			}
		}
	}
	return nil
}

// firstWrite returns the first store to a variable in a function.
func firstWrite(f *ir.Func, g *ir.Global) *ir.Instr {
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op != ir.OpStore {
				continue
			}
			if at := ir.VariableAt(in.Args[len(in.Args)-1]); at != nil && at == g {
				return in
			}
		}
	}
	return nil
}
