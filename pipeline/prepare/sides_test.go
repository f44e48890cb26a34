package prepare

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// side is a commit whose function f is called, with what its code compares with null.
func side(tests map[string]int, null string, asked *[]string) func(Asked) (*Built, error) {
	return func(a Asked) (*Built, error) {
		*asked = append(*asked, fmt.Sprint(a.Called, a.Doubted))
		j := Job{Label: AnyCall + "f", Tests: tests}
		if null != "" {
			j.Plan.Assumptions = []verdict.Assumption{verdict.Assume(null, verdict.Nullness, verdict.Read, "")}
		}
		return &Built{Jobs: []Job{j}}, nil
	}
}

// TestBothSides: what one commit takes null for possible of is asked of both, and what both do is not.
func TestBothSides(t *testing.T) {
	for _, c := range []struct {
		what               string
		head, base         map[string]int
		headNull, baseNull string
		want               string
	}{
		{"nothing", nil, nil, "", "", "head [[] []] base [[f] []]"},
		{"a parameter of the head", nil, nil, "p", "", "head [[] []] base [[f] [f.p]]"},
		{"a parameter of the base", nil, nil, "", "p", "head [[] [] [] [f.p]] base [[f] []]"},
		{"a member in both", map[string]int{"p.next|f": 1}, map[string]int{"p.next|f": 1}, "", "",
			"head [[] []] base [[f] []]"},
		{"a member once more", map[string]int{"p.next|f": 2, "p.prev|f": 1, "p.prev|g": 1},
			map[string]int{"p.next|f": 1, "p.prev|f": 1, "p.prev|g": 1}, "", "",
			"head [[] [] [] [f.p.next f.p.prev]] base [[f] [] [f] [f.p.next f.p.prev]]"},
		{"a member in a helper", map[string]int{"p.next|f": 1}, map[string]int{"p.next|f": 1, "p.prev|g": 1}, "", "",
			"head [[] [] [] [f.p.next f.p.prev]] base [[f] [] [f] [f.p.next f.p.prev]]"},
	} {
		var head, base []string
		if _, err := BothSides(side(c.head, c.headNull, &head), side(c.base, c.baseNull, &base), nil); err != nil {
			t.Error(err)
		}
		if got := fmt.Sprint("head ", head, " base ", base); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestTryOn: the base is tried on the inputs that violate the same entry of the head, whatever its name, wherever
// objects lie.
func TestTryOn(t *testing.T) {
	x, base := verdict.Input{Kind: "nondet", Name: "x"}, verdict.Input{Kind: "base", Name: "p"}
	jobs := []Job{{Label: AnyCall + "f", Plan: verifier.Plan{Target: "host"}},
		{Label: AnyCall + "g", Plan: verifier.Plan{Target: "host"}}}
	heads := []Job{{Label: AnyCall + "f2", Plan: verifier.Plan{Target: "host"}}}
	TryOn(jobs, heads, []verdict.Result{{Target: "host", Entry: AnyCall + "f2", Claims: []verdict.Claim{
		{ID: "memory@f2#1", Status: verdict.Violated, Inputs: []verdict.Input{base, x}}, {Status: verdict.Proved}}}},
		func(string) map[string]string { return map[string]string{"f": "f2"} })
	if a := jobs[0].Against; a == nil || a.Job.Label != AnyCall+"f2" || len(a.Found) != 1 || jobs[1].Against != nil {
		t.Errorf("%+v %+v", a, jobs[1].Against)
	}
	if got := jobs[0].Plan.Tried; !reflect.DeepEqual(got, [][]verdict.Input{{x}}) || jobs[1].Plan.Tried != nil {
		t.Errorf("%v %v", got, jobs[1].Plan.Tried)
	}
}
