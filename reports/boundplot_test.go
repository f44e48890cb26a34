package reports

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestBoundPlot: every counted run is a dot, never above the bound, inside the plot; a name stays text.
func TestBoundPlot(t *testing.T) {
	c := &verdict.Complexity{Bound: "15*n <i>", Class: "O(n)"}
	for _, n := range []int64{0, 1, 2, 4} {
		c.Runs = append(c.Runs, verdict.CountedRun{At: n, Executed: 10 * n, Bound: "12345678901234567890123"})
	}
	p := newBoundPlot(c.Runs)
	if p == nil || len(p.Dots) != 4 {
		t.Fatalf("%+v", p)
	}
	for _, d := range p.Dots {
		if d.X < boundLeft || d.X > boundWidth || d.Y < boundOutside || d.Y > boundHeight-boundBottom {
			t.Errorf("a dot is outside: %+v", d)
		}
	}
	page, err := HTML(&verdict.Report{Results: []verdict.Result{{Target: "host", Entry: "<img src=x>",
		Complexity: c}}}, TextOptions{})
	if err != nil || strings.Count(string(page), "<circle") != 4 || strings.Contains(string(page), "<img") ||
		strings.Contains(string(page), "n <i>") {
		t.Errorf("%v\n%s", err, page)
	}
	if newBoundPlot(c.Runs[:2]) != nil || newBoundPlot([]verdict.CountedRun{{Bound: "x"}, {}, {}}) != nil {
		t.Error("nothing to draw, and it is drawn")
	}
}
