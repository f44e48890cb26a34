package solve

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// terms makes random terms of small widths.
type terms struct {
	rng    *rand.Rand
	s      *ilr.Store
	w      int
	bools  []ilr.Term
	vecs   []ilr.Term // width w
	arrays []ilr.Term // w -> w
}

func newTerms(seed int64, w, nb, nv, na int) *terms {
	g := &terms{rng: rand.New(rand.NewSource(seed)), s: ilr.NewStore(nil), w: w}
	for i := 0; i < nb; i++ {
		g.bools = append(g.bools, g.s.Var(fmt.Sprint("p", i), ilr.Bool))
	}
	for i := 0; i < nv; i++ {
		g.vecs = append(g.vecs, g.s.Var(fmt.Sprint("x", i), ilr.BV(w)))
	}
	for i := 0; i < na; i++ {
		g.arrays = append(g.arrays, g.s.Var(fmt.Sprint("a", i), ilr.Array(w, w)))
	}
	return g
}

func (g *terms) b() ilr.Term { return g.bools[g.rng.Intn(len(g.bools))] }
func (g *terms) a() ilr.Term { return g.arrays[g.rng.Intn(len(g.arrays))] }
func (g *terms) v() ilr.Term {
	if g.rng.Intn(6) == 0 {
		return g.s.Const(bits.New(g.w, g.rng.Uint64()))
	}
	return g.vecs[g.rng.Intn(len(g.vecs))]
}

// step adds one random term to the pools.
func (g *terms) step() {
	s, w := g.s, g.w
	switch g.rng.Intn(10) {
	case 0:
		g.bools = append(g.bools, s.Not(g.b()))
	case 1:
		g.bools = append(g.bools, s.And(g.b(), g.b()))
	case 2, 3:
		k := []ilr.Kind{ilr.KEq, ilr.KUlt, ilr.KSlt, ilr.KUaddO, ilr.KSaddO, ilr.KSsubO, ilr.KUmulO,
			ilr.KSmulO}[g.rng.Intn(8)]
		g.bools = append(g.bools, s.Make(k, ilr.Bool, 0, []ilr.Term{g.v(), g.v()}))
	case 4:
		g.vecs = append(g.vecs, s.Ite(g.b(), g.v(), g.v()))
	case 5:
		hi := g.rng.Intn(w)
		lo := g.rng.Intn(hi + 1)
		x := s.Extract(g.v(), hi, lo)
		g.vecs = append(g.vecs, s.Make([]ilr.Kind{ilr.KZext, ilr.KSext}[g.rng.Intn(2)], ilr.BV(w), 0, []ilr.Term{x}))
	case 6:
		if w > 1 {
			n := 1 + g.rng.Intn(w-1)
			g.vecs = append(g.vecs, s.Concat(s.Extract(g.v(), n-1, 0), s.Extract(g.v(), w-1-n, 0)))
		}
	case 7:
		if len(g.arrays) > 0 {
			g.vecs = append(g.vecs, s.Select(g.a(), g.v()))
		}
	case 8:
		if len(g.arrays) > 0 {
			g.array()
		}
	default:
		ks := []ilr.Kind{ilr.KBvNot, ilr.KBvAnd, ilr.KBvOr, ilr.KBvXor, ilr.KNeg, ilr.KAdd, ilr.KMul, ilr.KUdiv,
			ilr.KUrem, ilr.KSdiv, ilr.KSrem, ilr.KShl, ilr.KLshr, ilr.KAshr}
		k := ks[g.rng.Intn(len(ks))]
		g.vecs = append(g.vecs, s.Make(k, ilr.BV(w), 0, []ilr.Term{g.v(), g.v()}[:k.Arity()]))
	}
}

func (g *terms) array() {
	s := g.s
	var a ilr.Term
	switch g.rng.Intn(8) {
	case 0:
		a = s.ArrConst(g.w, g.v())
	case 1:
		a = s.Ite(g.b(), g.a(), g.a())
	case 2:
		a = s.ArrSet(g.a(), g.v(), g.v(), g.v())
	case 3, 4:
		a = s.ArrCopy(g.a(), g.v(), g.a(), g.v(), g.v())
	default:
		a = s.Store(g.a(), g.v(), g.v())
	}
	g.arrays = append(g.arrays, a)
}

