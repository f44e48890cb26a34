// Package reports turns a verdict.Report into what people and other tools read:
// terminal text, Markdown, GitHub check runs, SARIF, JUnit, HTML. Every function
// is pure: no files, no network, no clock.
package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TextOptions choose how Text looks.
type TextOptions struct {
	Color   bool   // ANSI colours
	Verbose bool   // every claim and the cost of each stage
	Quiet   bool   // one line per result
	Trace   string // all, relevant (what the report has), else short
	Source  Source // for the lines that are shown; nil: none

	Check    string // the command that made the report, without its formats; empty: not known
	Replay   string // `firmproof replay` with the same paths, without the report
	JSONFile string // where the same command wrote the report as JSON
	Date     string // when, as it is to be read
	Commit   string // what was checked; empty: not known
}

// Text writes the report for a terminal: an overview, each violation and each reason once,
// why runs end, the count and what to do.
func Text(w io.Writer, r *verdict.Report, o TextOptions) {
	p := &printer{w: w, o: o}
	p.overview(r.Results)
	if o.Quiet {
		return
	}
	p.violations(r.Results)
	p.unknowns(r.Results)
	p.conditions(r.Results)
	p.endings(r.Results)
	p.bounds(r.Results)
	p.notes("termination open", r.Results, openEnds)
	p.notes("warning", r.Results, func(r *verdict.Result) []string { return r.Warnings })
	p.notes("assumed", r.Results, func(r *verdict.Result) []string { return verdict.TextsOf(r.Assumptions) })
	if c := CoverageLine(r.Results, nil); c != "" {
		p.line("%s %s", p.bold("coverage:"), c)
	}
	for _, line := range Differences(r) {
		p.line("%s %s", p.bold("targets differ:"), line)
	}
	p.closing(r.Results)
}

type printer struct {
	w io.Writer
	o TextOptions
}

// painted is text with our own colours, made inert before they were put in.
type painted string

// line writes one line. What comes from a repository is made inert: only our own colours
// steer the terminal.
func (p *printer) line(format string, a ...any) {
	for i, v := range a {
		switch v := v.(type) {
		case painted:
			a[i] = string(v)
		case string:
			a[i] = plain(v)
		case fmt.Stringer:
			a[i] = plain(v.String())
		}
	}
	fmt.Fprintf(p.w, format+"\n", a...)
}

func (p *printer) paint(code, s string) painted {
	if !p.o.Color {
		return painted(plain(s))
	}
	return painted("\x1b[" + code + "m" + plain(s) + "\x1b[0m")
}

func (p *printer) bold(s string) painted { return p.paint("1", s) }

var colors = map[standing]string{asStanding(verdict.Proved): "32", asStanding(verdict.Bounded): "36",
	asStanding(verdict.Violated): "1;31", asStanding(verdict.Unknown): "33", asStanding(verdict.Conditional): "35",
	standsAccepted: "35", standsKnown: "31", standsVacuous: "33"}

func (p *printer) status(s verdict.Status) painted { return p.stands(asStanding(s)) }

func (p *printer) stands(s standing) painted { return p.paint(colors[s], string(s)) }

// overview writes a line for each entry; targets with the same answer share it.
func (p *printer) overview(results []verdict.Result) {
	type key struct {
		entry   string
		stands  standing
		reused  string
		vacuous string
	}
	groups := map[key][]*verdict.Result{}
	var order []key
	for i := range results {
		r := &results[i]
		k := key{r.Entry, standingOfResult(r), r.Reused, r.Vacuous.String()}
		if p.o.Quiet || p.o.Verbose || r.Complexity != nil {
			k.entry = fmt.Sprint(i) // a line of its own
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], r)
	}
	for _, k := range order {
		p.results(groups[k])
	}
}

// results writes the line of verifications of one entry that came out the same.
func (p *printer) results(list []*verdict.Result) {
	ms := int64(0)
	for _, r := range list {
		ms += r.DurationMS
	}
	r := list[0]
	on := strings.Join(names(list, func(r *verdict.Result) string { return r.Target }), ", ")
	p.line("%s  %s  %s  (%s)  %.2f s", p.bold(on), p.bold(r.Entry), p.stands(standingOfResult(r)), countsOf(list),
		float64(ms)/1000)
	if p.o.Quiet {
		return
	}
	if r.Vacuous != nil {
		p.line("  vacuous: %s", vacuity(r))
	}
	if r.Complexity != nil {
		p.line("  runtime bound: %s  %s", r.Complexity.Bound, r.Complexity.Class)
		for _, l := range r.Complexity.Loops {
			p.line("  loop %s at %s: reached at most %s times in a run", l.Name, l.Pos, l.Bound)
		}
	}
	if r.Reused != "" {
		p.line("  answered by %s", reusedFrom(r.Reused))
	}
	if p.o.Verbose {
		p.everything(r)
	}
}

