package bits

import (
	"fmt"
	"math/big"
)

func same(op string, a, b Vec) {
	if a.w != b.w || a.w == 0 {
		panic(fmt.Sprintf("bits: %s of widths %d and %d", op, a.w, b.w))
	}
}

func small(a Vec) bool { return a.w <= 64 }

func fit(w uint32, lo uint64) Vec { return Vec{w: w, lo: lo & mask(int(w))} }

// Add returns a+b modulo 2^w (bvadd).
func Add(a, b Vec) Vec {
	same("add", a, b)
	if small(a) {
		return fit(a.w, a.lo+b.lo)
	}
	return FromBig(int(a.w), new(big.Int).Add(a.Unsigned(), b.Unsigned()))
}

// Sub returns a-b modulo 2^w (bvsub).
func Sub(a, b Vec) Vec {
	same("sub", a, b)
	if small(a) {
		return fit(a.w, a.lo-b.lo)
	}
	return FromBig(int(a.w), new(big.Int).Sub(a.Unsigned(), b.Unsigned()))
}

// Neg returns -a modulo 2^w (bvneg).
func Neg(a Vec) Vec { return Sub(New(a.Width(), 0), a) }

// Mul returns a*b modulo 2^w (bvmul).
func Mul(a, b Vec) Vec {
	same("mul", a, b)
	if small(a) {
		return fit(a.w, a.lo*b.lo)
	}
	return FromBig(int(a.w), new(big.Int).Mul(a.Unsigned(), b.Unsigned()))
}

// Udiv returns the unsigned quotient; x/0 is all ones (bvudiv).
func Udiv(a, b Vec) Vec {
	same("udiv", a, b)
	switch {
	case b.IsZero():
		return Ones(a.Width())
	case small(a):
		return fit(a.w, a.lo/b.lo)
	}
	return FromBig(int(a.w), new(big.Int).Quo(a.Unsigned(), b.Unsigned()))
}

// Urem returns the unsigned remainder; x mod 0 is x (bvurem).
func Urem(a, b Vec) Vec {
	same("urem", a, b)
	switch {
	case b.IsZero():
		return a
	case small(a):
		return fit(a.w, a.lo%b.lo)
	}
	return FromBig(int(a.w), new(big.Int).Rem(a.Unsigned(), b.Unsigned()))
}

// Sdiv returns the quotient truncated toward zero, by SMT-LIB's definition over Udiv
// (so x/0 is 1 for negative x and -1 otherwise) (bvsdiv).
func Sdiv(a, b Vec) Vec {
	same("sdiv", a, b)
	q := Udiv(abs(a), abs(b))
	if a.Sign() != b.Sign() {
		return Neg(q)
	}
	return q
}

// Srem returns the remainder with the sign of the dividend (bvsrem); x srem 0 is x.
func Srem(a, b Vec) Vec {
	same("srem", a, b)
	r := Urem(abs(a), abs(b))
	if a.Sign() {
		return Neg(r)
	}
	return r
}

func abs(a Vec) Vec {
	if a.Sign() {
		return Neg(a)
	}
	return a
}

// Not inverts every bit (bvnot).
func Not(a Vec) Vec {
	if small(a) {
		return fit(a.w, ^a.lo)
	}
	m := new(big.Int).Lsh(big.NewInt(1), uint(a.w))
	m.Sub(m, big.NewInt(1))
	return FromBig(int(a.w), m.Xor(m, a.Unsigned()))
}

// And returns the bitwise conjunction (bvand).
func And(a, b Vec) Vec {
	same("and", a, b)
	if small(a) {
		return Vec{w: a.w, lo: a.lo & b.lo}
	}
	return FromBig(int(a.w), new(big.Int).And(a.Unsigned(), b.Unsigned()))
}

// Or returns the bitwise disjunction (bvor).
func Or(a, b Vec) Vec {
	same("or", a, b)
	if small(a) {
		return Vec{w: a.w, lo: a.lo | b.lo}
	}
	return FromBig(int(a.w), new(big.Int).Or(a.Unsigned(), b.Unsigned()))
}

// Xor returns the bitwise exclusive or (bvxor).
func Xor(a, b Vec) Vec {
	same("xor", a, b)
	if small(a) {
		return Vec{w: a.w, lo: a.lo ^ b.lo}
	}
	return FromBig(int(a.w), new(big.Int).Xor(a.Unsigned(), b.Unsigned()))
}

// Shl shifts left by n bits; 0 when n >= w.
func Shl(a Vec, n uint) Vec {
	switch {
	case n >= uint(a.w):
		return New(a.Width(), 0)
	case small(a):
		return fit(a.w, a.lo<<n)
	}
	return FromBig(int(a.w), new(big.Int).Lsh(a.Unsigned(), n))
}

// Lshr shifts right by n bits, zeros in; 0 when n >= w.
func Lshr(a Vec, n uint) Vec {
	switch {
	case n >= uint(a.w):
		return New(a.Width(), 0)
	case small(a):
		return Vec{w: a.w, lo: a.lo >> n}
	}
	return FromBig(int(a.w), new(big.Int).Rsh(a.Unsigned(), n))
}

// Ashr shifts right by n bits, sign in; all sign bits when n >= w.
func Ashr(a Vec, n uint) Vec {
	n = min(n, uint(a.w))
	if small(a) {
		i, _ := a.Int64()
		return fit(a.w, uint64(i>>n))
	}
	return FromBig(int(a.w), new(big.Int).Rsh(a.Signed(), n))
}

