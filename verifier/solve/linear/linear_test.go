package linear

import (
	"context"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
)

func randomRows(r *rand.Rand, vars, rows, size int) []Row {
	var out []Row
	for i := 0; i < rows; i++ {
		var ts []exact.Term
		for v := 0; v < vars; v++ {
			if r.Intn(2) == 0 {
				ts = append(ts, exact.Term{Var: exact.Var(v), Coef: exact.I(int64(r.Intn(2*size+1) - size))})
			}
		}
		out = append(out, Row{exact.LinOf(exact.I(int64(r.Intn(21)-10)), ts...), r.Intn(6) == 0})
	}
	return out
}

func holds(r Row, val func(exact.Var) exact.Rat) bool {
	sum := exact.RatOf(r.Lin.Const)
	for _, t := range r.Lin.Terms {
		sum = sum.Add(exact.RatOf(t.Coef).Mul(val(t.Var)))
	}
	return sum.Sign() == 0 || sum.Sign() > 0 && !r.EQ
}

// TestAgainstZ3 compares the simplex, its models, its certificates and the
// integer search with Z3 on random systems.
func TestAgainstZ3(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	ctx := context.Background()
	z := NewZ3(2000)
	defer z.Close()
	counts := map[Status]int{}
	for n := 0; n < 600; n++ {
		rows := randomRows(r, 2+r.Intn(4), 2+r.Intn(7), 1+r.Intn(5))
		q := NewTableau(false)
		for _, row := range rows {
			q.Add(row)
		}
		switch q.Check(ctx) {
		case Sat:
			for _, row := range rows {
				if !holds(row, q.Value) {
					t.Fatalf("%d: model breaks %v", n, row)
				}
			}
		case Unsat:
			checkCertificate(t, rows, q.Certificate())
		default:
			t.Fatalf("%d: gave up", n)
		}
		i := NewTableau(true)
		for _, row := range rows {
			i.Add(row)
		}
		got, want := i.CheckInt(ctx, 500), z.SatRows(rows)
		counts[got]++
		if got != Unknown && want != Unknown && got != want {
			t.Fatalf("%d: integers: %v, Z3 says %v: %v", n, got, want, rows)
		}
		if got == Sat {
			for _, row := range rows {
				if !holds(row, i.Value) {
					t.Fatalf("%d: integer model breaks %v", n, row)
				}
			}
		}
	}
	if counts[Sat] < 100 || counts[Unsat] < 100 || counts[Unknown] > 30 {
		t.Errorf("lopsided test: %v", counts)
	}
}

func checkCertificate(t *testing.T, rows []Row, cert []Multiplier) {
	t.Helper()
	var constant exact.Rat
	coefs := map[exact.Var]exact.Rat{}
	for _, m := range cert {
		if m.Weight.Sign() < 0 && !rows[m.Row].EQ {
			t.Fatalf("negative weight on an inequation: %v", cert)
		}
		l := rows[m.Row].Lin
		constant = constant.Add(m.Weight.Mul(exact.RatOf(l.Const)))
		for _, term := range l.Terms {
			coefs[term.Var] = coefs[term.Var].Add(m.Weight.Mul(exact.RatOf(term.Coef)))
		}
	}
	for v, c := range coefs {
		if !c.IsZero() {
			t.Fatalf("x%d does not cancel: %v of %v", v, cert, rows)
		}
	}
	if constant.Sign() >= 0 {
		t.Fatalf("certificate sums to %v: %v of %v", constant, cert, rows)
	}
}

func TestMaximiseAndScopes(t *testing.T) {
	ctx := context.Background()
	x, y := exact.V(0), exact.V(1)
	tb := NewTableau(false)
	tb.Add(AtLeast(x))
	tb.Add(AtLeast(y))
	tb.Add(AtLeast(exact.C(10).Sub(x.Scale(exact.I(2))).Sub(y)))
	tb.Add(AtLeast(exact.C(8).Sub(x).Sub(y.Scale(exact.I(3)))))
	if v, e := tb.Maximise(ctx, x.Add(y)); e != Attained || v.Cmp(exact.Frac(exact.I(28), exact.I(5))) != 0 {
		t.Errorf("max x+y = %v %v, want 28/5", v, e)
	}
	if v, e := tb.Maximise(ctx, x.Sub(y).Neg()); e != Attained || v.Cmp(exact.Frac(exact.I(8), exact.I(3))) != 0 {
		t.Errorf("max y-x = %v %v, want 8/3", v, e)
	}
	if v, e := tb.Maximise(ctx, x.Neg().AddInt(3)); e != Attained || v.Cmp(exact.R(3)) != 0 {
		t.Errorf("max 3-x = %v %v, want 3", v, e)
	}
	// an expression that has a bound of its own
	if v, e := tb.Maximise(ctx, x.Scale(exact.I(2)).Add(y).AddInt(-10)); e != Attained || v.Sign() != 0 {
		t.Errorf("max 2x+y-10 = %v %v, want 0", v, e)
	}
	tb.Push()
	tb.Add(AtLeast(x.AddInt(-6)))
	if st := tb.Check(ctx); st != Unsat {
		t.Errorf("x >= 6: %v", st)
	}
	tb.Pop()
	if st := tb.Check(ctx); st != Sat {
		t.Errorf("after pop: %v", st)
	}
	if _, e := tb.Maximise(ctx, exact.V(7)); e != Infinite {
		t.Errorf("free variable: %v", e)
	}
}

