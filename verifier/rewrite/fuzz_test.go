package rewrite_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// grower makes random terms of mixed widths in a store that does not rewrite.
type grower struct {
	rng   *rand.Rand
	s     *ilr.Store
	by    map[ilr.Sort][]ilr.Term
	width []int
}

func newGrower(seed int64) *grower {
	g := &grower{rng: rand.New(rand.NewSource(seed)), s: ilr.NewStore(nil), by: map[ilr.Sort][]ilr.Term{}}
	w := []int{1, 2, 3, 4, 8, 16, 32, 64, 70}[seed%9]
	g.width = []int{w, 1 + g.rng.Intn(w), 2 * w}
	for i, w := range append(g.width, 0, 0) {
		sort := ilr.BV(w)
		if w == 0 {
			sort = ilr.Bool
		}
		for j := 0; j < 2; j++ {
			g.add(g.s.Var(fmt.Sprint("v", i, j), sort))
		}
	}
	g.add(g.s.Var("m", ilr.Array(w, g.width[1])))
	g.add(g.s.Var("n", ilr.Array(w, g.width[1])))
	return g
}

func (g *grower) add(t ilr.Term) { g.by[g.s.Sort(t)] = append(g.by[g.s.Sort(t)], t) }

func (g *grower) pick(sort ilr.Sort) ilr.Term {
	ts := g.by[sort]
	if sort.Kind == ilr.SortBV && (len(ts) == 0 || g.rng.Intn(4) == 0) {
		v := bits.New(sort.W, g.rng.Uint64())
		switch g.rng.Intn(3) {
		case 0:
			v = bits.NewInt(sort.W, int64(g.rng.Intn(7)-3))
		case 1:
			v = bits.Shl(bits.Lshr(bits.Ones(sort.W), uint(g.rng.Intn(sort.W))), uint(g.rng.Intn(sort.W)))
		}
		return g.s.Const(v)
	}
	if n := len(ts); g.rng.Intn(2) == 0 { // recent ones make deep terms
		return ts[n-1-g.rng.Intn(min(n, 4))]
	}
	return ts[g.rng.Intn(len(ts))]
}

func (g *grower) grow() ilr.Term {
	s, rng := g.s, g.rng
	w := g.width[rng.Intn(len(g.width))]
	bv := ilr.BV(w)
	arr := ilr.Array(g.width[0], g.width[1])
	idx, elem := ilr.BV(g.width[0]), ilr.BV(g.width[1])
	switch k := ilr.Kind(int(ilr.KNot) + rng.Intn(int(ilr.KFAdd-ilr.KNot))); k {
	case ilr.KNot, ilr.KAnd:
		return s.Make(k, ilr.Bool, 0, []ilr.Term{g.pick(ilr.Bool), g.pick(ilr.Bool)})
	case ilr.KEq:
		if rng.Intn(4) == 0 {
			return s.Eq(g.pick(ilr.Bool), g.pick(ilr.Bool))
		}
		return s.Eq(g.pick(bv), g.pick(bv))
	case ilr.KIte:
		sort := []ilr.Sort{bv, ilr.Bool, arr, bv}[rng.Intn(4)]
		return s.Ite(g.pick(ilr.Bool), g.pick(sort), g.pick(sort))
	case ilr.KConcat:
		return s.Concat(g.pick(bv), g.pick(ilr.BV(g.width[1])))
	case ilr.KExtract:
		hi := rng.Intn(w)
		return s.Extract(g.pick(bv), hi, rng.Intn(hi+1))
	case ilr.KZext, ilr.KSext:
		return s.Make(k, ilr.BV(max(w, g.width[2])), 0, []ilr.Term{g.pick(bv)})
	case ilr.KSelect:
		return s.Select(g.pick(arr), g.pick(idx))
	case ilr.KStore:
		return s.Store(g.pick(arr), g.pick(idx), g.pick(elem))
	case ilr.KArrConst, ilr.KArrTable:
		return s.ArrConst(g.width[0], g.pick(elem))
	case ilr.KArrSet:
		return s.ArrSet(g.pick(arr), g.pick(idx), g.pick(idx), g.pick(elem))
	case ilr.KArrCopy:
		return s.ArrCopy(g.pick(arr), g.pick(idx), g.pick(arr), g.pick(idx), g.pick(idx))
	default:
		return s.Make(k, bv, 0, []ilr.Term{g.pick(bv), g.pick(bv)}[:k.Arity()])
	}
}

