package frontend

import (
	"fmt"

	"github.com/llir/llvm/ir/constant"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

func (t *translator) foldBinary(op ir.Op, x, y constant.Constant, init bool) (*ir.Const, string) {
	name := op.String() + " constant expression"
	a, why := t.fold(x, init)
	if a == nil {
		return nil, why
	}
	b, why := t.fold(y, init)
	if b == nil {
		return nil, why
	}
	if a.Kind == ir.ConstInt && b.Kind == ir.ConstInt && a.T.IsInt() {
		if v, ok := foldInts(op, a.Bits, b.Bits); ok {
			return &ir.Const{T: a.T, Kind: ir.ConstInt, Bits: v}, ""
		}
		return nil, name
	}
	return foldAddrInts(op, a, b, t.ptr.Width, name)
}

// foldAddrInts handles address plus or minus integer, and the distance of two addresses of one symbol.
func foldAddrInts(op ir.Op, a, b *ir.Const, ptrBits int, name string) (*ir.Const, string) {
	if op == ir.OpAdd && b.Kind == ir.ConstAddrInt {
		a, b = b, a
	}
	if a.Kind != ir.ConstAddrInt || a.T.Width < ptrBits {
		return nil, name
	}
	out := *a
	switch {
	case b.Kind == ir.ConstInt && (op == ir.OpAdd || op == ir.OpSub) && a.T.Width == ptrBits:
		n, _ := b.Bits.Int64()
		if op == ir.OpSub {
			n = -n
		}
		out.Off += n
		return &out, ""
	case b.Kind == ir.ConstAddrInt && op == ir.OpSub && a.Global == b.Global && a.Func == b.Func && a.Label == b.Label:
		return &ir.Const{T: a.T, Kind: ir.ConstInt, Bits: bits.NewInt(a.T.Width, a.Off-b.Off)}, ""
	}
	return nil, name
}

func foldInts(op ir.Op, a, b bits.Vec) (bits.Vec, bool) {
	switch op {
	case ir.OpAdd:
		return bits.Add(a, b), true
	case ir.OpSub:
		return bits.Sub(a, b), true
	case ir.OpMul:
		return bits.Mul(a, b), true
	case ir.OpAnd:
		return bits.And(a, b), true
	case ir.OpOr:
		return bits.Or(a, b), true
	case ir.OpXor:
		return bits.Xor(a, b), true
	}
	if small := bits.Ult(b, bits.New(max(b.Width(), 32), uint64(b.Width()))); b.Width() >= 32 && small {
		switch op {
		case ir.OpShl:
			return bits.ShlVec(a, b), true
		case ir.OpLshr:
			return bits.LshrVec(a, b), true
		case ir.OpAshr:
			return bits.AshrVec(a, b), true
		}
	}
	return bits.Vec{}, false // division and odd shifts stay instructions, with their checks
}

// binaryExpr takes apart the binary constant expressions over integers.
func binaryExpr(c constant.Constant) (ir.Op, constant.Constant, constant.Constant) {
	switch c := c.(type) {
	case *constant.ExprAdd:
		return ir.OpAdd, c.X, c.Y
	case *constant.ExprSub:
		return ir.OpSub, c.X, c.Y
	case *constant.ExprMul:
		return ir.OpMul, c.X, c.Y
	case *constant.ExprUDiv:
		return ir.OpUdiv, c.X, c.Y
	case *constant.ExprSDiv:
		return ir.OpSdiv, c.X, c.Y
	case *constant.ExprURem:
		return ir.OpUrem, c.X, c.Y
	case *constant.ExprSRem:
		return ir.OpSrem, c.X, c.Y
	case *constant.ExprShl:
		return ir.OpShl, c.X, c.Y
	case *constant.ExprLShr:
		return ir.OpLshr, c.X, c.Y
	case *constant.ExprAShr:
		return ir.OpAshr, c.X, c.Y
	case *constant.ExprAnd:
		return ir.OpAnd, c.X, c.Y
	case *constant.ExprOr:
		return ir.OpOr, c.X, c.Y
	case *constant.ExprXor:
		return ir.OpXor, c.X, c.Y
	case *constant.ExprFAdd:
		return ir.OpFadd, c.X, c.Y
	case *constant.ExprFSub:
		return ir.OpFsub, c.X, c.Y
	case *constant.ExprFMul:
		return ir.OpFmul, c.X, c.Y
	case *constant.ExprFDiv:
		return ir.OpFdiv, c.X, c.Y
	case *constant.ExprFRem:
		return ir.OpFrem, c.X, c.Y
	}
	return ir.OpInvalid, nil, nil
}

// exprName is a constant's kind for messages: "ExprICmp" -> "icmp constant expression".
func exprName(c constant.Constant) string {
	return goName(fmt.Sprintf("%T", c), "Expr") + " constant expression"
}
