package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// diagramView is a diagram laid out in layers from its first node down, as an SVG of that many units.
type diagramView struct {
	Title         string
	Width, Height float64
	Boxes         []diagramBox
	Arrows        []diagramArrow
}

// diagramBox is a node.
type diagramBox struct {
	X, Y, W, H float64
	Lines      []diagramLine
}

// diagramLine is a line of text.
type diagramLine struct {
	X, Y float64
	Text string
}

// diagramArrow is an edge, with its number at a place.
type diagramArrow struct {
	N        int
	Path     string
	X, Y     float64
	From, To string   // names of the nodes
	Label    []string // lines
}

// Sizes of the drawing, in pixels at full size.
const (
	diagramChar, diagramRow = 7.3, 16.0 // of a letter
	diagramPad              = 8.0       // within a box
	diagramGap, diagramSide = 46.0, 60.0
)

// diagramViews lays out the diagrams of a proof; those that do not hold together are left out.
func diagramViews(list []verdict.Diagram) []*diagramView {
	var out []*diagramView
	for i := range list {
		d := &list[i]
		if len(d.Nodes) > 0 && !slices.ContainsFunc(d.Edges, func(a verdict.Arrow) bool {
			return min(a.From, a.To) < 0 || max(a.From, a.To) >= len(d.Nodes)
		}) {
			out = append(out, layOut(d))
		}
	}
	return out
}

// layOut places each node in the layer of its distance from the first one.
func layOut(d *verdict.Diagram) *diagramView {
	layer := layersOf(d)
	rows := make([][]int, slices.Max(layer)+1)
	for n, l := range layer {
		rows[l] = append(rows[l], n)
	}
	v := &diagramView{Title: d.Title, Boxes: make([]diagramBox, len(d.Nodes))}
	for n, lines := range d.Nodes {
		b := &v.Boxes[n]
		for _, l := range lines {
			b.W = max(b.W, float64(utf8.RuneCountInString(l))*diagramChar+2*diagramPad)
		}
		b.H = float64(len(lines))*diagramRow + 2*diagramPad
	}
	y, column := diagramPad, make([]float64, len(d.Nodes))
	for l, row := range rows {
		if l > 0 {
			row = byNeighbours(d, row, layer, column)
		}
		x, tall := diagramSide, 0.0
		for i, n := range row {
			b := &v.Boxes[n]
			b.X, b.Y = x, y
			x += b.W + diagramSide
			tall = max(tall, b.H)
			column[n] = float64(i) / float64(len(row))
		}
		v.Width = max(v.Width, x)
		y += tall + diagramGap
	}
	v.Height = y - diagramGap + diagramPad
	for n, lines := range d.Nodes {
		b := &v.Boxes[n]
		for i, l := range lines {
			b.Lines = append(b.Lines, diagramLine{b.X + diagramPad, b.Y + diagramPad + float64(i+1)*diagramRow - 4, l})
		}
	}
	v.connect(d, layer)
	return v
}

// layersOf gives each node its distance from the first; what is not reached stands with it.
func layersOf(d *verdict.Diagram) []int {
	layer := make([]int, len(d.Nodes))
	seen := make([]bool, len(d.Nodes))
	for wave := []int{0}; len(wave) > 0; {
		var next []int
		for _, n := range wave {
			seen[n] = true
		}
		for _, e := range d.Edges {
			if slices.Contains(wave, e.From) && !seen[e.To] {
				seen[e.To], layer[e.To] = true, layer[e.From]+1
				next = append(next, e.To)
			}
		}
		wave = next
	}
	return layer
}

// byNeighbours orders the nodes of a layer by where those above that lead to them stand.
func byNeighbours(d *verdict.Diagram, row, layer []int, column []float64) []int {
	weight := map[int]float64{}
	for _, n := range row {
		sum, count := 0.0, 0.0
		for _, e := range d.Edges {
			if e.To == n && layer[e.From] < layer[n] {
				sum, count = sum+column[e.From], count+1
			}
		}
		weight[n] = sum / max(1, count)
	}
	out := slices.Clone(row)
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(weight[a], weight[b]) })
	return out
}

// connect draws the edges: down from the lower side of a box, up and within a layer around the right.
func (v *diagramView) connect(d *verdict.Diagram, layer []int) {
	parallel := map[[2]int]int{}
	for i, e := range d.Edges {
		from, to := &v.Boxes[e.From], &v.Boxes[e.To]
		a := diagramArrow{N: i + 1, From: d.Nodes[e.From][0], To: d.Nodes[e.To][0], Label: e.Label}
		k := [2]int{e.From, e.To}
		shift := float64(parallel[k]) * 22
		parallel[k]++
		if layer[e.To] > layer[e.From] {
			x1, y1, x2, y2 := from.X+from.W/2+shift, from.Y+from.H, to.X+min(to.W-4, to.W/2+shift), to.Y-2
			a.Path = fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x1, y1, x1, y1+diagramGap/2, x2,
				y2-diagramGap/2, x2, y2)
			a.X, a.Y = (x1+x2)/2, (y1+y2)/2
		} else {
			x1, y1, x2, y2 := from.X+from.W, from.Y+from.H*0.65, to.X+to.W+2, to.Y+to.H*0.35
			out := max(x1, x2) + 26 + shift
			a.Path = fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x1, y1, out, y1, out, y2, x2, y2)
			a.X, a.Y = (x1+x2)/8+out*3/4, (y1+y2)/2
			v.Width = max(v.Width, out+diagramSide)
		}
		v.Arrows = append(v.Arrows, a)
	}
}

// Describe is the diagram in words.
func (v *diagramView) Describe() string {
	return v.Title + ": " + plural(len(v.Boxes), "node") + ", " + plural(len(v.Arrows), "edge") +
		", numbered from 1 to " + strconv.Itoa(len(v.Arrows)) + " in the table below"
}
