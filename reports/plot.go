package reports

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"

	"github.com/go-analyze/charts/chartdraw"
)

// Plot is a chart with linear axes, drawn as SVG that holds no style: the page's style sheet colours it, light and dark,
// by the classes of its curves and by paper, axis and grid.
type Plot struct {
	Label         string // what it shows, in words
	Width, Height int
	Curves        []Curve
	X, Y          []PlotTick // none: the axis has no numbers
	Top           float64    // of the vertical axis, which begins at 0
}

// Curve is a line through points, or the points alone.
type Curve struct {
	Class string
	X, Y  []float64
	Dots  bool
}

// PlotTick is a number at an axis.
type PlotTick struct {
	At   float64
	Text string
}

const dotRadius = 3

// styled matches what the library colours itself.
var styled = regexp.MustCompile(` style="[^"]*"`)

// SVG draws the plot; it is empty where the library cannot.
func (p Plot) SVG() template.HTML {
	hidden := chartdraw.Hidden()
	axis := func(ticks []PlotTick) (chartdraw.Style, []chartdraw.Tick) {
		var out []chartdraw.Tick
		for _, t := range ticks {
			out = append(out, chartdraw.Tick{Value: t.At, Label: t.Text})
		}
		if len(out) == 0 {
			return hidden, nil
		}
		return chartdraw.Style{ClassName: "axis", FontStyle: chartdraw.FontStyle{FontSize: 9}}, out
	}
	paper := chartdraw.Style{ClassName: "paper", Padding: chartdraw.NewBox(8, 8, 16, 8)}
	c := chartdraw.Chart{Width: p.Width, Height: p.Height, Background: paper, Canvas: paper,
		YAxisSecondary: chartdraw.YAxis{Style: hidden}}
	c.XAxis.Style, c.XAxis.Ticks = axis(p.X)
	c.YAxis.Style, c.YAxis.Ticks = axis(p.Y)
	c.XAxis.TickStyle, c.YAxis.TickStyle = c.XAxis.Style, c.YAxis.Style
	c.XAxis.GridMajorStyle, c.XAxis.GridMinorStyle, c.YAxis.GridMinorStyle = hidden, hidden, hidden
	c.YAxis.GridMajorStyle = chartdraw.Style{ClassName: "grid", StrokeWidth: 1}
	for _, t := range p.Y {
		c.YAxis.GridLines = append(c.YAxis.GridLines, chartdraw.GridLine{Value: t.At})
	}
	c.YAxis.Range = &chartdraw.ContinuousRange{Min: 0, Max: max(p.Top, 1)}
	for _, curve := range p.Curves {
		if len(curve.X) == 0 {
			continue
		}
		s := chartdraw.Style{ClassName: curve.Class, StrokeWidth: 2}
		if curve.Dots {
			s.StrokeWidth, s.DotWidth = chartdraw.Disabled, dotRadius
		}
		c.Series = append(c.Series, chartdraw.ContinuousSeries{Style: s, XValues: curve.X, YValues: curve.Y})
	}
	var out bytes.Buffer
	if err := c.Render(chartdraw.SVGWithCSS("", ""), &out); err != nil {
		return ""
	}
	svg, found := bytes.CutPrefix(out.Bytes(), []byte("<svg "))
	if !found {
		return ""
	}
	return template.HTML(fmt.Sprintf(`<svg role="img" aria-label="%s" %s`, template.HTMLEscapeString(p.Label),
		styled.ReplaceAll(svg, nil)))
}
