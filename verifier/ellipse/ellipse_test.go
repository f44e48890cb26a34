package ellipse

import (
	"math"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// filter is a loop over a filter of second order, y = a*y1 + b*y2 + x, and its terms.
type filter struct {
	s         *ilr.Store
	w         int
	y1, y2, x ilr.Term
	in, y     ilr.Term // x within [-most, most], else 0; what a turn computes
	loop      *Loop
}

func (f *filter) number(v float64) bits.Vec {
	if f.w == 32 {
		return bits.New(32, uint64(math.Float32bits(float32(v))))
	}
	return encoding(v)
}

func (f *filter) op(k ilr.Kind, a, b ilr.Term) ilr.Term {
	return f.s.FloatOp(k, ilr.BV(f.w), ilr.RNE, a, b)
}

// newFilter makes one; where it is open, nothing keeps x from being larger.
func newFilter(w int, a, b, most float64, open bool) *filter {
	s := ilr.NewStore(nil)
	f := &filter{s: s, w: w, y1: s.Var("y1", ilr.BV(w)), y2: s.Var("y2", ilr.BV(w)), x: s.Var("x", ilr.BV(w))}
	le := func(a, b ilr.Term) ilr.Term { return s.FloatOp(ilr.KFLe, ilr.Bool, ilr.RNE, a, b) }
	zero := s.Const(f.number(0))
	f.in = s.Ite(s.And(le(s.Const(f.number(-most)), f.x), le(f.x, s.Const(f.number(most)))), f.x, zero)
	within := f.in
	if open {
		f.in = f.x
	}
	f.y = f.op(ilr.KFAdd, f.op(ilr.KFAdd, f.op(ilr.KFMul, s.Const(f.number(a)), f.y1), f.op(ilr.KFMul,
		s.Const(f.number(b)), f.y2)), f.in)
	f.loop = &Loop{Vars: []ilr.Term{f.y1, f.y2}, First: []ilr.Term{zero, zero},
		Turns: [][]ilr.Term{{f.y, f.y1}}, Roots: []ilr.Term{f.y, within, le(f.y, s.Const(f.number(100)))}}
	sum := f.op(ilr.KFMul, zero, f.y1)
	for _, k := range []float64{0.1, 0.7, a, 0.3, -b, 1.1} { // nothing but x and what rounding adds
		sum = f.op(ilr.KFAdd, sum, f.op(ilr.KFMul, s.Const(f.number(k)), f.in))
	}
	f.loop.Roots = append(f.loop.Roots, le(sum, zero))
	return f
}

// derived lists the formulas about the ellipse, and whether one of them says that turns keep it.
func (f *filter) derived(e *Ellipse) (formulas []ilr.Term, kept bool) {
	now, then := e.Term(f.s, f.loop.Vars), e.Term(f.s, f.loop.Turns[0])
	formulas = Consequences(f.s, []ilr.Term{now}, append([]ilr.Term{then}, f.loop.Roots...))
	for _, goal := range conjuncts(f.s, then) {
		for _, t := range formulas {
			for _, c := range conjuncts(f.s, f.s.Arg(t, 0)) {
				kept = kept || f.s.Kind(goal) == ilr.KFLe && c == f.s.Not(goal)
			}
		}
	}
	return formulas, kept
}

// Filters that decay have an ellipse that turns keep, those that grow have none.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		w         int
		a, b, lim float64
		kept      bool
	}{
		{32, 1.5, -0.7, 1, true}, {64, 1.5, -0.7, 1, true}, {32, 1.9, -0.95, 2000, true}, {64, 1.99, -0.9901, 1, true},
		{32, 0.3, 0.6, 1, true}, {64, -1.2, -0.5, 1e6, true}, {32, 1.5, -1.2, 1, false}, {64, 2, -1, 1, false},
		{64, 0.5, 0.5, 1, false}, {32, 1.5, -0.4, 1, false}, {32, 1.5, -0.7, 1e38, false},
	} {
		f := newFilter(c.w, c.a, c.b, c.lim, false)
		kept := false
		for _, part := range Find(f.s, f.loop) {
			for _, e := range part {
				_, ok := f.derived(e)
				kept = kept || ok
			}
		}
		if kept != c.kept {
			t.Errorf("y = %g*y1 + %g*y2 + x, |x| <= %g in %d bits: an ellipse is kept: %v", c.a, c.b, c.lim, c.w, kept)
		}
	}
}

