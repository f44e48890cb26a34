package its

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
)

// What a system in a file may need while it is read. What is larger comes from no tool,
// and would not be decided.
const (
	maxText  = 64 << 20 // bytes of the file
	maxDepth = 1000     // of brackets and signs in each other
	maxMonos = 2000     // monomials of a polynomial
	maxPower = 64       // degree of a monomial
	maxBits  = 1 << 16  // of a coefficient, roughly
)

// mul returns a*b, unless it is too large to work with. What it costs is known before.
func mul(a, b exact.Poly) (exact.Poly, error) {
	size := bits(a) + bits(b)
	if len(a.Monos)*len(b.Monos) > 20*maxMonos || a.Degree()+b.Degree() > maxPower || size > maxBits {
		return exact.Poly{}, fmt.Errorf("a polynomial with more than %d monomials, degree %d or numbers of %d bits",
			maxMonos, maxPower, maxBits)
	}
	p := a.Mul(b)
	if len(p.Monos) > maxMonos {
		return exact.Poly{}, fmt.Errorf("a polynomial with more than %d monomials", maxMonos)
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
	if depth > maxDepth {
		return fmt.Errorf("brackets or signs nested deeper than %d levels", maxDepth)
	}
	return nil
}
