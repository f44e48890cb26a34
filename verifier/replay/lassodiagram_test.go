package replay

import (
	"fmt"
	"testing"

	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestLassoDiagram: the stem is one edge, with the last values of variables where it ends; the cycle leads back there.
func TestLassoDiagram(t *testing.T) {
	step := func(line int, what, value string) verdict.Step {
		return verdict.Step{Kind: verdict.StepAssign, What: what, Value: value, Pos: verdict.Pos{File: "a.c",
			Line: line}}
	}
	stem := []verdict.Step{step(1, "i", "0"), step(2, "k", "3"), step(3, "i", "1")}
	var long []verdict.Step
	for i := range policy.CycleSteps + 4 {
		long = append(long, step(10+i, "x", fmt.Sprint(i)))
	}
	for name, c := range map[string]struct {
		cycle []verdict.Step
		nodes string
		back  string
	}{
		"nothing changes": {nil, "[[start of main] [state at a.c:4 i = 1 k = 3]]", "cycle: nothing changes any more"},
		"one line": {[]verdict.Step{step(5, "i", "2"), step(5, "i", "1")},
			"[[start of main] [state at a.c:4 i = 1 k = 3] [a.c:5 i = 2 i = 1]]",
			"cycle: the state is the same after 2 steps"},
		"long": {long, "", "cycle: the state is the same after 12 steps"},
	} {
		d := lassoDiagram("main", verdict.Pos{File: "a.c", Line: 4}, stem, c.cycle)
		last := d.Edges[len(d.Edges)-1]
		if got := fmt.Sprint(d.Nodes); c.nodes != "" && got != c.nodes {
			t.Errorf("%s: nodes %s, want %s", name, got, c.nodes)
		}
		if last.From != len(d.Nodes)-1 || last.To != 1 || last.Label[0] != c.back {
			t.Errorf("%s: the last edge is %v", name, last)
		}
		if name == "long" && (len(d.Nodes) != 3+policy.CycleSteps || d.Nodes[len(d.Nodes)-1][0] != "... 4 steps") {
			t.Errorf("%s: nodes %v", name, d.Nodes)
		}
	}
}
