package reports

import (
	"fmt"
	"math"
	"strconv"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// costView is the bound of the runtime of an entry, with its loops and, if runs were counted, a plot of both.
type costView struct {
	File, What string
	Loops      []string
	Plot       *boundPlot
}

// costViews lists the bounds of a report, each once over the targets that share it.
func costViews(results []verdict.Result) []fileGroup[costView] {
	var out []costView
	seen := map[string]bool{}
	for i := range results {
		res := &results[i]
		c := res.Complexity
		if c == nil {
			continue
		}
		v := costView{File: costFile(res), What: fmt.Sprintf("%s on %s: %s, %s", res.Entry, res.Target, c.Bound,
			c.Class),
			Plot: newBoundPlot(c.Runs)}
		for _, l := range c.Loops {
			v.Loops = append(v.Loops, fmt.Sprintf("loop %s at %s: its head is reached at most %s times", l.Name, l.Pos,
				l.Bound))
		}
		if k := v.What; !seen[k] {
			seen[k] = true
			out = append(out, v)
		}
	}
	return byFile(out, func(c costView) string { return c.File },
		func(list []costView) string { return plural(len(list), "bound") })
}

// costFile is the file of the claim about the runtime of a result, or else of its first loop.
func costFile(res *verdict.Result) string {
	for i := range res.Claims {
		if c := &res.Claims[i]; c.Check == verdict.ComplexityBound {
			return c.Pos.File
		}
	}
	if loops := res.Complexity.Loops; len(loops) > 0 {
		return loops[0].Pos.File
	}
	return ""
}

// boundPlot shows bounds and counted runs over the value of the parameters; the height is logarithmic.
type boundPlot struct {
	Plot
	Runs []verdict.CountedRun
}

// newBoundPlot returns nil where fewer than three runs were counted.
func newBoundPlot(runs []verdict.CountedRun) *boundPlot {
	if len(runs) < 3 {
		return nil
	}
	height := func(v float64) float64 { return math.Log10(1 + v) }
	most, ran := Curve{Class: "most"}, Curve{Class: "ran"}
	last := runs[len(runs)-1]
	p := &boundPlot{Runs: runs, Plot: Plot{Width: 480, Height: 220, Top: 1,
		Label: fmt.Sprintf("instructions over the parameters' value, from %d to %d: at most %s are "+
			"proved there, %d were executed", runs[0].At, last.At, last.Bound, last.Executed)}}
	for i, r := range runs {
		v, err := strconv.ParseFloat(r.Bound, 64)
		if err != nil || math.IsInf(v, 0) {
			return nil
		}
		p.Top = max(p.Top, math.Ceil(height(max(v, float64(r.Executed)))))
		most.X, most.Y = append(most.X, float64(i)), append(most.Y, height(v))
		ran.X, ran.Y = append(ran.X, float64(i)), append(ran.Y, height(float64(r.Executed)))
		p.X = append(p.X, PlotTick{float64(i), strconv.FormatInt(r.At, 10)})
	}
	dots := ran
	dots.Dots = true
	p.Curves = []Curve{most, ran, dots}
	p.Y = []PlotTick{{0, "1"}}
	step := max(1, math.Ceil(p.Top/6))
	p.Top = step * math.Ceil(p.Top/step)
	for d := step; d <= p.Top; d += step {
		p.Y = append(p.Y, PlotTick{d, "10^" + strconv.Itoa(int(d))})
	}
	return p
}
