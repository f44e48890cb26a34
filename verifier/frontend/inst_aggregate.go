package frontend

import (
	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/ir"
)

// aggregate translates the instructions over vectors and aggregate values.
func (x *fn) aggregate(in llir.Instruction) (done bool) {
	switch in := in.(type) {
	case *llir.InstExtractElement:
		x.define(in, ir.Instr{Op: ir.OpExtractElement, T: x.typ(in.X.Type()).Elem, Args: x.operands(in.X, in.Index)})
	case *llir.InstInsertElement:
		x.define(in, ir.Instr{Op: ir.OpInsertElement, T: x.typ(in.X.Type()), Args: x.operands(in.X, in.Elem, in.Index)})
	case *llir.InstShuffleVector:
		x.shuffle(in)
	case *llir.InstExtractValue:
		x.extractValue(in)
	case *llir.InstInsertValue:
		x.define(in, ir.Instr{Op: ir.OpInsertValue, T: x.resultType(in.X), Args: x.operands(in.X, in.Elem),
			Indices: ints(in.Indices)})
	default:
		return false
	}
	return true
}

// resultType is the type of v as translated: llir's own type of a cmpxchg is wrong.
func (x *fn) resultType(v value.Value) *ir.Type {
	if c, ok := v.(*llir.InstCmpXchg); ok {
		return x.cmpXchgType(c)
	}
	return x.typ(v.Type())
}

func (x *fn) extractValue(in *llir.InstExtractValue) {
	ty := x.resultType(in.X)
	for _, i := range in.Indices {
		ty = ty.ElemAt(int(i))
	}
	x.define(in, ir.Instr{Op: ir.OpExtractValue, T: ty, Args: x.operands(in.X), Indices: ints(in.Indices)})
}

func (x *fn) shuffle(in *llir.InstShuffleVector) {
	from := x.typ(in.X.Type())
	mask := x.typ(in.Mask.Type())
	out := &ir.Type{Kind: ir.KindVector, Elem: from.Elem, Len: mask.Len}
	idx, ok := shuffleMask(in.Mask, int(mask.Len))
	if !ok || mask.Kind != ir.KindVector {
		x.unsupported(in, out, "shufflevector mask")
		return
	}
	x.define(in, ir.Instr{Op: ir.OpShuffleVector, T: out, Args: x.operands(in.X, in.Y), Indices: idx})
}

func shuffleMask(v value.Value, n int) ([]int, bool) {
	out := make([]int, n)
	switch m := v.(type) {
	case *constant.ZeroInitializer:
		return out, true
	case *constant.Undef, *constant.Poison:
		for i := range out {
			out[i] = -1
		}
		return out, true
	case *constant.Vector:
		for i, e := range m.Elems {
			if k, ok := e.(*constant.Int); ok {
				out[i] = int(k.X.Int64())
			} else {
				out[i] = -1
			}
		}
		return out, true
	}
	return nil, false
}

func ints(in []uint64) []int {
	var out []int
	for _, i := range in {
		out = append(out, int(i))
	}
	return out
}
