package solve

import (
	"context"
	"errors"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/rewrite"
	"github.com/firmproof/firmproof/verifier/solve/smtlib"
)

// TestAgainstEngines compares answers on random terms with z3's and cvc5's, which
// share no code with ours, and checks all models.
func TestAgainstEngines(t *testing.T) {
	counts := map[Answer]int{}
	for _, name := range []string{"z3", "cvc5"} {
		for seed := int64(0); seed < 60; seed++ {
			g := newTerms(seed, 1+int(seed*7%13), 2, 3, int(seed%2)*2)
			if seed%3 == 0 {
				g.s = rewrite.NewStore()
				g.bools, g.vecs, g.arrays = nil, nil, nil
				*g = *refill(g)
			}
			u := g.goal(22)
			own := New(g.s, Options{})
			a, err := own.Check(context.Background(), u)
			if err != nil {
				t.Fatal(err)
			}
			if a == Sat {
				checkModel(t, g.s, own.Model(), u)
			}
			own.Close()
			x, err := Open(name, g.s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := x.Check(context.Background(), u)
			if err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", name, seed, err, g.s.String(u))
			}
			if a != b {
				t.Fatalf("seed %d: %v, but %s says %v:\n%s", seed, a, name, b, g.s.String(u))
			}
			counts[a]++
		}
	}
	if counts[Sat] < 20 || counts[Unsat] < 20 {
		t.Fatalf("lopsided: %v", counts)
	}
}

