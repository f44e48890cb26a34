package rewrite_test

import (
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// TestWritesUnderConditions: an array that is written under a condition has the same elements, simplified or not,
// whether both branches write at one index, at two, or in two arrays.
func TestWritesUnderConditions(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	plain := ilr.NewStore(nil)
	sort := ilr.Array(4, 8)
	index := []ilr.Term{plain.Var("i", ilr.BV(4)), plain.Var("j", ilr.BV(4)), plain.Int(4, 3), plain.Int(4, 5)}
	value := []ilr.Term{plain.Var("u", ilr.BV(8)), plain.Var("v", ilr.BV(8)), plain.Int(8, 7)}
	bases := []ilr.Term{plain.Var("m", sort), plain.Var("n", sort)}
	pick := func(list []ilr.Term) ilr.Term { return list[rng.Intn(len(list))] }
	for range 150 {
		arm := func() ilr.Term {
			a := pick(bases)
			for range rng.Intn(3) {
				a = plain.Store(a, pick(index), pick(value))
			}
			return a
		}
		read := plain.Select(plain.Ite(plain.Var("c", ilr.Bool), arm(), arm()), pick(index))
		c := &copier{from: plain, to: rewrite.NewStore(), memo: map[ilr.Term]ilr.Term{}}
		simple := c.copy(read)
		back := &copier{from: c.to, to: plain, memo: map[ilr.Term]ilr.Term{}}
		for u, v := range c.memo {
			if plain.Kind(u) == ilr.KVar {
				back.memo[v] = u
			}
		}
		if again := back.copy(simple); !sameArrays(plain, read, again, rng) {
			t.Fatalf("%s\nbecame\n%s", plain.String(read), plain.String(again))
		}
	}
}

// sameArrays reports whether two terms have the same value under random values of variables.
func sameArrays(s *ilr.Store, a, b ilr.Term, rng *rand.Rand) bool {
	for range 20 {
		if m := testprogram.RandomModel(s, rng); s.Eval(a, m) != s.Eval(b, m) {
			return false
		}
	}
	return true
}
