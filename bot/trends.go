package bot

import (
	"fmt"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// targetTrend holds the plots of a target's results over the runs of the default branch, and the runs.
type targetTrend struct {
	Target string
	Plots  []reports.Plot
	Titles []string  // of the plots
	Runs   []plotRun // the newest first
}

// plotRun is a run with its value in each plot. What is Kept was answered from earlier runs, in part at least: its time
// says nothing.
type plotRun struct {
	ID, When, Commit string
	Kept             bool
	Values           []plotValue
}

// plotValue holds the value of a run in a plot, in words.
type plotValue struct{ Title, Text string }

// Size of a plot, and how many runs it shows.
const (
	plotWidth, plotHeight = 320, 120
	maxPlotted            = 60
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
		for _, r := range slices.Backward(list) {
			t.Runs = append(t.Runs, plotRun{ID: r.ID, When: r.Finished.UTC().Format("2006-01-02 15:04 UTC"),
				Commit: fmt.Sprintf("%.7s", r.HeadSHA), Kept: r.Counts["reused"] > 0})
		}
		for _, m := range measures {
			t.Plots = append(t.Plots, m.plot(list))
			t.Titles = append(t.Titles, m.title)
			for i, r := range slices.Backward(list) {
				at := &t.Runs[len(list)-1-i]
				at.Values = append(at.Values, plotValue{m.title, m.text(m.of(r))})
			}
		}
		out = append(out, t)
	}
	return out
}

// measure computes a number from a run, for a plot.
type measure struct {
	title, unit string
	anew        bool // kept answers are no part of the line
	of          func(r store.Run) float64
}

var measures = []measure{
	{"violated", "", false, func(r store.Run) float64 { return float64(r.Counts["violated"]) }},
	{"unknown", "", false, func(r store.Run) float64 { return float64(r.Counts["unknown"]) }},
	{"proved or bounded", "", false, func(r store.Run) float64 {
		return float64(r.Counts["proved"] + r.Counts["bounded"])
	}},
	{"time", " s", true, func(r store.Run) float64 { return r.Finished.Sub(r.Started).Seconds() }},
}

func (m measure) text(v float64) string {
	if m.unit == "" {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f%s", v, m.unit)
}

// plot draws a line through the runs, a dot for each, and a ring for each with answers of earlier runs.
func (m measure) plot(runs []store.Run) reports.Plot {
	line, dots, kept := reports.Curve{Class: "trend"}, reports.Curve{Class: "trend", Dots: true},
		reports.Curve{Class: "kept", Dots: true}
	first, last := m.of(runs[0]), m.of(runs[len(runs)-1])
	top, same := 0.0, true
	for i, r := range runs {
		x, y := float64(i), m.of(r)
		top, same = max(top, y), same && y == first
		c := &dots
		if r.Counts["reused"] > 0 {
			c = &kept
		}
		c.X, c.Y = append(c.X, x), append(c.Y, y)
		if !m.anew || c == &dots {
			line.X, line.Y = append(line.X, x), append(line.Y, y)
		}
	}
	label := fmt.Sprintf("%s: %s in every run", m.title, m.text(top))
	if !same {
		label = fmt.Sprintf("%s: %s at first, %s in the last run, at most %s", m.title, m.text(first), m.text(last),
			m.text(top))
	}
	day := func(r store.Run) string { return r.Finished.UTC().Format("2 Jan") }
	return reports.Plot{Width: plotWidth, Height: plotHeight, Top: top,
		X: []reports.PlotTick{{At: 0, Text: day(runs[0])}, {At: float64(len(runs) - 1), Text: day(runs[len(runs)-1])}},
		Y: []reports.PlotTick{{At: 0, Text: "0"}, {At: max(top, 1), Text: m.text(max(top, 1))}}, Curves: []reports.Curve{line, dots, kept},
		Label: label}
}
