package its

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// mul returns a*b, unless it is too large to work with. What it costs is known before.
func mul(a, b exact.Poly) (exact.Poly, error) {
	size := bits(a) + bits(b)
	if len(a.Monos)*len(b.Monos) > 20*policy.SystemMonomials || a.Degree()+b.Degree() > policy.SystemPower ||
		size > policy.SystemBits {
		return exact.Poly{}, fmt.Errorf("a polynomial with more than %d monomials, degree %d or numbers of %d bits",
			policy.SystemMonomials, policy.SystemPower, policy.SystemBits)
	}
	p := a.Mul(b)
	if len(p.Monos) > policy.SystemMonomials {
		return exact.Poly{}, fmt.Errorf("a polynomial with more than %d monomials", policy.SystemMonomials)
	}
	return p, nil
}

// bits returns the length of the longest coefficient.
func bits(p exact.Poly) int {
	n := 0
	for _, m := range p.Monos {
		n = max(n, m.Coef.BitLen())
	}
	return n
}

// nested returns an error when brackets and signs stand too deep in each other.
func nested(depth int) error {
	if depth > policy.SystemDepth {
		return fmt.Errorf("brackets or signs nested deeper than %d levels", policy.SystemDepth)
	}
	return nil
}
