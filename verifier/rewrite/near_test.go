package rewrite_test

import (
	"context"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
	"github.com/firmproof/firmproof/verifier/rewrite/rulegen"
	"github.com/firmproof/firmproof/verifier/solve"
)

// alike are kinds that a matcher which looks at too little would confuse.
var alike = [][]ilr.Kind{{ilr.KUlt, ilr.KSlt}, {ilr.KUaddO, ilr.KSaddO, ilr.KSsubO, ilr.KUmulO, ilr.KSmulO},
	{ilr.KBvAnd, ilr.KBvOr, ilr.KBvXor, ilr.KAdd, ilr.KMul}, {ilr.KUdiv, ilr.KUrem, ilr.KShl, ilr.KLshr, ilr.KAshr},
	{ilr.KZext, ilr.KSext}, {ilr.KNeg, ilr.KBvNot}}

// differ returns a copy of a pattern with one difference: another variable, any constant, a kind of like shape,
// or arguments in the other order.
func differ(n *rulegen.Node, rng *rand.Rand) *rulegen.Node {
	root := clone(n)
	var places []func()
	var walk func(m *rulegen.Node)
	walk = func(m *rulegen.Node) {
		if m.Kind == 0 {
			places = append(places, func() {
				if m.IsConst() {
					m.Atom = "$other"
				} else {
					m.Atom = "other"
				}
			})
			return
		}
		for _, group := range alike {
			for i, k := range group {
				if k == m.Kind && m != root {
					places = append(places, func() { m.Kind = group[(i+1+rng.Intn(len(group)-1))%len(group)] })
				}
			}
		}
		if len(m.Args) == 2 && !m.Kind.Commutative() {
			places = append(places, func() { m.Args[0], m.Args[1] = m.Args[1], m.Args[0] })
		}
		for _, a := range m.Args {
			walk(a)
		}
	}
	walk(root)
	places[rng.Intn(len(places))]()
	return root
}

func clone(n *rulegen.Node) *rulegen.Node {
	c := *n
	c.Args = nil
	for _, a := range n.Args {
		c.Args = append(c.Args, clone(a))
	}
	return &c
}

// TestRulesOnNearMisses: terms that differ from what a rule matches in one place are left alone, or become terms that
// are equal to them. A matcher that forgets to compare, or looks at another argument, does neither.
func TestRulesOnNearMisses(t *testing.T) {
	left, fired := 0, 0
	for i, r := range readRules(t) {
		rng := rand.New(rand.NewSource(int64(1000 + i)))
		for try := 0; try < 80; try++ {
			s := ilr.NewStore(nil)
			in := &instance{s: s, rng: rng, bound: map[string]ilr.Term{}, w: []int{2, 3, 4, 8}[try%4]}
			sort := ilr.BV(in.w)
			if isPredicate(r.Pattern.Kind) || r.Pattern.Kind == ilr.KIte && rng.Intn(3) == 0 {
				sort = ilr.Bool
			}
			args, imm := in.args(differ(r.Pattern, rng), sort)
			if in.bad {
				continue
			}
			got := rewrite.ApplyRule(s, i, sort, imm, args)
			if got == 0 {
				left++
				continue
			}
			fired++
			if s.Sort(got) != sort {
				t.Errorf("%s: result of sort %s for %s", r.Name, s.Sort(got), sort)
				break
			}
			if old := s.Make(r.Pattern.Kind, sort, imm, args); !equal(t, s, old, got, rng) {
				t.Errorf("%s is wrong:\n%s\nbecame\n%s", r.Name, s.String(old), s.String(got))
				break
			}
		}
	}
	if left < 6000 || fired < 1000 {
		t.Errorf("%d terms were left alone, %d became others", left, fired)
	}
}

// equal reports whether two terms have the same value, by the solver where random values do not tell them apart.
func equal(t *testing.T, s *ilr.Store, a, b ilr.Term, rng *rand.Rand) bool {
	t.Helper()
	for range 60 {
		if m := randomModel(s, rng); s.Eval(a, m) != s.Eval(b, m) {
			return false
		}
	}
	if widest(s) > 3 {
		return true
	}
	solver := solve.New(s, solve.Options{})
	defer solver.Close()
	answer, err := solver.Check(context.Background(), s.Not(s.Eq(a, b)))
	if err != nil {
		t.Fatal(err)
	}
	return answer == solve.Unsat
}

// choice is a term of two values, and no other fact about it.
func choice(s *ilr.Store, name string, w int, lo, hi uint64) ilr.Term {
	return s.Ite(s.Var(name, ilr.Bool), s.Const(bits.New(w, lo)), s.Const(bits.New(w, hi)))
}

// TestPredicatesDecided: what is decided of two arguments with known ranges holds for all their values, at width 3 for
// all ranges; and what the ends of the ranges decide is decided.
func TestPredicatesDecided(t *testing.T) {
	const w = 3
	kinds := []ilr.Kind{ilr.KEq, ilr.KUlt, ilr.KSlt, ilr.KUaddO, ilr.KSaddO, ilr.KSsubO, ilr.KUmulO, ilr.KSmulO}
	for a := range uint64(64) {
		for b := range uint64(64) {
			if a>>3 > a&7 || b>>3 > b&7 {
				continue
			}
			s := ilr.NewStore(nil)
			x, y := choice(s, "x", w, a>>3, a&7), choice(s, "y", w, b>>3, b&7)
			for _, k := range kinds {
				decided(t, s, k, [2]ilr.Term{x, y}, [4]uint64{a >> 3, a & 7, b >> 3, b & 7})
			}
		}
	}
}

// decided holds what is decided of a predicate to its values at the ends e of the ranges of its arguments, and within.
func decided(t *testing.T, s *ilr.Store, k ilr.Kind, args [2]ilr.Term, e [4]uint64) {
	t.Helper()
	holds := func(x, y uint64) bool {
		w := s.Width(args[0])
		return s.IsTrue(s.Make(k, ilr.Bool, 0, []ilr.Term{s.Const(bits.New(w, x)), s.Const(bits.New(w, y))}))
	}
	v, known := rewrite.DecideByFacts(s, k, args[:])
	if known {
		for _, x := range e[:2] {
			for _, y := range e[2:] {
				if holds(x, y) != v {
					t.Errorf("%s of %d..%d and %d..%d is not %v", k, e[0], e[1], e[2], e[3], v)
					return
				}
			}
		}
		return
	}
	first, same := holds(e[0], e[2]), true
	for x := e[0]; x <= e[1]; x++ {
		for y := e[2]; y <= e[3]; y++ {
			same = same && holds(x, y) == first
		}
	}
	signed := k == ilr.KSlt || k == ilr.KSaddO || k == ilr.KSsubO || k == ilr.KSmulO
	if same && !(k == ilr.KEq && first) && !(signed && (e[0]>>2 != e[1]>>2 || e[2]>>2 != e[3]>>2 || first &&
		k != ilr.KSlt)) {
		t.Errorf("%s of %d..%d and %d..%d is always %v", k, e[0], e[1], e[2], e[3], first)
	}
}
