package invariant

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// affine is a sum of the numbers of a header, by their coefficients, and a constant. Widths are left aside: what is made
// of it is a guess.
type affine struct {
	coefs map[int]int64
	k     int64
}

// affine returns t as a sum of the header's numbers.
func (x *speaker) affine(t ilr.Term) (a affine, ok bool) {
	a.coefs = map[int]int64{}
	ok = x.addTo(&a, t, 1)
	maps.DeleteFunc(a.coefs, func(_ int, c int64) bool { return c == 0 })
	return a, ok
}

func (x *speaker) addTo(a *affine, t ilr.Term, coef int64) bool {
	if v, ok := x.leaves[t]; ok {
		a.coefs[v] += coef
		return true
	}
	if k, ok := x.s.ConstVal(t); ok {
		n, fits := k.Int64()
		if k.Width() < 32 && n < -policy.SmallOffset { // an index of few bits, which has no sign
			n += 1 << k.Width()
		}
		a.k += coef * n
		return fits
	}
	switch x.s.Kind(t) {
	case ilr.KAdd:
		return x.addTo(a, x.s.Arg(t, 0), coef) && x.addTo(a, x.s.Arg(t, 1), coef)
	case ilr.KNeg:
		return x.addTo(a, x.s.Arg(t, 0), -coef)
	case ilr.KMul:
		for i := range 2 {
			if c, known := x.s.ConstVal(x.s.Arg(t, i)); known {
				n, fits := c.Int64()
				return fits && max(n, -n) < policy.MaxScaled && x.addTo(a, x.s.Arg(t, 1-i), coef*n)
			}
		}
	case ilr.KSext, ilr.KZext:
		return x.addTo(a, x.s.Arg(t, 0), coef)
	case ilr.KExtract:
		return uint32(x.s.Imm(t)) == 0 && x.addTo(a, x.s.Arg(t, 0), coef)
	}
	return false
}

// per returns a divided by n; false where a coefficient is no multiple.
func (a affine) per(n int64) (affine, bool) {
	out := affine{coefs: map[int]int64{}, k: (a.k - ((a.k%n)+n)%n) / n}
	for v, c := range a.coefs {
		if c%n != 0 {
			return a, false
		}
		out.coefs[v] = c / n
	}
	return out, true
}

// boundaries lists conditions that the ghost index is not passed yet: it is on the far side of a counter, or of the
// index of an access in the turn to come.
func (p *proposer) boundaries(ghost int) []*atom {
	var out []*atom
	for v := range p.h.Vars {
		if x := &p.h.Vars[v]; x.Moves && !x.Cell && !x.Offset && !x.Mask && p.width(v) >= 8 {
			out = append(out, &atom{kind: atomSleVar, v: v, w: ghost}, &atom{kind: atomSleVar, v: ghost, w: v})
		}
	}
	for _, a := range p.accesses() {
		if len(out) >= policy.MaxBoundaries {
			break
		}
		sum, minus := []summand{{-1, ghost}}, []summand{{1, ghost}}
		for _, v := range slices.Sorted(maps.Keys(a.coefs)) {
			sum, minus = append(sum, summand{a.coefs[v], v}), append(minus, summand{-a.coefs[v], v})
		}
		w := (&atom{sum: sum}).sumWidth(p.h)
		out = append(out, &atom{kind: atomSumSle, v: ghost, sum: sum, k: bits.NewInt(w, -a.k)},
			&atom{kind: atomSumSle, v: ghost, sum: minus, k: bits.NewInt(w, a.k)})
	}
	return out
}

// accesses lists the indices that turns read and write arrays at and that are more than a counter.
func (p *proposer) accesses() []affine {
	s, x := p.f.Store, speakerAt(p.f.Store, p.h)
	var out []affine
	add := func(t ilr.Term, size int64) {
		a, ok := x.affine(t)
		if !ok {
			return
		}
		if a, ok = a.per(size); !ok || !slices.ContainsFunc(slices.Collect(maps.Keys(a.coefs)), p.counts) ||
			slices.ContainsFunc(out, func(b affine) bool { return b.k == a.k && maps.Equal(a.coefs, b.coefs) }) {
			return
		}
		for v, c := range a.coefs {
			if y := &p.h.Vars[v]; y.Ghost || y.Cell || c == 1 && len(a.coefs) == 1 && a.k == 0 {
				return
			}
		}
		out = append(out, a)
	}
	var roots []ilr.Term
	for _, a := range p.h.Arrivals[1:] {
		roots = append(append(roots, a.Guard), a.Values...)
	}
	s.Walk(roots, func(t ilr.Term) {
		if s.Kind(t) != ilr.KStore && s.Kind(t) != ilr.KSelect {
			return
		}
		for v := range p.h.Vars {
			if n := p.width(v) / s.Sort(s.Arg(t, 0)).W; p.h.Vars[v].Cell && !p.h.Vars[v].Mask && n > 0 {
				add(s.Arg(t, 1), int64(n))
			}
		}
	})
	return out
}

// counts reports whether v is a number that turns change.
func (p *proposer) counts(v int) bool {
	x := &p.h.Vars[v]
	return x.Moves && !x.Cell && !x.Mask && !x.Ghost
}

// ghostOf returns the number of h that is the ghost index; -1 without one.
func ghostOf(h *encode.Header) int {
	return slices.IndexFunc(h.Vars, func(v encode.Var) bool { return v.Ghost })
}