// everything writes what --verbose adds to a result.
func (p *printer) everything(r *verdict.Result) {
	for i := range r.Claims {
		c := &r.Claims[i]
		if c.Counts() {
			continue
		}
		p.line("  %s: %s: %s: %s  [%s]", c.Pos, p.stands(standingOf(c)), c.Check, c.Message, c.ID)
		if c.IsShadowed() {
			p.line("      %s", c.Reason)
			continue
		}
		p.certificate(c)
	}
	for _, l := range r.Bounds.Loops {
		if l.Complete {
			p.line("  loop %s at %s: at most %s", l.Name, l.Pos, plural(l.Turns, "turn"))
		}
	}
	for _, s := range r.Stages {
		p.line("  %-10s %8.3f s%s", s.Name, s.Seconds, stageCounts(s))
	}
	if r.PeakRSS > 0 {
		p.line("  peak memory %d MiB", r.PeakRSS>>20)
	}
}

// shadowed counts the claims that stand behind a violation.
func shadowed(claims []verdict.Claim) int {
	n := 0
	for i := range claims {
		if claims[i].IsShadowed() {
			n++
		}
	}
	return n
}

func are(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

// Counts summarises claims, e.g. "1 violated, 12 proved".
func Counts(claims []verdict.Claim) string {
	n := map[standing]int{}
	for i := range claims {
		n[standingOf(&claims[i])]++
	}
	var parts []string
	for _, s := range standings {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	if len(parts) == 0 {
		return "nothing to check"
	}
	return strings.Join(parts, ", ")
}

// countsOf summarises the claims of results. A result without claims that has a reason for it was not run, or has no
// answer: there may be much to check.
func countsOf(results []*verdict.Result) string {
	var claims []verdict.Claim
	stopped, open := 0, 0
	for _, r := range results {
		claims = append(claims, r.Claims...)
		switch {
		case len(r.Claims) > 0 || r.Reason == nil:
		case r.Reason.Kind == verdict.Cancelled:
			stopped++
		default:
			open++
		}
	}
	var parts []string
	if stopped+open < len(results) {
		parts = append(parts, Counts(claims))
	}
	for _, k := range []struct {
		n    int
		what string
	}{{stopped, "not run"}, {open, "no answer"}} {
		switch {
		case k.n > 0 && len(results) == 1:
			parts = append(parts, k.what)
		case k.n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", k.n, k.what))
		}
	}
	if open := endsOpen(results); open > 0 {
		parts = append(parts, termination(open, len(results)))
	}
	return strings.Join(parts, ", ")
}

// endsOpen counts the results of which nobody knows whether every run ends.
func endsOpen(results []*verdict.Result) int {
	n := 0
	for _, r := range results {
		if r.EndsOpen {
			n++
		}
	}
	return n
}

// openEnds is the sentence about a result of which nobody knows whether every run ends.
func openEnds(r *verdict.Result) []string {
	if !r.EndsOpen {
		return nil
	}
	return []string{"whether every run ends was not decided in the time that goes to it unasked: " +
		"`--checks default,termination` takes more, and says why"}
}

// termination says that termination was not decided, of some results.
func termination(open, of int) string {
	if open == of {
		return "termination open"
	}
	return fmt.Sprintf("termination open for %d of %d", open, of)
}

// pointers returns the addresses of results.
func pointers(results []verdict.Result) []*verdict.Result {
	var out []*verdict.Result
	for i := range results {
		out = append(out, &results[i])
	}
	return out
}

// stageCounts prints the counters of a stage in a fixed order.
func stageCounts(s verdict.Stage) string {
	var b strings.Builder
	for _, k := range sortedKeys(s.Counts) {
		fmt.Fprintf(&b, "  %s %d", k, s.Counts[k])
	}
	return b.String()
}

// reusedFrom says where an answer comes from that was not worked out anew.
func reusedFrom(run string) string {
	if run == verdict.FromCache {
		return "the cache: nothing that it rests on has changed"
	}
	return "run " + run
}
