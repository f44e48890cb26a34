package solve

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
)

// What a sweep finds to be equal is equal under any values of variables and arrays.
func TestSweep(t *testing.T) {
	found := 0
	for seed := range int64(150) {
		g := newTerms(seed, 6, 2, 3, 1)
		for range 60 {
			g.step()
		}
		w := newSweep(g.s, Options{})
		w.run(context.Background(), append(append([]ilr.Term{}, g.bools...), g.vecs...))
		found += len(w.equal)
		for i := range 300 {
			rng := rand.New(rand.NewSource(int64(i)))
			e := g.s.NewEvaluator(g.model(rng), nil)
			for _, q := range w.equal {
				if !e.Holds(q) {
					t.Fatalf("seed %d: %s does not hold", seed, g.s.String(q))
				}
			}
		}
		w.solver.Close()
	}
	if found < 100 {
		t.Errorf("%d equations", found)
	}
}

// model gives the variables of g random values.
func (g *terms) model(rng *rand.Rand) ilr.Model {
	m := ilr.Model{BV: map[ilr.Term]bits.Vec{}, Arrays: map[ilr.Term]*ilr.ArrayValue{}}
	for _, pool := range [][]ilr.Term{g.bools, g.vecs} {
		for _, v := range pool {
			if g.s.Kind(v) == ilr.KVar {
				m.BV[v] = bits.New(max(1, g.s.Width(v)), rng.Uint64())
			}
		}
	}
	a := &ilr.ArrayValue{Elems: map[bits.Vec]bits.Vec{}, Default: bits.New(g.w, rng.Uint64())}
	for i := range uint64(1) << g.w {
		a.Elems[bits.New(g.w, i)] = bits.New(g.w, rng.Uint64())
	}
	m.Arrays[g.arrays[0]] = a
	return m
}

// A sum of bits by a table and one bit after the other are the same after each of many words: proved in conflicts that
// grow with their number.
func TestSweepChecksums(t *testing.T) {
	conflicts := func(words int) int {
		s := rewrite.NewStore()
		table := s.ArrConst(8, s.Int(16, 0))
		for i := range uint64(256) {
			table = s.Store(table, s.Int(8, int64(i)), s.Int(16, int64(crc(uint16(i)<<8))))
		}
		a, b := s.Int(16, 0xffff), s.Int(16, 0xffff)
		for i := range words {
			d := s.Var(fmt.Sprint("d", i), ilr.BV(8))
			a = s.BvXor(a, s.Concat(d, s.Int(8, 0)))
			for range 8 {
				shifted := s.Concat(s.Extract(a, 14, 0), s.Int(1, 0))
				a = s.Ite(s.Eq(s.Extract(a, 15, 15), s.Int(1, 1)), s.BvXor(shifted, s.Int(16, 0x1021)), shifted)
			}
			b = s.BvXor(s.Concat(s.Extract(b, 7, 0), s.Int(8, 0)), s.Select(table, s.BvXor(s.Extract(b, 15, 8), d)))
		}
		o := NewOwn(s, Options{})
		defer o.Close()
		if answer, err := o.Check(context.Background(), s.Not(s.Eq(a, b))); answer != Unsat {
			t.Fatal(answer, err)
		}
		if o.Stats().Equal == 0 {
			t.Error("no equal bits")
		}
		return o.Stats().Conflicts + o.sweep.solver.Stats().Conflicts
	}
	if few, many := conflicts(12), conflicts(48); many > 6*few {
		t.Errorf("%d conflicts for 12 words, %d for 48", few, many)
	}
}

// crc adds one word to a checksum.
func crc(c uint16) uint16 {
	for range 8 {
		if c&0x8000 != 0 {
			c = c<<1 ^ 0x1021
		} else {
			c <<= 1
		}
	}
	return c
}
