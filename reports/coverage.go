package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// FileCoverage sums up the coverage of a file over the verifications of a report.
type FileCoverage struct {
	Name      string
	Functions []FunctionCoverage
	Lines     []LineCoverage // those with code, in order
}

// FunctionCoverage is a function, its line in the file, and by how many verifications it is reached.
type FunctionCoverage struct {
	Name  string
	Line  int
	Times int
}

// LineCoverage is a line with code.
type LineCoverage struct {
	Line      int
	Reach     verdict.Reach
	Times     int      // verifications that reach it
	Entries   []string // that reach it
	Ways      []verdict.Reach
	WaysTimes []int
}

// Coverage sums up what the results reach, by file; what is not of the project is left out.
func Coverage(results []verdict.Result) []FileCoverage {
	files := map[string]*coverageSum{}
	for i := range results {
		c := results[i].Coverage
		for j := 0; c != nil && j < len(c.Functions); j++ {
			f := &c.Functions[j]
			if !inPath(f.Pos.File) {
				continue
			}
			if files[f.Pos.File] == nil {
				files[f.Pos.File] = &coverageSum{map[string]*FunctionCoverage{}, map[int]*LineCoverage{}}
			}
			files[f.Pos.File].add(results[i].Entry, f)
		}
	}
	var out []FileCoverage
	for _, name := range slices.Sorted(maps.Keys(files)) {
		s, f := files[name], FileCoverage{Name: name}
		for _, x := range s.functions {
			f.Functions = append(f.Functions, *x)
		}
		slices.SortFunc(f.Functions, func(a, b FunctionCoverage) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
		})
		for _, n := range slices.Sorted(maps.Keys(s.lines)) {
			f.Lines = append(f.Lines, *s.lines[n])
		}
		out = append(out, f)
	}
	return out
}

// coverageSum collects the coverage of a file.
type coverageSum struct {
	functions map[string]*FunctionCoverage
	lines     map[int]*LineCoverage
}

func (s *coverageSum) add(entry string, f *verdict.CoveredFunction) {
	x := s.functions[f.Pos.Function]
	if x == nil {
		x = &FunctionCoverage{Name: f.Pos.Function, Line: f.Pos.Line}
		s.functions[f.Pos.Function] = x
	}
	if f.Reach == verdict.Reached {
		x.Times++
	}
	for _, l := range f.Lines {
		y := s.lines[l.Line]
		if y == nil {
			y = &LineCoverage{Line: l.Line}
			s.lines[l.Line] = y
		}
		y.Reach = y.Reach.Sum(l.Reach)
		if l.Reach == verdict.Reached {
			y.Times++
			if !slices.Contains(y.Entries, entry) {
				y.Entries = append(y.Entries, entry)
			}
		}
		for k, w := range l.Ways {
			if k == len(y.Ways) {
				y.Ways, y.WaysTimes = append(y.Ways, ""), append(y.WaysTimes, 0)
			}
			if y.Ways[k] = y.Ways[k].Sum(w); w == verdict.Reached {
				y.WaysTimes[k]++
			}
		}
	}
}

// Reached counts the lines that are reached, and all.
func (f *FileCoverage) Reached() (reached, all int) {
	return countReached(f.Lines, func(LineCoverage) bool { return true })
}

// Branches counts the ways at branches that are taken, and all.
func (f *FileCoverage) Branches() (taken, all int) {
	for _, l := range f.Lines {
		for _, w := range l.Ways {
			if all++; w == verdict.Reached {
				taken++
			}
		}
	}
	return taken, all
}

func countReached(lines []LineCoverage, counts func(LineCoverage) bool) (reached, all int) {
	for _, l := range lines {
		if counts(l) {
			if all++; l.Reach == verdict.Reached {
				reached++
			}
		}
	}
	return reached, all
}

// reachWords say why a line is not reached.
var reachWords = map[verdict.Reach]string{verdict.NeverReached: "never reached",
	verdict.BeyondBound: "not within the bounds", verdict.NotModelled: "not modelled",
	verdict.BehindViolation: "only behind a violation", verdict.ReachUnknown: "not known"}

// CoverageLine sums up in a sentence what the results reach, of the changed lines first where there are any; empty
// where nobody asked.
func CoverageLine(results []verdict.Result, changed map[string][]LineRange) string {
	files := Coverage(results)
	if len(files) == 0 {
		return ""
	}
	var out []string
	for _, part := range []struct {
		what  string
		given bool
		is    func(file string, l LineCoverage) bool
	}{
		{"this change", changed != nil, func(f string, l LineCoverage) bool { return touches(changed[f], l.Line) }},
		{"all", true, func(string, LineCoverage) bool { return true }},
	} {
		reached, all := 0, 0
		why := map[verdict.Reach]int{}
		for _, f := range files {
			n, m := countReached(f.Lines, func(l LineCoverage) bool { return part.is(f.Name, l) })
			reached, all = reached+n, all+m
			for _, l := range f.Lines {
				if part.is(f.Name, l) {
					why[l.Reach]++
				}
			}
		}
		if part.given && all > 0 {
			out = append(out, fmt.Sprintf("%s: %d of %s reached%s", part.what, reached, plural(all, "line"),
				notReached(why)))
		}
	}
	return strings.Join(out, "; ")
}

// notReached says how many lines are not reached for which reason.
func notReached(why map[verdict.Reach]int) string {
	var parts []string
	for _, r := range verdict.Reaches() {
		if n := why[r]; n > 0 && r != verdict.Reached {
			parts = append(parts, fmt.Sprintf("%d %s", n, reachWords[r]))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// LCOV renders the coverage as a trace file of lcov: counts are verifications that reach a line. Vacuous results are
// comments.
func LCOV(r *verdict.Report) ([]byte, error) {
	var b strings.Builder
	for i := range r.Results {
		if res := &r.Results[i]; res.Vacuous != nil {
			fmt.Fprintf(&b, "# vacuous: %s on %s: %s\n", line(res.Entry), line(res.Target), line(vacuity(res)))
		}
	}
	for _, f := range Coverage(r.Results) {
		fmt.Fprintf(&b, "TN:firmproof\nSF:%s\n", f.Name)
		called := 0
		for _, x := range f.Functions {
			fmt.Fprintf(&b, "FN:%d,%s\n", max(1, x.Line), line(x.Name))
		}
		for _, x := range f.Functions {
			fmt.Fprintf(&b, "FNDA:%d,%s\n", x.Times, line(x.Name))
			called += min(1, x.Times)
		}
		fmt.Fprintf(&b, "FNF:%d\nFNH:%d\n", len(f.Functions), called)
		for _, l := range f.Lines {
			for k, n := range l.WaysTimes {
				taken := fmt.Sprint(n)
				if l.Times == 0 {
					taken = "-"
				}
				fmt.Fprintf(&b, "BRDA:%d,0,%d,%s\n", l.Line, k, taken)
			}
		}
		taken, ways := f.Branches()
		fmt.Fprintf(&b, "BRF:%d\nBRH:%d\n", ways, taken)
		for _, l := range f.Lines {
			fmt.Fprintf(&b, "DA:%d,%d\n", l.Line, l.Times)
		}
		reached, all := f.Reached()
		fmt.Fprintf(&b, "LF:%d\nLH:%d\nend_of_record\n", all, reached)
	}
	return []byte(b.String()), nil
}
