package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// bound adds to x, which a read of n bytes of type t at off gives, that it is between the least and the greatest of
// the numbers there, where off tells a few places only.
func (b *builder) bound(s *state, o *object, off exact.Lin, n int64, t *ir.Type, x value) {
	places, ok := s.know.elements(off, n)
	if !ok || x.kind != intValue || t.Kind != ir.KindInt {
		return
	}
	var hull ival
	for k, at := range places {
		v, ok := b.element(s, o, at, n, t)
		i, fits := s.know.reading(v, t.Width, x.rep)
		if !ok || !fits {
			return
		}
		if k == 0 || i.lo.Cmp(hull.lo) < 0 {
			hull.lo = i.lo
		}
		if k == 0 || i.hi.Cmp(hull.hi) > 0 {
			hull.hi = i.hi
		}
	}
	v := x.lin.Terms[0].Var
	s.know.lower(v, hull.lo)
	s.know.upper(v, hull.hi)
}

// elements lists the offsets that off may be, if they are few, and n bytes at one do not overlap those at another.
func (k *know) elements(off exact.Lin, n int64) ([]exact.Int, bool) {
	i, r := k.bounds(off), k.residue(off)
	if off.IsConst() || !i.hasLo || !i.hasHi || r.mod.Cmp(exact.I(n)) < 0 {
		return nil, false
	}
	var out []exact.Int
	at := i.lo.Add(reduced(r.mod, r.rest.Sub(i.lo)).rest)
	for ; at.Cmp(i.hi) <= 0; at = at.Add(r.mod) {
		if len(out) == policy.ReadPlaces {
			return nil, false
		}
		out = append(out, at)
	}
	return out, len(out) > 0
}

// bounds is the interval of e, also by rows that bound e itself.
func (k *know) bounds(e exact.Lin) ival {
	i, g := k.interval(e), e.Content()
	for _, r := range k.rows { // r is f+c, and e is g*f+d or -g*f+d
		f := exact.Lin{Terms: r.Lin.Terms}.Scale(g)
		c := g.Mul(r.Lin.Const)
		if low := e.Const.Sub(c); f.SameTerms(e) && (!i.hasLo || low.Cmp(i.lo) > 0) {
			i.lo, i.hasLo = low, true
		}
		if high := e.Const.Add(c); f.Neg().SameTerms(e) && (!i.hasHi || high.Cmp(i.hi) < 0) {
			i.hi, i.hasHi = high, true
		}
	}
	return i
}

// element returns the value of the n bytes at a constant offset, as far as that is known without making variables.
func (b *builder) element(s *state, o *object, at exact.Int, n int64, t *ir.Type) (value, bool) {
	place, clear := constInt(at), true
	for _, c := range o.cells {
		if c.size == n && s.know.plain(c.off).Equal(place) {
			return c.val, true
		}
		clear = clear && b.apart(s, c.off, c.size, place, n)
	}
	k, ok := at.Int64()
	switch {
	case !ok || !clear:
		return value{}, false
	case o.rest == zeroBytes:
		return number(exact.Lin{}, anyRep), true
	case o.rest == initBytes:
		return b.constantAt(s, o.global.T, o.global.Init, k, t)
	}
	return value{}, false
}

// reading is an interval of the number v of w bits in the reading r, if one is known.
func (k *know) reading(v value, w int, r rep) (ival, bool) {
	i := k.interval(v.lin)
	if v.kind != intValue || !i.hasLo || !i.hasHi {
		return i, false
	}
	shared := i.lo.Sign() >= 0 && i.hi.Cmp(smax(w)) <= 0
	return i, v.rep == r || v.rep == anyRep || shared
}
