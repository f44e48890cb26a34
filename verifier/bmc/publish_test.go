package bmc

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// twoLoops holds claims before, in, between and behind two loops: of its assertions only line 4 holds.
const twoLoops = `#line 1
static int f(int n, int d) { return n / d; } int main(void) { int n = nondet_uchar(), d = n + 1, s = n / d;
for (int i = 0; i < n; i++) { s += f(i, 7);
CHECK((i ^ n) != 3); }
if (n < 0) { CHECK(0); }
for (int j = 0; j < n; j++) s ^= f(j, 7);
CHECK(n != 200);
return f(s, n - 9); }
`

// counted answers that every loop goes on, and closes stop at the n-th question.
type counted struct {
	left int
	stop chan struct{}
}

func (c *counted) Feasible(context.Context, ilr.Term) bool {
	if c.left--; c.left == 0 {
		close(c.stop)
	}
	return true
}

func (c *counted) Possible(context.Context, ilr.Term) bool { return true }

// stoppedRound makes a round of twoLoops whose walk ends at the n-th turn of its loops.
func stoppedRound(t *testing.T, p *problem.Problem, n int) (*unwinder, *round) {
	t.Helper()
	b := &unwinder{p: p, a: problem.NewAnswers(), whole: map[string]int{}}
	s := ilr.NewStore(problem.NewSimplifier())
	solver, err := p.OpenSolver(s, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(solver.Close)
	c := &counted{left: n, stop: make(chan struct{})}
	if n == 0 {
		close(c.stop)
	}
	opts := p.Encoding()
	opts.MaxUnwind, opts.Stop = 5, c.stop
	f, err := encode.Encode(context.Background(), p.Module, p.Entry, s, opts, c)
	if err != nil {
		t.Fatal(err)
	}
	r := &round{limit: 5, solver: solver, f: f}
	for _, g := range problem.GroupsOf(f) {
		r.groups = append(r.groups, &group{Group: g})
	}
	for _, a := range f.Assumptions {
		solver.Assert(a)
	}
	return b, r
}

// TestStoppedWalk: a walk that ends anywhere says so at its place. What is before it is decided, what may be behind
// is not, and nothing that fails holds.
func TestStoppedWalk(t *testing.T) {
	p := testprogram.Problem(testprogram.Compile(t, twoLoops, "-O0"), "main", verdict.Assert, verdict.DivByZero)
	most, violated := 0, 0
	for n := range 10 {
		b, r := stoppedRound(t, p, n)
		ctx := context.Background()
		b.decide(ctx, r)
		b.decideBounds(ctx, r)
		b.keepWhole(r)
		if !r.stopped || r.gap == nil || r.gap.Kind != verdict.TimedOut {
			t.Fatalf("stopped at turn %d: gap %+v", n, r.gap)
		}
		whole := 0
		for _, c := range b.outcome(r, b.whole).Claims {
			s := b.a.Settled(c.ID)
			holds := s == nil && (c.Whole > 0 || !c.BehindGap && c.Status != verdict.Unknown)
			if holds && c.Check == verdict.Assert && c.Pos.Line != 4 {
				t.Errorf("stopped at turn %d: %s in line %d holds", n, c.ID, c.Pos.Line)
			}
			if s != nil {
				violated++
			}
			if c.Whole > 0 {
				whole++
			}
		}
		most = max(most, whole)
	}
	if most == 0 || violated == 0 {
		t.Errorf("%d claims hold at most, %d violated", most, violated)
	}
}

// TestPublished: what a round hands on while it decides is part of what it says at its end.
func TestPublished(t *testing.T) {
	p := testprogram.Problem(testprogram.Compile(t, twoLoops, "-O0"), "main", verdict.Assert, verdict.DivByZero)
	b, r := stoppedRound(t, p, -1)
	ctx := context.Background()
	before := b.publisher(ctx, r)
	before.publish(instancesOf(r.f, r.groups)...)
	early := b.a.Unwinding()
	b.decide(ctx, r)
	before.told = false
	before.publish()
	part := b.a.Unwinding()
	b.decideBounds(ctx, r)
	b.keepWhole(r)
	end := b.outcome(r, b.whole)
	open, held := 0, 0
	for i, c := range end.Claims {
		if early.Claims[i].Status == verdict.Unknown {
			open++
		}
		if d := part.Claims[i]; c.ID != d.ID || b.a.Settled(c.ID) == nil && d.Status != verdict.Unknown &&
			c.Check != verdict.Unwinding && (d.Status != c.Status || d.Whole > c.Whole) {
			t.Errorf("%s: %s %d before the end, %s %d at the end", c.ID, d.Status, d.Whole, c.Status, c.Whole)
		} else if d.Whole > 0 {
			held++
		}
	}
	if !part.Partial || open == 0 || held == 0 {
		t.Errorf("partial %v, %d open at first, %d hold for any number of turns", part.Partial, open, held)
	}
	if done := part.Ended(&verdict.Reason{Kind: verdict.TimedOut}); done.Partial || done.Cut == nil {
		t.Errorf("ended: %+v", done)
	}
}
