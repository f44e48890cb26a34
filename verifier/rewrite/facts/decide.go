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
	l0, h0, ok0 := fs.signedRange(s, args[0], 6)
	l1, h1, ok1 := fs.signedRange(s, args[1], 6)
	if !ok0 || !ok1 {
		return false, false
	}
	w := uint(a.Width)
	min, max := int64(-1)<<(w-1), int64(1)<<(w-1)-1
	switch k {
	case ilr.KSlt:
		return h0 < l1, h0 < l1 || l0 >= h1
	case ilr.KSaddO:
		return false, l0+l1 >= min && h0+h1 <= max
	case ilr.KSsubO:
		return false, l0-h1 >= min && h0-l1 <= max
	case ilr.KSmulO:
		if w > 32 && (l0 < -1<<31 || h0 > 1<<31-1 || l1 < -1<<31 || h1 > 1<<31-1) {
			return false, false
		}
		for _, p := range [4]int64{l0 * l1, l0 * h1, h0 * l1, h0 * h1} {
			if p < min || p > max {
				return false, false
			}
		}
		return false, true
	}
	return false, false
}

// signedRange bounds t as a signed number of at most 62 bits; ok is false beyond.
func (fs *Table) signedRange(s *ilr.Store, t ilr.Term, depth int) (lo, hi int64, ok bool) {
	w := s.Width(t)
	if w > 62 {
		return 0, 0, false
	}
	lo, hi = -1<<uint(w-1), 1<<uint(w-1)-1
	f := fs.Of(s, t)
	switch {
	case f.Nonneg():
		return int64(f.Lo), int64(f.Hi), true
	case f.negative():
		return int64(f.Lo) - 1<<uint(w), int64(f.Hi) - 1<<uint(w), true
	case depth == 0:
		return lo, hi, true
	}
	var l, h int64
	switch s.Kind(t) {
	case ilr.KSext:
		return fs.signedRange(s, s.Arg(t, 0), depth-1)
	case ilr.KNeg:
		l0, h0, _ := fs.signedRange(s, s.Arg(t, 0), depth-1)
		l, h = -h0, -l0
	case ilr.KAdd:
		l0, h0, _ := fs.signedRange(s, s.Arg(t, 0), depth-1)
		l1, h1, _ := fs.signedRange(s, s.Arg(t, 1), depth-1)
		l, h = l0+l1, h0+h1
	case ilr.KIte:
		l0, h0, _ := fs.signedRange(s, s.Arg(t, 1), depth-1)
		l1, h1, _ := fs.signedRange(s, s.Arg(t, 2), depth-1)
		l, h = min(l0, l1), max(h0, h1)
	default:
		return lo, hi, true
	}
	if l < lo || h > hi { // may wrap
		return lo, hi, true
	}
	return l, h, true
}
