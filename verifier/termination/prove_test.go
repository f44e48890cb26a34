package termination

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

func system(t *testing.T, rules string) *its.System {
	t.Helper()
	s, err := its.ReadKoAT(t.Name(), "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS s))\n(RULES\n"+rules+"\n)")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// provable and refutable systems, each with the point of the case.
var verdicts = []struct {
	point, rules string
	want         Verdict
}{
	{"linear", "s(x,y) -> l(x,y) :|: y >= 1\n l(x,y) -> l(x-y,y) :|: x >= 1", Terminating},
	{"linear, needs the invariant y >= 1", "s(x,y) -> l(x,y) :|: y >= 0\n l(x,y) -> l(x-y,y) :|: x >= 1",
		NonTerminating},
	{"lexicographic", "s(x,y) -> l(x,y)\n l(x,y) -> l(x-1,z) :|: x > 0\n l(x,y) -> l(x,y-1) :|: x > 0 && y > 0",
		Terminating},
	{"two phases", "s(x,y) -> l(x,y)\n l(x,y) -> l(x+y,y-1) :|: x > 0", Terminating},
	{"two phases, upwards", "s(x,y) -> l(x,y)\n l(x,y) -> l(x+y,y+1) :|: x > 0", NonTerminating},
	{"nested loops",
		"s(x,y,n) -> a(n,0,n)\n a(x,y,n) -> b(x,n,n) :|: x > 0\n b(x,y,n) -> b(x,y-1,n) :|: y > 0\n" +
			" b(x,y,n) -> a(x-1,y,n) :|: y <= 0", Terminating},
	{"no guard", "s(x) -> l(x)\n l(x) -> l(x)", NonTerminating},
	{"parity decides: integers, not rationals", "s(x) -> l(x)\n l(x) -> l(x) :|: 2*y = x && 2*z = x + 1", Terminating},
	{"swap is a cycle of length two", "s(x,y) -> l(3,4)\n l(x,y) -> l(y,x) :|: x != y", NonTerminating},
	{"state repeats after a long stem", "s(x) -> l(0)\n l(x) -> l(x+1) :|: x < 50\n l(x) -> l(x-1) :|: x >= 50",
		NonTerminating},
	{"nondeterminism must be chosen", "s(x) -> l(x)\n l(x) -> l(z) :|: x > 0 && z < 5", NonTerminating},
	{"the set is unreachable", "s(x) -> l(x) :|: x < 0\n l(x) -> l(x) :|: x > 0", Terminating},
	{"wide ranges as guards",
		"s(x) -> l(x) :|: x >= 0 && x <= 4294967295\n l(x) -> l(x-1) :|: x >= 1 && x <= 4294967295", Terminating},
	{"nonlinear guard dropped", "s(x,y) -> l(x,y)\n l(x,y) -> l(x-1,y*y) :|: x > 0 && x*y > 3", Terminating},
	{"square is not negative", "s(x,y) -> l(x,y)\n l(x,y) -> l(x-1-y*y,y) :|: x > 0", Terminating},
	{"case split: the distance shrinks from either side",
		"s(x,y) -> l(x,y)\n l(x,y) -> l(x+1,y) :|: x < y\n l(x,y) -> l(x,y+1) :|: y < x", Terminating},
	{"parity decides which turn comes next",
		"s(x) -> l(x)\n l(x) -> l(x-1) :|: x < 255 && x = 2*q + 1\n l(x) -> l(x+2) :|: x < 255 && x = 2*q",
		Terminating},
	{"parity decides, one up and one down",
		"s(x) -> l(x)\n l(x) -> l(x-1) :|: x < 255 && x = 2*q + 1\n l(x) -> l(x+1) :|: x < 255 && x = 2*q",
		NonTerminating},
	{"the way in decides which way it goes", "s(x,y,z) -> l(1,y,z)\n s(x,y,z) -> l(0-1,y,z)\n" +
		" l(x,y,z) -> l(x,y+x,z-x) :|: y < 100 && z < 100", Terminating},
	{"one way in stands still", "s(x,y,z) -> l(1,y,z)\n s(x,y,z) -> l(0,y,z)\n" +
		" l(x,y,z) -> l(x,y+x,z-x) :|: y < 100 && z < 100", NonTerminating},
	{"the way in, over two loops",
		"s(x,y) -> l(1,y)\n s(x,y) -> l(0-1,y)\n l(x,y) -> l(x,y-1) :|: y > 9\n l(x,y) -> m(x,y)\n" +
			" m(x,y) -> m(x,y+x) :|: y > 0 - 5 && y < 5", Terminating},
	{"one way in leads past a loop",
		"s(x,y) -> l(1,y)\n s(x,y) -> l(0-1,y)\n l(x,y) -> l(x,y+x) :|: y < 100 && y > 0-100 && x > 0\n" +
			" l(x,y) -> l(x,y+x) :|: y < 100 && y > 0-100 && x < 0\n l(x,y) -> l(x,y) :|: x > 5", Terminating},
	{"the loop changes what the way in says", "s(x,y) -> l(1,y)\n s(x,y) -> l(0-1,y)\n" +
		" l(x,y) -> l(0-x,y+x) :|: y < 100 && y > 0 - 100", NonTerminating},
	{"two different turns grow together",
		"s(x) -> l(x)\n l(x) -> l(0-x-1) :|: x > 0\n l(x) -> l(1-x) :|: x < 0", NonTerminating},
	{"two different turns shrink together",
		"s(x) -> l(x)\n l(x) -> l(1-x) :|: x > 0\n l(x) -> l(0-x-1) :|: x < 0", Terminating},
	{"an inner round of one turn", "s(x,y,z) -> l(x,z,z)\n l(x,y,z) -> l(x,z,z) :|: y = 0 && z > 0\n" +
		" l(x,y,z) -> l(x+1,y-1,z) :|: y > 0 && x > 0 && z > 0", NonTerminating},
	{"an inner round that uses something up", "s(x,y,z) -> l(x,z,z)\n l(x,y,z) -> l(x,z,z) :|: y = 0 && z > 0\n" +
		" l(x,y,z) -> l(x-1,y-1,z) :|: y > 0 && x > 0 && z > 0", Terminating},
	{"what the next turn asks for is chosen",
		"s(x,y) -> l(x,y)\n l(x,y) -> l(z,x) :|: x > 1 && x >= 2*y", NonTerminating},
	{"what the next turn asks for is too much",
		"s(x,y) -> l(x,y)\n l(x,y) -> l(z,x) :|: x > 1 && x < y && z < 50", Terminating},
	{"a product grows", "s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(x,x*y,z) :|: x > 1 && y > 0 && y < z", Terminating},
	{"a product that may stay", "s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(x,x*y,z) :|: x > 0 && y > 0 && y < z", Unknown},
	{"a product that may fall", "s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(x,x*y,z) :|: x > 1 && y < z", Unknown},
	{"a square grows", "s(x,y) -> l(x,y)\n l(x,y) -> l(x*x,y) :|: x > 1 && x < y", Terminating},
	{"a product of negative numbers grows",
		"s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(x,0-x*y,z) :|: x < 0-1 && y > 0 && y < z", Terminating},
	{"bounds of both kinds",
		"s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(x,y,z+x*y) :|: x > 1 && y < 0-2 && z > 0", Terminating},
	{"two successors", "s(x) -> l(x)\n l(x) -> Com_2(l(x-1), l(x-2)) :|: x > 0", Terminating},
	{"two successors, one for ever", "s(x) -> l(x)\n l(x) -> Com_2(l(x-1), l(x)) :|: x > 0", NonTerminating},
}

func TestVerdicts(t *testing.T) {
	for _, c := range verdicts {
		s := system(t, c.rules)
		a := Prove(context.Background(), s, Options{Timeout: 5 * time.Minute})
		if a.Verdict != c.want {
			t.Errorf("%s: %v (%s), want %v", c.point, a.Verdict, a.Reason, c.want)
			continue
		}
		if (a.Proof != nil) != (c.want == Terminating) || (a.Run != nil) != (c.want == NonTerminating) ||
			(a.Text == "") != (c.want == Unknown) {
			t.Errorf("%s: certificate missing", c.point)
		}
	}
}

// TestApproximationNeverRefutes: the same loop, marked as over-approximating, is
// no longer refuted.
func TestApproximationNeverRefutes(t *testing.T) {
	for _, approx := range []bool{false, true} {
		b := its.NewBuilder("approx")
		x := b.Var("x")
		s, l := b.Loc("s"), b.Loc("l")
		b.Trans(s, l).Exact("entry")
		loop := b.Trans(l, l).GE(exact.V(x))
		want := NonTerminating
		if approx {
			loop.Approx("loop")
			want = Unknown
		} else {
			loop.Exact("loop")
		}
		sys, err := b.System(s)
		if err != nil {
			t.Fatal(err)
		}
		if a := Prove(context.Background(), sys, Options{}); a.Verdict != want {
			t.Errorf("approximate %v: %v, want %v", approx, a.Verdict, want)
		}
	}
}

// TestCheckerRejects: each certificate is accepted, and no longer once one thing
// in it is changed.
func TestCheckerRejects(t *testing.T) {
	ctx := context.Background()
	s := system(t, "s(x,y) -> l(x,y) :|: y >= 1\n l(x,y) -> l(x-y,y) :|: x >= 1")
	prove := func() *certify.Termination {
		a := Prove(ctx, s, Options{})
		if a.Verdict != Terminating {
			t.Fatal(a.Reason)
		}
		return a.Proof
	}
	loop := s.Trans[1].From
	for name, spoil := range map[string]func(*certify.Termination){
		"":                      func(*certify.Termination) {},
		"no ranks":              func(c *certify.Termination) { c.Ranks = nil },
		"wrong function":        func(c *certify.Termination) { c.Ranks[0].Funcs[0][loop] = exact.V(1) },
		"rising function":       func(c *certify.Termination) { c.Ranks[0].Funcs[0][loop] = exact.V(0).Neg() },
		"no invariant":          func(c *certify.Termination) { c.Inv[loop] = nil },
		"invariant not entered": func(c *certify.Termination) { c.Inv[loop] = append(c.Inv[loop], exact.V(0)) },
		"false at the loop":     func(c *certify.Termination) { c.Inv[loop] = []exact.Lin{exact.C(-1)} },
		"false at the start":    func(c *certify.Termination) { c.Inv[s.Start] = []exact.Lin{exact.C(-1)} },
		"loop not cut":          func(c *certify.Termination) { c.Cuts = []its.Loc{s.Start} },
		"nothing strict":        func(c *certify.Termination) { c.Ranks[0].Strict = nil },
		"component of nothing":  func(c *certify.Termination) { c.Ranks[0].Funcs[0] = map[its.Loc]exact.Lin{} },
	} {
		cert := prove()
		spoil(cert)
		if err := certify.Terminating(ctx, s, cert); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestCheckerRejectsSplits: a refinement must keep every edge that can be taken.
func TestCheckerRejectsSplits(t *testing.T) {
	ctx := context.Background()
	s := system(t, "s(x,y) -> l(x,y)\n l(x,y) -> l(x+1,y) :|: x < y\n l(x,y) -> l(x,y+1) :|: y < x")
	for name, spoil := range map[string]func(*certify.Refinement){
		"":                 func(*certify.Refinement) {},
		"arc left out":     func(r *certify.Refinement) { r.Arcs, r.Inner.Ranks = r.Arcs[:3], nil },
		"no arcs":          func(r *certify.Refinement) { r.Arcs, r.Inner.Ranks = nil, nil },
		"start elsewhere":  func(r *certify.Refinement) { r.Locs[0] = r.Locs[1] },
		"arc to the start": func(r *certify.Refinement) { r.Arcs[1].To = 0 },
		"inner unproved":   func(r *certify.Refinement) { r.Inner.Ranks = nil },
	} {
		a := Prove(ctx, s, Options{})
		if a.Verdict != Terminating || a.Proof.Split == nil {
			t.Fatal("no split", a.Reason)
		}
		spoil(a.Proof.Split)
		if err := certify.Terminating(ctx, s, a.Proof); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestCheckerRejectsRuns(t *testing.T) {
	ctx := context.Background()
	s := system(t, "s(x,y) -> l(x,z) :|: z > 3\n l(x,y) -> l(x+y,y) :|: x >= 1")
	for name, spoil := range map[string]func(*certify.Recurrence){
		"":                 func(*certify.Recurrence) {},
		"set too wide":     func(c *certify.Recurrence) { c.Set = nil },
		"outside the set":  func(c *certify.Recurrence) { c.Start[0] = exact.I(-7) },
		"stem guard":       func(c *certify.Recurrence) { c.StemTemps[0][0] = exact.I(3) },
		"no cycle":         func(c *certify.Recurrence) { c.Cycle = nil },
		"no stem":          func(c *certify.Recurrence) { c.Stem, c.StemTemps = nil, nil },
		"no such step":     func(c *certify.Recurrence) { c.Cycle[0].Trans = 9 },
		"too many choices": func(c *certify.Recurrence) { c.Choice = append(c.Choice, exact.C(1)) },
	} {
		a := Prove(ctx, s, Options{})
		if a.Verdict != NonTerminating {
			t.Fatal(a.Reason)
		}
		spoil(a.Run)
		if err := certify.NonTerminating(ctx, s, a.Run); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestProofTextNamesTheFunction(t *testing.T) {
	s := system(t, "s(x,y) -> l(x,y)\n l(x,y) -> l(x+y,y-1) :|: x > 0")
	a := Prove(context.Background(), s, Options{})
	for _, want := range []string{"the 2-phase ranking function", "l -> l (rule 1)", "No cycle is left"} {
		if !strings.Contains(a.Text, want) {
			t.Errorf("%q missing in\n%s", want, a.Text)
		}
	}
}
