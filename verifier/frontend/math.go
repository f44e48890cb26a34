package frontend

import (
	"math"
	"strings"

	llir "github.com/llir/llvm/ir"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// mathNames are functions of <math.h> that are not followed: their results are any
// value of their range (C17 7.12). They have no other effect but on errno.
var mathNames = map[string]bool{
	"acos": true, "asin": true, "atan": true, "atan2": true, "cos": true, "sin": true, "tan": true, "acosh": true,
	"asinh": true, "atanh": true,
	"cosh": true, "sinh": true, "tanh": true, "exp": true, "exp2": true, "exp10": true, "expm1": true, "log": true,
	"log10": true, "log1p": true, "log2": true,
	"cbrt": true, "hypot": true, "pow": true, "erf": true, "erfc": true, "lgamma": true, "tgamma": true,
	"nextafter": true, "remainder": true, "fdim": true,
	"logb": true, "powi": true,
}

// interval holds the numbers between two, themselves included, and no NaN.
type interval struct{ low, high float64 }

var (
	infinite = math.Inf(1)
	numbers  = interval{-infinite, infinite}
	finite   = interval{-math.MaxFloat64, math.MaxFloat64}
	unit     = interval{-1, 1}
	positive = interval{0, infinite}
)

// mathRanges say in which interval the result of a function is where each argument is in another. What C leaves to the
// library, its accuracy, is taken not to lead out of the function's range. For other arguments it is any value.
var mathRanges = map[string]struct{ arguments, result interval }{
	"sin": {finite, unit}, "cos": {finite, unit}, "tan": {finite, numbers},
	"asin": {unit, interval{-math.Pi / 2, math.Pi / 2}}, "acos": {unit, interval{0, math.Pi}},
	"atan": {numbers, interval{-math.Pi / 2, math.Pi / 2}}, "atan2": {numbers, interval{-math.Pi, math.Pi}},
	"sinh": {numbers, numbers}, "cosh": {numbers, interval{1, infinite}}, "tanh": {numbers, unit},
	"asinh": {numbers, numbers}, "acosh": {interval{1, infinite}, positive},
	"exp": {numbers, positive}, "exp2": {numbers, positive}, "exp10": {numbers, positive},
	"expm1": {numbers, interval{-1, infinite}},
	"log":   {positive, numbers}, "log2": {positive, numbers}, "log10": {positive, numbers},
	"log1p": {interval{-1, infinite}, numbers},
	"cbrt":  {numbers, numbers}, "hypot": {numbers, positive}, "erf": {numbers, unit}, "erfc": {numbers, interval{0, 2}},
}

// pureMath returns the entry of that list which a function of any width is, or an intrinsic, in a program that does
// not look at errno; else nothing.
func (t *translator) pureMath(name string) string {
	if t.errno {
		return ""
	}
	if rest, ok := strings.CutPrefix(name, "llvm."); ok {
		name, _, _ = strings.Cut(rest, ".")
	}
	for _, base := range []string{name, strings.TrimSuffix(name, "f"), strings.TrimSuffix(name, "l")} {
		if mathNames[base] {
			return base
		}
	}
	return ""
}

// mathResult defines the result of a call of the function of <math.h> of that name.
func (x *fn) mathResult(s *site, name string) {
	what := name
	if f, ok := s.callee.(*llir.Func); ok {
		what = f.Name()
	}
	r, known := mathRanges[name]
	var args []ir.Value
	for _, a := range s.args {
		args = append(args, x.operand(a))
		known = known && args[len(args)-1].Type().Equal(s.ty)
	}
	if !known || s.ty.Width != 32 && s.ty.Width != 64 {
		x.anyValue(s.v, s.ty, what)
		return
	}
	value := x.emit(&ir.Instr{Op: ir.OpAsm, T: s.ty, What: what, Asm: &ir.Asm{Any: what}})
	both := func(a, b ir.Value) ir.Value {
		return x.emit(&ir.Instr{Op: ir.OpAnd, T: x.intType(1), Args: []ir.Value{a, b}})
	}
	compare := func(v ir.Value, p ir.Pred, k float64) ir.Value {
		return x.emit(&ir.Instr{Op: ir.OpFcmp, T: x.intType(1), Pred: p, Args: []ir.Value{v, floatOf(s.ty, k)}})
	}
	within := func(v ir.Value, i interval) ir.Value {
		return both(compare(v, ir.FOGE, i.low), compare(v, ir.FOLE, i.high))
	}
	outside := x.emit(&ir.Instr{Op: ir.OpXor, T: x.intType(1), Args: []ir.Value{within(value, r.result),
		x.intConst(1, 1)}})
	wrong := ir.Value(outside) // the value is none that the function returns
	for _, a := range args {
		wrong = both(wrong, within(a, r.arguments))
	}
	x.define(s.v, ir.Instr{Op: ir.OpSelect, T: s.ty, Args: []ir.Value{wrong, floatOf(s.ty, r.result.low), value}})
}

// floatOf returns the number of type t that is nearest to v, the greatest finite one in place of greater finite ones.
func floatOf(t *ir.Type, v float64) *ir.Const {
	if t.Width == 64 {
		return &ir.Const{T: t, Kind: ir.ConstInt, Bits: bits.New(64, math.Float64bits(v))}
	}
	if !math.IsInf(v, 0) {
		v = max(-math.MaxFloat32, min(v, math.MaxFloat32))
	}
	return &ir.Const{T: t, Kind: ir.ConstInt, Bits: bits.New(32, uint64(math.Float32bits(float32(v))))}
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