func (g *terms) goal(steps int) ilr.Term {
	for i := 0; i < steps; i++ {
		g.step()
	}
	t := g.bools[len(g.bools)-1]
	for i := 0; i < 3; i++ {
		u := g.bools[len(g.bools)-1-g.rng.Intn(min(len(g.bools), 6))]
		if g.rng.Intn(2) == 0 {
			u = g.s.Not(u)
		}
		t = g.s.And(t, u)
	}
	return t
}

func checkModel(t *testing.T, s *ilr.Store, m ilr.Model, roots ...ilr.Term) {
	t.Helper()
	e := s.NewEvaluator(m, nil)
	for _, r := range roots {
		if !e.Holds(r) {
			t.Fatalf("the model does not satisfy\n%s\n%v", s.String(r), m)
		}
	}
}

// brute finds whether any assignment of the variables makes u true.
func brute(s *ilr.Store, u ilr.Term, bools, vecs, arrays []ilr.Term, w int) bool {
	n := len(bools) + w*len(vecs) + len(arrays)*w<<uint(w)
	for i := uint64(0); i < 1<<uint(n); i++ {
		bit := uint(0)
		take := func(w int) bits.Vec {
			v := bits.New(w, i>>bit)
			bit += uint(w)
			return v
		}
		m := ilr.Model{BV: map[ilr.Term]bits.Vec{}, Arrays: map[ilr.Term]*ilr.ArrayValue{}}
		for _, b := range bools {
			m.BV[b] = take(1)
		}
		for _, x := range vecs {
			m.BV[x] = take(w)
		}
		for _, a := range arrays {
			v := &ilr.ArrayValue{Elems: map[bits.Vec]bits.Vec{}, Default: bits.New(w, 0)}
			for j := uint64(0); j < 1<<uint(w); j++ {
				v.Elems[bits.New(w, j)] = take(w)
			}
			m.Arrays[a] = v
		}
		if s.Eval(u, m).IsOne() {
			return true
		}
	}
	return false
}

func TestRandomAgainstBrute(t *testing.T) {
	counts := map[Answer]int{}
	for seed := int64(0); seed < 600; seed++ {
		w := 1 + int(seed%4)
		na := int(seed / 4 % 2)
		nv := 2
		if na == 1 {
			w = 1 + int(seed%2)
		}
		g := newTerms(seed, w, 1, nv, na)
		bools, vecs, arrays := g.bools[:1:1], g.vecs[:nv:nv], g.arrays[:na:na]
		u := g.goal(25)
		solver := New(g.s, Options{})
		a, err := solver.Check(context.Background(), u)
		if err != nil {
			t.Fatal(err)
		}
		counts[a]++
		if want := brute(g.s, u, bools, vecs, arrays, w); (a == Sat) != want {
			t.Fatalf("seed %d: %v, brute force says %v:\n%s", seed, a, want, g.s.String(u))
		}
		if a == Sat {
			checkModel(t, g.s, solver.Model(), u)
		}
		solver.Close()
	}
	if counts[Sat] < 80 || counts[Unsat] < 80 {
		t.Fatalf("lopsided: %v", counts)
	}
}

// TestRandomIncremental asks many goals of one solver, with arrays of larger
// widths; each answer is compared with a fresh solver's.
func TestRandomIncremental(t *testing.T) {
	lemmas := 0
	counts := map[Answer]int{}
	for seed := int64(0); seed < 60; seed++ {
		g := newTerms(1000+seed, 3+int(seed%10), 2, 3, 2)
		inc := New(g.s, Options{})
		var asserted []ilr.Term
		for step := 0; step < 12; step++ {
			u := g.goal(15)
			a, err := inc.Check(context.Background(), u)
			if err != nil {
				t.Fatal(err)
			}
			if a == Sat {
				checkModel(t, g.s, inc.Model(), append(asserted, u)...)
			}
			fresh := New(g.s, Options{})
			for _, x := range asserted {
				fresh.Assert(x)
			}
			if b, _ := fresh.Check(context.Background(), u); a != b {
				t.Fatalf("seed %d step %d: %v, fresh says %v", seed, step, a, b)
			}
			fresh.Close()
			counts[a]++
			if a == Sat && step%3 == 0 {
				inc.Assert(u)
				asserted = append(asserted, u)
			}
		}
		lemmas += inc.Stats().Lemmas
		inc.Close()
	}
	if lemmas < 100 || counts[Sat] < 50 || counts[Unsat] < 50 {
		t.Fatalf("%d lemmas, %v", lemmas, counts)
	}
}

