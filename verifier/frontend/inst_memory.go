package frontend

import (
	"regexp"
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/frontend/dialect"
	"github.com/firmproof/firmproof/verifier/ir"
)

// memory translates allocation, access and address arithmetic.
func (x *fn) memory(in llir.Instruction) (done bool) {
	switch in := in.(type) {
	case *llir.InstAlloca:
		x.alloca(in)
	case *llir.InstLoad:
		x.load(in)
	case *llir.InstStore:
		x.store(in)
	case *llir.InstFence:
		x.emit(&ir.Instr{Op: ir.OpFence})
	case *llir.InstCmpXchg:
		ty := x.typ(in.Cmp.Type())
		if x.access(in, x.cmpXchgType(in), ty, in.Ptr, "cmpxchg") {
			x.define(in, ir.Instr{Op: ir.OpCmpXchg, T: x.cmpXchgType(in), Access: ty,
				Align: int(x.m.Layout.StoreSize(ty)),
				Flags: volatile(in.Volatile) | ir.Atomic | weakly(in.Weak), Args: x.operands(in.Ptr, in.Cmp, in.New)})
		}
	case *llir.InstAtomicRMW:
		ty := x.typ(in.X.Type())
		if x.access(in, ty, ty, in.Dst, "atomicrmw") {
			x.define(in, ir.Instr{Op: ir.OpAtomicRMW, T: ty, Access: ty, Align: int(x.m.Layout.StoreSize(ty)),
				RMW:   in.Op.String(),
				Flags: volatile(in.Volatile) | ir.Atomic, Args: x.operands(in.Dst, in.X)})
		}
	case *llir.InstGetElementPtr:
		x.gep(in)
	default:
		return false
	}
	return true
}

// cmpXchgType is {T, i1} (LangRef: cmpxchg).
func (x *fn) cmpXchgType(in *llir.InstCmpXchg) *ir.Type {
	return &ir.Type{Kind: ir.KindStruct, Fields: []*ir.Type{x.typ(in.Cmp.Type()), x.intType(1)}}
}

func volatile(on bool) ir.Flags {
	if on {
		return ir.Volatile
	}
	return 0
}

func weakly(on bool) ir.Flags {
	if on {
		return ir.Weak
	}
	return 0
}

func atomic(on bool) ir.Flags {
	if on {
		return ir.Atomic
	}
	return 0
}

// access reports whether an access of type ty through ptr is modelled, and says so otherwise.
func (x *fn) access(v value.Named, result, ty *ir.Type, ptr value.Value, word string) bool {
	what := odd(ty)
	if s := x.foreign(ptr.Type()); s != "" {
		what = s
	}
	if what != "" {
		x.unsupported(v, result, word+" of "+what)
	}
	return what == ""
}

func (x *fn) alloca(in *llir.InstAlloca) {
	ty := x.typ(in.ElemType)
	if ty.Kind == ir.KindInvalid {
		x.unsupported(in, x.ptr, "alloca of "+odd(ty))
		return
	}
	var n ir.Value = x.intConst(32, 1)
	if in.NElems != nil {
		n = x.operand(in.NElems)
	}
	align := int(in.Align)
	if align == 0 {
		align = int(x.m.Layout.AlignOf(ty))
	}
	x.define(in, ir.Instr{Op: ir.OpAlloca, T: x.ptr, Access: ty, Align: align, Args: []ir.Value{n}})
}

func (x *fn) load(in *llir.InstLoad) {
	var read ir.Instr
	if types.IsInt(in.ElemType) {
		x.noteUnion(&read, x.operand(in.Src))
	}
	ty := x.typ(in.ElemType)
	if !x.access(in, ty, ty, in.Src, "load") {
		return
	}
	from := x.operands(in.Src)
	flags := volatile(in.Volatile) | atomic(in.Atomic)
	if parts, _ := x.volatileParts(from[0], x.size(ty)); len(parts) > 0 && flags == 0 {
		if parts[0] == (span{0, x.size(ty)}) {
			flags = ir.Volatile
		} else {
			from[0] = x.ownCopy(from[0], ty)
		}
	}
	x.define(in, ir.Instr{Op: ir.OpLoad, T: ty, Access: ty, Align: x.align(in.Align, ty), Flags: flags, Args: from,
		Assumes: read.Assumes})
}

