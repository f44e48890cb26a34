// Package bits holds fixed-width integers with exact SMT-LIB meaning
// (FixedSizeBitVectors); it is the only machine arithmetic in the house.
//
// A Vec is an immutable, comparable value: two Vecs are == exactly when width and
// bits agree, so it can be a map key. Widths from 1 bit up; up to 64 bits no
// operation allocates.
package bits

import (
	"encoding/binary"
	"fmt"
	"math/big"
	mbits "math/bits"
	"strings"
)

// Vec is a bit-vector of Width bits. The zero Vec has width 0 and is no value.
type Vec struct {
	w  uint32
	lo uint64 // bits 0..63
	hi string // bits 64.. as little-endian bytes, exactly ceil((w-64)/8) of them; "" when w <= 64
}

// New returns v modulo 2^w.
func New(w int, v uint64) Vec {
	if w <= 0 {
		panic(fmt.Sprintf("bits: width %d", w))
	}
	if w <= 64 {
		return Vec{w: uint32(w), lo: v & mask(w)}
	}
	return Vec{w: uint32(w), lo: v, hi: strings.Repeat("\x00", hiLen(w))}
}

// NewInt returns the two's complement of v modulo 2^w.
func NewInt(w int, v int64) Vec {
	if w <= 64 {
		return New(w, uint64(v))
	}
	return FromBig(w, big.NewInt(v))
}

// FromBig returns v modulo 2^w; v may be negative.
func FromBig(w int, v *big.Int) Vec {
	if w <= 0 {
		panic(fmt.Sprintf("bits: width %d", w))
	}
	m := new(big.Int).Lsh(big.NewInt(1), uint(w))
	m.Mod(v, m) // Euclidean: never negative
	if w <= 64 {
		return Vec{w: uint32(w), lo: m.Uint64()}
	}
	buf := make([]byte, 8+hiLen(w))
	be := m.Bytes()
	for i, b := range be {
		buf[len(be)-1-i] = b
	}
	var lo uint64
	for i := 7; i >= 0; i-- {
		lo = lo<<8 | uint64(buf[i])
	}
	return Vec{w: uint32(w), lo: lo, hi: string(buf[8:])}
}

// FromBytes returns the number of little-endian bytes, modulo 2^w.
func FromBytes(w int, little []byte) Vec {
	if w <= 0 {
		panic(fmt.Sprintf("bits: width %d", w))
	}
	buf := make([]byte, 8+max(0, hiLen(w)))
	copy(buf, little)
	lo := binary.LittleEndian.Uint64(buf)
	if w <= 64 {
		return New(w, lo)
	}
	if r := w % 8; r != 0 {
		buf[len(buf)-1] &= 1<<uint(r) - 1
	}
	return Vec{w: uint32(w), lo: lo, hi: string(buf[8:])}
}

// Parse reads decimal digits (optional sign) as a Vec of width w, modulo 2^w.
func Parse(w int, s string) (Vec, error) {
	v, ok := new(big.Int).SetString(s, 10)
	if !ok {
		return Vec{}, fmt.Errorf("integer %q: not decimal", s)
	}
	return FromBig(w, v), nil
}

// ParseHex reads hexadecimal digits as a Vec of width w, modulo 2^w.
func ParseHex(w int, s string) (Vec, error) {
	v, ok := new(big.Int).SetString(s, 16)
	if !ok {
		return Vec{}, fmt.Errorf("integer %q: not hexadecimal", s)
	}
	return FromBig(w, v), nil
}

// Bool returns b as 1 or 0 of width 1.
func Bool(b bool) Vec {
	if b {
		return Vec{w: 1, lo: 1}
	}
	return Vec{w: 1}
}

// Ones has all w bits set.
func Ones(w int) Vec { return Not(New(w, 0)) }

// MinSigned returns -2^(w-1).
func MinSigned(w int) Vec { return Shl(New(w, 1), uint(w-1)) }

// MaxSigned returns 2^(w-1)-1.
func MaxSigned(w int) Vec { return Not(MinSigned(w)) }

func hiLen(w int) int { return (w - 64 + 7) / 8 }

