package frontend

import (
	"strings"

	llir "github.com/llir/llvm/ir"
)

// mathNames are functions of <math.h> that are not followed: their results are any
// value (C17 7.12). They have no other effect but on errno.
var mathNames = map[string]bool{
	"acos": true, "asin": true, "atan": true, "atan2": true, "cos": true, "sin": true, "tan": true, "acosh": true,
	"asinh": true, "atanh": true,
	"cosh": true, "sinh": true, "tanh": true, "exp": true, "exp2": true, "exp10": true, "expm1": true, "log": true,
	"log10": true, "log1p": true, "log2": true,
	"cbrt": true, "hypot": true, "pow": true, "erf": true, "erfc": true, "lgamma": true, "tgamma": true,
	"nextafter": true, "remainder": true, "fdim": true,
	"logb": true, "powi": true,
}

// pureMath reports a function of that list, in any width, or the intrinsic of that
// name, in a program that does not look at errno.
func (t *translator) pureMath(name string) bool {
	if t.errno {
		return false
	}
	if rest, ok := strings.CutPrefix(name, "llvm."); ok {
		name, _, _ = strings.Cut(rest, ".")
		return mathNames[name]
	}
	return mathNames[name] || mathNames[strings.TrimRight(name, "fl")]
}

// setErrno are the functions with a model that may set errno where nobody says when (C17 7.12.1, range errors).
var setErrno = map[string]bool{"fma": true, "fmaf": true}

// looksAtErrno reports whether a program uses errno: the variable, or the function that gives its address.
func looksAtErrno(src *llir.Module) bool {
	for _, f := range src.Funcs {
		if f.Name() == "__errno_location" || f.Name() == "__errno" {
			return true
		}
	}
	for _, g := range src.Globals {
		if g.Name() == "errno" {
			return true
		}
	}
	return false
}