// amount reads a shift amount, saturated at a's width.
func amount(a, b Vec) uint {
	same("shift", a, b)
	if u, ok := b.Uint64(); ok && u < uint64(a.w) {
		return uint(u)
	}
	return uint(a.w)
}

// ShlVec shifts left by b (bvshl).
func ShlVec(a, b Vec) Vec { return Shl(a, amount(a, b)) }

// LshrVec shifts right by b, zeros in (bvlshr).
func LshrVec(a, b Vec) Vec { return Lshr(a, amount(a, b)) }

// AshrVec shifts right by b, sign in (bvashr).
func AshrVec(a, b Vec) Vec { return Ashr(a, amount(a, b)) }

// Concat puts hi above lo (concat).
func Concat(hi, lo Vec) Vec {
	w := hi.Width() + lo.Width()
	if w <= 64 {
		return Vec{w: uint32(w), lo: hi.lo<<lo.w | lo.lo}
	}
	v := new(big.Int).Lsh(hi.Unsigned(), uint(lo.w))
	return FromBig(w, v.Or(v, lo.Unsigned()))
}

// Extract returns bits hi..lo, inclusive, as a Vec of width hi-lo+1 (extract).
func Extract(a Vec, hi, lo int) Vec {
	if lo < 0 || hi < lo || hi >= int(a.w) {
		panic(fmt.Sprintf("bits: extract %d..%d of width %d", hi, lo, a.w))
	}
	return Trunc(Lshr(a, uint(lo)), hi-lo+1)
}

// Trunc keeps the low w bits.
func Trunc(a Vec, w int) Vec {
	if w > int(a.w) {
		panic(fmt.Sprintf("bits: trunc of width %d to %d", a.w, w))
	}
	if w <= 64 {
		return New(w, a.lo)
	}
	return FromBig(w, a.Unsigned())
}

// Zext widens with zeros to w bits.
func Zext(a Vec, w int) Vec {
	if w < int(a.w) {
		panic(fmt.Sprintf("bits: zext of width %d to %d", a.w, w))
	}
	if w <= 64 {
		return New(w, a.lo)
	}
	return FromBig(w, a.Unsigned())
}

// Sext widens with the sign to w bits.
func Sext(a Vec, w int) Vec {
	if w < int(a.w) {
		panic(fmt.Sprintf("bits: sext of width %d to %d", a.w, w))
	}
	if w <= 64 {
		i, _ := a.Int64()
		return NewInt(w, i)
	}
	return FromBig(w, a.Signed())
}

// Ult reports a < b, unsigned (bvult).
func Ult(a, b Vec) bool {
	same("ult", a, b)
	if small(a) {
		return a.lo < b.lo
	}
	return a.Unsigned().Cmp(b.Unsigned()) < 0
}

// Ule reports a <= b, unsigned (bvule).
func Ule(a, b Vec) bool { return !Ult(b, a) }

// Slt reports a < b, signed (bvslt).
func Slt(a, b Vec) bool {
	same("slt", a, b)
	if small(a) {
		x, _ := a.Int64()
		y, _ := b.Int64()
		return x < y
	}
	return a.Signed().Cmp(b.Signed()) < 0
}

// Sle reports a <= b, signed (bvsle).
func Sle(a, b Vec) bool { return !Slt(b, a) }

// Overflow predicates: does the exact result leave the type? (ILR addo, subo, mulo; LL-74)

// UaddOverflow reports a+b > 2^w-1.
func UaddOverflow(a, b Vec) bool { return Ult(Add(a, b), a) }

// SaddOverflow reports a+b outside the signed range.
func SaddOverflow(a, b Vec) bool {
	s := Add(a, b)
	return a.Sign() == b.Sign() && s.Sign() != a.Sign()
}

// UsubOverflow reports a < b.
func UsubOverflow(a, b Vec) bool { return Ult(a, b) }

// SsubOverflow reports a-b outside the signed range.
func SsubOverflow(a, b Vec) bool {
	d := Sub(a, b)
	return a.Sign() != b.Sign() && d.Sign() != a.Sign()
}

// UmulOverflow reports a*b > 2^w-1.
func UmulOverflow(a, b Vec) bool {
	same("umulo", a, b)
	return new(big.Int).Mul(a.Unsigned(), b.Unsigned()).BitLen() > int(a.w)
}

// SmulOverflow reports a*b outside the signed range.
func SmulOverflow(a, b Vec) bool {
	same("smulo", a, b)
	p := new(big.Int).Mul(a.Signed(), b.Signed())
	return FromBig(int(a.w), p).Signed().Cmp(p) != 0
}

// SdivOverflow reports MinSigned / -1.
func SdivOverflow(a, b Vec) bool { return a == MinSigned(a.Width()) && b.IsOnes() }

// Bswap reverses the bytes; the width is a multiple of 8.
func Bswap(a Vec) Vec {
	out := Extract(a, 7, 0)
	for i := 8; i < int(a.w); i += 8 {
		out = Concat(out, Extract(a, i+7, i))
	}
	return out
}

// BitReverse reverses the bits.
func BitReverse(a Vec) Vec {
	out := Extract(a, 0, 0)
	for i := 1; i < int(a.w); i++ {
		out = Concat(out, Extract(a, i, i))
	}
	return out
}
