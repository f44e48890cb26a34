package reports

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// looping is a diagram with edges down, up, to the node itself, beside each other, and over a layer.
var looping = verdict.Diagram{Title: "transition system",
	Nodes: [][]string{{"start"}, {"f@1", "0 <= <img src=x onerror=alert(1)> <= 255"}, {"f@2"}, {"end"}},
	Edges: []verdict.Arrow{{From: 0, To: 1, Label: []string{"f:1 to f:2"}},
		{From: 1, To: 2, Label: []string{"path", "i := i + 1"}},
		{From: 1, To: 2, Label: []string{"path 2", "</title><b>"}}, {From: 2, To: 1}, {From: 2, To: 2},
		{From: 0, To: 3}, {From: 2, To: 3}}}

// TestDiagramLayout: boxes stand inside the drawing, do not overlap, and hold their text; each edge is drawn.
func TestDiagramLayout(t *testing.T) {
	views := diagramViews([]verdict.Diagram{looping, {Nodes: [][]string{{"a"}}, Edges: []verdict.Arrow{{To: 7}}}, {}})
	if len(views) != 1 {
		t.Fatalf("%d of a diagram, a broken one and an empty one", len(views))
	}
	v := views[0]
	if len(v.Arrows) != len(looping.Edges) {
		t.Errorf("%d edges", len(v.Arrows))
	}
	for i, a := range v.Boxes {
		if a.X < 0 || a.Y < 0 || a.X+a.W > v.Width || a.Y+a.H > v.Height {
			t.Errorf("box %d is outside: %+v", i, a)
		}
		for j, b := range v.Boxes[:i] {
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("boxes %d and %d overlap", i, j)
			}
		}
		for _, l := range a.Lines {
			if l.X < a.X || l.Y > a.Y+a.H || float64(len(l.Text)) > a.W/7 {
				t.Errorf("box %d does not hold %+v", i, l)
			}
		}
	}
	if a, b := v.Arrows[1], v.Arrows[2]; a.X == b.X && a.Y == b.Y {
		t.Error("two edges between the same nodes are one")
	}
}

// TestDiagramPage: a proof is drawn, its drawing grows and shrinks, and its texts stay texts.
func TestDiagramPage(t *testing.T) {
	page, err := HTML(&verdict.Report{Results: []verdict.Result{{Target: "host", Entry: "f", Status: verdict.Proved,
		Claims: []verdict.Claim{{
			ID: "termination@f", Check: verdict.Termination, Status: verdict.Proved, Message: "every run ends",
			Certificate: &verdict.Certificate{Method: "ranking function", Detail: []string{"n - i"},
				Diagrams: []verdict.Diagram{looping}}}}, Complexity: &verdict.Complexity{Bound: "15*n", Class: "O(n)",
			Runs: []verdict.CountedRun{{At: 0, Executed: 1, Bound: "2"}, {At: 1, Executed: 9, Bound: "20"},
				{At: 2, Executed: 19, Bound: "40"}}}}}}, TextOptions{})
	if err != nil || strings.Contains(string(page), "<img") || strings.Contains(string(page), "<b>") {
		t.Fatalf("%v: a text became an element", err)
	}
	file := filepath.Join(t.TempDir(), "diagram.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	b := chromium.Page(t, 360, 740, true)
	b.Open("file://" + file)
	chromium.Usable(t, b) // opens what is folded
	width := func() string {
		return b.Eval(`Math.round(document.querySelector('.diagram svg').getBoundingClientRect().width)`)
	}
	press := func(label string) {
		b.Eval(`document.querySelector('.diagram [aria-label="` + label + `"]').click()`)
	}
	full := width()
	press("larger")
	larger := width()
	press("smaller")
	if larger <= full && len(larger) <= len(full) || width() != full {
		t.Errorf("%s pixels, larger %s, and back %s", full, larger, width())
	}
	press("as wide as the page")
	if got := b.Eval(`document.querySelector('.drawing').scrollWidth <= document.querySelector('.drawing').clientWidth + 1`); got != "true" {
		t.Error("the drawing does not fit")
	}
	b.Size(1280, 900)
	b.Scheme(false)
	chromium.Usable(t, b)
	b.Quiet("file://" + file)
}