func (x *fn) store(in *llir.InstStore) {
	ty := x.typ(in.Src.Type())
	if !x.access(nil, x.void, ty, in.Dst, "store") {
		return
	}
	x.emit(&ir.Instr{Op: ir.OpStore, Access: ty, Align: x.align(in.Align, ty),
		Flags: volatile(in.Volatile) | atomic(in.Atomic), Args: x.operands(in.Src, in.Dst)})
}

// align is the access's alignment; absent means the type's (LangRef: load).
func (x *fn) align(a llir.Align, ty *ir.Type) int {
	if a > 0 {
		return int(a)
	}
	return int(x.m.Layout.AlignOf(ty))
}

// copied matches the suffix that tells types of one name apart.
var copied = regexp.MustCompile(`\.\d+$`)

// gep lowers getelementptr to base + Off + sum(index * Scale) (LangRef: getelementptr).
func (x *fn) gep(in *llir.InstGetElementPtr) {
	if _, vector := in.Src.Type().(*types.VectorType); vector {
		x.unsupported(in, x.typ(in.Type()), "getelementptr over vectors")
		return
	}
	out := ir.Instr{Op: ir.OpGep, T: x.ptr, Args: x.operands(in.Src)}
	if in.InBounds {
		out.Flags = ir.InBounds
		for _, a := range in.Metadata {
			if a.Name == dialect.NoUnsignedWrap {
				out.Flags |= ir.NUW
			}
		}
	}
	ty := x.typ(in.ElemType)
	for n, raw := range in.Indices {
		idx := x.operand(raw)
		if idx.Type().Kind == ir.KindVector {
			x.unsupported(in, x.typ(in.Type()), "getelementptr over vectors")
			return
		}
		k, literal := idx.(*ir.Const)
		literal = literal && k.Kind == ir.ConstInt
		if n > 0 && ty.Kind == ir.KindStruct {
			i, _ := k.Bits.Int64()
			if out.Off += x.offset(ty, int(i)); n == 1 {
				out.Struct = ir.Struct{Name: copied.ReplaceAllString(ty.Name, ""), Size: x.size(ty)}
			}
			out.Flags |= ir.Member
			ty = ty.Fields[i]
			continue
		}
		if n > 0 {
			out.Flags |= ir.Element
			ty = ty.Elem
		}
		scale := x.size(ty)
		if literal {
			i, _ := k.Bits.Int64()
			out.Off += i * scale
		} else if scale != 0 {
			out.Args = append(out.Args, idx)
			out.Scales = append(out.Scales, scale)
		}
	}
	x.define(in, out)
}

// masked translates llvm.ptrmask of a mask as wide as pointers: p + ((address of p & mask) - address of p), which stays in
// the object of p (LangRef: llvm.ptrmask).
func (x *fn) masked(s *site, callee ir.Value) bool {
	k, ok := callee.(*ir.Const)
	if !ok || k.Kind != ir.ConstAddr || k.Func == nil || !strings.HasPrefix(k.Func.Name, "llvm.ptrmask.") ||
		s.v == nil || len(s.args) != 2 || x.foreign(s.args[0].Type()) != "" {
		return false
	}
	p, mask := x.operand(s.args[0]), x.operand(s.args[1])
	word := mask.Type()
	if p.Type().Kind != ir.KindPtr || !word.IsInt() || word.Width != p.Type().Width {
		return false
	}
	address := x.emit(&ir.Instr{Op: ir.OpPtrToInt, T: word, Args: []ir.Value{p}})
	kept := x.emit(&ir.Instr{Op: ir.OpAnd, T: word, Args: []ir.Value{address, mask}})
	by := x.emit(&ir.Instr{Op: ir.OpSub, T: word, Args: []ir.Value{kept, address}})
	x.define(s.v, ir.Instr{Op: ir.OpGep, T: x.ptr, Args: []ir.Value{p, by}, Scales: []int64{1}})
	return true
}
