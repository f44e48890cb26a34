package rewrite_test

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
)

// popcount2 returns the number of ones among the 2n bits of x, by masks.
func popcount2(s *ilr.Store, x ilr.Term) ilr.Term {
	w := s.Width(x)
	for k := 1; k < w; k *= 2 {
		m := bits.New(w, 0)
		for i := 0; i < w; i++ {
			if i/k%2 == 0 {
				m = bits.Or(m, bits.Shl(bits.New(w, 1), uint(i)))
			}
		}
		x = s.Add(s.BvAnd(x, s.Const(m)), s.BvAnd(s.Lshr(x, s.Int(w, int64(k))), s.Const(m)))
	}
	return x
}

// clock returns the sum of the hours, minutes and seconds of t: with left, each of what the one before it left. Each is
// converted by to before it is multiplied.
func clock(s *ilr.Store, div, rem func(a, b ilr.Term) ilr.Term, t ilr.Term, to func(ilr.Term) ilr.Term,
	left bool) ilr.Term {
	num := func(v int64) ilr.Term { return s.Int(s.Width(t), v) }
	hours, minutes, secs := div(t, num(3600)), rem(div(t, num(60)), num(60)), rem(t, num(60))
	if left {
		rest := s.Sub(t, s.Mul(hours, num(3600)))
		minutes, secs = div(rest, num(60)), rem(rem(t, num(3600)), num(60))
	}
	hours, minutes, secs = to(hours), to(minutes), to(secs)
	out := func(v int64) ilr.Term { return s.Int(s.Width(hours), v) }
	return s.Add(s.Add(s.Mul(hours, out(3600)), s.Mul(minutes, out(60))), secs)
}

// seconds returns those of a clock: of its minutes and seconds only what is below 60 counts.
func seconds(s *ilr.Store, hours, minutes, secs ilr.Term) ilr.Term {
	num := func(v int64) ilr.Term { return s.Int(32, v) }
	return s.Add(s.Add(s.Mul(s.Zext(hours, 32), num(3600)), s.Mul(s.Urem(s.Zext(minutes, 32), num(60)), num(60))),
		s.Urem(secs, num(60)))
}

// TestIdentities: equal sums and products are one term; those that differ are not.
func TestIdentities(t *testing.T) {
	s := rewrite.NewStore()
	x, y, z := s.Var("x", ilr.BV(32)), s.Var("y", ilr.BV(32)), s.Var("z", ilr.BV(32))
	b, c := s.Var("b", ilr.BV(8)), s.Var("c", ilr.BV(8))
	num := func(v int64) ilr.Term { return s.Int(32, v) }
	bitSum := num(0)
	for i := 0; i < 32; i++ {
		bitSum = s.Add(bitSum, s.Zext(s.Extract(x, i, i), 32))
	}
	h, id := s.Var("h", ilr.BV(16)), func(t ilr.Term) ilr.Term { return t }
	wide := func(t ilr.Term) ilr.Term { return s.Zext(t, 32) }
	for _, c := range []struct {
		name string
		a, b ilr.Term
		want bool
	}{
		{"binomial", s.Mul(s.Add(x, y), s.Add(x, y)), s.Add(s.Add(s.Mul(x, x), s.Mul(num(2), s.Mul(x, y))),
			s.Mul(y, y)), true},
		{"not the binomial", s.Mul(s.Add(x, y), s.Add(x, y)), s.Add(s.Add(s.Mul(x, x), s.Mul(x, y)), s.Mul(y, y)),
			false},
		{"distribution", s.Mul(s.Sub(x, y), z), s.Sub(s.Mul(x, z), s.Mul(y, z)), true},
		{"order of sums", s.Add(s.Add(x, z), s.Add(y, num(3))), s.Add(num(3), s.Add(s.Add(z, y), x)), true},
		{"xor and and", s.Add(s.BvXor(x, y), s.Mul(num(2), s.BvAnd(x, y))), s.Add(x, y), true},
		{"or less and", s.Sub(s.BvOr(x, y), s.BvAnd(x, y)), s.BvXor(x, y), true},
		{"or less xor", s.Sub(s.BvOr(x, y), s.BvXor(x, y)), s.BvXor(x, y), false},
		{"complement", s.Add(s.BvNot(x), y), s.Sub(s.Sub(y, x), num(1)), true},
		{"bits of a word", bitSum, popcount2(s, x), true},
		{"bytes", s.Add(wide(b), wide(c)), s.Add(wide(c), wide(b)), true},
		{"a sum of bytes may wrap", s.Add(wide(b), wide(c)), wide(s.Add(b, c)), false},
		{"nine bits do not", wide(s.Add(s.Zext(b, 9), s.Zext(c, 9))), s.Add(wide(c), wide(b)), true},
		{"twice a byte", s.Mul(wide(b), s.Zext(s.Concat(c, s.Int(1, 0)), 32)), s.Mul(num(2), s.Mul(wide(c), wide(b))),
			true},
		{"a low part twice", s.Zext(s.Concat(s.Trunc(x, 5), s.Int(1, 0)), 32), s.Add(wide(s.Trunc(x, 5)),
			wide(s.Trunc(x, 5))), true},
		{"shift", s.Shl(s.Add(x, y), num(4)), s.Add(s.Mul(x, num(16)), s.Shl(y, num(4))), true},
		{"low part", s.Trunc(s.Mul(s.Add(x, y), s.Sub(x, y)), 16), s.Trunc(s.Sub(s.Mul(x, x), s.Mul(y, y)), 16), true},
		{"quotient and remainder", s.Add(s.Mul(s.Udiv(x, num(3600)), num(3600)), s.Urem(x, num(3600))), x, true},
		{"of signed numbers", s.Add(s.Mul(s.Sdiv(x, num(-7)), num(-7)), s.Srem(x, num(-7))), x, true},
		{"by a number that is not known", s.Add(s.Mul(s.Sdiv(x, y), y), s.Srem(x, y)), x, true},
		{"of another", s.Add(s.Mul(s.Udiv(x, num(60)), num(60)), s.Urem(y, num(60))), x, false},
		{"by another", s.Add(s.Mul(s.Udiv(x, num(60)), num(60)), s.Urem(x, num(61))), x, false},
		{"signed and unsigned", s.Add(s.Mul(s.Udiv(x, num(60)), num(60)), s.Srem(x, num(60))), x, false},
		{"clock", clock(s, s.Udiv, s.Urem, x, id, false), x, true},
		{"clock of what is left", clock(s, s.Udiv, s.Urem, x, id, true), x, true},
		{"signed clock", clock(s, s.Sdiv, s.Srem, x, id, false), x, true},
		{"signed clock of what is left", clock(s, s.Sdiv, s.Srem, x, id, true), x, true},
		{"clock in bytes", clock(s, s.Udiv, s.Urem, x, func(t ilr.Term) ilr.Term { return wide(s.Trunc(t, 8)) }, false),
			s.Add(s.Sub(x, s.Mul(s.Udiv(x, num(3600)), num(3600))),
				s.Mul(wide(s.Trunc(s.Udiv(x, num(3600)), 8)), num(3600))), true},
		{"clock of a half word", clock(s, s.Udiv, s.Urem, wide(h), id, false), wide(h), true},
		{"clock in a double word", clock(s, s.Sdiv, s.Srem, x, func(t ilr.Term) ilr.Term { return s.Sext(t, 64) }, false),
			s.Sext(x, 64), true},
		{"clock and back", s.Urem(s.Udiv(seconds(s, b, c, x), num(60)), num(60)), s.Urem(wide(c), num(60)), true},
		{"hours back", s.Udiv(seconds(s, b, c, x), num(3600)), wide(b), true},
		{"hours that wrap", s.Udiv(seconds(s, y, c, x), num(3600)), y, false},
		{"a remainder as a difference", s.Sub(x, s.Mul(s.Udiv(x, num(60)), num(60))), s.Urem(x, num(60)), true},
		{"nine bits of remainders", wide(s.Add(s.Urem(b, s.Int(8, 10)), s.Urem(c, s.Int(8, 10)))),
			s.Add(wide(s.Urem(c, s.Int(8, 10))), wide(s.Urem(b, s.Int(8, 10)))), true},
		{"high part", s.Extract(s.Add(s.Concat(b, s.Int(8, 0)), s.Zext(c, 16)), 15, 8), b, true},
	} {
		if got := s.Eq(c.a, c.b); s.IsTrue(got) != c.want {
			t.Errorf("%s: %s = %s is %s", c.name, s.String(c.a), s.String(c.b), s.String(got))
		}
	}
	if odd := s.Eq(s.Add(s.Mul(x, num(6)), s.Mul(y, num(10))), s.Add(s.Mul(z, num(4)), num(7))); !s.IsFalse(odd) {
		t.Errorf("6x+10y = 4z+7 is %s", s.String(odd))
	}
	if even := s.Eq(s.Add(s.Mul(x, num(6)), y), num(7)); s.IsFalse(even) || s.IsTrue(even) {
		t.Errorf("6x+y = 7 is %s", s.String(even))
	}
}

