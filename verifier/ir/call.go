package ir

import "fmt"

// Mismatch says how the call in does not fit the type of f; "" where it does. A direct call of a function without a
// prototype may pass more than it takes.
func Mismatch(f *Func, in *Instr, direct bool) string {
	switch {
	case len(in.Args) < len(f.Params):
		return fmt.Sprintf("%d arguments, %d declared", len(in.Args), len(f.Params))
	case len(in.Args) > len(f.Params) && !f.Variadic && !(direct && in.Sig.Variadic && len(in.Sig.Fields) == 0):
		return fmt.Sprintf("%d arguments, %d declared", len(in.Args), len(f.Params))
	case !in.T.IsVoid() && !in.T.Equal(f.Ret):
		return fmt.Sprintf("result %s, %s declared", in.T, f.Ret)
	}
	for i, p := range f.Params {
		if !p.T.Equal(in.Args[i].Type()) {
			return fmt.Sprintf("argument %d of type %s, %s declared", i+1, in.Args[i].Type(), p.T)
		}
	}
	return ""
}

// CallOfAnotherType says that a pointer calls f, whose type does not fit.
func CallOfAnotherType(f *Func, how string) string {
	switch f.Name {
	case "__cxa_pure_virtual", "__cxa_deleted_virtual": // in tables of virtual functions
		return "call of a virtual function that the class of the object has no definition of"
	}
	return fmt.Sprintf("call of %s through a pointer of another type: %s", f.Name, how)
}
