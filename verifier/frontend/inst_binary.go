package frontend

import (
	"slices"
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/ir"
)

// binary translates the integer instructions; done is false if in is another one.
func (x *fn) binary(in llir.Instruction) (done bool) {
	if what := relaxed(in); what != "" {
		v, ok := in.(value.Named)
		_, call := in.(*llir.InstCall)
		if ok && !call {
			x.anyValue(v, x.typ(v.Type()), what)
			return true
		}
	}
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
		if bytes := x.dividedBytes(in); bytes != nil {
			x.define(in, ir.Instr{Op: ir.OpSdiv, T: bytes.T, Flags: ir.Exact, Args: []ir.Value{bytes, x.operand(in.Y)}})
			return true
		}
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
	if what := notFollowed(op, ty, x.intType(1)); what != "" {
		x.anyValue(v, ty, what+" "+op.String())
		return
	}
	x.define(v, ir.Instr{Op: op, T: ty, Flags: flags, Args: x.operands(args...)})
}

// ptrDiff recognises what clang makes of a pointer difference in C by the name that it
// gives it; a subtraction of addresses that the program casts itself has another.
func ptrDiff(in *llir.InstSub) ir.Flags {
	if strings.HasPrefix(in.Name(), distanceName) {
		return ir.PtrDiff
	}
	return 0
}

const distanceName = "sub.ptr.sub"

// distance is the number of elements between two objects, where clang folded it to a
// constant expression; nil if c is something else. Of bytes it cannot be told from
// addresses that the program casts itself.
func (x *fn) distance(c constant.Constant) ir.Value {
	div, ok := c.(*constant.ExprSDiv)
	if !ok || !div.Exact {
		return nil
	}
	bytes := x.foldedBytes(div.X)
	if bytes == nil {
		return nil
	}
	return x.emit(&ir.Instr{Op: ir.OpSdiv, T: bytes.T, Flags: ir.Exact, Args: []ir.Value{bytes, x.operand(div.Y)}})
}

// dividedBytes is the distance in bytes that an instruction divides; nil: it divides something else.
func (x *fn) dividedBytes(in *llir.InstSDiv) *ir.Instr {
	if !in.Exact {
		return nil
	}
	return x.foldedBytes(in.X)
}

// foldedBytes is the distance in bytes that an exact division takes, where clang folded it to a constant expression: all
// of the division up to LLVM 14, what is divided from 15 on. nil if v is something else.
func (x *fn) foldedBytes(v value.Value) *ir.Instr {
	c, ok := v.(constant.Constant)
	if !ok {
		return nil
	}
	sub, ok := x.unheld(c).(*constant.ExprSub)
	if !ok {
		return nil
	}
	for _, side := range []constant.Constant{sub.X, sub.Y} {
		if _, cast := x.unheld(side).(*constant.ExprPtrToInt); !cast {
			return nil
		}
	}
	d := &llir.InstSub{X: sub.X, Y: sub.Y, Typ: sub.Type()}
	d.SetName(distanceName)
	x.bin(d, ir.OpSub, ir.PtrDiff, sub.X, sub.Y)
	return x.blk.Instrs[len(x.blk.Instrs)-1]
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

// fast is Contract where the flags say it. What other flags allow is not followed;
// relaxed names it.
func fast(flags []enum.FastMathFlag) ir.Flags {
	if slices.Contains(flags, enum.FastMathFlagContract) || slices.Contains(flags, enum.FastMathFlagFast) {
		return ir.Contract
	}
	return 0
}

// relaxed names arithmetic that need not be as IEEE 754 says (LangRef: Fast-Math Flags):
// its result is any value.
func relaxed(in llir.Instruction) string {
	var flags []enum.FastMathFlag
	switch in := in.(type) {
	case *llir.InstFAdd:
		flags = in.FastMathFlags
	case *llir.InstFSub:
		flags = in.FastMathFlags
	case *llir.InstFMul:
		flags = in.FastMathFlags
	case *llir.InstFDiv:
		flags = in.FastMathFlags
	case *llir.InstFRem:
		flags = in.FastMathFlags
	case *llir.InstFNeg:
		flags = in.FastMathFlags
	case *llir.InstFCmp:
		flags = in.FastMathFlags
	case *llir.InstCall:
		flags = in.FastMathFlags
	}
	for _, f := range flags {
		if f != enum.FastMathFlagContract {
			return "floating point with the flag " + f.String()
		}
	}
	return ""
}
