// Package rules applies local rules: equations between terms, used from left to right (terms.rules), matched by code
// that rulegen writes. Our own solver proves instances of every rule in the tests.
package rules

//go:generate go run ../rulegen/cmd terms.rules rules_gen.go

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite/facts"
)

type rule struct {
	name  string
	kind  ilr.Kind
	apply func(m *match, args []ilr.Term) ilr.Term
}

// match holds what a rule sees of the term about to be made beside its arguments.
type match struct {
	s      *ilr.Store
	facts  *facts.Table
	sort   ilr.Sort
	hi, lo int // bounds of an extract
}

// Apply returns what the first rule that matches makes of the term of kind k with these arguments, or 0.
func Apply(s *ilr.Store, known *facts.Table, k ilr.Kind, sort ilr.Sort, imm uint64, args []ilr.Term) ilr.Term {
	m := match{s: s, facts: known, sort: sort, hi: int(imm >> 32), lo: int(uint32(imm))}
	return m.applyRules(k, args)
}

func bounds(s *ilr.Store, t ilr.Term) (hi, lo int) {
	imm := s.Imm(t)
	return int(imm >> 32), int(uint32(imm))
}

// isNumber reports whether t is the constant that a rule writes as text.
func (m *match) isNumber(t ilr.Term, text string) bool {
	v, ok := m.s.ConstVal(t)
	if !ok {
		return false
	}
	switch text {
	case "0":
		return v.IsZero()
	case "1":
		return v.IsOne()
	case "-1":
		return v.IsOnes()
	case "min":
		return v == bits.MinSigned(v.Width())
	case "max":
		return v == bits.MaxSigned(v.Width())
	}
	panic("rewrite: number " + text)
}

// nonneg reports whether the sign bit of t is known to be 0.
func (m *match) nonneg(t ilr.Term) bool { return m.facts.Of(m.s, t).Nonneg() }

func pow2(v bits.Vec) bool { return v.OnesCount() == 1 }

// positive reports v > 0, signed.
func positive(v bits.Vec) bool { return !v.Sign() && !v.IsZero() }

// divides reports whether v is a multiple of d, which is not 0, unsigned.
func divides(d, v bits.Vec) bool { return !d.IsZero() && bits.Urem(v, d).IsZero() }

// next returns v+1.
func next(v bits.Vec) bits.Vec { return bits.Add(v, bits.New(v.Width(), 1)) }

// lastOf returns c*(q+1)-1, the greatest x whose quotient by c is q, where not beyond; unsigned or, for q >= 0, signed.
func lastOf(c, q bits.Vec) bits.Vec { return before(bits.Mul(c, next(q))) }

// beyond reports that no number has a quotient by c above q, unsigned, as c*(q+1) overflows.
func beyond(c, q bits.Vec) bool { return q.IsOnes() || bits.UmulOverflow(c, next(q)) }

// sbeyond is beyond for signed numbers, q >= 0.
func sbeyond(c, q bits.Vec) bool {
	return q == bits.MaxSigned(q.Width()) || bits.SmulOverflow(c, next(q))
}

// sfirstOf returns c*(q-1)+1, the least x whose quotient by c is q or more, signed, q <= 0, where not sunder.
func sfirstOf(c, q bits.Vec) bits.Vec { return next(bits.Mul(c, before(q))) }

// sunder reports that no number has a quotient by c below q, signed, q <= 0, as c*(q-1) overflows.
func sunder(c, q bits.Vec) bool {
	return q == bits.MinSigned(q.Width()) || bits.SmulOverflow(c, before(q))
}

// before returns v-1.
func before(v bits.Vec) bits.Vec { return bits.Sub(v, bits.New(v.Width(), 1)) }

// log2 returns the logarithm of a power of two, in its width.
func log2(v bits.Vec) bits.Vec { return bits.New(v.Width(), uint64(v.TrailingZeros())) }

// amount returns the amount of a shift, saturated at the width.
func amount(v bits.Vec) int {
	if u, ok := v.Uint64(); ok && u < uint64(v.Width()) {
		return int(u)
	}
	return v.Width()
}

// maskLen returns n if v is 2^n-1 with n > 0, else 0.
func maskLen(v bits.Vec) int {
	n := v.OnesCount()
	if n > 0 && v.LeadingZeros() == v.Width()-n {
		return n
	}
	return 0
}

// middleMask reports whether v has one run of ones, neither at the top nor at the bottom.
func middleMask(v bits.Vec) bool {
	n, z := v.OnesCount(), v.TrailingZeros()
	return n > 0 && z > 0 && z+n < v.Width() && v.LeadingZeros() == v.Width()-n-z
}

func fitsUnsigned(v bits.Vec, w int) bool { return v.LeadingZeros() >= v.Width()-w }

func fitsSigned(v bits.Vec, w int) bool { return bits.Sext(bits.Trunc(v, w), v.Width()) == v }

// inverse returns the inverse of an odd number modulo 2^w, by Newton's iteration.
func inverse(v bits.Vec) bits.Vec {
	x := v
	two := bits.New(v.Width(), 2)
	for n := 1; n < v.Width(); n *= 2 {
		x = bits.Mul(x, bits.Sub(two, bits.Mul(v, x)))
	}
	return x
}

// narrow reports whether an extract of t becomes simpler.
func narrow(s *ilr.Store, t ilr.Term) bool {
	switch s.Kind(t) {
	case ilr.KConst, ilr.KZext, ilr.KSext, ilr.KConcat:
		return true
	}
	return false
}

// smulLow and smulHigh are the least and the greatest signed x such that x*c does
// not overflow, for c other than 0 and -1.
func smulLow(c bits.Vec) bits.Vec {
	if c.Sign() {
		return bits.Sdiv(bits.MaxSigned(c.Width()), c)
	}
	return bits.Sdiv(bits.MinSigned(c.Width()), c)
}

func smulHigh(c bits.Vec) bits.Vec {
	if c.Sign() {
		return bits.Sdiv(bits.MinSigned(c.Width()), c)
	}
	return bits.Sdiv(bits.MaxSigned(c.Width()), c)
}
