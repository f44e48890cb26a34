// Package exact is exact arithmetic for the unbounded lane: integers and
// rationals that live in machine words until they overflow, and linear and
// polynomial expressions over them.
//
//	kind  zero value  is
//	Int   0           an integer: int64, math/big only after an overflow
//	Rat   0           a rational in lowest terms, positive denominator
//	Lin   0           a sum of coefficient times variable, plus a constant
//	Poly  0           a sum of coefficient times monomial
//
// Values are immutable: every operation returns a new one. Worked example:
//
//	x, y := exact.Var(0), exact.Var(1)
//	e := exact.V(x).Scale(exact.I(2)).Add(exact.V(y)).AddInt(-3) // 2*x + y - 3
//	e.Coef(x)                                                    // 2
//	e.Subst(func(v exact.Var) exact.Lin {                        // x := y+1
//		if v == x {
//			return exact.V(y).AddInt(1)
//		}
//		return exact.V(v)
//	}) // 3*y - 1
package exact

import (
	"math"
	"math/big"
	"math/bits"
)

// Int is an integer without bound. The zero value is 0. Compare with Cmp or
// Equal, never with ==.
type Int struct {
	b *big.Int // nil when s holds the value
	s int64
}

// I returns the Int of a machine word.
func I(v int64) Int { return Int{s: v} }

// FromBig returns the Int of a big integer, which it copies.
func FromBig(v *big.Int) Int {
	if v.IsInt64() {
		return Int{s: v.Int64()}
	}
	return Int{b: new(big.Int).Set(v)}
}

// ParseInt reads a decimal integer with optional sign.
func ParseInt(text string) (Int, bool) {
	v, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return Int{}, false
	}
	return FromBig(v), true
}

func own(v *big.Int) Int {
	if v.IsInt64() {
		return Int{s: v.Int64()}
	}
	return Int{b: v}
}

// Big returns the value as a new big integer.
func (a Int) Big() *big.Int {
	if a.b != nil {
		return new(big.Int).Set(a.b)
	}
	return big.NewInt(a.s)
}

func (a Int) view() *big.Int {
	if a.b != nil {
		return a.b
	}
	return big.NewInt(a.s)
}

// Int64 returns the value as a machine word, and whether it fits.
func (a Int) Int64() (int64, bool) { return a.s, a.b == nil }

// Sign returns -1, 0 or 1 as a is negative, zero or positive.
func (a Int) Sign() int {
	switch {
	case a.b != nil:
		return a.b.Sign()
	case a.s > 0:
		return 1
	case a.s < 0:
		return -1
	}
	return 0
}

// IsZero reports whether a is 0.
func (a Int) IsZero() bool { return a.b == nil && a.s == 0 }

// IsOne reports whether a is 1.
func (a Int) IsOne() bool { return a.b == nil && a.s == 1 }

// Add returns a+c.
func (a Int) Add(c Int) Int {
	if a.b == nil && c.b == nil {
		r := a.s + c.s
		if (r > a.s) == (c.s > 0) {
			return Int{s: r}
		}
	}
	return own(new(big.Int).Add(a.view(), c.view()))
}

// Neg returns -a.
func (a Int) Neg() Int {
	if a.b == nil && a.s != math.MinInt64 {
		return Int{s: -a.s}
	}
	return own(new(big.Int).Neg(a.view()))
}

// Sub returns a-c.
func (a Int) Sub(c Int) Int {
	if a.b == nil && c.b == nil {
		r := a.s - c.s
		if (r < a.s) == (c.s > 0) {
			return Int{s: r}
		}
	}
	return own(new(big.Int).Sub(a.view(), c.view()))
}

// Mul returns a*c.
func (a Int) Mul(c Int) Int {
	if a.b == nil && c.b == nil {
		if r, ok := mul64(a.s, c.s); ok {
			return Int{s: r}
		}
	}
	return own(new(big.Int).Mul(a.view(), c.view()))
}

func mul64(x, y int64) (int64, bool) {
	if int64(int32(x)) == x && int64(int32(y)) == y {
		return x * y, true
	}
	hi, lo := bits.Mul64(abs64(x), abs64(y))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (x < 0) != (y < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func abs64(x int64) uint64 {
	if x < 0 {
		return uint64(-x)
	}
	return uint64(x)
}

// Cmp returns -1, 0 or 1 as a is less than, equal to or greater than c.
func (a Int) Cmp(c Int) int {
	if a.b == nil && c.b == nil {
		switch {
		case a.s < c.s:
			return -1
		case a.s > c.s:
			return 1
		}
		return 0
	}
	return a.view().Cmp(c.view())
}

// Equal reports whether a = c.
func (a Int) Equal(c Int) bool { return a.Cmp(c) == 0 }

// Abs returns |a|.
func (a Int) Abs() Int {
	if a.Sign() < 0 {
		return a.Neg()
	}
	return a
}

// FloorDiv returns the quotient rounded towards minus infinity; c must not be 0.
func (a Int) FloorDiv(c Int) Int {
	if a.b == nil && c.b == nil && !(a.s == math.MinInt64 && c.s == -1) {
		q := a.s / c.s
		if a.s%c.s != 0 && (a.s < 0) != (c.s < 0) {
			q--
		}
		return Int{s: q}
	}
	q, m := new(big.Int).QuoRem(a.view(), c.view(), new(big.Int))
	if m.Sign() != 0 && (m.Sign() < 0) != (c.Sign() < 0) {
		q.Sub(q, big.NewInt(1))
	}
	return own(q)
}

// Quo returns the quotient of a by its divisor c.
func (a Int) Quo(c Int) Int {
	if a.b == nil && c.b == nil && !(a.s == math.MinInt64 && c.s == -1) {
		return Int{s: a.s / c.s}
	}
	return own(new(big.Int).Quo(a.view(), c.view()))
}

// GCD returns the greatest common divisor, never negative; GCD(0,0) is 0.
func (a Int) GCD(c Int) Int {
	if a.b == nil && c.b == nil {
		x, y := abs64(a.s), abs64(c.s)
		for y != 0 {
			x, y = y, x%y
		}
		if x <= math.MaxInt64 {
			return Int{s: int64(x)}
		}
	}
	return own(new(big.Int).GCD(nil, nil, new(big.Int).Abs(a.view()), new(big.Int).Abs(c.view())))
}

// Pow returns a to the power k.
func (a Int) Pow(k int) Int {
	return own(new(big.Int).Exp(a.view(), big.NewInt(int64(k)), nil))
}

// BitLen returns the length of |a| in bits.
func (a Int) BitLen() int {
	if a.b != nil {
		return a.b.BitLen()
	}
	return bits.Len64(abs64(a.s))
}

// String returns the decimal form.
func (a Int) String() string { return a.view().String() }
