package frontend

import (
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/ir"
)

// binary translates the integer instructions; done is false if in is another one.
func (x *fn) binary(in llir.Instruction) (done bool) {
	switch in := in.(type) {
	case *llir.InstAdd:
		x.bin(in, ir.OpAdd, overflow(in.OverflowFlags), in.X, in.Y)
	case *llir.InstSub:
		x.bin(in, ir.OpSub, overflow(in.OverflowFlags)|ptrDiff(in), in.X, in.Y)
	case *llir.InstMul:
		x.bin(in, ir.OpMul, overflow(in.OverflowFlags), in.X, in.Y)
	case *llir.InstUDiv:
		x.bin(in, ir.OpUdiv, exact(in.Exact), in.X, in.Y)
	case *llir.InstSDiv:
		x.bin(in, ir.OpSdiv, exact(in.Exact), in.X, in.Y)
	case *llir.InstURem:
		x.bin(in, ir.OpUrem, 0, in.X, in.Y)
	case *llir.InstSRem:
		x.bin(in, ir.OpSrem, 0, in.X, in.Y)
	case *llir.InstShl:
		x.bin(in, ir.OpShl, overflow(in.OverflowFlags), in.X, in.Y)
	case *llir.InstLShr:
		x.bin(in, ir.OpLshr, exact(in.Exact), in.X, in.Y)
	case *llir.InstAShr:
		x.bin(in, ir.OpAshr, exact(in.Exact), in.X, in.Y)
	case *llir.InstAnd:
		x.bin(in, ir.OpAnd, 0, in.X, in.Y)
	case *llir.InstOr:
		x.bin(in, ir.OpOr, 0, in.X, in.Y)
	case *llir.InstXor:
		x.bin(in, ir.OpXor, 0, in.X, in.Y)
	case *llir.InstFAdd:
		x.bin(in, ir.OpFadd, fast(in.FastMathFlags), in.X, in.Y)
	case *llir.InstFSub:
		x.bin(in, ir.OpFsub, fast(in.FastMathFlags), in.X, in.Y)
	case *llir.InstFMul:
		x.bin(in, ir.OpFmul, fast(in.FastMathFlags), in.X, in.Y)
	case *llir.InstFDiv:
		x.bin(in, ir.OpFdiv, fast(in.FastMathFlags), in.X, in.Y)
	case *llir.InstFRem:
		x.bin(in, ir.OpFrem, fast(in.FastMathFlags), in.X, in.Y)
	case *llir.InstFNeg:
		x.bin(in, ir.OpFneg, fast(in.FastMathFlags), in.X)
	default:
		return false
	}
	return true
}

func (x *fn) bin(v value.Named, op ir.Op, flags ir.Flags, args ...value.Value) {
	ty := x.typ(args[0].Type())
	if what := odd(ty); what != "" {
		x.unsupported(v, ty, what+" "+op.String())
		return
	}
	if what := wideFloat(ty); what != "" {
		x.anyValue(v, ty, what+" "+op.String())
		return
	}
	x.define(v, ir.Instr{Op: op, T: ty, Flags: flags, Args: x.operands(args...)})
}

// ptrDiff recognises what clang makes of a pointer difference in C: it names
// the casts, which it does not for casts that the program spells out.
func ptrDiff(in *llir.InstSub) ir.Flags {
	for _, v := range []value.Value{in.X, in.Y} {
		if c, ok := v.(*llir.InstPtrToInt); !ok || !strings.HasPrefix(c.Name(), "sub.ptr.") {
			return 0
		}
	}
	return ir.PtrDiff
}

func overflow(flags []enum.OverflowFlag) (out ir.Flags) {
	for _, f := range flags {
		switch f {
		case enum.OverflowFlagNSW:
			out |= ir.NSW
		case enum.OverflowFlagNUW:
			out |= ir.NUW
		}
	}
	return out
}

func exact(on bool) ir.Flags {
	if on {
		return ir.Exact
	}
	return 0
}

func fast(flags []enum.FastMathFlag) ir.Flags {
	if len(flags) > 0 {
		return ir.FastMath
	}
	return 0
}
