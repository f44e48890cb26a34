package reports

import (
	"regexp"
	"strconv"
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
	if p == nil {
		t.Fatal("no plot")
	}
	svg := string(p.SVG())
	dots := regexp.MustCompile(`<circle cx="(\d+)" cy="(\d+)"`).FindAllStringSubmatch(svg, -1)
	if len(dots) != 4 || strings.Contains(svg, "style") {
		t.Fatalf("%d dots, or a style in\n%s", len(dots), svg)
	}
	for _, d := range dots {
		if x, y := number(t, d[1]), number(t, d[2]); x <= 0 || x >= p.Width || y <= 0 || y >= p.Height {
			t.Errorf("a dot is outside: %s", d[0])
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

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
