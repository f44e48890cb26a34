package bot

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/store"
)

// targetTrend holds the plots of a target's results over the runs of the default branch.
type targetTrend struct {
	Target string
	Plots  []plot
}

// plot is a curve over runs, drawn without a script.
type plot struct {
	Title, Label string // Label says the same in words
	Points       string // of the line, through what was computed anew
	Dots         []plotDot
}

// plotDot is a run. What is Kept was answered from earlier runs, in part at least: its time says nothing.
type plotDot struct {
	X, Y  float64
	Kept  bool
	Title string
	Run   string
}

// Size of a plot, and how many runs it shows.
const (
	plotWidth, plotHeight, plotEdge = 320.0, 80.0, 8.0
	maxPlotted                      = 60
)

// trendsOf makes the plots of a repository from the runs of its default branch, oldest first.
func trendsOf(runs []store.Run) []targetTrend {
	byTarget := map[string][]store.Run{}
	for _, r := range runs {
		byTarget[r.Target] = append(byTarget[r.Target], r)
	}
	var out []targetTrend
	for _, target := range slices.Sorted(maps.Keys(byTarget)) {
		list := byTarget[target]
		if list = list[max(0, len(list)-maxPlotted):]; len(list) < 2 {
			continue
		}
		t := targetTrend{Target: target}
		for _, s := range []struct {
			title string
			unit  string
			anew  bool // leave kept answers out of the line
			of    func(r store.Run) float64
		}{
			{"violated", "", false, func(r store.Run) float64 { return float64(r.Counts["violated"]) }},
			{"unknown", "", false, func(r store.Run) float64 { return float64(r.Counts["unknown"]) }},
			{"proved or bounded", "", false, func(r store.Run) float64 {
				return float64(r.Counts["proved"] + r.Counts["bounded"])
			}},
			{"time", " s", true, func(r store.Run) float64 { return r.Finished.Sub(r.Started).Seconds() }},
		} {
			t.Plots = append(t.Plots, newPlot(list, s.title, s.unit, s.anew, s.of))
		}
		out = append(out, t)
	}
	return out
}

func newPlot(runs []store.Run, title, unit string, anew bool, of func(store.Run) float64) plot {
	top := 0.0
	for _, r := range runs {
		top = max(top, of(r))
	}
	number := func(v float64) string {
		if unit == "" {
			return fmt.Sprintf("%.0f", v)
		}
		return fmt.Sprintf("%.1f%s", v, unit)
	}
	p := plot{Title: title, Label: fmt.Sprintf("%s: %s at first, %s in the last run, at most %s", title,
		number(of(runs[0])), number(of(runs[len(runs)-1])), number(top))}
	var line []string
	for i, r := range runs {
		d := plotDot{X: plotEdge + float64(i)*(plotWidth-2*plotEdge)/float64(len(runs)-1),
			Y: plotHeight - plotEdge, Kept: r.Counts["reused"] > 0, Run: r.ID}
		if top > 0 {
			d.Y -= of(r) / top * (plotHeight - 2*plotEdge)
		}
		d.Title = fmt.Sprintf("%s, %.7s: %s", r.Finished.Format("2006-01-02 15:04"), r.HeadSHA, number(of(r)))
		if d.Kept {
			d.Title += ", answers of earlier runs"
		}
		if !anew || !d.Kept {
			line = append(line, fmt.Sprintf("%.1f,%.1f", d.X, d.Y))
		}
		p.Dots = append(p.Dots, d)
	}
	p.Points = strings.Join(line, " ")
	return p
}
