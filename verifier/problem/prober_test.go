package problem_test

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// counted counts the questions that come to the solver and can be true.
type counted struct {
	solve.Solver
	possible int
}

func (c *counted) Check(ctx context.Context, assumptions ...ilr.Term) (solve.Answer, error) {
	ans, err := c.Solver.Check(ctx, assumptions...)
	if ans != solve.Unsat {
		c.possible++
	}
	return ans, err
}

// both asks a prober, and the solver of another itself: their answers must be one.
type both struct {
	t        *testing.T
	of       *problem.Prober
	other    solve.Solver
	possible int
	asked    int
}

func (b *both) Feasible(ctx context.Context, cond ilr.Term) bool {
	return b.same(ctx, cond, b.of.Feasible(ctx, cond))
}

func (b *both) Possible(ctx context.Context, cond ilr.Term) bool {
	return b.same(ctx, cond, b.of.Possible(ctx, cond))
}

func (b *both) same(ctx context.Context, cond ilr.Term, got bool) bool {
	if b.asked++; got {
		b.possible++
	}
	want, err := b.other.Check(ctx, cond)
	if err != nil || got != (want != solve.Unsat) {
		b.t.Errorf("question %d: %v, the solver says %v, %v", b.asked, got, want, err)
	}
	return got
}

// TestModelsAnswer: of the questions that come up while a list is built and reversed and that can be, most are answered by the models of
// earlier ones, and as the solver would.
func TestModelsAnswer(t *testing.T) {
	m := testprogram.Compile(t, `#include <stdlib.h>
struct node { int v; struct node *next; };
int main(void) {
  struct node *head = 0, *back = 0;
  for (int i = 0; i < 6; i++) {
    struct node *n = malloc(sizeof *n);
    if (!n || nondet_int() == 7) break;
    n->v = i; n->next = head; head = n;
  }
  while (head) { struct node *next = head->next; head->next = back; back = head; head = next; }
  while (back) { struct node *next = back->next; CHECK(back->v < 6); free(back); back = next; }
  return 0;
}`, "-O0")
	s := ilr.NewStore(problem.NewSimplifier())
	solver, other := &counted{Solver: solve.New(s, solve.Options{})}, solve.New(s, solve.Options{})
	defer solver.Close()
	defer other.Close()
	b := &both{t: t, of: &problem.Prober{Solver: solver, Store: s}, other: other}
	opts := encode.Options{Checks: verdict.DefaultChecks(), Depth: 8, MaxUnwind: 8}
	if _, err := encode.Encode(context.Background(), m, m.Func("main"), s, opts, b); err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d questions, %d possible, %d by the solver", b.asked, b.possible, solver.possible); b.possible < 40 ||
		solver.possible > b.possible/3 {
		t.Errorf("of %d questions whose answer is yes the solver answered %d", b.possible, solver.possible)
	}
}

// told counts what a solver is told, and what it is asked.
type told struct {
	solve.Solver
	asserted []ilr.Term
	asked    int
}

func (x *told) Assert(t ilr.Term) {
	x.asserted = append(x.asserted, t)
	x.Solver.Assert(t)
}

func (x *told) Check(ctx context.Context, assumptions ...ilr.Term) (solve.Answer, error) {
	x.asked++
	return x.Solver.Check(ctx, assumptions...)
}

// TestSolverIsToldOfChoices: what the diagrams exclude comes to the solver when it is asked something else, and no sooner.
func TestSolverIsToldOfChoices(t *testing.T) {
	ctx := context.Background()
	s := ilr.NewStore(nil)
	solver := &told{Solver: solve.New(s, solve.Options{})}
	defer solver.Close()
	p := &problem.Prober{Solver: solver, Store: s}
	a, b := s.Var("a", ilr.Bool), s.Var("b", ilr.Bool)
	x, y := s.Var("x", ilr.BV(8)), s.Var("y", ilr.BV(8))
	excluded := s.And(s.Xor(a, b), s.Eq(a, b))
	if p.Feasible(ctx, excluded) || len(solver.asserted) > 0 || solver.asked > 0 {
		t.Fatalf("%d questions, told of %v", solver.asked, solver.asserted)
	}
	for range 2 { // the sum of two words is no choice
		if p.Feasible(ctx, s.And(s.Ult(s.Add(x, y), x), s.Eq(y, s.Int(8, 0)))) {
			t.Fatal("nothing was added, and the sum is less")
		}
		if solver.asked == 0 || len(solver.asserted) != 1 || solver.asserted[0] != s.Not(excluded) {
			t.Fatalf("%d questions, told of %v", solver.asked, solver.asserted)
		}
	}
}