// What is derived of ellipses, those found and others that are too small, too large or of another shape, holds of
// numbers on their edge, where it says most.
func TestConsequences(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	formulas, kept, met := 0, 0, 0
	for range 60 {
		f := newFilter([]int{32, 64}[r.Intn(2)], 1.9*r.Float64(), -0.97*r.Float64(), math.Pow(10, 3*r.Float64()),
			r.Intn(3) == 0)
		for _, part := range Find(f.s, f.loop) {
			e := part[r.Intn(len(part))]
			shrink := 1.0
			switch r.Intn(3) {
			case 0: // nearly what is found
				shrink = 1 + 0.01*r.NormFloat64()
			case 1:
				shrink = math.Exp(r.NormFloat64())
			case 2:
				e.Products[r.Intn(3)].Coef *= 1 + 0.1*r.NormFloat64()
			}
			for i := range e.Products {
				e.Products[i].Coef *= shrink
			}
			all, ok := f.derived(e)
			formulas += len(all)
			if ok {
				kept++
			}
			for i := range 120 {
				m := f.edge(r, e, 3*float64(i)+r.Float64())
				ev := f.s.NewEvaluator(m, ilr.EvalFloat)
				if ev.Holds(e.Term(f.s, f.loop.Vars)) {
					met++
				}
				for _, x := range all {
					if !ev.Holds(x) {
						t.Fatalf("%+v\n%s\nfails for %v", e, f.s.String(x), m)
					}
				}
			}
		}
	}
	if formulas < 100 || kept < 10 || met < 500 {
		t.Errorf("%d formulas, %d ellipses kept, %d states inside", formulas, kept, met)
	}
}

// edge returns a state just inside of e, or close to that, and an input that is often an extreme one.
func (f *filter) edge(r *rand.Rand, e *Ellipse, degrees float64) ilr.Model {
	b, a := math.Sincos(degrees * math.Pi / 180)
	sum := 0.0
	for _, p := range e.Products {
		v := []float64{a, b}
		sum += p.Coef * v[p.A] * v[p.B]
	}
	if sum > 0 {
		k := (1 - math.Pow(10, -4-8*r.Float64())) / math.Sqrt(sum)
		a, b = k*a, k*b
	}
	most, _ := valueOf(f.number(0))
	x := survey(f.s, f.loop.Roots, f.loop.Vars)
	for _, k := range x.compared[f.x] {
		most = larger(most, k)
	}
	in, _ := most.Big().Float64()
	in *= []float64{1, -1, 1, -1, r.Float64(), 1.1}[r.Intn(6)]
	return ilr.Model{BV: map[ilr.Term]bits.Vec{f.y1: f.number(a), f.y2: f.number(b), f.x: f.number(in)}}
}

