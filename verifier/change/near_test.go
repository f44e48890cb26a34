package change

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestNear: inputs beside others differ in numbers that the code asks for. Where objects lie, and what fails, stays.
func TestNear(t *testing.T) {
	varied := map[input.Kind]bool{input.Nondet: true, input.Param: true, input.VolatileRead: true, input.Unspecified: true}
	var list []verdict.Input
	for k := input.Nondet; k <= input.Unspecified; k++ {
		list = append(list, verdict.Input{Kind: k.String(), Width: 32, Value: bits.NewInt(32, 1).Hex()})
	}
	list = append(list, verdict.Input{Kind: input.Nondet.String(), Value: "1"}) // of no width
	seen, left := map[int]bool{}, 1000
	for other := range (&against{values: []int64{5, 7}}).near(list) {
		for i := range other {
			seen[i] = seen[i] || other[i].Value != list[i].Value
		}
		if left--; left == 0 {
			break
		}
	}
	for i := range list {
		if want := list[i].Width > 0 && varied[input.KindNamed(list[i].Kind)]; seen[i] != want {
			t.Errorf("%s of width %d: varied %t, want %t", list[i].Kind, list[i].Width, seen[i], want)
		}
	}
}

// TestFailsBeside: what the base fails with on inputs beside those of a violation of the head is the same, if it is at the
// same place; another one in front of that says nothing.
func TestFailsBeside(t *testing.T) {
	side := func(first string) Side {
		return Side{
			Module: testprogram.Compile(t, "int main(void) {\n  unsigned x = nondet_uint(), y = nondet_uint();\n  "+first+
				"\n  CHECK(y != 7);\n  return 0;\n}\n", "-O0"),
			Plan:   problem.Plan{Entry: "main", Checks: verdict.CheckSet{verdict.Assert: true}},
			Stands: func(verdict.Claim) Standing { return Stands },
		}
	}
	base, head := side("CHECK(x != 5);"), side("")
	x := &against{ctx: t.Context(), sides: [2]Side{base, head}, base: base.problem(), head: head.problem(),
		stands: head.Stands, fell: base.Stands, claims: replay.Claims{}, out: &verdict.Change{Same: map[string]string{}}}
	with := func(values ...int64) (list []verdict.Input) {
		for _, v := range values {
			list = append(list, verdict.Input{Kind: input.Nondet.String(), Width: 32, Value: bits.NewInt(32, v).Hex()})
		}
		return list
	}
	now, _, _ := x.run(x.head, with(0, 7), policy.KnownSteps)
	if now.How != verdict.Fails {
		t.Fatalf("the head: %+v", now)
	}
	c := verdict.Claim{ID: now.Claim, Check: verdict.Assert, Status: verdict.Violated}
	for _, beside := range []struct {
		x, y int64
		same bool
	}{{5, 7, false}, {5, 0, false}, {0, 0, false}, {0, 7, true}, {5, 7, true}} {
		if x.isOwn(&c, with(beside.x, beside.y), policy.KnownSteps) {
			t.Errorf("%+v: the head's own", beside)
		}
		if got, known := x.out.Same[c.ID]; known != beside.same || known && verdict.Site(got) != verdict.Site(c.ID) {
			t.Errorf("%+v: %q, want %t", beside, got, beside.same)
		}
	}
}
