package termination

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// digitsBound returns the number of binary digits of b.
func digitsBound(b *Bound) *Bound {
	if b == nil {
		return nil
	}
	if c, ok := b.constant(); ok {
		return constBound(exact.I(int64(c.BitLen())))
	}
	a := &atom{kind: digitsAtom, arg: b, key: "d(" + b.key() + ")"}
	return &Bound{[]boundMono{{exact.I(1), []*atom{a}}}}
}

// digitPower bounds k to the power of c*digits(a)+d by a polynomial, if b is of that form with small c: 2^digits(a) is
// at most 2*a+1, and k at most 2 to its digits.
func digitPower(k exact.Int, b *Bound) *Bound {
	out, power := constBound(exact.I(1)), 0
	var arg *Bound
	for _, m := range b.monos {
		c, small := m.coef.Int64()
		switch {
		case !small || c > policy.BoundDigitPower:
			return nil
		case len(m.atoms) == 0:
			out = constBound(k.Pow(int(c)))
		case len(m.atoms) == 1 && m.atoms[0].kind == digitsAtom && arg == nil:
			arg, power = m.atoms[0].arg, int(c)*k.Sub(exact.I(1)).BitLen()
		default:
			return nil
		}
	}
	if arg == nil || power > policy.BoundDigitPower {
		return nil
	}
	for range power {
		out = out.mul(arg.scale(exact.I(2)).add(constBound(exact.I(1))))
	}
	return out
}