// What rounding may add to a sum of products is counted.
func TestRounding(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	s := ilr.NewStore(nil)
	largest := 0.0
	for range 3000 {
		w := []int{32, 64}[r.Intn(2)]
		f := &filter{s: s, w: w}
		x := &reader{surroundings: survey(s, nil, nil), limits: map[ilr.Term]exact.Rat{},
			assumed: map[ilr.Term]ilr.Term{}, memo: map[ilr.Term]*number{}}
		m := ilr.Model{BV: map[ilr.Term]bits.Vec{}}
		leaf := func() ilr.Term {
			v := f.number(r.NormFloat64() * math.Pow(10, float64(r.Intn(6)-3)))
			if r.Intn(3) == 0 {
				return s.Const(v)
			}
			u := s.Fresh("x", ilr.BV(w))
			k, _ := valueOf(v)
			m.BV[u], x.limits[u] = v, abs(k)
			return u
		}
		a, b, c, d := leaf(), leaf(), leaf(), leaf()
		k := s.Const(f.number(0.1 + r.Float64()))
		u := f.op(ilr.KFAdd, f.op(ilr.KFMul, a, b), f.op(ilr.KFDiv, f.op(ilr.KFAdd, c, d), k))
		switch r.Intn(4) {
		case 0:
			u = s.FloatOp(ilr.KFFma, ilr.BV(w), ilr.RNE, a, f.op(ilr.KFAdd, b, c), d)
		case 1:
			u = s.FloatOp(ilr.KFToF, ilr.BV(96-w), ilr.RNE, u)
		}
		n := x.read(u, 0)
		if n == nil {
			t.Fatal("not read", s.String(u))
		}
		got, _ := valueOf(s.NewEvaluator(m, ilr.EvalFloat).Value(u))
		values := map[ilr.Term]exact.Rat{}
		for v, k := range m.BV {
			values[v], _ = valueOf(k)
		}
		var sum exact.Rat
		for p, c := range n.poly {
			for _, v := range p {
				if v != one {
					c = c.Mul(values[v])
				}
			}
			sum = sum.Add(c)
		}
		if off := abs(got.Sub(sum)); off.Cmp(n.err) > 0 {
			t.Fatalf("%s is %v, not within %v of %v", s.String(u), got, n.err, sum)
		} else if n.err.Sign() > 0 {
			part, _ := off.Div(n.err).Big().Float64()
			largest = math.Max(largest, part)
		}
	}
	if largest < 0.5 {
		t.Errorf("the errors are at most %g of what is counted", largest)
	}
}

func TestNeverNegative(t *testing.T) {
	const x, y = ilr.Term(1), ilr.Term(2)
	for _, c := range []struct {
		xx, xy, yy int64
		want       bool
	}{{1, 2, 1, true}, {1, 3, 1, false}, {1, 0, -1, false}, {-1, 0, 1, false}, {0, 0, 1, true}, {0, 1, 1, false},
		{2, -2, 1, true}, {1, -2, 1, true}, {-1, 2, -1, false}, {-1, 4, -4, false}} {
		f := form{{x, x}: exact.R(c.xx), {x, y}: exact.R(c.xy), {y, y}: exact.R(c.yy)}
		if f.neverNegative([]ilr.Term{x, y}) != c.want {
			t.Errorf("%v: never negative: %v", c, !c.want)
		}
		if f.neverNegative([]ilr.Term{x}) {
			t.Errorf("%v: is one of x alone", c)
		}
	}
}

// No value of a word, read with a sign or without, is larger than what is read off its term.
func TestIntegers(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 400 {
		s := ilr.NewStore(nil)
		x := &reader{surroundings: survey(s, nil, nil)}
		u := s.Var("u", ilr.BV(8))
		word := u
		for range r.Intn(5) {
			w := s.Width(word)
			switch r.Intn(5) {
			case 0:
				word = s.Zext(word, w+r.Intn(5))
			case 1:
				word = s.Sext(word, w+r.Intn(5))
			case 2:
				word = s.BvAnd(word, s.Int(w, int64(r.Intn(512))))
			case 3:
				word = s.Trunc(word, max(2, w-r.Intn(4)))
			case 4:
				word = s.Concat(s.Int(3, int64(r.Intn(2))), word)
			}
		}
		for v := range 256 {
			got := s.Eval(word, ilr.Model{BV: map[ilr.Term]bits.Vec{u: bits.New(8, uint64(v))}})
			if k := exact.RatOf(exact.FromBig(got.Unsigned())); k.Cmp(x.integer(word, false)) > 0 {
				t.Fatal(s.String(word), v)
			}
			if k := abs(exact.RatOf(exact.FromBig(got.Signed()))); k.Cmp(x.integer(word, true)) > 0 {
				t.Fatal(s.String(word), v, "with its sign")
			}
		}
	}
}
