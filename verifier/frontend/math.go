package frontend

import "strings"

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
	if t.m.Func("__errno_location") != nil || t.m.Func("__errno") != nil {
		return false
	}
	if rest, ok := strings.CutPrefix(name, "llvm."); ok {
		name, _, _ = strings.Cut(rest, ".")
		return mathNames[name]
	}
	return mathNames[name] || mathNames[strings.TrimRight(name, "fl")]
}
