package frontend

import (
	"math"
	"math/big"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/types"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// fold makes a literal or a symbol's address plus offset from a constant. It
// answers nil and the construct's name if the constant is an expression that
// only instructions can compute. In initialisers (init) addresses may also be
// integers and integers addresses, because nothing can compute there.
func (t *translator) fold(c constant.Constant, init bool) (*ir.Const, string) {
	if s := t.symbol(c); s != nil {
		return s, ""
	}
	switch c := t.unheld(c).(type) {
	case *constant.Int:
		ty := t.typ(c.Typ)
		return &ir.Const{T: ty, Kind: ir.ConstInt, Bits: bits.FromBig(ty.Width, c.X)}, ""
	case *constant.Float:
		return t.float(c)
	case *constant.Null:
		return &ir.Const{T: t.ptr, Kind: ir.ConstNull}, ""
	case *constant.ZeroInitializer:
		return t.zero(t.typ(c.Typ)), ""
	case *constant.Undef:
		return &ir.Const{T: t.typ(c.Typ), Kind: ir.ConstUndef}, ""
	case *constant.Poison:
		return &ir.Const{T: t.typ(c.Typ), Kind: ir.ConstPoison}, ""
	case *constant.CharArray:
		return &ir.Const{T: t.typ(c.Typ), Kind: ir.ConstBytes, Bytes: c.X}, ""
	case *constant.Array:
		return t.foldElems(c.Typ, c.Elems, init)
	case *constant.Vector:
		return t.foldElems(c.Typ, c.Elems, init)
	case *constant.Struct:
		return t.foldElems(c.Typ, c.Fields, init)
	case *constant.BlockAddress:
		if b, ok := c.Block.(*llir.Block); ok && t.blocks[b] != nil {
			return &ir.Const{T: t.ptr, Kind: ir.ConstAddr, Func: t.blocks[b].Func, Label: t.blocks[b]}, ""
		}
		return nil, "blockaddress of an unknown block"
	case *constant.Index:
		return t.fold(c.Constant, init)
	}
	return t.foldExpr(t.unheld(c), init)
}

// zero is the constant zero of any type.
func (t *translator) zero(ty *ir.Type) *ir.Const {
	switch ty.Kind {
	case ir.KindInt, ir.KindFloat:
		return &ir.Const{T: ty, Kind: ir.ConstInt, Bits: bits.New(ty.Width, 0)}
	case ir.KindPtr:
		return &ir.Const{T: ty, Kind: ir.ConstNull}
	}
	return &ir.Const{T: ty, Kind: ir.ConstZero}
}

func (t *translator) foldElems(ty types.Type, elems []constant.Constant, init bool) (*ir.Const, string) {
	out := &ir.Const{T: t.typ(ty), Kind: ir.ConstAgg}
	for _, e := range elems {
		k, why := t.fold(e, init)
		if k == nil {
			return nil, why
		}
		out.Elems = append(out.Elems, k)
	}
	return out, ""
}

// float encodes a constant in IEEE 754; NaN is the canonical quiet NaN, with the sign that is written.
func (t *translator) float(c *constant.Float) (*ir.Const, string) {
	ty := t.typ(c.Typ)
	out := &ir.Const{T: ty, Kind: ir.ConstInt}
	nan := uint64(0x7ff8) // its high bits as a double
	if c.X != nil && c.X.Signbit() {
		nan |= 1 << 15
	}
	switch ty.Width {
	case 64:
		f, _ := c.X.Float64()
		out.Bits = bits.New(64, math.Float64bits(f))
		if c.NaN {
			out.Bits = bits.New(64, nan<<48)
		}
	case 32:
		f, _ := c.X.Float32()
		out.Bits = bits.New(32, uint64(math.Float32bits(f)))
		if c.NaN {
			out.Bits = bits.New(32, nan&(1<<15)<<16|0x7fc00000)
		}
	case 16:
		out.Bits = halfBits(c.X)
		if c.NaN {
			out.Bits = bits.New(16, nan&(1<<15)|0x7e00)
		}
	case 80:
		out.Bits = wideBits(c, 80, 64, true)
	default:
		if c.Typ.Kind != types.FloatKindFP128 {
			return nil, "constant of type " + c.Typ.String()
		}
		out.Bits = wideBits(c, 128, 112, false)
	}
	return out, ""
}

// wideBits encodes a constant in a format with 15 bits of exponent and a fraction
// below them, whose leading bit is written (x87) or left out (IEEE 754 binary128).
func wideBits(c *constant.Float, width, fraction int, leading bool) bits.Vec {
	const bias, top = 16383, 32767
	exp, frac := 0, new(big.Int)
	switch {
	case c.NaN:
		exp = top
		frac.SetBit(frac, fraction-1, 1)
		if leading {
			frac.SetBit(frac, fraction-2, 1)
		}
	case c.X.IsInf():
		exp = top
		if leading {
			frac.SetBit(frac, fraction-1, 1)
		}
	case c.X.Sign() != 0:
		digits := fraction
		if !leading {
			digits++
		}
		m := new(big.Float).SetPrec(uint(digits))
		e := new(big.Float).SetPrec(uint(digits)).Abs(c.X).MantExp(m) // m in [0.5, 1)
		exp = e - 1 + bias
		if exp < 1 { // subnormal
			m.SetMantExp(m, exp-1)
			exp = 0
		}
		m.SetMantExp(m, digits)
		m.Int(frac)
		if !leading && exp > 0 {
			frac.SetBit(frac, fraction, 0)
		}
	}
	v := new(big.Int).Lsh(big.NewInt(int64(exp)), uint(fraction))
	v.Or(v, frac)
	if c.X != nil && c.X.Signbit() {
		v.SetBit(v, width-1, 1)
	}
	return bits.FromBig(width, v)
}

// halfBits encodes a value that is exactly a half (LLVM prints no other).
func halfBits(x *big.Float) bits.Vec {
	sign := uint64(0)
	if x.Signbit() {
		sign = 1 << 15
	}
	if x.Sign() == 0 {
		return bits.New(16, sign)
	}
	if x.IsInf() {
		return bits.New(16, sign|0x7c00)
	}
	f, _ := new(big.Float).Abs(x).Float64()
	frac, exp := math.Frexp(f) // f = frac * 2^exp, 0.5 <= frac < 1
	if e := exp + 14; e >= 1 {
		return bits.New(16, sign|uint64(e)<<10|uint64(frac*2048)&0x3ff)
	}
	return bits.New(16, sign|uint64(math.Ldexp(f, 24)))
}

// foldExpr folds constant expressions over integers and addresses.
func (t *translator) foldExpr(c constant.Constant, init bool) (*ir.Const, string) {
	switch c := c.(type) {
	case *constant.ExprBitCast:
		return t.foldCast(c.From, c.To, init)
	case *constant.ExprAddrSpaceCast:
		return t.foldCast(c.From, c.To, init)
	case *constant.ExprGetElementPtr:
		return t.foldGep(c, init)
	case *constant.ExprPtrToInt:
		if k, why := t.fold(c.From, true); k == nil {
			return nil, why
		} else if k.Kind == ir.ConstNull || k.Kind == ir.ConstInt {
			return t.resize(k, t.typ(c.To), false)
		} else if k.Kind == ir.ConstAddr && init {
			return &ir.Const{T: t.typ(c.To), Kind: ir.ConstAddrInt, Global: k.Global, Func: k.Func, Label: k.Label,
				Off: k.Off}, ""
		}
	case *constant.ExprIntToPtr:
		return t.foldIntToPtr(c, init)
	case *constant.ExprTrunc:
		return t.foldResize(c.From, c.To, false, init)
	case *constant.ExprZExt:
		return t.foldResize(c.From, c.To, false, init)
	case *constant.ExprSExt:
		return t.foldResize(c.From, c.To, true, init)
	}
	if op, x, y := binaryExpr(c); op != ir.OpInvalid {
		return t.foldBinary(op, x, y, init)
	}
	return nil, exprName(c)
}

// foldCast handles casts that keep the bits.
func (t *translator) foldCast(from constant.Constant, to types.Type, init bool) (*ir.Const, string) {
	k, why := t.fold(from, init)
	if k == nil {
		return nil, why
	}
	ty := t.typ(to)
	switch {
	case k.T.Equal(ty):
		return k, ""
	case k.Kind == ir.ConstInt && (ty.IsInt() || ty.Kind == ir.KindFloat) && ty.Width == k.T.Width:
		return &ir.Const{T: ty, Kind: ir.ConstInt, Bits: k.Bits}, ""
	}
	return nil, "bitcast constant expression"
}

func (t *translator) foldGep(c *constant.ExprGetElementPtr, init bool) (*ir.Const, string) {
	base, why := t.fold(c.Src, init)
	if base == nil {
		return nil, why
	}
	if base.Kind != ir.ConstAddr && !(init && base.Kind != ir.ConstUndef) {
		return nil, "getelementptr constant expression"
	}
	off, ok := t.constOffset(c)
	if !ok {
		return nil, "getelementptr constant expression"
	}
	out := *base
	switch base.Kind {
	case ir.ConstAddr:
		out.Off += off
	case ir.ConstNull, ir.ConstInt:
		b := bits.New(t.ptr.Width, 0)
		if base.Kind == ir.ConstInt {
			b = base.Bits
		}
		out = ir.Const{T: t.ptr, Kind: ir.ConstInt, Bits: bits.Add(b, bits.NewInt(t.ptr.Width, off))}
	default:
		return nil, "getelementptr constant expression"
	}
	return &out, ""
}

// constOffset adds up the indices of a constant getelementptr over scalars.
func (t *translator) constOffset(c *constant.ExprGetElementPtr) (off int64, ok bool) {
	ty := t.typ(c.ElemType)
	for n, raw := range c.Indices {
		k, _ := t.fold(raw, false)
		if k == nil || k.Kind != ir.ConstInt && !(k.Kind == ir.ConstZero && k.T.IsInt()) {
			return 0, false
		}
		i, fits := k.Bits.Int64()
		if !fits {
			return 0, false
		}
		switch {
		case n == 0:
			off += i * t.size(ty)
		case ty.Kind == ir.KindStruct:
			off += t.offset(ty, int(i))
			ty = ty.Fields[i]
		case ty.Elem != nil:
			ty = ty.Elem
			off += i * t.size(ty)
		default:
			return 0, false
		}
	}
	return off, true
}

func (t *translator) foldIntToPtr(c *constant.ExprIntToPtr, init bool) (*ir.Const, string) {
	if !init {
		return nil, "inttoptr constant expression"
	}
	k, why := t.fold(c.From, init)
	switch {
	case k == nil:
		return nil, why
	case k.Kind == ir.ConstInt && k.T.IsInt():
		return t.resize(k, t.ptr, false)
	case k.Kind == ir.ConstAddrInt && k.T.Width == t.ptr.Width:
		return &ir.Const{T: t.ptr, Kind: ir.ConstAddr, Global: k.Global, Func: k.Func, Label: k.Label, Off: k.Off}, ""
	}
	return nil, "inttoptr constant expression"
}

func (t *translator) foldResize(from constant.Constant, to types.Type, signed, init bool) (*ir.Const, string) {
	k, why := t.fold(from, init)
	if k == nil {
		return nil, why
	}
	return t.resize(k, t.typ(to), signed)
}

// resize extends or truncates an integer constant to the width of ty.
func (t *translator) resize(k *ir.Const, ty *ir.Type, signed bool) (*ir.Const, string) {
	if k.Kind == ir.ConstNull {
		k = &ir.Const{T: k.T, Kind: ir.ConstInt, Bits: bits.New(t.ptr.Width, 0)}
	}
	if k.Kind == ir.ConstAddrInt && k.T.Width >= t.ptr.Width && ty.Width >= t.ptr.Width && !signed {
		out := *k
		out.T = ty
		return &out, ""
	}
	if k.Kind != ir.ConstInt || !ty.IsInt() && !ty.IsPtr() {
		return nil, "conversion of an address in a constant expression"
	}
	b := k.Bits
	switch {
	case ty.Width < b.Width():
		b = bits.Trunc(b, ty.Width)
	case ty.Width > b.Width() && signed:
		b = bits.Sext(b, ty.Width)
	case ty.Width > b.Width():
		b = bits.Zext(b, ty.Width)
	}
	return &ir.Const{T: ty, Kind: ir.ConstInt, Bits: b}, ""
}
