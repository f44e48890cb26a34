package ring_test

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
	"github.com/firmproof/firmproof/verifier/ring"
	"github.com/firmproof/firmproof/verifier/solve"
)

// generator makes random equations over a few variables of w bits.
type generator struct {
	s    *ilr.Store
	rng  *rand.Rand
	w    int
	vars []ilr.Term
}

func (g *generator) term(depth int) ilr.Term {
	s := g.s
	if depth == 0 {
		if g.rng.Intn(4) == 0 {
			return s.Int(g.w, int64(g.rng.Intn(7)-3))
		}
		return g.vars[g.rng.Intn(len(g.vars))]
	}
	a, b := g.term(depth-1), g.term(g.rng.Intn(depth))
	switch g.rng.Intn(11) {
	case 0, 1, 2:
		return s.Add(a, b)
	case 3, 4:
		return s.Mul(a, b)
	case 5:
		return s.Neg(a)
	case 6:
		return s.Shl(a, s.Int(g.w, int64(g.rng.Intn(g.w+1))))
	case 7:
		return s.BvNot(a)
	case 8:
		return s.Zext(s.Extract(a, g.w-2, 0), g.w)
	case 9:
		return s.Ite(s.Eq(g.vars[g.rng.Intn(len(g.vars))], s.Int(g.w, int64(g.rng.Intn(3)))), a, b)
	}
	return s.Ite(s.Slt(g.term(0), g.term(0)), a, b)
}

// stores are those of the engines, and of certificates.
func stores() []*ilr.Store { return []*ilr.Store{rewrite.NewStore(), ilr.NewStore(nil)} }

// TestConsequencesHold has our solver prove what follows from random equations, and from those a step away.
func TestConsequencesHold(t *testing.T) {
	shown := 0
	for seed := range int64(150) {
		s := stores()[seed%2]
		g := &generator{s: s, rng: rand.New(rand.NewSource(seed)), w: 2 + int(seed%3)}
		for i := range 5 {
			g.vars = append(g.vars, s.Var(fmt.Sprint("v", i), ilr.BV(g.w)))
		}
		var known, roots []ilr.Term
		sum := s.Int(g.w, 0)
		for range 3 {
			a, b := g.term(2), g.term(2)
			known = append(known, s.Eq(a, b))
			if g.rng.Intn(3) == 0 {
				known[len(known)-1] = s.Or(s.Slt(g.term(1), g.term(1)), s.Eq(a, b))
			}
			m := s.Int(g.w, int64(g.rng.Intn(5)))
			sum = s.Add(sum, s.Sub(s.Mul(m, a), s.Mul(m, b)))
		}
		rest := g.term(2)
		for _, k := range []int64{0, 0, 1, 2} { // the last two are wrong
			x := g.term(1)
			roots = append(roots, s.Eq(s.Add(s.Add(sum, rest), s.Int(g.w, k)), rest),
				s.Eq(s.Mul(g.vars[0], x), s.Add(s.Mul(g.vars[1], x), s.Int(g.w, k))))
		}
		for _, f := range ring.Consequences(s, known, roots, true) {
			shown++
			own := solve.NewOwn(s, solve.Options{})
			if ans, err := own.Check(context.Background(), s.Not(f)); ans != solve.Unsat {
				t.Errorf("seed %d: %s: %v, %v", seed, s.String(f), ans, err)
			}
			own.Close()
		}
	}
	if shown < 100 {
		t.Errorf("only %d consequences", shown)
	}
}

// TestImplies says of equations whether they are seen to follow.
func TestImplies(t *testing.T) {
	for _, s := range stores() {
		v := func(name string) ilr.Term { return s.Var(name, ilr.BV(32)) }
		n := func(k int64) ilr.Term { return s.Int(32, k) }
		x, y, p, q, r, k, a, b := v("x"), v("y"), v("p"), v("q"), v("r"), v("k"), v("a"), v("b")
		u, z := s.Var("u", ilr.BV(16)), s.Var("z", ilr.BV(16))
		bezout := []ilr.Term{s.Eq(x, s.Add(s.Mul(p, a), s.Mul(r, b))), s.Eq(y, s.Add(s.Mul(q, a), s.Mul(k, b)))}
		less := s.Slt(y, x)
		turned := s.Eq(s.Ite(less, s.Sub(x, y), x), s.Add(s.Mul(s.Ite(less, s.Sub(p, q), p), a),
			s.Mul(s.Ite(less, s.Sub(r, k), r), b)))
		slips := s.Eq(s.Ite(less, s.Sub(x, y), x), s.Add(s.Mul(s.Ite(less, s.Sub(p, q), p), a),
			s.Mul(s.Ite(less, s.Sub(r, s.Add(k, n(1))), r), b)))
		sum := []ilr.Term{s.Eq(x, s.Mul(p, a))}
		for _, c := range []struct {
			name  string
			known []ilr.Term
			goal  ilr.Term
			want  bool
		}{
			{"a turn of Euclid's", bezout, turned, true},
			{"a turn that slips", bezout, slips, false},
			{"from one of two", bezout[:1], turned, false},
			{"a step of a sum", sum, s.Eq(s.Add(x, a), s.Mul(s.Add(p, n(1)), a)), true},
			{"a step that is missed", sum, s.Eq(s.Add(x, a), s.Mul(s.Add(p, n(2)), a)), false},
			{"twice", sum, s.Eq(s.Mul(n(2), x), s.Mul(s.Mul(p, n(2)), a)), true},
			{"half", []ilr.Term{s.Eq(s.Mul(n(2), x), s.Mul(s.Mul(p, n(2)), a))}, s.Eq(x, s.Mul(p, a)), false},
			{"a third", []ilr.Term{s.Eq(s.Mul(n(3), x), s.Mul(s.Mul(p, n(3)), a))}, s.Eq(x, s.Mul(p, a)), true},
			{"another width", []ilr.Term{s.Eq(u, z)}, s.Eq(s.Mul(s.Zext(u, 32), a), s.Add(s.Mul(s.Zext(z, 32), a), b)),
				false},
			{"the end of a count", sum, s.Eq(x, s.Mul(q, a)), true}, // if p is q
			{"two ends", sum, s.Eq(x, s.Mul(q, b)), false},
		} {
			f, ok := ring.NewIdeal(s, c.known).Implies(c.goal)
			if ok != c.want {
				t.Errorf("%s: %v", c.name, ok)
			}
			if ok && s.IsFalse(f) {
				t.Errorf("%s: false", c.name)
			}
		}
	}
}