func TestTable(t *testing.T) {
	data := make([]byte, 5000)
	for i := range data {
		data[i] = byte(i * i / 7)
	}
	for _, n := range []int{0, 1, 5, 256, 1024, 1500, 5000} {
		s := ilr.NewStore(nil)
		for _, iw := range []int{4, 8, 11, 32, 70} {
			i := s.Var("i", ilr.BV(iw))
			v := s.Select(s.ArrTable(iw, data[:n]), i)
			for _, c := range []uint64{0, 3, 9, 250, 1030, 4999, 70000} {
				solver := New(s, Options{})
				if a, _ := solver.Check(context.Background(), s.Eq(i, s.Const(bits.New(iw, c))),
					s.Not(s.Eq(v, s.Const(s.TableAt(s.Arg(v, 0), bits.New(iw, c)))))); a != Unsat {
					t.Fatalf("table of %d at %d: %v", n, c, a)
				}
				u := s.And(s.Ult(s.Const(bits.New(iw, c)), i), s.NonZero(v))
				if a, _ := solver.Check(context.Background(), u); a == Sat {
					checkModel(t, s, solver.Model(), u)
				} else if n == 5000 && c < 4000 && iw > 12 {
					t.Fatalf("a non-zero entry beyond %d was not found", c)
				}
				solver.Close()
			}
		}
	}
}

// TestStopBlasting: a question stopped while it is blasted can be asked again.
func TestStopBlasting(t *testing.T) {
	s := ilr.NewStore(nil)
	x := s.Var("x", ilr.BV(32))
	u := s.True()
	acc := x
	for i := 0; i < 3000; i++ {
		acc = s.Add(s.BvXor(acc, s.Int(32, int64(i))), x)
		u = s.And(u, s.Ult(acc, s.Int(32, -1)))
	}
	solver := NewOwn(s, Options{Record: true})
	defer solver.Close()
	stopped, stop := context.WithCancel(context.Background())
	stop()
	solver.Assert(u)
	if a, err := solver.Check(stopped, s.Eq(x, s.Int(32, 12345))); a != Unknown || !errors.Is(err, ErrCancelled) {
		t.Fatal(a, err)
	}
	if n := solver.Stats().Gates; n > 200000 {
		t.Fatalf("%d gates made after the stop", n)
	}
	a, err := solver.Check(context.Background(), s.Eq(x, s.Int(32, 12345)))
	if a != Sat {
		t.Fatal(a, err)
	}
	checkModel(t, s, solver.Model(), u)
	var text strings.Builder
	if err := solver.WriteDIMACS(&text, s.False()); err != nil || !strings.HasSuffix(text.String(), "\n0\n") {
		t.Fatal(err, text.Len())
	}
}

// hard asks for the factors of the product of the primes 2^61-1 and 2^61-31: far beyond any search.
func hard(s *ilr.Store) ilr.Term {
	x, y, one := s.Var("x", ilr.BV(64)), s.Var("y", ilr.BV(64)), s.Int(64, 1)
	n := s.Mul(s.Int(128, 1<<61-1), s.Int(128, 1<<61-31))
	return s.And(s.Eq(s.Mul(s.Zext(x, 128), s.Zext(y, 128)), n), s.Ult(one, x), s.Ult(one, y))
}

func TestLimits(t *testing.T) {
	s := ilr.NewStore(nil)
	u := hard(s)
	solver := New(s, Options{})
	defer solver.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Millisecond)
	defer cancel()
	start := time.Now()
	a, err := solver.Check(ctx, u)
	if a != Unknown || !errors.Is(err, ErrTimeout) || time.Since(start) > 30*time.Second {
		t.Fatalf("%v, %v after %v", a, err, time.Since(start))
	}
	stopped, stop := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, stop)
	if a, err := solver.Check(stopped, u); a != Unknown || !errors.Is(err, ErrCancelled) {
		t.Fatal(a, err)
	}
	few := New(s, Options{Conflicts: 5})
	defer few.Close()
	if a, err := few.Check(context.Background(), u); a != Unknown || !errors.Is(err, ErrLimit) {
		t.Fatal(a, err)
	}
	small := New(s, Options{Memory: 1 << 20})
	defer small.Close()
	if a, err := small.Check(context.Background(), u); a != Unknown || !errors.Is(err, ErrMemory) {
		t.Fatal(a, err)
	}
}