// TestMaximiseAgainstFarkas: an attained maximum m of e has a proof of
// m - e >= 0, and the model attains it; a greater value is out of reach.
func TestMaximiseAgainstFarkas(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	ctx := context.Background()
	attained := 0
	for n := 0; n < 400; n++ {
		rows := randomRows(r, 3, 3+r.Intn(6), 3)
		e := randomRows(r, 3, 1, 3)[0].Lin
		if n%3 == 0 {
			e = rows[0].Lin.Neg()
		}
		tb := NewTableau(false)
		for _, row := range rows {
			tb.Add(row)
		}
		m, kind := tb.Maximise(ctx, e)
		if kind != Attained {
			continue
		}
		attained++
		scaled := e.Scale(m.Den().Neg())
		scaled.Const = scaled.Const.Add(m.Num()) // den*(m - e)
		if !holds(Row{scaled, true}, tb.Value) {
			t.Fatalf("%d: the model does not attain %v", n, m)
		}
		above := NewTableau(false)
		for _, row := range rows {
			above.Add(row)
		}
		above.Add(AtLeast(scaled.Neg().Scale(exact.I(1000)).AddInt(-1)))
		if st := above.Check(ctx); st != Unsat {
			t.Fatalf("%d: above %v: %v", n, m, st)
		}
	}
	if attained < 80 {
		t.Errorf("only %d maxima", attained)
	}
}

// TestLadderRungs: each rung answers what is meant for it.
func TestLadderRungs(t *testing.T) {
	ctx := context.Background()
	l := NewLadder(1000)
	defer l.Close()
	x, y := exact.V(0), exact.V(1)
	two := exact.I(2)
	rows := []Row{AtLeast(x.AddInt(-3)), AtLeast(y.AddInt(-1)), AtLeast(y.Sub(x))}
	for i, c := range []struct {
		rows []Row
		goal exact.Lin
		want bool
		got  func(Rungs) int
	}{
		{rows, y.Sub(x).AddInt(1), true, func(r Rungs) int { return r.Syntactic }},
		{rows, x.Add(y).AddInt(-4), true, func(r Rungs) int { return r.Interval }},
		{rows, y.Scale(two).AddInt(-6), true, func(r Rungs) int { return r.Rational }},
		{rows, y.AddInt(-4), false, func(r Rungs) int { return r.Integer }},
		// 2x = 3y, 0 < y < 2 has no integer solution
		{[]Row{Equals(x.Scale(two).Sub(y.Scale(exact.I(3)))), AtLeast(y.AddInt(-1)), AtLeast(y.Neg().AddInt(1))},
			exact.C(-1), true, func(r Rungs) int { return r.Integer }},
	} {
		before := c.got(l.Rungs)
		if got := l.Entails(ctx, c.rows, AtLeast(c.goal)); got != c.want {
			t.Errorf("%d: %v", i, got)
		}
		if c.got(l.Rungs) != before+1 {
			t.Errorf("%d: rungs %+v", i, l.Rungs)
		}
	}
}

func TestZ3Literals(t *testing.T) {
	z := NewZ3(1000)
	defer z.Close()
	big := exact.I(2).Pow(70).Add(exact.I(12345))
	x := exact.V(3)
	st, m := z.Sat([]PolyRow{{exact.PolyOf(exact.Lin{Terms: x.Terms, Const: big}), true}}, nil)
	if st != Sat || !m[3].Equal(big.Neg()) {
		t.Errorf("%v %v, want %v", st, m[3], big.Neg())
	}
	square := exact.PolyOf(x).Mul(exact.PolyOf(x))
	if st, _ := z.Sat([]PolyRow{{square.Add(exact.PolyOf(exact.C(1))).Neg(), false}}, nil); st != Unsat {
		t.Errorf("x*x+1 <= 0: %v", st)
	}
}

