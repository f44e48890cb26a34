package bits

import "math/big"

// Add returns a+b (IEEE 754, 5.4.1).
func (f Format) Add(r Rounding, a, b Vec) Vec { return f.sum(r, f.decode(a), f.decode(b)) }

func (f Format) sum(r Rounding, a, b number) Vec {
	switch {
	case a.nan || b.nan || a.inf && b.inf && a.neg != b.neg:
		return f.NaN()
	case a.inf:
		return f.Inf(a.neg)
	case b.inf:
		return f.Inf(b.neg)
	}
	exp := min(a.exp, b.exp)
	s := new(big.Int).Add(a.scaled(exp), b.scaled(exp))
	if s.Sign() == 0 {
		if a.zero() && b.zero() && a.neg == b.neg {
			return f.Zero(a.neg)
		}
		return f.Zero(r == TowardNegative) // IEEE 754, 6.3
	}
	return f.round(r, s.Sign() < 0, s.Abs(s), exp, false)
}

// scaled returns the signed value of n in units of 2^exp, exp <= n.exp.
func (n number) scaled(exp int) *big.Int {
	v := new(big.Int).Lsh(n.mant, uint(n.exp-exp))
	if n.neg {
		v.Neg(v)
	}
	return v
}

// Mul returns a*b.
func (f Format) Mul(r Rounding, a, b Vec) Vec {
	p := product(f.decode(a), f.decode(b))
	switch {
	case p.nan:
		return f.NaN()
	case p.inf:
		return f.Inf(p.neg)
	}
	return f.round(r, p.neg, p.mant, p.exp, false)
}

func product(a, b number) number {
	return number{
		nan:  a.nan || b.nan || a.inf && b.zero() || a.zero() && b.inf,
		inf:  a.inf || b.inf,
		neg:  a.neg != b.neg,
		mant: new(big.Int).Mul(a.mant, b.mant),
		exp:  a.exp + b.exp,
	}
}

// FMA returns a*b+c, rounded once.
func (f Format) FMA(r Rounding, a, b, c Vec) Vec {
	p := product(f.decode(a), f.decode(b))
	if p.nan {
		return f.NaN()
	}
	return f.sum(r, p, f.decode(c))
}

// Div returns a/b.
func (f Format) Div(r Rounding, va, vb Vec) Vec {
	a, b := f.decode(va), f.decode(vb)
	neg := a.neg != b.neg
	switch {
	case a.nan || b.nan || a.inf && b.inf || a.zero() && b.zero():
		return f.NaN()
	case a.inf || b.zero():
		return f.Inf(neg)
	case b.inf || a.zero():
		return f.Zero(neg)
	}
	shift := 2*f.Prec + 2
	q, rem := new(big.Int).QuoRem(new(big.Int).Lsh(a.mant, uint(shift)), b.mant, new(big.Int))
	return f.round(r, neg, q, a.exp-b.exp-shift, rem.Sign() != 0)
}

// Rem returns C's fmod: a - b*trunc(a/b), exact, with the sign of a.
func (f Format) Rem(va, vb Vec) Vec {
	a, b := f.decode(va), f.decode(vb)
	switch {
	case a.nan || b.nan || a.inf || b.zero():
		return f.NaN()
	case b.inf || a.zero():
		return va
	}
	exp := min(a.exp, b.exp)
	m := new(big.Int).Rem(new(big.Int).Abs(a.scaled(exp)), new(big.Int).Abs(b.scaled(exp)))
	return f.round(NearestEven, a.neg, m, exp, false)
}

// Sqrt returns the square root of a; that of -0 is -0.
func (f Format) Sqrt(r Rounding, va Vec) Vec {
	a := f.decode(va)
	switch {
	case a.nan || a.neg && !a.zero():
		return f.NaN()
	case a.inf || a.zero():
		return va
	}
	shift := 2*f.Prec + 4
	if (a.exp-shift)%2 != 0 {
		shift++
	}
	m := new(big.Int).Lsh(a.mant, uint(shift))
	root := new(big.Int).Sqrt(m)
	exact := new(big.Int).Mul(root, root).Cmp(m) == 0
	return f.round(r, false, root, (a.exp-shift)/2, !exact)
}

// Integral rounds a to an integer (IEEE 754, 5.9); zeros keep a's sign.
func (f Format) Integral(r Rounding, va Vec) Vec {
	a := f.decode(va)
	switch {
	case a.nan:
		return f.NaN()
	case a.inf || a.zero():
		return va
	}
	return f.round(r, a.neg, a.integer(r), 0, false)
}

// integer returns the magnitude of n rounded to an integer.
func (n number) integer(r Rounding) *big.Int {
	if n.exp >= 0 {
		return new(big.Int).Lsh(n.mant, uint(n.exp))
	}
	drop := uint(-n.exp)
	m := new(big.Int).Rsh(n.mant, drop)
	half := n.mant.Bit(int(drop)-1) == 1
	rest := n.mant.Sign() != 0 && n.mant.TrailingZeroBits() < drop-1
	if roundsUp(r, n.neg, m.Bit(0) == 1, half, rest) {
		m.Add(m, big.NewInt(1))
	}
	return m
}

// Convert returns a, of format f, in format to.
func (f Format) Convert(r Rounding, va Vec, to Format) Vec {
	a := f.decode(va)
	switch {
	case a.nan:
		return to.NaN()
	case a.inf:
		return to.Inf(a.neg)
	}
	return to.round(r, a.neg, a.mant, a.exp, false)
}

// ToInt returns a rounded to an integer of w bits; ok is false, and the result 0, when
// a is no number or out of range.
func (f Format) ToInt(r Rounding, va Vec, w int, signed bool) (v Vec, ok bool) {
	a := f.decode(va)
	if a.nan || a.inf {
		return New(w, 0), false
	}
	if !a.zero() && a.exp+a.mant.BitLen() > w+1 {
		return New(w, 0), false
	}
	m := a.integer(r)
	if a.neg {
		m.Neg(m)
	}
	v = FromBig(w, m)
	if signed && v.Signed().Cmp(m) == 0 || !signed && v.Unsigned().Cmp(m) == 0 {
		return v, true
	}
	return New(w, 0), false
}

// FromInt returns the integer v as a float.
func (f Format) FromInt(r Rounding, v Vec, signed bool) Vec {
	m := v.Unsigned()
	if signed {
		m = v.Signed()
	}
	neg := m.Sign() < 0
	return f.round(r, neg, m.Abs(m), 0, false)
}

// Compare orders a and b: -1, 0 or 1; ok is false when one is NaN.
func (f Format) Compare(va, vb Vec) (c int, ok bool) {
	a, b := f.decode(va), f.decode(vb)
	if a.nan || b.nan {
		return 0, false
	}
	if a.inf || b.inf {
		return infRank(a) - infRank(b), true
	}
	exp := min(a.exp, b.exp)
	return a.scaled(exp).Cmp(b.scaled(exp)), true
}

func infRank(n number) int {
	switch {
	case n.inf && n.neg:
		return -1
	case n.inf:
		return 1
	}
	return 0
}