// growSum makes a random term of what polynomials are made of.
func (g *grower) growSum() ilr.Term {
	s, rng := g.s, g.rng
	w := g.width[rng.Intn(len(g.width))]
	x, y := g.pick(ilr.BV(w)), g.pick(ilr.BV(w))
	switch rng.Intn(16) {
	case 0:
		return s.Mul(x, y)
	case 1:
		return s.Sub(x, y)
	case 2:
		return s.BvAnd(x, s.Const(bits.New(w, rng.Uint64())))
	case 3:
		return s.BvOr(x, y)
	case 4:
		return s.BvXor(x, y)
	case 5:
		return s.BvNot(x)
	case 6:
		hi := rng.Intn(w)
		return s.Zext(s.Extract(x, hi, rng.Intn(hi+1)), w)
	case 7:
		return s.Zext(g.pick(ilr.BV(g.width[1])), g.width[0])
	case 8:
		return s.Concat(g.pick(ilr.BV(g.width[1])), g.pick(ilr.BV(g.width[1])))
	case 9:
		return s.Shl(x, s.Int(w, int64(rng.Intn(w+1))))
	case 10, 11, 12, 13:
		c := s.Const(bits.New(w, uint64(rng.Intn(13))))
		return []func(a, b ilr.Term) ilr.Term{s.Udiv, s.Urem, s.Sdiv, s.Srem}[rng.Intn(4)](x, c)
	case 14:
		return s.Sext(g.pick(ilr.BV(g.width[1])), g.width[0])
	}
	return s.Add(x, y)
}

// TestRandomSums: terms full of sums keep their values, and many of them meet.
func TestRandomSums(t *testing.T) {
	made, kept := 0, 0
	for seed := int64(0); seed < 1200; seed++ {
		g := newGrower(seed)
		c := &copier{from: g.s, to: rewrite.NewStore(), memo: map[ilr.Term]ilr.Term{}}
		distinct := map[ilr.Term]bool{}
		for i := 0; i < 60; i++ {
			u := g.growSum()
			g.add(u)
			made++
			distinct[c.copy(u)] = true
		}
		kept += len(distinct)
		for n := 0; n < 6; n++ {
			checkValues(t, seed, g, c)
		}
	}
	if kept >= made*9/10 {
		t.Errorf("%d terms became %d", made, kept)
	}
}
