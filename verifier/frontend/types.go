package frontend

import (
	"github.com/llir/llvm/ir/types"

	"github.com/firmproof/firmproof/verifier/ir"
)

var floatWidth = map[types.FloatKind]int{
	types.FloatKindHalf: 16, types.FloatKindFloat: 32, types.FloatKindDouble: 64,
	types.FloatKindX86_FP80: 80, types.FloatKindFP128: 128, types.FloatKindPPC_FP128: 128,
}

// typ translates a type; equal llir types by pointer give equal ir types by pointer.
func (t *translator) typ(ty types.Type) *ir.Type {
	if got, ok := t.types[ty]; ok {
		return got
	}
	out := t.newType(ty)
	t.types[ty] = out
	return out
}

func (t *translator) newType(ty types.Type) *ir.Type {
	switch ty := ty.(type) {
	case *types.VoidType:
		return t.void
	case *types.IntType:
		return t.intType(int(ty.BitSize))
	case *types.FloatType:
		return &ir.Type{Kind: ir.KindFloat, Width: floatWidth[ty.Kind]}
	case *types.PointerType: // address spaces are one memory to us (AVR: functions live in space 1)
		return t.ptr
	case *types.ArrayType:
		return &ir.Type{Kind: ir.KindArray, Len: int64(ty.Len), Elem: t.typ(ty.ElemType)}
	case *types.VectorType:
		if ty.Scalable {
			return &ir.Type{Kind: ir.KindInvalid, Name: "scalable vector"}
		}
		return &ir.Type{Kind: ir.KindVector, Len: int64(ty.Len), Elem: t.typ(ty.ElemType)}
	case *types.StructType:
		s := &ir.Type{Kind: ir.KindStruct, Packed: ty.Packed, Name: ty.Name()}
		for _, f := range ty.Fields {
			s.Fields = append(s.Fields, t.typ(f))
		}
		return s
	case *types.FuncType:
		f := &ir.Type{Kind: ir.KindFunc, Ret: t.typ(ty.RetType), Variadic: ty.Variadic}
		for _, p := range ty.Params {
			f.Fields = append(f.Fields, t.typ(p))
		}
		return f
	case *types.LabelType:
		return &ir.Type{Kind: ir.KindLabel}
	}
	return &ir.Type{Kind: ir.KindInvalid, Name: ty.String()} // metadata, token, x86_mmx
}

func (t *translator) intType(w int) *ir.Type {
	if got, ok := t.ints[w]; ok {
		return got
	}
	t.ints[w] = ir.Int(w)
	return t.ints[w]
}

// foreign names the address space of ty if accesses through it are not
// modelled: pointers of another width, and x86's segments (256 and up).
func (t *translator) foreign(ty types.Type) string {
	p, ok := ty.(*types.PointerType)
	if !ok || p.AddrSpace == 0 {
		return ""
	}
	w, special := t.spaces[int(p.AddrSpace)]
	if special && w != t.m.Layout.PtrBits || p.AddrSpace >= 256 {
		return p.AddrSpace.String()
	}
	return ""
}

// odd names what in a type no engine computes with, or is "".
func odd(t *ir.Type) string {
	switch t.Kind {
	case ir.KindInvalid:
		return "type " + t.Name
	case ir.KindArray, ir.KindVector:
		return odd(t.Elem)
	case ir.KindStruct:
		for _, f := range t.Fields {
			if o := odd(f); o != "" {
				return o
			}
		}
	}
	return ""
}

// notFollowed names what is computed with wide floats, but for x87's basic operations.
func notFollowed(op ir.Op, from, to *ir.Type) string {
	x87 := func(t *ir.Type) bool { return t.Kind == ir.KindFloat && t.Width == 80 }
	plain := func(t *ir.Type) bool {
		return x87(t) || t.Kind == ir.KindInt && t.Width <= 64 ||
			t.Kind == ir.KindFloat && (t.Width == 32 || t.Width == 64)
	}
	if op != ir.OpFrem && (x87(from) || x87(to)) && plain(from) && plain(to) {
		return ""
	}
	return wideFloat(from) + wideFloat(to)
}

// wideFloat names a floating-point type of more than 64 bits, or a vector of such:
// it is stored and passed on bit by bit, and what is computed with it is any value.
func wideFloat(t *ir.Type) string {
	switch {
	case t.Kind == ir.KindVector:
		return wideFloat(t.Elem)
	case t.Kind == ir.KindFloat && t.Width > 64:
		return map[int]string{80: "x86_fp80", 128: "fp128"}[t.Width]
	}
	return ""
}

// offset is Layout.FieldOffset, remembered per struct type.
func (t *translator) offset(s *ir.Type, i int) int64 {
	if s.Kind != ir.KindStruct {
		return t.m.Layout.FieldOffset(s, i)
	}
	offs, ok := t.offsets[s]
	if !ok {
		for n := range s.Fields {
			offs = append(offs, 0)
			if n > 0 {
				offs[n] = offs[n-1] + t.size(s.Fields[n-1])
				if a := t.m.Layout.AlignOf(s.Fields[n]); !s.Packed {
					offs[n] = (offs[n] + a - 1) / a * a
				}
			}
		}
		t.offsets[s] = offs
	}
	return offs[i]
}

// size is Layout.SizeOf, remembered.
func (t *translator) size(ty *ir.Type) int64 {
	n, ok := t.sizes[ty]
	if !ok {
		n = t.m.Layout.SizeOf(ty)
		t.sizes[ty] = n
	}
	return n
}
