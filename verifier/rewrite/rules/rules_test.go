package rules_test

import (
	"context"
	"math/rand"
	"os"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite/rulegen"
	"github.com/firmproof/firmproof/verifier/rewrite/rules"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

func readRules(t *testing.T) []rulegen.Rule {
	t.Helper()
	text, err := os.ReadFile("terms.rules")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := rulegen.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestGeneratedIsFresh(t *testing.T) {
	want, err := rulegen.Generate(readRules(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("rules_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Fatal("rules_gen.go is stale: run go generate ./verifier/rewrite/rules")
	}
}

// instance builds terms that have the shape of a pattern, with random widths,
// sorts and constants.
type instance struct {
	s     *ilr.Store
	rng   *rand.Rand
	bound map[string]ilr.Term
	w     int // width to prefer
	bad   bool
}

func (in *instance) width() int { return []int{1, 2, 3, 4, 8, in.w, in.w, in.w}[in.rng.Intn(8)] }

func (in *instance) constant(w int) ilr.Term {
	v := bits.New(w, in.rng.Uint64())
	switch in.rng.Intn(6) {
	case 0:
		v = bits.Shl(bits.New(w, 1), uint(in.rng.Intn(w)))
	case 1:
		v = bits.Lshr(bits.Ones(w), uint(in.rng.Intn(w)))
	case 2:
		v = bits.Not(bits.Lshr(bits.Ones(w), uint(in.rng.Intn(w))))
	case 3:
		v = bits.NewInt(w, int64(in.rng.Intn(5)-2))
	case 4:
		v = bits.Add(bits.MinSigned(w), bits.NewInt(w, int64(in.rng.Intn(3)-1)))
	}
	return in.s.Const(v)
}

func (in *instance) leaf(n *rulegen.Node, sort ilr.Sort) ilr.Term {
	if n.IsNumber() {
		if in.bad = in.bad || sort.Kind != ilr.SortBV; in.bad {
			return in.s.True()
		}
		w := sort.W
		switch n.Atom {
		case "min":
			return in.s.Const(bits.MinSigned(w))
		case "max":
			return in.s.Const(bits.MaxSigned(w))
		}
		v, _ := bits.Parse(w, n.Atom)
		return in.s.Const(v)
	}
	if t, ok := in.bound[n.Atom]; ok {
		in.bad = in.bad || in.s.Sort(t) != sort
		return t
	}
	var t ilr.Term
	switch {
	case n.IsConst():
		in.bad = in.bad || sort.Kind != ilr.SortBV
		if in.bad {
			return in.s.True()
		}
		t = in.constant(sort.W)
	case sort.Kind == ilr.SortBV && sort.W > 1 && in.rng.Intn(4) == 0: // for conditions on ranges
		t = in.s.Zext(in.s.Var(n.Atom, ilr.BV(1+in.rng.Intn(sort.W-1))), sort.W)
	default:
		t = in.s.Var(n.Atom, sort)
	}
	in.bound[n.Atom] = t
	return t
}

// sortOf returns the sort that the node has or may have.
func (in *instance) sortOf(n *rulegen.Node) ilr.Sort {
	if n.Kind == 0 {
		if t, ok := in.bound[n.Atom]; ok {
			return in.s.Sort(t)
		}
	}
	for _, a := range n.Args {
		if t, ok := in.bound[a.Atom]; ok && a.Kind == 0 && n.Kind >= ilr.KBvNot && n.Kind <= ilr.KAshr {
			return in.s.Sort(t)
		}
	}
	return ilr.BV(in.width())
}

func isPredicate(k ilr.Kind) bool {
	return k == ilr.KNot || k == ilr.KAnd || k == ilr.KEq || k >= ilr.KUlt && k <= ilr.KSmulO
}

// args builds the arguments of n for a term of the given sort.
func (in *instance) args(n *rulegen.Node, sort ilr.Sort) (args []ilr.Term, imm uint64) {
	if in.bad || isPredicate(n.Kind) != (sort == ilr.Bool) && n.Kind != ilr.KIte {
		in.bad = true
		return nil, 0
	}
	build := func(i int, sort ilr.Sort) {
		if !in.bad {
			args = append(args, in.term(n.Args[i], sort))
		}
	}
	switch n.Kind {
	case ilr.KNot, ilr.KAnd:
		for i := range n.Args {
			build(i, ilr.Bool)
		}
	case ilr.KIte:
		build(0, ilr.Bool)
		build(1, sort)
		build(2, sort)
	case ilr.KConcat:
		hi := 1
		if sort.W < 2 {
			in.bad = true
		} else {
			hi = 1 + in.rng.Intn(sort.W-1)
		}
		for i, w := range []int{hi, sort.W - hi} {
			if a := n.Args[i]; a.Kind == 0 && in.bound[a.Atom] != 0 && i == 0 { // fit what is there
				hi = in.s.Width(in.bound[a.Atom])
				w = hi
			}
			if i == 1 {
				w = sort.W - hi
			}
			in.bad = in.bad || w < 1
			build(i, ilr.BV(max(1, w)))
		}
	case ilr.KExtract:
		w := sort.W + in.rng.Intn(4)
		if t := in.bound[n.Args[0].Atom]; n.Args[0].Kind == 0 && t != 0 {
			w = in.s.Width(t)
		}
		if w < sort.W || w == 0 {
			in.bad = true
			return nil, 0
		}
		lo := in.rng.Intn(w - sort.W + 1)
		build(0, ilr.BV(w))
		imm = uint64(lo+sort.W-1)<<32 | uint64(lo)
	case ilr.KZext, ilr.KSext:
		if in.bad = sort.W < 2; !in.bad {
			build(0, ilr.BV(1+in.rng.Intn(sort.W-1)))
		}
	default:
		inner := sort
		if isPredicate(n.Kind) {
			inner = in.operandSort(n)
		}
		for i := range n.Args {
			build(i, inner)
		}
	}
	return args, imm
}

func (in *instance) operandSort(n *rulegen.Node) ilr.Sort {
	bool1 := false
	for _, a := range n.Args {
		if a.Kind == 0 && in.bound[a.Atom] != 0 {
			return in.s.Sort(in.bound[a.Atom])
		}
		bool1 = bool1 || a.Kind != 0 && isPredicate(a.Kind)
	}
	if n.Kind == ilr.KEq && (bool1 || in.rng.Intn(8) == 0) {
		return ilr.Bool
	}
	return in.sortOf(n.Args[0])
}

func (in *instance) term(n *rulegen.Node, sort ilr.Sort) ilr.Term {
	if n.Kind == 0 {
		return in.leaf(n, sort)
	}
	args, imm := in.args(n, sort)
	if in.bad {
		return in.s.True()
	}
	if n.Kind.Commutative() && in.rng.Intn(2) == 0 {
		args[0], args[1] = args[1], args[0]
	}
	return in.s.Make(n.Kind, sort, imm, args)
}

// TestRulesProved instantiates every rule at widths 1, 2, 3, 4 and 8, and has the
// own solver prove each result equal to what it replaces.
func TestRulesProved(t *testing.T) {
	names := rules.Names()
	for i, r := range readRules(t) {
		if names[i] != r.Name {
			t.Fatalf("rule %d is %s in the code and %s in the file", i, names[i], r.Name)
		}
		rng := rand.New(rand.NewSource(int64(i)))
		fired := 0
		for _, w := range []int{1, 2, 3, 4, 8} {
			proved := 0
			for try := 0; try < 400 && proved < 12; try++ {
				if proveOnce(t, i, r, w, rng) {
					proved++
				}
			}
			fired += proved
		}
		if fired < 5 {
			t.Errorf("rule %s fired %d times", r.Name, fired)
		}
	}
}

func proveOnce(t *testing.T, i int, r rulegen.Rule, w int, rng *rand.Rand) bool {
	s := ilr.NewStore(nil)
	in := &instance{s: s, rng: rng, bound: map[string]ilr.Term{}, w: w}
	sort := ilr.BV(w)
	if isPredicate(r.Pattern.Kind) || r.Pattern.Kind == ilr.KIte && rng.Intn(3) == 0 {
		sort = ilr.Bool
	}
	args, imm := in.args(r.Pattern, sort)
	if in.bad {
		return false
	}
	if r.Pattern.Kind.Commutative() && s.Kind(args[0]) != ilr.KConst && s.Kind(args[1]) != ilr.KConst &&
		rng.Intn(2) == 0 {
		args[0], args[1] = args[1], args[0]
	}
	got := rules.ApplyRule(s, i, sort, imm, args)
	if got == 0 {
		return false
	}
	if s.Sort(got) != sort {
		t.Fatalf("%s: result of sort %s for %s", r.Name, s.Sort(got), sort)
	}
	old := s.Make(r.Pattern.Kind, sort, imm, args)
	solver := solve.New(s, solve.Options{Conflicts: 3000})
	defer solver.Close()
	a, err := solver.Check(context.Background(), s.Not(s.Eq(old, got)))
	if a == solve.Sat {
		t.Errorf("%s is wrong:\n%s\nbecame\n%s\nunder %v", r.Name, s.String(old), s.String(got), solver.Model().BV)
	}
	if err != nil && widest(s) <= 4 {
		t.Fatalf("%s: %v at width %d", r.Name, err, w)
	}
	if err != nil { // products of two unknowns: proved at widths up to 4, tried here
		for n := 0; n < 3000; n++ {
			if m := testprogram.RandomModel(s, rng); s.Eval(old, m) != s.Eval(got, m) {
				t.Errorf("%s is wrong:\n%s\nbecame\n%s\nunder %v", r.Name, s.String(old), s.String(got), m.BV)
			}
		}
	}
	return true
}

func widest(s *ilr.Store) int {
	w := 0
	for t := ilr.Term(1); int(t) <= s.Len(); t++ {
		w = max(w, s.Width(t))
	}
	return w
}
