package ellipse

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// variable takes t for a variable, if a limit of it can be guessed: what it is compared with, or what it chooses from.
func (x *reader) variable(t ilr.Term) *number {
	n := &number{poly: form{{one, t}: exact.R(1)}}
	switch k := x.s.Kind(t); k {
	case ilr.KSToF, ilr.KUToF:
		most, w := x.integer(x.s.Arg(t, 0), k == ilr.KSToF), x.s.Width(t)
		v, ok := above(w, most)
		if w != 32 && w != 64 || !ok {
			return nil
		}
		x.limits[t], _ = valueOf(v)
		x.assumed[t] = x.s.True()
		return n
	}
	most, ok := x.guess(t, 0)
	if w := x.s.Width(t); !ok || w != 32 && w != 64 {
		return nil
	}
	v, ok := above(x.s.Width(t), most)
	if !ok {
		return nil
	}
	x.limits[t], _ = valueOf(v)
	x.assumed[t] = within(x.s, t, v)
	return n
}

// guess returns a magnitude that t may not exceed.
func (x *reader) guess(t ilr.Term, depth int) (most exact.Rat, ok bool) {
	s := x.s
	for _, k := range x.compared[t] {
		most, ok = larger(most, k), true
	}
	switch {
	case ok:
		return most, true
	case s.Kind(t) == ilr.KConst:
		c, _ := s.ConstVal(t)
		k, ok := valueOf(c)
		return abs(k), ok
	case s.Kind(t) == ilr.KIte && depth < policy.EllipseDepth:
		a, okA := x.guess(s.Arg(t, 1), depth+1)
		b, okB := x.guess(s.Arg(t, 2), depth+1)
		return larger(a, b), okA && okB
	case s.Kind(t) == ilr.KSToF || s.Kind(t) == ilr.KUToF:
		return x.integer(s.Arg(t, 0), s.Kind(t) == ilr.KSToF), true
	}
	return most, false
}

// integer returns the largest magnitude of an integer.
func (x *reader) integer(t ilr.Term, signed bool) exact.Rat {
	most, top := x.unsigned(t, 0), power(x.s.Width(t)-1)
	switch {
	case !signed || most.Cmp(top) < 0:
		return most
	case x.s.Kind(t) == ilr.KSext:
		return x.integer(x.s.Arg(t, 0), true)
	}
	return top
}

// unsigned returns the largest value of a word without sign.
func (x *reader) unsigned(t ilr.Term, depth int) exact.Rat {
	s := x.s
	most := power(s.Width(t)).Sub(exact.R(1))
	if c, ok := s.ConstVal(t); ok {
		return exact.RatOf(exact.FromBig(c.Unsigned()))
	}
	inner := func(i int) exact.Rat { return smaller(most, x.unsigned(s.Arg(t, i), depth+1)) }
	switch k := s.Kind(t); {
	case depth > policy.EllipseDepth:
	case k == ilr.KZext, k == ilr.KExtract && uint32(s.Imm(t)) == 0:
		return inner(0)
	case k == ilr.KBvAnd:
		return smaller(inner(0), inner(1))
	case k == ilr.KConcat && x.unsigned(s.Arg(t, 0), depth+1).IsZero():
		return inner(1)
	}
	return most
}
