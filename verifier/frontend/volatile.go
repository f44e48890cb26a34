package frontend

import (
	"fmt"

	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Reads of whole structures. Clang marks a copy as volatile when either side is; it
// loses the mark where it passes a structure by value, and where a member alone is
// volatile. The types of the C program say what is read (C17 6.7.3p7).

// span is a range of bytes.
type span struct{ off, size int64 }

// place is the C type of the object that the pointer v leads into, and where in it;
// nil if that is not known.
func (x *fn) place(v ir.Value) (*ir.DType, int64) {
	switch v := v.(type) {
	case *ir.Const:
		if v.Kind == ir.ConstAddr && v.Global != nil && v.Global.Var != nil {
			return v.Global.Var.T, v.Off
		}
	case *ir.Param:
		return x.variable(v), 0
	case *ir.Instr:
		switch v.Op {
		case ir.OpAlloca:
			return x.variable(v), 0
		case ir.OpBitcast, ir.OpFreeze:
			return x.place(v.Args[0])
		case ir.OpGep:
			t, off := x.place(v.Args[0])
			return t, off + v.Off
		case ir.OpSelect:
			return x.place(v.Args[1])
		case ir.OpLoad:
			t, off := x.place(v.Args[0])
			if t = memberAt(t, off); t != nil && t.Kind == ir.DPointer {
				return t.Elem, 0
			}
		case ir.OpCall:
			if k, ok := v.Callee.(*ir.Const); ok && k.Func != nil && k.Func.DRet != nil {
				return k.Func.DRet.Elem, 0
			}
		}
	}
	return nil, 0
}

// variable is the type of the variable that lies in slot.
func (x *fn) variable(slot ir.Value) *ir.DType {
	for _, v := range x.out.Vars {
		if v.Slot == slot {
			return v.T
		}
	}
	return nil
}

// memberAt is the innermost type at off of t.
func memberAt(t *ir.DType, off int64) *ir.DType {
	for t != nil {
		switch {
		case t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits >= 8:
			off %= int64(t.Elem.Bits / 8)
			t = t.Elem
		case t.Kind == ir.DStruct || t.Kind == ir.DUnion:
			var next *ir.DType
			for _, f := range t.Fields {
				if f.T != nil && 8*off >= f.BitOff && 8*off < f.BitOff+max(f.BitSize, 8) && next == nil {
					next, off = f.T, off-f.BitOff/8
				}
			}
			t = next
		default:
			return t
		}
	}
	return nil
}

// volatileIn lists the volatile parts of t between from and to, in bytes of t.
func volatileIn(t *ir.DType, from, to int64) []span {
	if t == nil || from >= to {
		return nil
	}
	if t.Volatile {
		return []span{{from, to - from}}
	}
	var out []span
	switch t.Kind {
	case ir.DStruct, ir.DUnion:
		for _, f := range t.Fields {
			at, size := f.BitOff/8, (f.BitOff%8+f.BitSize+7)/8
			for _, s := range volatileIn(f.T, max(from-at, 0), min(to-at, size)) {
				out = append(out, span{at + s.off, s.size})
			}
		}
	case ir.DArray:
		if t.Elem == nil || t.Elem.Bits < 8 || len(volatileIn(t.Elem, 0, int64(t.Elem.Bits/8))) == 0 {
			return nil
		}
		size := int64(t.Elem.Bits / 8)
		if (to-from)/size > 64 { // many: all of it
			return []span{{from, to - from}}
		}
		for at := from / size * size; at < to; at += size {
			for _, s := range volatileIn(t.Elem, max(from-at, 0), min(to-at, size)) {
				out = append(out, span{at + s.off, s.size})
			}
		}
	}
	return out
}

// volatileParts lists what of the size bytes at p is volatile by its C type; known
// says that the type is.
func (x *fn) volatileParts(p ir.Value, size int64) (parts []span, known bool) {
	t, off := x.place(p)
	if t == nil || off < 0 || t.Kind == ir.DVoid {
		return nil, false
	}
	if t.Kind != ir.DArray && t.Bits >= 8 { // a pointer into an array
		off %= int64(t.Bits / 8)
	}
	for _, s := range volatileIn(t, off, off+size) {
		parts = append(parts, span{s.off - off, s.size})
	}
	return parts, true
}

// markCopy makes a copy volatile when its source is, and repeats the volatile parts
// of a source that is not volatile as a whole.
func (x *fn) markCopy(i *ir.Instr) (parts []span) {
	if len(i.Args) < 4 {
		return nil
	}
	k, ok := i.Args[3].(*ir.Const)
	marked := ok && k.Kind == ir.ConstInt && !k.Bits.IsZero()
	n, ok := i.Args[2].(*ir.Const)
	if !ok || n.Kind != ir.ConstInt {
		if marked {
			i.Flags |= ir.Volatile
		}
		return nil
	}
	size, _ := n.Bits.Int64()
	parts, known := x.volatileParts(i.Args[1], size)
	switch {
	case marked && !known, len(parts) == 1 && parts[0] == span{0, size}:
		i.Flags |= ir.Volatile
		return nil
	}
	return parts
}

// copyParts reads the given parts of a structure once more, as what they are.
func (x *fn) copyParts(to, from ir.Value, parts []span) {
	for _, s := range parts {
		at := func(p ir.Value) ir.Value {
			return x.emit(&ir.Instr{Op: ir.OpGep, T: x.ptr, Off: s.off, Args: []ir.Value{p}})
		}
		x.emit(x.copyInstr(at(to), at(from), s.size, ir.Volatile))
	}
}

// copyInstr is a call of llvm.memcpy.
func (x *fn) copyInstr(to, from ir.Value, size int64, flags ir.Flags) *ir.Instr {
	w := x.ptr.Width
	name := fmt.Sprintf("llvm.memcpy.p0i8.p0i8.i%d", w)
	f := x.helper(name, x.void, x.ptr, x.ptr, x.intType(w), x.intType(1))
	return &ir.Instr{Op: ir.OpCall, T: x.void, Callee: &ir.Const{T: x.ptr, Kind: ir.ConstAddr, Func: f},
		Model: ir.ModelMemcpy, Sig: signatureOf(f), Flags: flags,
		Args: []ir.Value{to, from, x.intConst(w, size), x.intConst(1, 1)}}
}

// helper is the function of that name without a body, declared when it is missing.
func (t *translator) helper(name string, ret *ir.Type, params ...*ir.Type) *ir.Func {
	if f := t.m.Func(name); f != nil {
		return f
	}
	f := &ir.Func{Name: name, CName: name, Ret: ret, Model: ir.ModelOf(name)}
	for i, p := range params {
		f.Params = append(f.Params, &ir.Param{Index: i, T: p})
	}
	t.m.Funcs = append(t.m.Funcs, f)
	return f
}

func signatureOf(f *ir.Func) *ir.Type {
	sig := &ir.Type{Kind: ir.KindFunc, Ret: f.Ret}
	for _, p := range f.Params {
		sig.Fields = append(sig.Fields, p.T)
	}
	return sig
}

// ownCopy is a local copy of the structure at p if it has volatile parts, for a call
// that gets it by value; else p.
func (x *fn) ownCopy(p ir.Value, t *ir.Type) ir.Value {
	size := x.size(t)
	parts, _ := x.volatileParts(p, size)
	if len(parts) == 0 {
		return p
	}
	own := &ir.Instr{Op: ir.OpAlloca, T: x.ptr, Access: t, Align: int(x.m.Layout.AlignOf(t)),
		Args: []ir.Value{x.intConst(32, 1)}, Pos: x.pos, Name: "by.value"}
	x.locals = append(x.locals, own)
	if len(parts) == 1 && parts[0] == (span{0, size}) {
		x.emit(x.copyInstr(own, p, size, ir.Volatile))
		return own
	}
	x.emit(x.copyInstr(own, p, size, 0))
	x.copyParts(own, p, parts)
	return own
}

// byValue gives calls their own copies of structures with volatile parts.
func (x *fn) byValue(args []value.Value, out []ir.Value) {
	for i, a := range args {
		if t := x.byValType(a); t != nil {
			out[i] = x.ownCopy(out[i], t)
		}
	}
}
