package ir

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
