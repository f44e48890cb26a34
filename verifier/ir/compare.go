package ir

import "github.com/firmproof/firmproof/verifier/verdict"

// OrderCheck returns the check that an instruction which compares pointers by their order may violate; empty if it
// does not. The order of a pointer and the null constant is undefined in C like that of any two objects, but every
// compiler gives that of the addresses.
func (in *Instr) OrderCheck() verdict.Check {
	if in.Op != OpIcmp || !in.Args[0].Type().IsPtr() || in.Pred == EQ || in.Pred == NE {
		return ""
	}
	for _, a := range in.Args {
		if k, ok := a.(*Const); ok && k.Kind == ConstNull {
			return verdict.NullCompare
		}
	}
	return verdict.PointerCompare
}