func mask(w int) uint64 {
	if w >= 64 {
		return ^uint64(0)
	}
	return 1<<uint(w) - 1
}

// Width returns the width in bits.
func (v Vec) Width() int { return int(v.w) }

// IsZero reports whether all bits are 0.
func (v Vec) IsZero() bool { return v.lo == 0 && strings.Trim(v.hi, "\x00") == "" }

// IsOnes reports whether all bits are 1.
func (v Vec) IsOnes() bool { return v == Ones(v.Width()) }

// IsOne reports whether v is the number 1.
func (v Vec) IsOne() bool { return v == New(v.Width(), 1) }

// Bit returns bit i, counted from the least significant; false beyond the width.
func (v Vec) Bit(i int) bool {
	switch {
	case i < 0 || i >= int(v.w):
		return false
	case i < 64:
		return v.lo>>uint(i)&1 == 1
	}
	return v.hi[(i-64)/8]>>uint((i-64)%8)&1 == 1
}

// Byte returns bits 8i to 8i+7; zeros beyond the width.
func (v Vec) Byte(i int) byte {
	switch {
	case i < 0:
		return 0
	case i < 8:
		return byte(v.lo >> uint(8*i))
	case i-8 < len(v.hi):
		return v.hi[i-8]
	}
	return 0
}

// Sign reports whether the most significant bit is set.
func (v Vec) Sign() bool { return v.Bit(int(v.w) - 1) }

// Uint64 returns the unsigned value; ok is false when it does not fit.
func (v Vec) Uint64() (u uint64, ok bool) { return v.lo, v.w <= 64 || strings.Trim(v.hi, "\x00") == "" }

// Int64 returns the signed value; ok is false when it does not fit.
func (v Vec) Int64() (int64, bool) {
	if v.w <= 64 {
		return int64(v.lo<<(64-v.w)) >> (64 - v.w), true
	}
	b := v.Signed()
	return b.Int64(), b.IsInt64()
}

// Low64 returns the low 64 bits.
func (v Vec) Low64() uint64 { return v.lo }

// Unsigned returns the value as a natural number.
func (v Vec) Unsigned() *big.Int {
	if v.w <= 64 {
		return new(big.Int).SetUint64(v.lo)
	}
	be := make([]byte, 8+len(v.hi))
	for i := 0; i < 8; i++ {
		be[len(be)-1-i] = byte(v.lo >> uint(8*i))
	}
	for i := 0; i < len(v.hi); i++ {
		be[len(v.hi)-1-i] = v.hi[i]
	}
	return new(big.Int).SetBytes(be)
}

// Signed returns the two's complement value.
func (v Vec) Signed() *big.Int {
	if v.w <= 64 {
		i, _ := v.Int64()
		return big.NewInt(i)
	}
	u := v.Unsigned()
	if v.Sign() {
		u.Sub(u, new(big.Int).Lsh(big.NewInt(1), uint(v.w)))
	}
	return u
}

// Hex returns the value in ceil(w/4) hexadecimal digits.
func (v Vec) Hex() string {
	n := (int(v.w) + 3) / 4
	s := v.Unsigned().Text(16)
	return strings.Repeat("0", max(0, n-len(s))) + s
}

// String returns the unsigned value in decimal with its width, e.g. 255:8.
func (v Vec) String() string { return fmt.Sprintf("%s:%d", v.Unsigned(), v.w) }

// OnesCount returns the number of set bits.
func (v Vec) OnesCount() int {
	n := mbits.OnesCount64(v.lo)
	for i := 0; i < len(v.hi); i++ {
		n += mbits.OnesCount8(v.hi[i])
	}
	return n
}

// LeadingZeros counts the zeros from the most significant bit down; the width when v is 0.
func (v Vec) LeadingZeros() int { return int(v.w) - v.Unsigned().BitLen() }

// TrailingZeros counts the zeros from the least significant bit up; the width when v is 0.
func (v Vec) TrailingZeros() int {
	if v.w <= 64 {
		return min(mbits.TrailingZeros64(v.lo), int(v.w))
	}
	for i := 0; i < int(v.w); i++ {
		if v.Bit(i) {
			return i
		}
	}
	return int(v.w)
}
