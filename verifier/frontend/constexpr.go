package frontend

import (
	"fmt"
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/ir"
)

// constant is c as a literal, or the instructions that compute it in front of its use.
func (x *fn) constant(c constant.Constant) ir.Value {
	if k, _ := x.fold(c, false); k != nil {
		return k
	}
	c = x.unheld(c)
	switch c := c.(type) {
	case *constant.Array:
		return x.build(c.Typ, c.Elems)
	case *constant.Vector:
		return x.build(c.Typ, c.Elems)
	case *constant.Struct:
		return x.build(c.Typ, c.Fields)
	}
	return x.expand(c)
}

// build makes an aggregate or vector member by member.
func (x *fn) build(ty types.Type, elems []constant.Constant) ir.Value {
	out := x.typ(ty)
	var acc ir.Value = &ir.Const{T: out, Kind: ir.ConstZero}
	for n, e := range elems {
		i := &ir.Instr{Op: ir.OpInsertValue, T: out, Args: []ir.Value{acc, x.constant(e)}, Indices: []int{n}}
		if out.Kind == ir.KindVector {
			i.Op, i.Indices = ir.OpInsertElement, nil
			i.Args = append(i.Args, x.intConst(32, int64(n)))
		}
		acc = x.emit(i)
	}
	return acc
}

// expand turns a constant expression into an instruction by way of the llir
// instruction of the same kind, so that there is one translation of each.
func (x *fn) expand(c constant.Constant) ir.Value {
	if d := x.distance(c); d != nil {
		return d
	}
	if cast, ok := c.(*constant.ExprPtrToInt); ok && x.typ(cast.To).Width < x.ptr.Width {
		// clang makes it of two casts, too, of which the second only cuts
		whole := x.emit(&ir.Instr{Op: ir.OpPtrToInt, T: x.intType(x.ptr.Width), Args: x.operands(cast.From)})
		return x.emit(&ir.Instr{Op: ir.OpTrunc, T: x.typ(cast.To), Args: []ir.Value{whole}})
	}
	in := asInst(c)
	if in == nil {
		return x.emit(&ir.Instr{Op: ir.OpUnsupported, T: x.typ(c.Type()), What: exprName(c)})
	}
	x.inst(in)
	return x.blk.Instrs[len(x.blk.Instrs)-1]
}

// asInst is the instruction that computes what the constant expression c means.
func asInst(c constant.Constant) llir.Instruction {
	switch c := c.(type) {
	case *constant.ExprTrunc:
		return llir.NewTrunc(c.From, c.To)
	case *constant.ExprZExt:
		return llir.NewZExt(c.From, c.To)
	case *constant.ExprSExt:
		return llir.NewSExt(c.From, c.To)
	case *constant.ExprFPTrunc:
		return llir.NewFPTrunc(c.From, c.To)
	case *constant.ExprFPExt:
		return llir.NewFPExt(c.From, c.To)
	case *constant.ExprFPToUI:
		return llir.NewFPToUI(c.From, c.To)
	case *constant.ExprFPToSI:
		return llir.NewFPToSI(c.From, c.To)
	case *constant.ExprUIToFP:
		return llir.NewUIToFP(c.From, c.To)
	case *constant.ExprSIToFP:
		return llir.NewSIToFP(c.From, c.To)
	case *constant.ExprPtrToInt:
		return llir.NewPtrToInt(c.From, c.To)
	case *constant.ExprIntToPtr:
		return llir.NewIntToPtr(c.From, c.To)
	case *constant.ExprBitCast:
		return llir.NewBitCast(c.From, c.To)
	case *constant.ExprAddrSpaceCast:
		return llir.NewAddrSpaceCast(c.From, c.To)
	case *constant.ExprICmp:
		return &llir.InstICmp{Pred: c.Pred, X: c.X, Y: c.Y, Typ: c.Type()}
	case *constant.ExprFCmp:
		return &llir.InstFCmp{Pred: c.Pred, X: c.X, Y: c.Y, Typ: c.Type()}
	case *constant.ExprSelect:
		return &llir.InstSelect{Cond: c.Cond, ValueTrue: c.X, ValueFalse: c.Y, Typ: c.Type()}
	case *constant.ExprFNeg:
		return &llir.InstFNeg{X: c.X, Typ: c.Type()}
	case *constant.ExprGetElementPtr:
		in := &llir.InstGetElementPtr{ElemType: c.ElemType, Src: c.Src, Typ: c.Type(), InBounds: c.InBounds}
		for _, i := range c.Indices {
			if idx, ok := i.(*constant.Index); ok {
				i = idx.Constant
			}
			in.Indices = append(in.Indices, i)
		}
		return in
	}
	return asInstRare(c)
}

