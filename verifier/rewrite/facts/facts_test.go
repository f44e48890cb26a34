package facts_test

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite/facts"
	"github.com/firmproof/firmproof/verifier/solve"
)

// prover asks the own solver about terms of a store that does not rewrite, so that
// no fact takes part in its own proof.
type prover struct {
	t   *testing.T
	s   *ilr.Store
	own solve.Solver
}

func newProver(t *testing.T) *prover {
	s := ilr.NewStore(nil)
	p := &prover{t: t, s: s, own: solve.New(s, solve.Options{})}
	t.Cleanup(p.own.Close)
	return p
}

// follows proves that claim holds wherever given does.
func (p *prover) follows(given, claim ilr.Term, format string, args ...any) {
	p.t.Helper()
	a, err := p.own.Check(context.Background(), given, p.s.Not(claim))
	if err != nil {
		p.t.Fatal(err)
	}
	if a != solve.Unsat {
		p.t.Errorf(format+" is wrong under %v", append(args, p.own.Model().BV)...)
	}
}

// claim returns the statement of a fact about t.
func (p *prover) claim(t ilr.Term, f facts.Fact) ilr.Term {
	s, w := p.s, p.s.Width(t)
	c := func(v uint64) ilr.Term { return s.Const(bits.New(w, v)) }
	return s.And(s.Ule(c(f.Lo), t), s.Ule(t, c(f.Hi)), s.Eq(s.BvAnd(t, c(f.Zero)), c(0)),
		s.Eq(s.BvAnd(t, c(f.One)), c(f.One)))
}

// TestFactsUnderConditionsProved: what under derives for x, for x + k and for
// x + y, where a comparison of x with a constant holds or does not, follows. All
// constants at width 3, chosen ones up to 64; x is free or has facts of its own.
func TestFactsUnderConditionsProved(t *testing.T) {
	narrowed := 0
	for _, w := range []int{1, 2, 3, 8, 33, 64} {
		p := newProver(t)
		for _, x := range p.subjects(w) {
			for _, v := range edges(w) {
				k := p.s.Const(bits.New(w, v))
				for _, c := range []ilr.Term{p.s.Eq(x, k), p.s.Ult(x, k), p.s.Ult(k, x), p.s.Not(p.s.Ult(x, k)),
					p.s.Not(p.s.Eq(x, k)), p.s.Slt(x, k)} {
					narrowed += p.underOne(c, x)
				}
			}
		}
	}
	if narrowed < 1500 {
		t.Errorf("conditions narrowed %d times", narrowed)
	}
}

// TestSignedRangesUnderConditionsProved: signed ranges of what a signed comparison with a number chooses follow.
func TestSignedRangesUnderConditionsProved(t *testing.T) {
	said := 0
	for _, w := range []int{1, 2, 3, 8, 33, 64} {
		p := newProver(t)
		s := p.s
		x := s.Var("x", ilr.BV(w))
		for _, v := range edges(w) {
			k := s.Const(bits.New(w, v))
			for _, c := range []ilr.Term{s.Slt(x, k), s.Slt(k, x), s.Not(s.Slt(x, k)), s.Not(s.Slt(k, x))} {
				for _, other := range []ilr.Term{k, s.Add(k, s.Int(w, 1)), s.Int(w, 0)} {
					said += p.factsOf(s.Ite(c, x, other)) + p.factsOf(s.Ite(c, other, x))
				}
			}
		}
	}
	if said < 200 {
		t.Errorf("%d ranges were proved", said)
	}
}

// TestSquaresProved: what is known of squares follows, and a square of a narrow number is not negative.
func TestSquaresProved(t *testing.T) {
	for _, w := range []int{1, 2, 4, 8, 16, 64} {
		p := newProver(t)
		s := p.s
		p.factsOf(s.Mul(s.Var("x", ilr.BV(w)), s.Var("x", ilr.BV(w))))
		for n := 1; n < min(w, 10); n++ {
			x := s.Sext(s.Var(fmt.Sprint("n", n), ilr.BV(n)), w)
			p.factsOf(s.Mul(x, x))
			y := s.Add(x, s.Int(w, 1))
			p.factsOf(s.Mul(y, y))
			if f := new(facts.Table).Of(s, s.Mul(x, x)); 2*n <= w && !f.Nonneg() && w > 2 {
				t.Errorf("%d bits in %d: %+v", n, w, f)
			}
		}
	}
}

// subjects returns terms that a condition may speak of.
func (p *prover) subjects(w int) []ilr.Term {
	s := p.s
	x := s.Var("x", ilr.BV(w))
	odd := s.BvOr(x, s.Int(w, 1))
	out := []ilr.Term{x, odd, s.Urem(x, s.Const(bits.New(w, 5)))}
	if w > 1 {
		out = append(out, s.Zext(s.Var("n", ilr.BV(w-1)), w), s.Shl(x, s.Int(w, 1)), s.BvAnd(x, s.Int(w, 6)))
	}
	return out
}

// edges returns all numbers of a few bits, or those where ranges go wrong.
func edges(w int) []uint64 {
	m := ^uint64(0) >> uint(64-w)
	if w <= 3 {
		var all []uint64
		for v := uint64(0); v <= m; v++ {
			all = append(all, v)
		}
		return all
	}
	return []uint64{0, 1, 2, 6, 7, m >> 1, m>>1 + 1, m - 1, m}
}