// TestFloat proves laws of half precision and finds what breaks false ones.
func TestFloat(t *testing.T) {
	s := ilr.NewStore(nil)
	half := ilr.BV(16)
	x, y := s.Var("x", half), s.Var("y", half)
	op := func(k ilr.Kind, a ...ilr.Term) ilr.Term { return s.FloatOp(k, half, ilr.RNE, a...) }
	cmp := func(k ilr.Kind, a, b ilr.Term) ilr.Term { return s.FloatOp(k, ilr.Bool, 0, a, b) }
	number := func(a ilr.Term) ilr.Term { return cmp(ilr.KFEq, a, a) }
	wide := s.FloatOp(ilr.KFToF, ilr.BV(32), ilr.RNE, x)
	for i, tc := range []struct {
		violated ilr.Term
		want     Answer
	}{
		{s.And(number(x), s.Not(cmp(ilr.KFEq, op(ilr.KFMul, x, s.Int(16, 0x3c00)), x))), Unsat}, // x*1 = x
		// widening loses nothing
		{s.And(number(x), s.Not(s.Eq(s.FloatOp(ilr.KFToF, half, ilr.RNE, wide), x))), Unsat},
		{s.And(cmp(ilr.KFLt, x, y), cmp(ilr.KFLe, y, x)), Unsat},
		{s.And(number(x), s.Not(cmp(ilr.KFLe, s.FloatOp(ilr.KFRound, half, ilr.RTN, x), x))), Unsat}, // floor(x) <= x
		{s.And(number(x), cmp(ilr.KFEq, op(ilr.KFAdd, x, s.Int(16, 0x3c00)), x)), Sat},               // x+1 = x
		{s.And(cmp(ilr.KFLt, s.Int(16, 0), x), cmp(ilr.KFEq, op(ilr.KFMul, x, x), s.Int(16, 0))), Sat},
	} {
		solver := New(s, Options{})
		a, err := solver.Check(context.Background(), tc.violated)
		if err != nil || a != tc.want {
			t.Fatalf("case %d: %v, %v", i, a, err)
		}
		if a == Sat {
			checkModel(t, s, solver.Model(), tc.violated)
		}
		solver.Close()
	}
}

// TestRenewed: after many questions that share nothing the solver starts anew, and
// goes on answering right; what was asserted is not forgotten.
func TestRenewed(t *testing.T) {
	s := ilr.NewStore(nil)
	own := NewOwn(s, Options{})
	defer own.Close()
	lock := s.Var("lock", ilr.BV(16))
	own.Assert(s.Ult(lock, s.Int(16, 9)))
	most := 0
	for i := range 60 {
		x, y := s.Var(fmt.Sprint("x", i), ilr.BV(16)), s.Var(fmt.Sprint("y", i), ilr.BV(16))
		sum := s.Add(x, s.Mul(y, s.Int(16, int64(2*i+3))))
		never := s.And(s.Eq(sum, s.Int(16, int64(i))), s.Eq(s.BvAnd(s.BvXor(x, y), s.Int(16, 1)),
			s.Int(16, int64(1-i&1))), s.Ult(s.Int(16, 8), lock))
		if a, err := own.Check(context.Background(), never); a != Unsat {
			t.Fatalf("question %d: %v %v", i, a, err)
		}
		own.Learn(s.Not(never))
		can := s.And(s.Eq(sum, s.Int(16, int64(i))), s.Eq(s.BvAnd(lock, s.Int(16, 7)), s.Int(16, 0)))
		if a, err := own.Check(context.Background(), can); a != Sat {
			t.Fatalf("question %d: %v %v", i, a, err)
		}
		ev := s.NewEvaluator(own.Model(), nil)
		if !ev.Holds(can) || !ev.Holds(s.Ult(lock, s.Int(16, 9))) {
			t.Fatalf("question %d: the model is wrong", i)
		}
		most = max(most, own.b.Size())
	}
	if own.b.Size() == most {
		t.Errorf("the solver never started anew: it knows %d bits", most)
	}
}