func asInstRare(c constant.Constant) llir.Instruction {
	switch c := c.(type) {
	case *constant.ExprExtractElement:
		return &llir.InstExtractElement{X: c.X, Index: c.Index, Typ: c.Type()}
	case *constant.ExprInsertElement:
		return &llir.InstInsertElement{X: c.X, Elem: c.Elem, Index: c.Index, Typ: c.Type().(*types.VectorType)}
	case *constant.ExprShuffleVector:
		return &llir.InstShuffleVector{X: c.X, Y: c.Y, Mask: c.Mask, Typ: c.Type().(*types.VectorType)}
	case *constant.ExprExtractValue:
		return &llir.InstExtractValue{X: c.X, Indices: c.Indices, Typ: c.Type()}
	case *constant.ExprInsertValue:
		return &llir.InstInsertValue{X: c.X, Elem: c.Elem, Indices: c.Indices, Typ: c.Type()}
	}
	return asBinary(c)
}

// asBinary keeps the flags: a constant expression may be poison too.
func asBinary(c constant.Constant) llir.Instruction {
	switch c := c.(type) {
	case *constant.ExprAdd:
		return &llir.InstAdd{X: c.X, Y: c.Y, Typ: c.Type(), OverflowFlags: c.OverflowFlags}
	case *constant.ExprSub:
		return &llir.InstSub{X: c.X, Y: c.Y, Typ: c.Type(), OverflowFlags: c.OverflowFlags}
	case *constant.ExprMul:
		return &llir.InstMul{X: c.X, Y: c.Y, Typ: c.Type(), OverflowFlags: c.OverflowFlags}
	case *constant.ExprShl:
		return &llir.InstShl{X: c.X, Y: c.Y, Typ: c.Type(), OverflowFlags: c.OverflowFlags}
	case *constant.ExprUDiv:
		return &llir.InstUDiv{X: c.X, Y: c.Y, Typ: c.Type(), Exact: c.Exact}
	case *constant.ExprSDiv:
		return &llir.InstSDiv{X: c.X, Y: c.Y, Typ: c.Type(), Exact: c.Exact}
	case *constant.ExprLShr:
		return &llir.InstLShr{X: c.X, Y: c.Y, Typ: c.Type(), Exact: c.Exact}
	case *constant.ExprAShr:
		return &llir.InstAShr{X: c.X, Y: c.Y, Typ: c.Type(), Exact: c.Exact}
	case *constant.ExprURem:
		return llir.NewURem(c.X, c.Y)
	case *constant.ExprSRem:
		return llir.NewSRem(c.X, c.Y)
	case *constant.ExprAnd:
		return llir.NewAnd(c.X, c.Y)
	case *constant.ExprOr:
		return llir.NewOr(c.X, c.Y)
	case *constant.ExprXor:
		return llir.NewXor(c.X, c.Y)
	case *constant.ExprFAdd:
		return llir.NewFAdd(c.X, c.Y)
	case *constant.ExprFSub:
		return llir.NewFSub(c.X, c.Y)
	case *constant.ExprFMul:
		return llir.NewFMul(c.X, c.Y)
	case *constant.ExprFDiv:
		return llir.NewFDiv(c.X, c.Y)
	case *constant.ExprFRem:
		return llir.NewFRem(c.X, c.Y)
	}
	return nil
}

func typeName(v value.Value) string { return fmt.Sprintf("%T", v) }

// goName makes LLVM's word from a Go type name: "*ir.InstLandingPad", "Inst" -> "landingpad".
func goName(name, prefix string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	return strings.ToLower(strings.TrimPrefix(name, prefix))
}
