package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"

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

// boundPlot draws bounds and counted runs over the value of the parameters; the height is logarithmic.
type boundPlot struct {
	Label, Most, Ran string // the curves, as points of polylines
	Dots             []boundDot
	Lines            []boundLine // powers of ten
	Runs             []verdict.CountedRun
}

// boundDot is a counted run.
type boundDot struct {
	X, Y      float64
	At, Title string
}

// boundLine is a horizontal line with its number.
type boundLine struct {
	Y    float64
	Text string
}

// Size of the plot, and what its numbers need.
const (
	boundWidth, boundHeight              = 480.0, 220.0
	boundLeft, boundBottom, boundOutside = 54.0, 30.0, 12.0
)

// newBoundPlot returns nil where fewer than three runs were counted.
func newBoundPlot(runs []verdict.CountedRun) *boundPlot {
	if len(runs) < 3 {
		return nil
	}
	most := make([]float64, len(runs))
	top := 1.0
	for i, r := range runs {
		v, err := strconv.ParseFloat(r.Bound, 64)
		if err != nil || math.IsInf(v, 0) {
			return nil
		}
		most[i] = v
		top = max(top, math.Ceil(math.Log10(1+max(v, float64(r.Executed)))))
	}
	y := func(v float64) float64 {
		return boundHeight - boundBottom - math.Log10(1+v)/top*(boundHeight-boundBottom-boundOutside)
	}
	last := runs[len(runs)-1]
	p := &boundPlot{Runs: runs,
		Label: fmt.Sprintf("instructions over the parameters' value, from %d to %d: at most %s are "+
			"proved there, %d were executed", runs[0].At, last.At, last.Bound, last.Executed)}
	var bound, ran []string
	for i, r := range runs {
		x := boundLeft + float64(i)*(boundWidth-boundLeft-boundOutside)/float64(len(runs)-1)
		bound = append(bound, fmt.Sprintf("%.1f,%.1f", x, y(most[i])))
		ran = append(ran, fmt.Sprintf("%.1f,%.1f", x, y(float64(r.Executed))))
		p.Dots = append(p.Dots, boundDot{X: x, Y: y(float64(r.Executed)), At: strconv.FormatInt(r.At, 10),
			Title: fmt.Sprintf("%d: %d executed, at most %s", r.At, r.Executed, r.Bound)})
	}
	step := max(1, math.Ceil(top/6))
	for d := 0.0; d <= top; d += step {
		p.Lines = append(p.Lines, boundLine{y(math.Pow(10, d) - 1), "10^" + strconv.Itoa(int(d))})
	}
	p.Lines[0].Text = "1"
	p.Most, p.Ran = strings.Join(bound, " "), strings.Join(ran, " ")
	return p
}
