package frontend

import (
	"fmt"
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/frontend/dialect"
	"github.com/firmproof/firmproof/verifier/ir"
)

// truth translates the extension of a condition that clang makes of isnan, isinf,
// isfinite, isnormal and signbit. C says of their result only that it is non-zero
// (C17 7.12.3), and compilers differ: GCC's signbit is the sign bit itself.
func (x *fn) truth(in *llir.InstZExt) bool {
	to := x.typ(in.To)
	if !in.IsUnnamed() || !to.IsInt() || to.Width > 32 || !classifies(in.From) {
		return false
	}
	one := x.emit(&ir.Instr{Op: ir.OpZext, T: to, Args: x.operands(in.From)})
	name := fmt.Sprintf("%s.i%d", ir.ModelTruth, to.Width)
	f := x.helper(name, to, to)
	x.define(in, ir.Instr{Op: ir.OpCall, T: to, Callee: &ir.Const{T: x.ptr, Kind: ir.ConstAddr, Func: f},
		Model: ir.ModelTruth, Sig: signatureOf(f), Args: []ir.Value{one}})
	return true
}

// classifies recognises the conditions. What the program itself compares is read from
// its variables for each operand, or has another name.
func classifies(v value.Value) bool {
	switch c := v.(type) {
	case *llir.InstFCmp:
		return c.X == c.Y && c.Pred == enum.FPredUNO || strings.HasPrefix(c.Name(), "cmpinf")
	case *llir.InstICmp:
		cast, ok := c.X.(*llir.InstBitCast)
		return ok && c.Pred == enum.IPredSLT && types.IsFloat(cast.From.Type())
	case *llir.InstOr: // of llvm.is.fpclass
		class, ok := c.X.(value.Named)
		return ok && strings.HasPrefix(class.Name(), dialect.ClassPrefix)
	case *llir.InstAnd:
		y, ok := c.Y.(*llir.InstFCmp)
		return ok && strings.HasPrefix(y.Name(), "isnormal")
	}
	return false
}
