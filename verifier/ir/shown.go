package ir

import "strings"

// Shown lists the operands of in that the world outside of the program sees: what a
// volatile store writes to memory that is no local variable, and what is printed.
func Shown(in *Instr) []Value {
	switch {
	case in.Op == OpStore && in.Flags.Has(Volatile) && !withinLocal(in.Args[1]):
		return in.Args[:1]
	case in.Op == OpCall && in.Model == ModelPrintf:
		return in.Args
	}
	return nil
}

// ShownAs says how the world outside sees an operand of Shown.
func ShownAs(in *Instr) string {
	if in.Op == OpStore {
		return "the value written to volatile memory"
	}
	return "an argument of " + in.Callee.(*Const).Func.Name
}

// withinLocal reports whether v is plainly an address in a local variable.
func withinLocal(v Value) bool {
	for {
		in, ok := v.(*Instr)
		if !ok {
			return false
		}
		if in.Op != OpGep && in.Op != OpBitcast {
			return in.Op == OpAlloca
		}
		v = in.Args[0]
	}
}

// Returned returns the operand of in, of a return statement, that becomes the number or pointer that a function gives;
// nil if there is none. Results that are structures may lack members. One that is read from where return statements put
// it is theirs, and an undefined constant is what the compiler made of a violation.
func Returned(in *Instr) Value {
	f := in.Block.Func
	if f.DRet == nil {
		return nil
	}
	switch f.DRet.Kind {
	case DInt, DFloat, DBool, DChar, DEnum, DPointer:
	default:
		return nil
	}
	if len(in.Args) > 0 && !read(in.Args[0]) {
		return nil
	}
	switch {
	case in.Op == OpStore && isResult(in.Args[1]) && in.Access.Equal(f.Ret):
		return in.Args[0]
	case in.Op == OpRet && len(in.Args) == 1:
		if l, ok := in.Args[0].(*Instr); !ok || l.Op != OpLoad || !isResult(l.Args[0]) {
			return in.Args[0]
		}
	}
	return nil
}

// isResult reports whether v is where clang keeps the result of a function.
func isResult(v Value) bool {
	a, ok := v.(*Instr)
	return ok && a.Op == OpAlloca && a.Name == "retval"
}

// Driven reports whether f is the driver's: what it calls with a result, it calls for code that is not known.
func (f *Func) Driven() bool { return strings.HasPrefix(f.Name, "firmproof.") }

// Outermost tells which functions are called by code that is not known: those that nobody calls, and those that the
// driver does.
func Outermost(m *Module) map[*Func]bool {
	driven, called := map[*Func]bool{}, map[*Func]bool{}
	for _, f := range m.Funcs {
		called[f] = called[f] || f.Addr
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if k, ok := in.Callee.(*Const); ok && in.Op == OpCall && k.Func != nil {
					driven[k.Func] = driven[k.Func] || f.Driven()
					called[k.Func] = called[k.Func] || !f.Driven()
				}
			}
		}
	}
	out := map[*Func]bool{}
	for _, f := range m.Funcs {
		out[f] = !f.Driven() && (driven[f] || !called[f])
	}
	return out
}
