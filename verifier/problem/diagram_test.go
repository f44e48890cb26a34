package problem

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// randomChoices makes Bool terms over variables of all kinds of atoms, as they are written.
func randomChoices(s *ilr.Store, rnd *rand.Rand, vars, words []ilr.Term, n int) []ilr.Term {
	terms := append([]ilr.Term(nil), vars...)
	words, kinds := slices.Clone(words), 4
	if len(words) > 0 {
		kinds = 7
	}
	for v := range 4 {
		words = append(words, s.Int(8, int64(v)))
	}
	pick := func() ilr.Term { return terms[rnd.Intn(len(terms))] }
	word := func() ilr.Term { return words[rnd.Intn(len(words))] }
	for range n {
		switch rnd.Intn(kinds) {
		case 4:
			words = append(words, s.Ite(pick(), word(), word()))
		case 5:
			terms = append(terms, s.Eq(word(), word()))
		case 6:
			terms = append(terms, s.Ult(word(), word()), s.Slt(word(), s.Int(8, int64(rnd.Intn(5)-1))))
		case 0:
			terms = append(terms, s.Not(pick()))
		case 1:
			terms = append(terms, s.And(pick(), pick()))
		case 2:
			terms = append(terms, s.Eq(pick(), pick()))
		default:
			terms = append(terms, s.Ite(pick(), pick(), pick()))
		}
	}
	return terms[len(vars):]
}

// TestDiagrams: the diagram of a term is false if the term is for all values of its variables, and only then as long as
// there are steps; the model of one that is not is one of the term.
func TestDiagrams(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	excluded, models := 0, 0
	for range 200 {
		s := ilr.NewStore(nil)
		var vars []ilr.Term
		for _, name := range []string{"a", "b", "c"} {
			vars = append(vars, s.Var(name, ilr.Bool))
		}
		words := []ilr.Term{s.Var("x", ilr.BV(8)), s.Var("y", ilr.BV(8))}
		vars = append(vars, s.Eq(words[0], s.Int(8, 0)), s.Eq(words[1], s.Int(8, 5)))
		bit := s.Var("z", ilr.BV(1))
		vars = append(vars, s.Make(ilr.KEq, ilr.Bool, 0, []ilr.Term{bit, s.Int(1, 0)}),
			s.Make(ilr.KEq, ilr.Bool, 0, []ilr.Term{bit, s.Int(1, 1)}))
		d := newDiagrams(s)
		for _, u := range randomChoices(s, rnd, vars, nil, 40) {
			possible := false
			for values := range 64 {
				m := ilr.Model{BV: map[ilr.Term]bits.Vec{}}
				for i := range 3 {
					m.BV[vars[i]] = bits.New(1, uint64(values>>i&1))
				}
				m.BV[words[0]] = bits.New(8, uint64(values>>3&1))
				m.BV[words[1]] = bits.New(8, 5+uint64(values>>4&1))
				m.BV[bit] = bits.New(1, uint64(values>>5))
				possible = possible || s.NewEvaluator(m, nil).Holds(u)
			}
			e := d.make(u, 20_000)
			if (e == never) == possible {
				t.Fatalf("%v: diagram %d, possible %v", u, e, possible)
			}
			if e == never {
				excluded++
				continue
			}
			if models++; !s.NewEvaluator(d.model(e), nil).Holds(u) {
				t.Fatalf("%v: no model of it", u)
			}
		}
	}
	if excluded < 20 || models < 1000 {
		t.Errorf("%d terms that are never true, %d that may be", excluded, models)
	}
}

// TestDiagramsOfWords: with words that are compared, what may be true is not excluded.
func TestDiagramsOfWords(t *testing.T) {
	rnd := rand.New(rand.NewSource(2))
	excluded, possible := 0, 0
	for range 300 {
		s := ilr.NewStore(nil)
		vars := []ilr.Term{s.Var("a", ilr.Bool), s.Var("b", ilr.Bool)}
		x := s.Var("x", ilr.BV(8))
		d := newDiagrams(s)
		for _, u := range randomChoices(s, rnd, vars, []ilr.Term{x}, 40) {
			may := false
			for values := range 4 * 16 {
				m := ilr.Model{BV: map[ilr.Term]bits.Vec{vars[0]: bits.New(1, uint64(values&1)),
					vars[1]: bits.New(1, uint64(values>>1&1)), x: bits.New(8, uint64(values>>2-4)&0xff)}}
				may = may || s.NewEvaluator(m, nil).Holds(u)
			}
			if e := d.make(u, 20_000); e != never {
				possible++
			} else if excluded++; may {
				t.Fatalf("%v: excluded", s.String(u))
			}
		}
	}
	if excluded < 100 || possible < 1000 {
		t.Errorf("%d terms are excluded, %d may be true", excluded, possible)
	}
}

// TestChoicesAreWorth: diagrams that answer nothing take no more steps than they were given, and what answers goes on.
func TestChoicesAreWorth(t *testing.T) {
	s := ilr.NewStore(nil)
	rnd := rand.New(rand.NewSource(3))
	var vars []ilr.Term
	for i := range 40 {
		vars = append(vars, s.Var(fmt.Sprint("v", i), ilr.Bool))
	}
	one := func() ilr.Term {
		v := vars[rnd.Intn(len(vars))]
		if rnd.Intn(2) == 0 {
			return s.Not(v)
		}
		return v
	}
	p := &Prober{Store: s}
	for range 50 {
		all := s.True()
		for range 160 {
			all = s.And(all, s.Or(one(), one(), one()))
		}
		if excluded, _ := p.choose(all); excluded {
			t.Fatal("too few clauses to be impossible is excluded")
		}
	}
	if most := policy.ChoicesAhead * s.Len(); p.gained < -most || p.gained > -most/4 {
		t.Errorf("%d steps were gained", p.gained)
	}
	p = &Prober{Store: s}
	for i := range 100 {
		x, y := vars[i%40], vars[(i+1+i/40)%40]
		if excluded, _ := p.choose(s.And(s.Xor(x, y), s.Eq(x, y))); !excluded {
			t.Fatalf("question %d is not excluded", i)
		}
	}
	if p.gained <= 0 {
		t.Errorf("%d steps were gained", p.gained)
	}
}

// TestDiagramsOfMuch: without steps, terms are atoms, and nothing is excluded that is possible.
func TestDiagramsOfMuch(t *testing.T) {
	s := ilr.NewStore(nil)
	d := newDiagrams(s)
	a, b, c := s.Var("a", ilr.Bool), s.Var("b", ilr.Bool), s.Var("c", ilr.Bool)
	d.nodes = append(d.nodes, make([]choice, 8_000_000)...)
	if !d.full() {
		t.Fatal("not full")
	}
	if e := d.make(s.And(s.Xor(a, b), s.Xor(b, c)), 20_000); e == never {
		t.Error("excluded")
	}
}