// copier rebuilds the terms of one store in another, through its constructors.
type copier struct {
	from, to *ilr.Store
	memo     map[ilr.Term]ilr.Term
}

func (c *copier) copy(t ilr.Term) ilr.Term {
	c.from.Walk([]ilr.Term{t}, func(u ilr.Term) {
		if _, ok := c.memo[u]; ok {
			return
		}
		var args []ilr.Term
		for _, a := range c.from.Args(nil, u) {
			args = append(args, c.memo[a])
		}
		switch v, isConst := c.from.ConstVal(u); {
		case isConst:
			c.memo[u] = c.to.Const(v)
		case c.from.Kind(u) == ilr.KVar && c.from == c.to:
			c.memo[u] = u
		case c.from.Kind(u) == ilr.KVar:
			c.memo[u] = c.to.Var(c.from.VarName(u), c.from.Sort(u))
		default:
			c.memo[u] = c.to.Make(c.from.Kind(u), c.from.Sort(u), c.from.Imm(u), args)
		}
	})
	return c.memo[t]
}

// TestRandomTerms: rewriting keeps the value under random models, and rewriting
// again changes nothing.
func TestRandomTerms(t *testing.T) {
	before, after, again := 0, 0, 0
	for seed := int64(0); seed < 1500; seed++ {
		g := newGrower(seed)
		c := &copier{from: g.s, to: rewrite.NewStore(), memo: map[ilr.Term]ilr.Term{}}
		for i := 0; i < 40; i++ {
			u := g.grow()
			g.add(u)
			v := c.copy(u)
			if g.s.Sort(u) != c.to.Sort(v) {
				t.Fatalf("seed %d: %s became %s", seed, g.s.String(u), c.to.String(v))
			}
		}
		for n := 0; n < 6; n++ {
			checkValues(t, seed, g, c)
		}
		twice := &copier{from: c.to, to: c.to, memo: map[ilr.Term]ilr.Term{}}
		for _, u := range g.by[ilr.Bool] {
			v := c.copy(u)
			if w := twice.copy(v); w != v {
				if again++; again < 4 {
					t.Logf("seed %d: rewriting again makes\n%s\nof\n%s", seed, c.to.String(w), c.to.String(v))
				}
			}
			before += size(g.s, u)
			after += size(c.to, v)
		}
	}
	t.Logf("%d nodes became %d; %d roots changed when rewritten again", before, after, again)
	if again > 0 || after >= before {
		t.Errorf("%d nodes became %d; %d roots changed when rewritten again", before, after, again)
	}
}

func size(s *ilr.Store, t ilr.Term) int {
	n := 0
	s.Walk([]ilr.Term{t}, func(ilr.Term) { n++ })
	return n
}

func checkValues(t *testing.T, seed int64, g *grower, c *copier) {
	t.Helper()
	m := testprogram.RandomModel(g.s, g.rng)
	m2 := ilr.Model{BV: map[ilr.Term]bits.Vec{}, Arrays: map[ilr.Term]*ilr.ArrayValue{}}
	for v, x := range m.BV {
		if u, ok := c.memo[v]; ok {
			m2.BV[u] = x
		}
	}
	for v, x := range m.Arrays {
		if u, ok := c.memo[v]; ok {
			m2.Arrays[u] = x
		}
	}
	e, e2 := g.s.NewEvaluator(m, nil), c.to.NewEvaluator(m2, nil)
	for u := ilr.Term(1); int(u) <= g.s.Len(); u++ {
		v, ok := c.memo[u]
		if !ok || g.s.Sort(u).Kind == ilr.SortArray {
			continue
		}
		if e.Value(u) != e2.Value(v) {
			t.Fatalf("seed %d: %v, rewritten %v:\n%s\nbecame\n%s", seed, e.Value(u), e2.Value(v), g.s.String(u),
				c.to.String(v))
		}
	}
}
