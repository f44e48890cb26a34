package solve

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/ilr"
)

// TestRemember: with answers of an earlier run the same questions get the same answers,
// those without a model without the solver; other assertions make another question.
func TestRemember(t *testing.T) {
	var kept []byte
	var first []Answer
	for run := 0; run < 2; run++ {
		answers := ReadAnswers(kept)
		n, hits, calls, unsat := 0, 0, 0, 0
		for seed := int64(0); seed < 40; seed++ {
			g := newTerms(seed, 5, 2, 3, 1)
			x := Remember(New(g.s, Options{}), g.s, answers)
			x.Assert(g.goal(6))
			for i := 0; i < 4; i++ {
				q := g.s.And(g.goal(10), g.goal(10))
				if i == 3 {
					q = g.s.Or(q, g.s.And(g.goal(10), g.goal(12)), g.s.False())
				}
				a, err := x.Check(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				if a == Sat {
					checkModel(t, g.s, x.Model(), q)
				} else {
					unsat++
				}
				if run == 0 {
					first = append(first, a)
				} else if a != first[n] {
					t.Fatalf("seed %d, question %d: %v, before %v", seed, i, a, first[n])
				}
				n++
			}
			hits, calls = hits+x.Stats().Hits, calls+x.Stats().Calls
			x.Close()
		}
		if run == 1 && (unsat < 20 || hits < unsat || calls > n-unsat+10) {
			t.Errorf("%d questions, %d without a model, %d hits, %d calls", n, unsat, hits, calls)
		}
		if text := answers.Bytes(); text != nil {
			kept = text
		}
	}
}

// TestAnswersBelong: what was refuted under one assertion says nothing under another,
// nor of a variable in another place; data that was changed counts as empty.
func TestAnswersBelong(t *testing.T) {
	var kept []byte
	ask := func(bound int64, swapped bool) (Answer, int) {
		answers := ReadAnswers(kept)
		s := ilr.NewStore(nil)
		x, y := s.Var("x", ilr.BV(8)), s.Var("y", ilr.BV(8))
		if swapped {
			x, y = y, x
		}
		r := Remember(New(s, Options{}), s, answers)
		defer r.Close()
		r.Assert(s.Ult(x, s.Int(8, bound)))
		a, err := r.Check(context.Background(), s.And(s.Ult(y, x), s.Eq(y, s.Int(8, 7))))
		if err != nil {
			t.Fatal(err)
		}
		if text := answers.Bytes(); text != nil {
			kept = text
		}
		return a, r.Stats().Hits
	}
	for i, c := range []struct {
		bound   int64
		swapped bool
		want    Answer
		hits    int
	}{{5, false, Unsat, 0}, {5, false, Unsat, 1}, {9, false, Sat, 0}, {5, true, Unsat, 0}, {5, false, Unsat, 1}} {
		if a, hits := ask(c.bound, c.swapped); a != c.want || hits != c.hits {
			t.Errorf("%d: %v with %d hits", i, a, hits)
		}
	}
	kept[len(kept)-1] ^= 1
	if a, hits := ask(5, false); a != Unsat || hits != 0 {
		t.Errorf("%v with %d hits in damaged data", a, hits)
	}
}
