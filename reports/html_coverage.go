package reports

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// coverageView holds what is reached of a file, on the page.
type coverageView struct {
	Name, Lines, Branches, Why string
	By                         []entryReach
	Code                       []coveredLineView
}

// entryReach is how much of a file one entry reaches.
type entryReach struct{ Entry, Lines string }

// coveredLineView is a line of annotated source. Sign tells without colour what Class does.
type coveredLineView struct {
	N                       int
	Sign, Class, Note, Text string
}

// reachSigns are the sign and the class of a line.
var reachSigns = map[verdict.Reach][2]string{verdict.Reached: {"✓", "covered"}, verdict.NeverReached: {"✗",
	"uncovered"},
	verdict.BeyondBound: {"…", "beyond"}, verdict.NotModelled: {"!", "beyond"}, verdict.BehindViolation: {"↯",
		"beyond"},
	verdict.ReachUnknown: {"?", "beyond"}}

func coverageViews(r *verdict.Report, sources *sourceSet) []coverageView {
	var out []coverageView
	for _, f := range Coverage(r.Results) {
		n, all := f.Reached()
		v := coverageView{Name: f.Name, Lines: fmt.Sprintf("%d of %s reached", n, plural(all, "line"))}
		if taken, ways := f.Branches(); ways > 0 {
			v.Branches = fmt.Sprintf("%d of %d branches taken", taken, ways)
		}
		why := map[verdict.Reach]int{}
		for _, l := range f.Lines {
			why[l.Reach]++
		}
		v.Why = strings.Trim(notReached(why), " ()")
		v.By = reachByEntry(r, f.Name)
		v.Code = annotated(&f, sources.file(f.Name))
		out = append(out, v)
	}
	return out
}

// reachByEntry says how many of the file's lines each entry reaches, of those that it could call.
func reachByEntry(r *verdict.Report, file string) []entryReach {
	var out []entryReach
	for _, entry := range names(r.Results, func(r verdict.Result) string { return r.Entry }) {
		var of []verdict.Result
		for i := range r.Results {
			if r.Results[i].Entry == entry {
				of = append(of, r.Results[i])
			}
		}
		for _, f := range Coverage(of) {
			if f.Name == file {
				n, all := f.Reached()
				out = append(out, entryReach{entry, fmt.Sprintf("%d of %d", n, all)})
			}
		}
	}
	return out
}

// aroundCovered is how many lines without code are shown around lines with some.
const aroundCovered = 3

// annotated lists the lines of the source near code that an entry could reach; a line without a number stands for
// those left out.
func annotated(f *FileCoverage, piece verdict.Source) []coveredLineView {
	byLine := map[int]*LineCoverage{}
	near := map[int]bool{}
	for i := range f.Lines {
		l := &f.Lines[i]
		byLine[l.Line] = l
		for n := l.Line - aroundCovered; n <= l.Line+aroundCovered; n++ {
			near[n] = true
		}
	}
	var out []coveredLineView
	left := false
	for i, text := range piece.Lines {
		n := piece.From + i
		if !near[n] {
			left = true
			continue
		}
		if left && len(out) > 0 {
			out = append(out, coveredLineView{Sign: " ", Text: "⋮"})
		}
		left = false
		v := coveredLineView{N: n, Sign: " ", Text: line(text)}
		if l := byLine[n]; l != nil {
			v.Sign, v.Class = reachSigns[l.Reach][0], reachSigns[l.Reach][1]
			v.Note = lineNote(l)
		}
		out = append(out, v)
	}
	return out
}

// lineNote says what the sign of a line does not: branches not taken, why it is not reached, by whom it is.
func lineNote(l *LineCoverage) string {
	if l.Reach != verdict.Reached {
		return reachWords[l.Reach]
	}
	why := map[verdict.Reach]int{}
	taken := 0
	for _, w := range l.Ways {
		if why[w]++; w == verdict.Reached {
			taken++
		}
	}
	note := "by " + listed(l.Entries, 3)
	if taken < len(l.Ways) {
		note = fmt.Sprintf("%d of %d branches%s, %s", taken, len(l.Ways), notReached(why), note)
	}
	return note
}
