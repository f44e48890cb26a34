package replay

import (
	"context"
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A repeated state is found under the meaning that was asked for: with AnyAlignment
// a misaligned access is no undefined behaviour that ends the run.
func TestLassoTakesSemantics(t *testing.T) {
	src := `int main(void) { char b[8] = {1, 1, 1, 1, 1, 1, 1, 1}; while (*(int *)(b + 1)) ; return 0; }`
	for _, any := range []bool{false, true} {
		p := testprogram.Problem(testprogram.Hosted(t, src), "main", verdict.Termination)
		p.AnyAlignment = any
		err := GuessLasso{}.Run(context.Background(), p, problem.NewAnswers())
		if found := err == nil; found != any {
			t.Errorf("any alignment %v: found %v", any, found)
		}
	}
}

// The claim says at which step of its trace the cycle begins: behind the stem, whose variables it leaves alone.
func TestLassoCycle(t *testing.T) {
	src := `int main(void) { int stem = 1, turn = stem; while (1) turn = !turn; return 0; }`
	p := testprogram.Problem(testprogram.Hosted(t, src), "main", verdict.Termination)
	a := problem.NewAnswers()
	if err := (GuessLasso{}).Run(context.Background(), p, a); err != nil {
		t.Fatal(err)
	}
	c := a.AllSettled()[0].Claim
	if c.Cycle < 3 || len(c.Trace)-c.Cycle+1 != 2 {
		t.Fatalf("the cycle begins at step %d of %+v", c.Cycle, c.Trace)
	}
	for i, s := range c.Trace {
		if inCycle := i >= c.Cycle-1; inCycle && s.What != "turn" {
			t.Errorf("step %d of the cycle is about %s", i+1, s.What)
		}
	}
}

// Inputs are guessed from what the program compares with, and from the ends of
// the input's range.
func TestGuesses(t *testing.T) {
	m := testprogram.Hosted(t,
		`int main(void) { int i = nondet_int(); while (i > 4711) if (i == 8150) i = 8200; else i--; return 0; }`)
	values := guessValues(m)
	for _, v := range []int64{0, 4710, 4711, 4712, 8149, 8150, 8151} {
		if !slices.Contains(values, v) {
			t.Errorf("%d is not among the values %v", v, values)
		}
	}
	if slices.Contains(values, 8200) {
		t.Error("a constant that is compared with nothing is tried")
	}
	for n, want := range map[uint64]int64{0: values[0], 14: values[14], uint64(len(values)): -128,
		uint64(len(values)) + 1: 127} {
		g := &guess{seed: n, values: values}
		v, ok := g.Next(input.Nondet, nil, 8)
		if w := int64(int8(want)); !ok || v.Signed().Int64() != w {
			t.Errorf("seed %d gives %s, want %d", n, v.Signed(), w)
		}
	}
}

// Zeros and ones in each pattern that repeats after at most six inputs are tried: a tree
// in which a walk turns left and right by inputs, and comes round after five of them.
func TestGuessesPatterns(t *testing.T) {
	periods := map[int]int{}
	for _, g := range guesses(nil) {
		periods[g.period]++
	}
	for period, want := range map[int]int{2: 2, 3: 6, 4: 12, 5: 30, 6: 54} {
		if periods[period] != want {
			t.Errorf("%d patterns of period %d, want %d", periods[period], period, want)
		}
	}
	src := `int main(void) { unsigned at = 0; while (at < 5) {
		if ((at == 0 || at == 3) == (nondet_int() != 0)) at = (at + 1) % 5; else at = 9; } return 0; }`
	p := testprogram.Problem(testprogram.Hosted(t, src), "main", verdict.Termination)
	if err := (GuessLasso{}).Run(context.Background(), p, problem.NewAnswers()); err != nil {
		t.Errorf("the run that reads 1 0 0 1 0 and so on was not found: %v", err)
	}
}

// A list that grows for ever on any input but some patterns: no long run on the others stands before the short ones.
func TestGuessesShortRunsFirst(t *testing.T) {
	src := `struct node { struct node *next; } *list;
	int main(void) { while (nondet_int()) { while (nondet_int()) { struct node *n = malloc(sizeof *n);
		n->next = list; list = n; } list = 0; nondet_int(); } return 0; }`
	p := testprogram.Problem(testprogram.Hosted(t, src), "main", verdict.Termination)
	if err := (GuessLasso{Steps: 200_000}).Run(context.Background(), p, problem.NewAnswers()); err != nil {
		t.Errorf("the run that reads 1 0 0 and so on was not found: %v", err)
	}
}