func TestFarkas(t *testing.T) {
	ctx := context.Background()
	x, y := exact.V(0), exact.V(1)
	rows := []Row{AtLeast(x.AddInt(-3)), Equals(y.Sub(x.Scale(exact.I(2))))}
	goal := y.AddInt(-5)
	w, ok := Farkas(ctx, rows, goal)
	if !ok || w[0].Cmp(exact.R(2)) != 0 || w[1].Cmp(exact.R(1)) != 0 {
		t.Errorf("%v %v, want 2 and 1", w, ok)
	}
	if _, ok := Farkas(ctx, rows, y.AddInt(-8)); ok {
		t.Error("y >= 8 does not follow")
	}
}

// TestProject: a point is in the projection iff it can be extended.
func TestProject(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	ctx := context.Background()
	in, out := 0, 0
	for n := 0; n < 60; n++ {
		rows := randomRows(r, 4, 6, 3)
		p, isExact := Project(ctx, rows, []exact.Var{2, 3})
		if !isExact {
			t.Fatalf("%d: small projection cut off", n)
		}
		for k := 0; k < 10; k++ {
			point := []Row{
				Equals(exact.V(0).AddInt(int64(r.Intn(9) - 4))),
				Equals(exact.V(1).AddInt(int64(r.Intn(9) - 4))),
			}
			full, small := NewTableau(false), NewTableau(false)
			for _, row := range append(point, rows...) {
				full.Add(row)
			}
			for _, row := range append(point, p...) {
				small.Add(row)
				for _, term := range row.Lin.Terms {
					if term.Var > 1 {
						t.Fatalf("%d: x%d is still there", n, term.Var)
					}
				}
			}
			a, b := full.Check(ctx), small.Check(ctx)
			if a != b {
				t.Fatalf("%d: %v before, %v after: %v to %v", n, a, b, rows, p)
			}
			if a == Sat {
				in++
			} else {
				out++
			}
		}
	}
	if in < 50 || out < 50 {
		t.Errorf("lopsided test: %d in, %d out", in, out)
	}
}

// BenchmarkRanges is a segment's typical guard: many variables with the range of
// a machine word and few other rows.
func BenchmarkRanges(b *testing.B) {
	ctx := context.Background()
	top := exact.I(1<<32 - 1)
	var rows []Row
	for v := exact.Var(0); v < 30; v++ {
		x := exact.V(v)
		rows = append(rows, AtLeast(x), AtLeast(exact.Lin{Terms: x.Neg().Terms, Const: top}))
		if v > 0 {
			rows = append(rows, AtLeast(x.Sub(exact.V(v-1)).AddInt(-1)))
		}
	}
	goal := AtLeast(exact.V(29).Sub(exact.V(0)).AddInt(-29))
	for i := 0; i < b.N; i++ {
		l := NewLadder(0)
		if !l.Entails(ctx, rows, goal) {
			b.Fatal("not entailed")
		}
	}
}

// The ladder remembers answers under other names of the variables, and only
// those: each question that differs in one number is asked anew.
func TestLadderRemembers(t *testing.T) {
	ctx := context.Background()
	l := NewLadder(100)
	defer l.Close()
	ask := func(x, y exact.Var, k, c int64) bool {
		rows := []Row{AtLeast(exact.V(x).Sub(exact.V(y).Scale(exact.I(k)))), AtLeast(exact.V(y).AddInt(-2))}
		return l.Entails(ctx, rows, AtLeast(exact.V(x).AddInt(-c)))
	}
	for _, c := range []struct {
		x, y   exact.Var
		k, c   int64
		want   bool
		cached int
	}{
		{0, 1, 3, 6, true, 0},
		{0, 1, 3, 6, true, 1},
		{4, 7, 3, 6, true, 2},
		{4, 7, 3, 7, false, 2},
		{0, 1, 3, 7, false, 3},
		{0, 1, 4, 7, true, 3},
		{0, 0, 3, 6, true, 3},
	} {
		if got := ask(c.x, c.y, c.k, c.c); got != c.want || l.Rungs.Cached != c.cached {
			t.Errorf("%+v: %v, %d remembered", c, got, l.Rungs.Cached)
		}
	}
}

// The memory never changes an answer.
func TestRememberedAnswers(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewSource(5))
	l := NewLadder(100)
	defer l.Close()
	for n := 0; n < 400; n++ {
		rows := randomRows(r, 2, 2, 1)
		fresh := NewLadder(100)
		if a, b := l.Sat(ctx, rows), fresh.Sat(ctx, rows); a != b {
			t.Fatalf("%v: %v, alone %v", rows, a, b)
		}
		fresh.Close()
	}
	if l.Rungs.Cached < 8 {
		t.Errorf("lopsided test: %d answers remembered", l.Rungs.Cached)
	}
}
