package termination

import (
	"context"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

const threePhases = "s(x,y,z) -> l(x,y,z)\n" +
	" l(x,y,z) -> l(x+y,y+z,z-1) :|: x >= 0\n l(x,y,z) -> l(x+z,y+z,z-1) :|: x >= 0"

// phased are systems with phases, each with the point of the case; of those that do not end, one is one token away.
var phased = []struct {
	point, rules string
	ends         bool
}{
	{"three phases, not nested", threePhases, true},
	{"the last function does not fall", strings.Replace(threePhases, "z-1) :|: x >= 0\n", "z) :|: x >= 0\n", 1), false},
	{"the second function rises in the end", strings.ReplaceAll(threePhases, "y+z", "y-z"), false},
	{"a counter alone tells nothing", "s(x,c) -> l(x,c)\n l(x,c) -> l(z,c+1) :|: x > 0 && z > 0", false},
	{"the guard of the next turn bounds what is chosen",
		"s(x,y,z,t) -> l(x,y,z,t)\n l(x,y,z,t) -> l(u,y,z-1,x) :|: x >= y && x <= t + z\n" +
			" l(x,y,z,t) -> l(x,y+1,z,t) :|: x >= y && x <= t + z", true},
	{"the next turn may go another way",
		"s(x,y,z,t) -> l(x,y,z,t)\n l(x,y,z,t) -> l(u,y,z-1,x) :|: x >= y && x <= t + z\n" +
			" l(x,y,z,t) -> l(x,y,z,t) :|: x >= y", false},
	{"strict on one edge only", "s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(x+y,y+z,z-1) :|: x >= 0\n" +
		" l(x,y,z) -> l(x-1,y,z) :|: x >= 0", true},
	{"the other edge lets it rise", "s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(x+y,y+z,z-1) :|: x >= 0\n" +
		" l(x,y,z) -> l(x-1,y,z+9) :|: x >= 0", false},
	{"over two locations",
		"s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> m(x+y,y,z) :|: x >= 0\n l(x,y,z) -> m(x+z,y,z) :|: x >= 0\n" +
			" m(x,y,z) -> l(x,y+z,z-1)\n m(x,y,z) -> m(x-1,y,z) :|: x >= 0", true},
}

// related are systems with disjunctively well-founded relations; of those that do not end, one is one token away.
var related = []struct {
	point, rules string
	ends         bool
}{
	{"minimum", minimum, true},
	{"minimum, no less on one side", strings.Replace(minimum, "l(u,x-1)", "l(u,x)", 1), true},
	{"minimum, no less", strings.Replace(minimum, "l(u,y-1)", "l(u,y)", 1), false},
	{"minimum, of one alone",
		strings.Replace(minimum, "l(u,y-1) :|: x > 0 && y > 0 && x >= y", "l(u,y-1) :|: x > 0 && x >= y", 1), false},
	{"crossing", crossing, true},
	{"crossing, level", strings.Replace(crossing, "l(y-2,x+1)", "l(y-1,x+1)", 1), false},
	{"crossing, upwards", strings.Replace(crossing, "l(x-1,x)", "l(x,x)", 1), false},
	{"swap that falls",
		"s(x,y) -> l(x,y)\n l(x,y) -> l(y,x-1) :|: x > 0 && y > 0\n l(x,y) -> l(x-1,x-1) :|: x > 0 && y > 0", true},
	{"swap that stays",
		"s(x,y) -> l(x,y)\n l(x,y) -> l(y,x) :|: x > 0 && y > 0\n l(x,y) -> l(x-1,x) :|: x > 0 && y > 0", false},
	{"over two locations",
		"s(x,y) -> l(x,y)\n l(x,y) -> m(x-1,x) :|: x > 0 && y > 0\n l(x,y) -> m(y-2,x+1) :|: x > 0 && y > 0\n" +
			" m(x,y) -> l(x,y)\n m(x,y) -> l(x-1,y)", true},
}

const (
	minimum = "s(x,y) -> l(x,y)\n l(x,y) -> l(u,x-1) :|: x > 0 && y > 0 && x < y\n" +
		" l(x,y) -> l(u,y-1) :|: x > 0 && y > 0 && x >= y\n l(x,y) -> l(x-1,u) :|: x > 0 && y > 0 && x < y\n" +
		" l(x,y) -> l(y-1,u) :|: x > 0 && y > 0 && x >= y"
	crossing = "s(x,y) -> l(x,y)\n l(x,y) -> l(x-1,x) :|: x > 0 && y > 0\n l(x,y) -> l(y-2,x+1) :|: x > 0 && y > 0"
)

func TestRelations(t *testing.T) {
	for _, c := range related {
		a := Prove(context.Background(), system(t, c.rules), Options{Timeout: 5 * time.Minute})
		if (a.Verdict == Terminating) != c.ends {
			t.Errorf("%s: %v (%s)", c.point, a.Verdict, a.Reason)
		}
	}
}

// TestCheckerRejectsRelations: each certificate is accepted, and no longer once one thing in it is changed.
func TestCheckerRejectsRelations(t *testing.T) {
	ctx := context.Background()
	s := system(t, crossing)
	for name, spoil := range map[string]func(r *certify.Rank){
		"":                         func(*certify.Rank) {},
		"one less":                 func(r *certify.Rank) { r.Relations = r.Relations[1:] },
		"another one less":         func(r *certify.Rank) { r.Relations = r.Relations[:len(r.Relations)-1] },
		"none":                     func(r *certify.Rank) { r.Relations = []certify.Relation{} },
		"a rising function":        func(r *certify.Rank) { r.Relations[0].Falls = r.Relations[0].Falls.Neg() },
		"no function":              func(r *certify.Rank) { r.Relations[0].Falls = exact.Lin{} },
		"a relation of everything": func(r *certify.Rank) { r.Relations[0].Rows = nil },
		"a relation of too little": func(r *certify.Rank) {
			r.Relations[0].Rows = append(r.Relations[0].Rows, exact.C(-1))
		},
		"kept false": func(r *certify.Rank) {
			r.Kept = map[its.Loc][]exact.Lin{s.Trans[1].From: {exact.C(-1)}}
		},
	} {
		a := Prove(ctx, s, Options{})
		if a.Verdict != Terminating || len(a.Proof.Ranks) != 1 || len(a.Proof.Ranks[0].Relations) < 2 {
			t.Fatal("no relations", a.Reason)
		}
		spoil(&a.Proof.Ranks[0])
		if err := certify.Terminating(ctx, s, a.Proof); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPhases(t *testing.T) {
	for _, c := range phased {
		a := Prove(context.Background(), system(t, c.rules), Options{Timeout: 5 * time.Minute})
		if (a.Verdict == Terminating) != c.ends {
			t.Errorf("%s: %v (%s)", c.point, a.Verdict, a.Reason)
		}
	}
}

// TestCheckerRejectsPhases: each certificate is accepted, and no longer once one thing in it is changed.
func TestCheckerRejectsPhases(t *testing.T) {
	ctx := context.Background()
	s := system(t, threePhases)
	loop := s.Trans[1].From
	for name, spoil := range map[string]func(r *certify.Rank){
		"":                      func(*certify.Rank) {},
		"nothing behind it":     func(r *certify.Rank) { r.Phase = []certify.Rank{} },
		"no phase":              func(r *certify.Rank) { r.Phase = nil },
		"a function that rises": func(r *certify.Rank) { r.Funcs[0][loop] = r.Funcs[0][loop].Neg() },
		"one that stays":        func(r *certify.Rank) { r.Funcs[0][loop] = exact.C(1) },
		"one more, of no use": func(r *certify.Rank) {
			r.Funcs = append(r.Funcs, map[its.Loc]exact.Lin{loop: exact.V(0)})
		},
		"kept by nobody": func(r *certify.Rank) { r.Kept = map[its.Loc][]exact.Lin{loop: {exact.V(1)}} },
		"kept false":     func(r *certify.Rank) { r.Kept = map[its.Loc][]exact.Lin{loop: {exact.C(-1)}} },
		"second kept by nobody": func(r *certify.Rank) {
			r.Phase[0].Kept = map[its.Loc][]exact.Lin{loop: {exact.C(-1)}}
		},
		"no second phase": func(r *certify.Rank) {
			*r = certify.Rank{Funcs: r.Funcs, Strict: r.Strict, Phase: r.Phase[0].Phase}
		},
		"too little in the last": func(r *certify.Rank) { r.Phase[0].Phase[0].Strict = r.Strict[:1] },
	} {
		a := Prove(ctx, s, Options{})
		if a.Verdict != Terminating || len(a.Proof.Ranks) != 1 || a.Proof.Ranks[0].Phase == nil {
			t.Fatal("no phase", a.Reason)
		}
		spoil(&a.Proof.Ranks[0])
		if err := certify.Terminating(ctx, s, a.Proof); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestRandomLoopsEnd: small runs of loops said to end do, in a number of turns that is polynomial in numbers that are
// all below 10.
func TestRandomLoopsEnd(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	pick := func(list ...string) string { return list[rng.Intn(len(list))] }
	bound := func(v string) string {
		return pick(" && "+v+" > 1", " && "+v+" > 0", " && "+v+" >= 0", " && "+v+" < 0", " && "+v+" < 0-1", "")
	}
	for name, loop := range map[string]func() string{
		"without bound": func() string {
			return "l(x" + pick("+y", "+y", "+z", "-1", "+1", "") + ",y" + pick("+z", "+z", "-1", "-z", "") + ",z" +
				pick("-1", "-1", "-1", "", "+1", "+y") + ") :|: " +
				pick("x >= 0", "x >= 0", "x >= y", "x + y >= 0", "x >= 0 && y >= z")
		},
		"*": func() string {
			return "l(" + pick("x*y", "x*y", "0-x*y", "x+x*y", "x*x", "x-y*y") + ",y" +
				pick("", "", "", "+1", "-1") + ",z" + pick("", "", "-1", "+x*y") + ") :|: " +
				pick("x < z", "x > z", "x <= z && x > 0-z") + bound("x") + bound("y")
		},
	} {
		rng.Seed(7) // whichever comes first
		proved, so := 0, 0
		for n := 0; n < 100; n++ {
			rules := "s(x,y,z) -> l(x,y,z)\n"
			for e := n % 2; e < 2 || e < 3 && name != "*"; e++ {
				rules += " l(x,y,z) -> " + loop() + "\n"
			}
			s := system(t, rules)
			a := Prove(context.Background(), s, Options{Timeout: time.Minute})
			if a.Verdict != Terminating {
				continue
			}
			proved++
			if strings.Contains(a.Text+rules, name) {
				so++
			}
			for run := 0; run < 40; run++ {
				small := func() exact.Int { return exact.I(rng.Int63n(19) - 9) }
				start := []exact.Int{small(), small(), small()}
				count, _ := walk(s, start, rng, longWalk)
				turns := 0
				for _, c := range count {
					turns += c
				}
				if turns >= longWalk {
					t.Fatalf("a run of %v turns from %v:\n%s\n%s", count, start, rules, a.Text)
				}
			}
		}
		if t.Log(name, proved, "proved,", so, "so"); so < 5 {
			t.Errorf("%s: %d of %d proofs", name, so, proved)
		}
	}
}

// longWalk is more than the turns of any such run.
const longWalk = 50_000