// underOne proves the facts of x and of sums with x under c and under its negation.
func (p *prover) underOne(c, x ilr.Term) (narrowed int) {
	s, w := p.s, p.s.Width(x)
	terms := []ilr.Term{x, s.Add(x, s.Var("y", ilr.BV(w))), s.Add(x, s.BvOr(s.Var("z", ilr.BV(w)), s.Int(w, 4))),
		s.BvNot(x)}
	for _, k := range []int64{1, 3, -1, -2} {
		terms = append(terms, s.Add(x, s.Int(w, k)))
	}
	for _, t := range terms {
		plain := new(facts.Table).Of(s, t)
		for _, v := range []bool{true, false} {
			f := facts.Under(s, c, v, t)
			if f.Width == 0 || f == plain { // proved as the fact of t alone
				continue
			}
			narrowed++
			p.follows(s.Eq(c, s.BoolConst(v)), p.claim(t, f), "%s is %+v, where %s is %v", s.String(t), f, s.String(c), v)
		}
	}
	return narrowed
}

// TestFactsProved: known bits, ranges and signed ranges of random terms follow.
func TestFactsProved(t *testing.T) {
	said := 0
	for seed := int64(0); seed < 90; seed++ {
		p := newProver(t)
		g := &factGrower{rng: rand.New(rand.NewSource(seed)), s: p.s, w: []int{1, 2, 3, 4, 5, 8, 11, 32, 64}[seed%9]}
		for i := 0; i < 3; i++ {
			g.terms = append(g.terms, p.s.Var(fmt.Sprint("v", i), ilr.BV(g.w)))
		}
		for i := 0; i < 25; i++ {
			u := g.grow()
			g.terms = append(g.terms, u)
			said += p.factsOf(u)
		}
	}
	if said < 800 {
		t.Errorf("%d facts were proved", said)
	}
}

func (p *prover) factsOf(u ilr.Term) (said int) {
	s, w := p.s, p.s.Width(u)
	f := new(facts.Table).Of(s, u)
	if f.Width != 0 && (f.Zero|f.One|f.Lo != 0 || f.Hi != facts.Ones(w)) {
		said++
		p.follows(s.True(), p.claim(u, f), "%s is %+v", s.String(u), f)
	}
	if l, h, ok := facts.SignedRange(s, u); ok && (l > -1<<uint(w-1) || h < 1<<uint(w-1)-1) {
		said++
		c := func(v int64) ilr.Term { return s.Const(bits.NewInt(w, v)) }
		p.follows(s.True(), s.And(s.Sle(c(l), u), s.Sle(u, c(h))), "%s signed in [%d,%d]", s.String(u), l, h)
	}
	return said
}

// factGrower makes terms that facts have something to say about. Products and
// quotients of wide unknowns are left out: the proof of a range over them is hard.
type factGrower struct {
	rng   *rand.Rand
	s     *ilr.Store
	w     int
	terms []ilr.Term
}

func (g *factGrower) pick() ilr.Term {
	if g.rng.Intn(3) == 0 {
		return g.number()
	}
	return g.terms[g.rng.Intn(len(g.terms))]
}

func (g *factGrower) number() ilr.Term {
	v := g.rng.Uint64() >> uint(g.rng.Intn(64))
	if g.rng.Intn(3) == 0 {
		v = -v
	}
	return g.s.Const(bits.New(g.w, v))
}

// condition compares a term with a number, seldom two terms.
func (g *factGrower) condition() (c, x ilr.Term) {
	x = g.terms[g.rng.Intn(len(g.terms))]
	y := g.number()
	if g.rng.Intn(6) == 0 {
		y = g.pick()
	}
	switch g.rng.Intn(8) {
	case 0:
		c = g.s.Eq(x, y)
	case 1:
		c = g.s.Ult(x, y)
	case 2:
		c = g.s.Ult(y, x)
	case 3:
		c = g.s.Not(g.s.Ult(x, y))
	case 4:
		c = g.s.Slt(y, x)
	case 5:
		c = g.s.Not(g.s.Slt(x, y))
	case 6:
		c = g.s.Not(g.s.Slt(y, x))
	default:
		c = g.s.Slt(x, y)
	}
	return c, x
}

func (g *factGrower) grow() ilr.Term {
	s, w := g.s, g.w
	a, b := g.pick(), g.pick()
	heavy := w <= 8
	switch n := g.rng.Intn(19); {
	case n < 4:
		c, x := g.condition()
		branches := []ilr.Term{x, s.Add(x, b), b, s.Add(x, g.number())}
		return s.Ite(c, branches[g.rng.Intn(4)], branches[g.rng.Intn(4)])
	case n == 4:
		return s.BvAnd(a, b)
	case n == 5:
		return s.BvOr(a, b)
	case n == 6:
		return s.BvXor(a, b)
	case n == 7:
		return s.Neg(a)
	case n == 8:
		return s.Lshr(a, g.number())
	case n == 9 && heavy:
		return s.Mul(a, []ilr.Term{a, b}[g.rng.Intn(2)])
	case n == 10 && heavy:
		return s.Udiv(a, b)
	case n == 11 && heavy:
		return s.Urem(a, b)
	case n == 12 && w > 1:
		hi := g.rng.Intn(w - 1)
		lo := g.rng.Intn(hi + 1)
		if g.rng.Intn(2) == 0 {
			return s.Sext(s.Extract(a, hi, lo), w)
		}
		return s.Zext(s.Extract(a, hi, lo), w)
	case n == 13:
		return s.BvNot(a)
	case n == 14:
		return s.Ashr(a, g.number())
	case n == 15 && w > 1:
		k := 1 + g.rng.Intn(w-1)
		return s.Concat(s.Extract(a, w-1-k, 0), s.Extract(b, k-1, 0))
	case n == 16 && heavy:
		return s.Sdiv(a, b)
	case n == 17 && heavy:
		return s.Srem(a, b)
	case n == 18 && w > 1:
		k := w / 2
		return s.Sext(s.Extract(a, w-1, k), w)
	}
	return s.Add(a, b)
}
