package frontend

import (
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/frontend/dialect"
	"github.com/firmproof/firmproof/verifier/ir"
)

// conversion translates casts; done is false if in is no cast.
func (x *fn) conversion(in llir.Instruction) (done bool) {
	switch in := in.(type) {
	case *llir.InstTrunc:
		x.cast(in, ir.OpTrunc, in.From, in.To)
	case *llir.InstZExt:
		if !x.truth(in) {
			x.cast(in, ir.OpZext, in.From, in.To)
		}
	case *llir.InstSExt:
		x.cast(in, ir.OpSext, in.From, in.To)
	case *llir.InstFPTrunc:
		x.cast(in, ir.OpFpTrunc, in.From, in.To)
	case *llir.InstFPExt:
		x.cast(in, ir.OpFpExt, in.From, in.To)
	case *llir.InstFPToUI:
		x.cast(in, ir.OpFpToUi, in.From, in.To)
	case *llir.InstFPToSI:
		x.cast(in, ir.OpFpToSi, in.From, in.To)
	case *llir.InstUIToFP:
		x.cast(in, ir.OpUiToFp, in.From, in.To)
	case *llir.InstSIToFP:
		x.cast(in, ir.OpSiToFp, in.From, in.To)
	case *llir.InstPtrToInt:
		x.cast(in, ir.OpPtrToInt, in.From, in.To)
	case *llir.InstIntToPtr:
		x.cast(in, ir.OpIntToPtr, in.From, in.To)
	case *llir.InstBitCast:
		if strings.HasPrefix(in.Name(), dialect.CalleePrefix) { // for the type of the call behind it alone
			x.values[in] = x.operand(in.From)
			return true
		}
		if cast := x.cast(in, ir.OpBitcast, in.From, in.To); cast != nil && types.IsFloat(in.From.Type()) &&
			types.IsInt(in.To) {
			x.noteNaN(cast, &ir.DType{Kind: ir.DFloat}, nil)
		}
	case *llir.InstAddrSpaceCast:
		if s := x.foreign(in.To) + x.foreign(in.From.Type()); s != "" {
			x.unsupported(in, x.typ(in.To), "addrspacecast "+s)
		} else {
			x.cast(in, ir.OpBitcast, in.From, in.To)
		}
	default:
		return false
	}
	return true
}

// cast defines v as from, converted; it returns nil where that is not followed.
func (x *fn) cast(v value.Named, op ir.Op, from value.Value, to types.Type) *ir.Instr {
	ty := x.typ(to)
	if what := odd(ty) + odd(x.typ(from.Type())); what != "" {
		x.unsupported(v, ty, what+" "+op.String())
		return nil
	}
	if what := notFollowed(op, x.typ(from.Type()), ty); what != "" && op != ir.OpBitcast {
		x.anyValue(v, ty, what+" "+op.String())
		return nil
	}
	return x.define(v, ir.Instr{Op: op, T: ty, Args: x.operands(from)})
}