// TestCases: the base and the step of a product by repeated addition, and slips in each.
func TestCases(t *testing.T) {
	for _, s := range stores() {
		v := func(name string) ilr.Term { return s.Var(name, ilr.BV(32)) }
		n := func(k int64) ilr.Term { return s.Int(32, k) }
		m, k, r := v("m"), v("k"), v("r")
		minus := s.Sub(m, n(1))
		step := s.Eq(r, s.Mul(k, minus))
		returns := func(base, step ilr.Term) ilr.Term {
			return s.Eq(s.Ite(s.Eq(m, n(0)), base, s.Ite(s.Slt(m, n(0)), v("any"), step)), s.Mul(k, m))
		}
		for _, c := range []struct {
			name        string
			known, goal ilr.Term
			want        int
		}{
			{"multiplication", step, returns(n(0), s.Add(r, k)), 2},
			{"under a condition", s.Or(s.Slt(minus, n(0)), step), returns(n(0), s.Add(r, k)), 2},
			{"wrong base", step, returns(n(1), s.Add(r, k)), 1},
			{"wrong step", step, returns(n(0), s.Add(r, n(1))), 1},
			{"low bits of a word", step, returns(n(0), s.Add(r, s.Zext(s.Extract(k, 15, 0), 32))), 2},
			{"low bits of another", step, returns(n(0), s.Add(r, s.Zext(s.Extract(m, 15, 0), 32))), 1},
		} {
			got := ring.NewIdeal(s, []ilr.Term{c.known}).Cases(c.goal)
			if len(got) != c.want {
				t.Errorf("%s: %d cases", c.name, len(got))
			}
			for _, f := range got {
				if s.IsTrue(f) {
					t.Errorf("%s: true", c.name)
				}
			}
		}
	}
}

// TestCaseOfAnOrder: where a word is less than a number, or not equal to it, it is not that number.
func TestCaseOfAnOrder(t *testing.T) {
	for _, s := range stores() {
		v := func(name string) ilr.Term { return s.Var(name, ilr.BV(8)) }
		m, k, x, three := v("m"), v("k"), v("x"), s.Int(8, 3)
		shown := 0
		for _, cond := range []ilr.Term{s.Ult(m, three), s.Slt(m, three), s.Ule(three, m), s.Ult(three, m), s.Eq(m, three)} {
			for _, turn := range []func(ilr.Term) ilr.Term{func(c ilr.Term) ilr.Term { return c }, s.Not} {
				goal := s.Eq(s.Ite(turn(cond), x, v("other")), s.Mul(k, m))
				for _, f := range ring.NewIdeal(s, []ilr.Term{s.Eq(x, s.Mul(three, k))}).Cases(goal) {
					shown++
					own := solve.NewOwn(s, solve.Options{})
					if ans, err := own.Check(context.Background(), s.Not(f)); ans != solve.Unsat {
						t.Errorf("%s: %v, %v", s.String(f), ans, err)
					}
					own.Close()
				}
			}
		}
		if shown == 0 {
			t.Error("no case is shown")
		}
	}
}

// TestAbstract: a product is the same word wherever it occurs; what numbers multiply to is forgotten.
func TestAbstract(t *testing.T) {
	for _, s := range stores() {
		x, y := s.Var("x", ilr.BV(8)), s.Var("y", ilr.BV(8))
		z := s.Var("z", ilr.BV(8))
		p := s.Mul(x, y)
		for _, c := range []struct {
			name      string
			fact, bad ilr.Term
			want      solve.Answer
		}{
			{"the same product", s.Eq(p, z), s.Not(s.Eq(s.Add(z, s.Int(8, 1)), s.Add(p, s.Int(8, 1)))), solve.Unsat},
			{"another one", s.Eq(p, z), s.Not(s.Eq(s.Mul(x, x), z)), solve.Sat},
			{"its number", s.And(s.Eq(x, s.Int(8, 2)), s.Eq(y, s.Int(8, 3))), s.Not(s.Eq(p, s.Int(8, 6))), solve.Sat},
			{"by a constant", s.Eq(x, s.Int(8, 2)), s.Not(s.Eq(s.Mul(x, s.Int(8, 3)), s.Int(8, 6))), solve.Unsat},
		} {
			l := ring.Abstract(s, []ilr.Term{c.fact}, []ilr.Term{c.bad})
			own := solve.NewOwn(s, solve.Options{})
			own.Assert(l[0][0])
			if ans, err := own.Check(context.Background(), l[1][0]); ans != c.want {
				t.Errorf("%s: %v, %v", c.name, ans, err)
			}
			own.Close()
		}
	}
}
