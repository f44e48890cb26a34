package facts

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Simplify returns the term of kind k with these arguments as a constant where the facts of the arguments determine it,
// else 0.
func (fs *Table) Simplify(s *ilr.Store, k ilr.Kind, sort ilr.Sort, imm uint64, args []ilr.Term) ilr.Term {
	if sort.Kind == ilr.SortBV {
		if sort.W > 64 || k >= ilr.KSelect || k == ilr.KIte {
			return 0
		}
		f := fs.compute(s, k, sort.W, imm, args, policy.FactDepth)
		if f.Lo == f.Hi {
			return s.Const(bits.New(sort.W, f.Lo))
		}
		return 0
	}
	if k != ilr.KEq && (k < ilr.KUlt || k > ilr.KSmulO) {
		return 0
	}
	a, b := fs.Of(s, args[0]), fs.Of(s, args[1])
	if a.Width == 0 || b.Width == 0 {
		return 0
	}
	if v, known := fs.decide(s, k, args, a, b); known {
		return s.BoolConst(v)
	}
	return 0
}

// decide decides a predicate by what is known of its arguments.
func (fs *Table) decide(s *ilr.Store, k ilr.Kind, args []ilr.Term, a, b Fact) (v, known bool) {
	all := Ones(int(a.Width))
	switch k {
	case ilr.KEq:
		return false, a.Excludes(b)
	case ilr.KUlt:
		return a.Hi < b.Lo, a.Hi < b.Lo || a.Lo >= b.Hi
	case ilr.KUaddO:
		_, c := mbits.Add64(a.Hi, b.Hi, 0)
		least, d := mbits.Add64(a.Lo, b.Lo, 0)
		always := d == 1 || least > all
		return always, always || c == 0 && a.Hi+b.Hi <= all
	case ilr.KUmulO:
		hi, lo := mbits.Mul64(a.Hi, b.Hi)
		hi2, lo2 := mbits.Mul64(a.Lo, b.Lo)
		always := hi2 != 0 || lo2 > all
		return always, always || hi == 0 && lo <= all
	}
	x, y := fs.signedRange(s, args[0], policy.SignedDepth), fs.signedRange(s, args[1], policy.SignedDepth)
	w := int(a.Width)
	switch k {
	case ilr.KSlt:
		return x.hi < y.lo, x.hi < y.lo || x.lo >= y.hi
	case ilr.KSaddO:
		return false, fits(w)(x.plus(y))
	case ilr.KSsubO:
		return false, fits(w)(x.minus(y))
	case ilr.KSmulO:
		return false, fits(w)(x.times(y))
	}
	return false, false
}