// TestRewrittenAgainstZ3: the own solver on rewritten terms answers as z3 does on the
// same terms as they were built, sums and tables of constant indices among them.
func TestRewrittenAgainstZ3(t *testing.T) {
	counts := map[Answer]int{}
	for seed := int64(0); seed < 50; seed++ {
		g := newTerms(seed, 2+int(seed*5%11), 2, 3, int(seed%2)*2)
		for i := 0; i < 10; i++ {
			g.sum()
		}
		if seed%2 == 1 {
			a := g.a()
			for i := 0; i < 12; i++ {
				a = g.s.Store(a, g.s.Const(bits.New(g.w, g.rng.Uint64())), g.v())
				if g.rng.Intn(4) == 0 {
					a = g.s.Ite(g.b(), a, g.s.Arg(a, 0))
				}
			}
			g.arrays = append(g.arrays, a)
			g.vecs = append(g.vecs, g.s.Select(a, g.v()), g.s.Select(a, g.v()))
		}
		u := g.s.And(g.goal(20), g.s.Eq(g.vecs[len(g.vecs)-1], g.v()))
		s := rewrite.NewStore()
		own := New(s, Options{})
		v := copyTerm(g.s, s, u)
		a, err := own.Check(context.Background(), v)
		if err != nil {
			t.Fatal(err)
		}
		if a == Sat {
			checkModel(t, s, own.Model(), v)
		}
		own.Close()
		x, err := Open("z3", g.s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := x.Check(context.Background(), u)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if a != b {
			t.Fatalf("seed %d: %v, but z3 says %v:\n%s", seed, a, b, g.s.String(u))
		}
		counts[a]++
	}
	if counts[Sat] < 10 || counts[Unsat] < 10 {
		t.Errorf("lopsided: %v", counts)
	}
}

// sum adds a random term of what the polynomials of package rewrite know.
func (g *terms) sum() {
	s, w := g.s, g.w
	x, y := g.v(), g.v()
	var t ilr.Term
	switch g.rng.Intn(7) {
	case 0:
		t = s.Mul(x, y)
	case 1:
		t = s.Sub(s.BvOr(x, y), s.BvAnd(x, y))
	case 2:
		m := s.Const(bits.New(w, g.rng.Uint64()))
		t = s.Add(s.BvAnd(x, m), s.BvAnd(s.Lshr(x, s.Int(w, 1)), m))
	case 3:
		t = s.Shl(x, s.Int(w, int64(g.rng.Intn(w))))
	case 4:
		t = s.Zext(s.Extract(x, w/2, 0), w)
	case 5:
		t = s.BvNot(x)
	default:
		t = s.Add(x, y)
	}
	g.vecs = append(g.vecs, t)
}

// copyTerm rebuilds t in another store, through its constructors.
func copyTerm(from, to *ilr.Store, t ilr.Term) ilr.Term {
	memo := map[ilr.Term]ilr.Term{}
	from.Walk([]ilr.Term{t}, func(u ilr.Term) {
		var args []ilr.Term
		for _, a := range from.Args(nil, u) {
			args = append(args, memo[a])
		}
		v, isConst := from.ConstVal(u)
		switch {
		case isConst:
			memo[u] = to.Const(v)
		case from.Kind(u) == ilr.KVar:
			memo[u] = to.Var(from.VarName(u), from.Sort(u))
		default:
			memo[u] = to.Make(from.Kind(u), from.Sort(u), from.Imm(u), args)
		}
	})
	return memo[t]
}

// refill gives g new variables in its store.
func refill(g *terms) *terms {
	h := newTerms(0, g.w, 0, 0, 0)
	h.rng, h.s = g.rng, g.s
	for i := 0; i < 3; i++ {
		h.bools = append(h.bools, h.s.Fresh("p", ilr.Bool))
		h.vecs = append(h.vecs, h.s.Fresh("x", ilr.BV(g.w)))
		h.arrays = append(h.arrays, h.s.Fresh("a", ilr.Array(g.w, g.w)))
	}
	return h
}

// TestFloatAgainstEngines has z3 and cvc5 confirm that a floating-point term takes
// the value that the evaluator computes, and no other.
func TestFloatAgainstEngines(t *testing.T) {
	rng := rand.New(rand.NewSource(11))
	kinds := []ilr.Kind{ilr.KFAdd, ilr.KFMul, ilr.KFDiv, ilr.KFFma, ilr.KFSqrt, ilr.KFRound, ilr.KFToF, ilr.KFToU,
		ilr.KFToS, ilr.KUToF, ilr.KSToF, ilr.KFEq, ilr.KFLt, ilr.KFLe}
	for i, k := range append(kinds, kinds...) {
		s := ilr.NewStore(nil)
		w := []int{16, 32}[rng.Intn(2)]
		rm := ilr.RoundingMode(rng.Intn(5))
		sort := ilr.BV(w)
		switch k {
		case ilr.KFMul, ilr.KFDiv, ilr.KFFma, ilr.KFSqrt: // z3 takes many seconds on wider ones
			w, sort = 16, ilr.BV(16)
		case ilr.KFEq, ilr.KFLt, ilr.KFLe:
			sort, rm = ilr.Bool, 0
		case ilr.KFToF:
			sort = ilr.BV(48 - w)
		case ilr.KFToU, ilr.KFToS:
			sort = ilr.BV(5 + rng.Intn(20))
		}
		var args, fixed []ilr.Term
		for j := 0; j < k.Arity(); j++ {
			x := s.Var("x", ilr.BV(w))
			v := bits.New(w, rng.Uint64())
			if rng.Intn(2) == 0 {
				v = bits.FormatOf(w).FromInt(0, bits.NewInt(9, rng.Int63()), true)
			}
			args = append(args, x)
			fixed = append(fixed, s.Eq(x, s.Const(v)))
		}
		if k == ilr.KFToF {
			sort = ilr.BV(map[int]int{16: 32, 32: 16}[w])
		}
		u := s.FloatOp(k, sort, rm, args...)
		own := New(s, Options{})
		if a, err := own.Check(context.Background(), fixed...); a != Sat {
			t.Fatal(a, err)
		}
		val := s.NewEvaluator(own.Model(), nil).Value(u)
		var eq ilr.Term
		if sort == ilr.Bool {
			eq = s.Eq(u, s.BoolConst(val.IsOne()))
		} else {
			eq = s.Eq(u, s.Const(val))
		}
		own.Close()
		for _, name := range []string{"cadical", "z3", "cvc5"} {
			x, err := Open(name, s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if a, err := x.Check(context.Background(), append(fixed, s.Not(eq))...); a != Unsat {
				t.Fatalf("case %d, %s, rounding %d: %v %v\n%s", i, name, rm, a, err,
					s.String(s.And(append(fixed, s.Not(eq))...)))
			}
			if a, err := x.Check(context.Background(), append(fixed, eq)...); a != Sat {
				t.Fatalf("case %d, %s: %v %v", i, name, a, err)
			}
			x.Close()
		}
	}
}

func TestTableAgainstEngines(t *testing.T) {
	s := ilr.NewStore(nil)
	i := s.Var("i", ilr.BV(16))
	v := s.Select(s.ArrTable(16, []byte("a table of some thirty bytes, so")), i)
	for _, name := range []string{"cadical", "z3", "cvc5", "auto"} {
		x, err := Open(name, s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		u := s.Eq(v, s.Int(8, ','))
		if a, err := x.Check(context.Background(), u); a != Sat {
			t.Fatal(name, a, err)
		}
		checkModel(t, s, x.Model(), u)
		x.Assert(s.Not(s.Eq(i, s.Int(16, 28))))
		if a, err := x.Check(context.Background(), u); a != Unsat {
			t.Fatal(name, a, err)
		}
		x.Close()
	}
}

// TestPortfolio: the partner's answer counts when the own solver is stopped early.
func TestPortfolio(t *testing.T) {
	s := ilr.NewStore(nil)
	x := s.Var("x", ilr.BV(32))
	p := &portfolio{Own: NewOwn(s, Options{}), slice: time.Nanosecond, most: policy.PrintedTerms}
	defer p.Close()
	e, err := smtlib.Find("z3")
	if err != nil {
		t.Fatal(err)
	}
	p.partner = &external{s: s, engine: e}
	p.Assert(s.Ult(s.Int(32, 5), x))
	if a, err := p.Check(context.Background(), s.Ult(x, s.Int(32, 7))); a != Sat {
		t.Fatal(a, err)
	}
	checkModel(t, s, p.Model(), s.Eq(x, s.Int(32, 6)))
	p.most = 1 // too large to print: the own solver goes on alone
	if a, err := p.Check(context.Background(), s.Ult(x, s.Int(32, 7))); a != Sat || p.foreign {
		t.Fatal(a, err, p.foreign)
	}
	p.most = policy.PrintedTerms
	if a, err := p.Check(context.Background(), s.Ult(x, s.Int(32, 6))); a != Unsat {
		t.Fatal(a, err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if a, err := p.Check(stopped, s.Ult(x, s.Int(32, 7))); a != Unknown || !errors.Is(err, ErrCancelled) {
		t.Fatal(a, err)
	}
	if _, err := Open("yices", s, Options{}); err == nil || !strings.Contains(err.Error(), "yices") {
		t.Fatal(err)
	}
}

// TestPortfolioLimit: when the own solver has reached its limit the partner, which
// would take for ever, is not waited for. The question is about a prime's factors.
func TestPortfolioLimit(t *testing.T) {
	s := ilr.NewStore(nil)
	x, y := s.Var("x", ilr.BV(124)), s.Var("y", ilr.BV(124))
	p := &portfolio{Own: NewOwn(s, Options{}), slice: time.Nanosecond}
	defer p.Close()
	e, err := smtlib.Find("z3")
	if err != nil {
		t.Fatal(err)
	}
	p.partner = &external{s: s, engine: e}
	small := s.Int(124, 1<<62)
	p.Assert(s.And(s.Ult(x, small), s.Ult(y, small), s.Ult(s.Int(124, 1), x), s.Ult(s.Int(124, 1), y)))
	p.LimitConflicts(50)
	if a, err := p.Check(context.Background(), s.Eq(s.Mul(x, y), s.Int(124, 4611686018427387847))); a != Unknown ||
		!errors.Is(err, ErrLimit) {
		t.Fatal(a, err)
	}
}
