package frontend

import (
	"fmt"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/ir"
)

// inst translates one instruction; ended says that nothing after it in its block can run.
func (x *fn) inst(in llir.Instruction) (ended bool) {
	if x.binary(in) || x.conversion(in) || x.aggregate(in) || x.memory(in) {
		return false
	}
	switch in := in.(type) {
	case *llir.InstICmp:
		x.compare(in, ir.OpIcmp, ipreds[in.Pred], in.X, in.Y, 0)
	case *llir.InstFCmp:
		x.compare(in, ir.OpFcmp, fpreds[in.Pred], in.X, in.Y, fast(in.FastMathFlags))
	case *llir.InstPhi:
		x.phi(in)
	case *llir.InstSelect:
		x.define(in, ir.Instr{Op: ir.OpSelect, T: x.resultType(in.ValueTrue), Args: x.operands(in.Cond, in.ValueTrue,
			in.ValueFalse)})
	case *llir.InstFreeze:
		x.define(in, ir.Instr{Op: ir.OpFreeze, T: x.resultType(in.X), Args: x.operands(in.X)})
	case *llir.InstCall:
		return x.call(&site{v: in, callee: in.Callee, args: in.Args, ty: x.typ(in.Type()), attrs: in.FuncAttrs})
	case *llir.InstVAArg:
		ty := x.typ(in.ArgType)
		if what := odd(ty); what != "" {
			x.unsupported(in, ty, "va_arg of "+what)
		} else {
			x.define(in, ir.Instr{Op: ir.OpVaArg, T: ty, Access: ty, Args: x.operands(in.ArgList)})
		}
	default:
		what := goName(fmt.Sprintf("%T", in), "Inst")
		if v, ok := in.(interface {
			value.Named
		}); ok {
			x.unsupported(v, x.typ(v.Type()), what)
		} else {
			x.unsupported(nil, x.void, what)
		}
	}
	return false
}

func (x *fn) compare(v value.Named, op ir.Op, pred ir.Pred, a, b value.Value, flags ir.Flags) {
	ty := x.typ(a.Type())
	out := x.intType(1)
	if ty.Kind == ir.KindVector {
		out = &ir.Type{Kind: ir.KindVector, Len: ty.Len, Elem: out}
	}
	if what := odd(ty); what != "" {
		x.unsupported(v, out, what+" "+op.String())
		return
	}
	if what := notFollowed(op, ty, x.intType(1)); what != "" {
		x.anyValue(v, out, what+" "+op.String())
		return
	}
	in := x.define(v, ir.Instr{Op: op, T: out, Pred: pred, Flags: flags, Args: x.operands(a, b)})
	if p, q := in.Args[0], in.Args[1]; (pred == ir.EQ || pred == ir.NE) && (isSymbol(p) && !ir.IsNullConst(q) ||
		isSymbol(q) && !ir.IsNullConst(p)) {
		x.choose(in, "symbols that the linker provides have different addresses")
	}
}

// isSymbol reports whether v is the address of a variable that others define, the linker say. It is taken to be another
// address than each other one.
func isSymbol(v ir.Value) bool {
	c, ok := v.(*ir.Const)
	return ok && c.Global != nil && c.Global.Extern
}

var ipreds = map[enum.IPred]ir.Pred{
	enum.IPredEQ: ir.EQ, enum.IPredNE: ir.NE, enum.IPredSGE: ir.SGE, enum.IPredSGT: ir.SGT, enum.IPredSLE: ir.SLE,
	enum.IPredSLT: ir.SLT,
	enum.IPredUGE: ir.UGE, enum.IPredUGT: ir.UGT, enum.IPredULE: ir.ULE, enum.IPredULT: ir.ULT,
}

var fpreds = map[enum.FPred]ir.Pred{
	enum.FPredFalse: ir.FFalse, enum.FPredOEQ: ir.FOEQ, enum.FPredOGE: ir.FOGE, enum.FPredOGT: ir.FOGT,
	enum.FPredOLE: ir.FOLE,
	enum.FPredOLT: ir.FOLT, enum.FPredONE: ir.FONE, enum.FPredORD: ir.FORD, enum.FPredTrue: ir.FTrue,
	enum.FPredUEQ: ir.FUEQ,
	enum.FPredUGE: ir.FUGE, enum.FPredUGT: ir.FUGT, enum.FPredULE: ir.FULE, enum.FPredULT: ir.FULT,
	enum.FPredUNE: ir.FUNE, enum.FPredUNO: ir.FUNO,
}
