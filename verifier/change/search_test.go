package change_test

import (
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/change"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestAgainstWithin: what only one commit fails with is found by executions of both, in no more time than the entry has.
func TestAgainstWithin(t *testing.T) {
	side := func(limit string) change.Side {
		return change.Side{
			Module: testprogram.Compile(t, "int main(void) {\n  CHECK(nondet_uint() < "+limit+");\n  return 0;\n}\n", "-O0"),
			Plan:   problem.Plan{Entry: "main", Checks: verdict.CheckSet{verdict.Assert: true}},
			Stands: func(verdict.Claim) change.Standing { return change.Stands },
			Open:   true,
		}
	}
	base, head := side("0xffffffffu || 1"), side("77777u")
	for limit, want := range map[time.Duration]int{0: 1, time.Minute: 1, time.Nanosecond: 0} {
		head.Time = limit
		c := change.Against(t.Context(), base, head, nil, &verdict.Result{})
		if c == nil || len(c.New) != want {
			t.Errorf("%v: %+v, want %d new", limit, c, want)
		}
	}
}

// TestAgainstNumbers: what only one number brings about is found where the change has that number, wherever the number
// stands.
func TestAgainstNumbers(t *testing.T) {
	side := func(x string) change.Side {
		return change.Side{
			Module: testprogram.Compile(t, `static const unsigned most = 305419896u;
int main(void) {
  unsigned x = nondet_uint(), y = 77, again = nondet_uint();
  if (again > 3) y = x * 3u;
  y = `+x+` * 2654435761u;
  CHECK(y != 0);
  return 0;
}`, "-O0"),
			Plan:   problem.Plan{Entry: "main", Checks: verdict.CheckSet{verdict.Assert: true}},
			Stands: func(verdict.Claim) change.Standing { return change.Stands },
			Open:   true,
		}
	}
	for _, x := range []string{"(x - 305419896u)", "(x - most)"} {
		c := change.Against(t.Context(), side("(x | most | 1u)"), side(x), nil, &verdict.Result{})
		if c == nil || len(c.New) != 1 || c.New[0].By != change.ByBoth {
			t.Errorf("%s: %+v, want 1 new, by %s", x, c, change.ByBoth)
		}
	}
}

// TestAgainstBehind: a violation of the head that another one of the base stands in front of is the base's, too, where that
// has it on inputs beside; none of it, where it holds in the base without the other one.
func TestAgainstBehind(t *testing.T) {
	side := func(first, second string) change.Side {
		return change.Side{
			Module: testprogram.Compile(t, "int main(void) {\n  unsigned x = nondet_uint(), y = nondet_uint();\n  "+first+
				"\n  CHECK("+second+");\n  return 0;\n}\n", "-O0"),
			Plan:   problem.Plan{Entry: "main", Checks: verdict.CheckSet{verdict.Assert: true}},
			Stands: func(verdict.Claim) change.Standing { return change.Stands },
			Open:   true,
		}
	}
	for _, c := range []struct {
		second string
		same   bool
	}{{"y != 7", true}, {"x != 5 || y != 7", false}} {
		head := side("", c.second)
		found := change.Against(t.Context(), side("", "y || 1"), head, nil, &verdict.Result{}).New
		if len(found) != 1 {
			t.Fatalf("%s: %+v", c.second, found)
		}
		for i, in := range found[0].Inputs {
			if in.Width == 32 && i == 0 {
				found[0].Inputs[i].Value = bits.NewInt(32, 5).Hex()
			}
		}
		got := change.Against(t.Context(), side("CHECK(x != 5);", c.second), head, found, &verdict.Result{}).Same[found[0].ID]
		if got == "" || c.same != (verdict.Site(got) == verdict.Site(found[0].ID)) {
			t.Errorf("%s: %s on the inputs of %s", c.second, got, found[0].ID)
		}
	}
}

// TestHeld: what holds within a block as large as the entry makes it is held; what takes a larger one, or a range of
// contents, is not.
func TestHeld(t *testing.T) {
	block := verdict.Assume("p", verdict.Extent, verdict.Chosen, "p leads to 64 bytes")
	other := verdict.Assume("p", verdict.Extent, verdict.Chosen, "p leads to 1024 bytes")
	for _, c := range []struct {
		rests verdict.Assumption
		held  bool
	}{{block, true}, {block.NoMore(), true}, {other, false}, {other.NoMore(), false}} {
		res := &verdict.Result{Assumptions: []verdict.Assumption{c.rests},
			Claims: []verdict.Claim{{ID: "memory@f#1", Status: verdict.Conditional, Assumptions: []string{c.rests.ID}}}}
		if got := change.Held(&problem.Plan{Assumptions: []verdict.Assumption{block}}, res); (len(got) == 1) != c.held {
			t.Errorf("%s: held %v, want %t", c.rests.Text, got, c.held)
		}
	}
}
