package frontend

import (
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// trapKind is one kind of check that clang inserts for -fsanitize.
type trapKind struct {
	handler string // after __ubsan_handle_, without _abort and version
	check   verdict.Check
	message string
}

// trapKinds is indexed by the argument of llvm.ubsantrap (clang 14 to 22, SanitizerHandler).
var trapKinds = [...]trapKind{
	0:  {"add_overflow", verdict.SignedOverflow, "addition overflows"},
	1:  {"builtin_unreachable", verdict.Unreachable, "unreachable code reached"},
	2:  {"cfi_check_fail", verdict.Builtin, "control flow integrity check fails"},
	3:  {"divrem_overflow", verdict.DivByZero, "division by zero, or of the smallest value by -1"},
	4:  {"dynamic_type_cache_miss", verdict.Memory, "object of another dynamic type"},
	5:  {"float_cast_overflow", verdict.FloatConversion, "floating-point value does not fit the integer type"},
	6:  {"function_type_mismatch", verdict.Builtin, "function called through a pointer of another type"},
	7:  {"implicit_conversion", verdict.Conversion, "implicit conversion changes the value"},
	8:  {"invalid_builtin", verdict.Builtin, "invalid argument of a builtin"},
	9:  {"invalid_objc_cast", verdict.Builtin, "invalid cast"},
	10: {"load_invalid_value", verdict.Bool, "value is not valid for its type"},
	11: {"missing_return", verdict.Return, "end of the function reached without a return value"},
	12: {"mul_overflow", verdict.SignedOverflow, "multiplication overflows"},
	13: {"negate_overflow", verdict.SignedOverflow, "negation overflows"},
	14: {"nullability_arg", verdict.Nonnull, "null passed where nonnull is promised"},
	15: {"nullability_return", verdict.Nonnull, "null returned where nonnull is promised"},
	16: {"nonnull_arg", verdict.Nonnull, "null passed where nonnull is promised"},
	17: {"nonnull_return", verdict.Nonnull, "null returned where nonnull is promised"},
	18: {"out_of_bounds", verdict.Memory, "array index out of bounds"},
	19: {"pointer_overflow", verdict.PointerOverflow, "pointer arithmetic overflows"},
	20: {"shift_out_of_bounds", verdict.Shift, "shift amount or shifted value out of range"},
	21: {"sub_overflow", verdict.SignedOverflow, "subtraction overflows"},
	22: {"type_mismatch", verdict.Memory, "null, misaligned or too small object accessed"},
	23: {"alignment_assumption", verdict.Memory, "assumed alignment does not hold"},
	24: {"vla_bound_not_positive", verdict.VLA, "length of a variable length array is not positive"},
}

// trap translates a call that a sanitizer makes when its check fails: with
// -fsanitize-trap `llvm.ubsantrap(i8 kind)`, otherwise a handler of its runtime.
// Either ends the path, so that what follows in the block is dropped.
func (x *fn) trap(name string, s *site) bool {
	kind := -1
	switch {
	case name == "llvm.ubsantrap":
		if k, ok := s.args[0].(*constant.Int); ok {
			kind = int(k.X.Int64())
		}
	case strings.HasPrefix(name, "__ubsan_handle_"):
		word := strings.TrimSuffix(strings.TrimPrefix(name, "__ubsan_handle_"), "_abort")
		word = strings.TrimSuffix(word, "_v1")
		for i, k := range trapKinds {
			if k.handler == word {
				kind = i
			}
		}
	default:
		return false
	}
	if kind < 0 || kind >= len(trapKinds) {
		x.unsupported(nil, x.void, "check "+name)
		return true
	}
	k := trapKinds[kind]
	// pipeline/compile asks for it this way
	if k.check == verdict.DivByZero && strings.HasPrefix(name, "__ubsan_handle_") {
		x.emit(&ir.Instr{Op: ir.OpTrap, Check: k.check, What: "division by zero"})
		return true
	}
	in := &ir.Instr{Op: ir.OpTrap, Check: x.refine(k), What: k.message}
	if k.handler == "out_of_bounds" {
		in.Flags = ir.OfIndex
	}
	x.emit(in)
	return true
}

// refine tells apart what clang gives one number: unsigned wrap-around from
// signed overflow, an enumeration from a bool, by the condition that led here.
func (x *fn) refine(k trapKind) verdict.Check {
	switch k.check {
	case verdict.SignedOverflow:
		if callee, ok := x.guard(func(v value.Value) bool { return overflowCall(v) != "" }); ok &&
			strings.HasPrefix(overflowCall(callee), "llvm.u") {
			return verdict.UnsignedOverflow
		}
	case verdict.DivByZero: // with traps for both checks, both are this one; of constants it is the other
		compares := func(zero bool) bool {
			_, ok := x.guard(func(v value.Value) bool {
				cmp, is := v.(*llir.InstICmp)
				if !is {
					return false
				}
				k, is := cmp.Y.(*constant.Int)
				return !zero || is && k.X.Sign() == 0
			})
			return ok
		}
		overflow := compares(false) && !compares(true)
		if _, folded := x.conds[x.blk].(constant.Constant); folded || overflow {
			return verdict.SignedOverflow
		}
	case verdict.Bool:
		cmp, ok := x.guard(func(v value.Value) bool { _, is := v.(*llir.InstICmp); return is })
		if ok {
			if c, isInt := cmp.(*llir.InstICmp).Y.(*constant.Int); isInt && !(c.X.IsInt64() && c.X.Int64() == 1) {
				return verdict.Enum
			}
		}
	}
	return k.check
}

// overflowCall is the name of the intrinsic that v calls, if it is one `with.overflow`.
func overflowCall(v value.Value) string {
	if c, ok := v.(*llir.InstCall); ok {
		if f, ok := c.Callee.(*llir.Func); ok && strings.Contains(f.Name(), ".with.overflow.") {
			return f.Name()
		}
	}
	return ""
}

// guard searches the condition of the branch into the current block for a value.
func (x *fn) guard(want func(value.Value) bool) (value.Value, bool) {
	if x.conds == nil {
		x.conds = map[*ir.Block]value.Value{}
		for _, b := range x.src.Blocks {
			if br, ok := b.Term.(*llir.TermCondBr); ok {
				for _, t := range []value.Value{br.TargetTrue, br.TargetFalse} {
					x.conds[x.blocks[t.(*llir.Block)]] = br.Cond
				}
			}
		}
	}
	v := x.conds[x.blk]
	for depth := 0; v != nil && depth < 8; depth++ {
		if want(v) {
			return v, true
		}
		switch in := v.(type) {
		case *llir.InstXor:
			v = in.X
		case *llir.InstExtractValue:
			v = in.X
		case *llir.InstAnd:
			v = in.X
		case *llir.InstOr:
			v = in.X
		default:
			return nil, false
		}
	}
	return nil, false
}
