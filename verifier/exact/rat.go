package exact

import "math/big"

// Rat is a rational number in lowest terms. The zero value is 0.
type Rat struct {
	n Int
	d Int // denominator minus one, so that the zero value is 0/1
}

// R returns the rational of an integer.
func R(v int64) Rat { return Rat{n: I(v)} }

// RatOf returns the rational of an integer.
func RatOf(v Int) Rat { return Rat{n: v} }

// Frac returns n/d in lowest terms; d must not be 0.
func Frac(n, d Int) Rat {
	if d.Sign() < 0 {
		n, d = n.Neg(), d.Neg()
	}
	if d.IsOne() {
		return Rat{n: n}
	}
	if g := n.GCD(d); !g.IsOne() {
		n, d = n.Quo(g), d.Quo(g)
	}
	return Rat{n: n, d: d.Sub(I(1))}
}

// Num returns the numerator.
func (a Rat) Num() Int { return a.n }

// Den returns the denominator, at least 1.
func (a Rat) Den() Int { return a.d.Add(I(1)) }

// IsInt reports whether a is an integer.
func (a Rat) IsInt() bool { return a.d.IsZero() }

// Sign returns -1, 0 or 1 as a is negative, zero or positive.
func (a Rat) Sign() int { return a.n.Sign() }

// IsZero reports whether a is 0.
func (a Rat) IsZero() bool { return a.n.IsZero() }

// Add returns a+c.
func (a Rat) Add(c Rat) Rat {
	if a.IsInt() && c.IsInt() {
		return Rat{n: a.n.Add(c.n)}
	}
	return Frac(a.n.Mul(c.Den()).Add(c.n.Mul(a.Den())), a.Den().Mul(c.Den()))
}

// Neg returns -a.
func (a Rat) Neg() Rat { return Rat{n: a.n.Neg(), d: a.d} }

// Sub returns a-c.
func (a Rat) Sub(c Rat) Rat {
	if a.IsInt() && c.IsInt() {
		return Rat{n: a.n.Sub(c.n)}
	}
	return a.Add(c.Neg())
}

// Mul returns a*c.
func (a Rat) Mul(c Rat) Rat {
	if a.IsInt() && c.IsInt() {
		return Rat{n: a.n.Mul(c.n)}
	}
	return Frac(a.n.Mul(c.n), a.Den().Mul(c.Den()))
}

// Div returns a/c; c must not be 0.
func (a Rat) Div(c Rat) Rat { return Frac(a.n.Mul(c.Den()), a.Den().Mul(c.n)) }

// Cmp returns -1, 0 or 1 as a is less than, equal to or greater than c.
func (a Rat) Cmp(c Rat) int {
	if a.IsInt() && c.IsInt() {
		return a.n.Cmp(c.n)
	}
	return a.n.Mul(c.Den()).Cmp(c.n.Mul(a.Den()))
}

// Floor returns the greatest integer not above a.
func (a Rat) Floor() Int {
	if a.IsInt() {
		return a.n
	}
	return a.n.FloorDiv(a.Den())
}

// Ceil returns the least integer not below a.
func (a Rat) Ceil() Int { return a.Neg().Floor().Neg() }

// Big returns the value as a new big rational.
func (a Rat) Big() *big.Rat { return new(big.Rat).SetFrac(a.n.Big(), a.Den().Big()) }

// String returns "n" or "n/d".
func (a Rat) String() string {
	if a.IsInt() {
		return a.n.String()
	}
	return a.n.String() + "/" + a.Den().String()
}
