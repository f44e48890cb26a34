package rules_test

import (
	"context"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite/rulegen"
	"github.com/firmproof/firmproof/verifier/rewrite/rules"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/testprogram"
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
			got := rules.ApplyRule(s, i, sort, imm, args)
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
		if m := testprogram.RandomModel(s, rng); s.Eval(a, m) != s.Eval(b, m) {
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
