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
	Color   bool // ANSI colours
	Verbose bool // every claim and the cost of each stage
	Quiet   bool // one line per result
}

// Text writes the report for a terminal.
func Text(w io.Writer, r *verdict.Report, o TextOptions) {
	p := &printer{w: w, o: o}
	for i := range r.Results {
		p.result(&r.Results[i])
	}
	if !o.Quiet {
		for _, line := range Differences(r) {
			p.line("%s %s", p.bold("targets differ:"), line)
		}
	}
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

var statusColor = map[verdict.Status]string{verdict.Proved: "32", verdict.Bounded: "36", verdict.Violated: "1;31",
	verdict.Unknown: "33"}

func (p *printer) status(s verdict.Status) painted { return p.paint(statusColor[s], s.String()) }

func (p *printer) result(r *verdict.Result) {
	p.line("%s  %s  %s  (%s)  %.2f s", p.bold(r.Target), p.bold(r.Entry), p.status(r.Status), Counts(r.Claims),
		float64(r.DurationMS)/1000)
	if p.o.Quiet {
		return
	}
	if r.Reason != nil {
		p.line("  unknown: %s", r.Reason)
	}
	for i := range r.Claims {
		p.claim(&r.Claims[i])
	}
	if n := shadowed(r.Claims); n > 0 && !p.o.Verbose {
		p.line("  %s only reached past a violation above: unknown until that is mended", plural(n, "claim")+are(n))
	}
	if r.Complexity != nil {
		p.line("  runtime bound: %s  %s", r.Complexity.Bound, r.Complexity.Class)
		for _, l := range r.Complexity.Loops {
			p.line("  loop %s at %s: reached at most %s times in a run", l.Name, l.Pos, l.Bound)
		}
	}
	for _, l := range r.Bounds.Loops {
		if !l.Complete || p.o.Verbose {
			p.line("  loop %s at %s: %s", l.Name, l.Pos, turns(l))
		}
	}
	if r.Reused != "" {
		p.line("  answered by %s", reusedFrom(r.Reused))
	}
	for _, s := range r.Warnings {
		p.line("  warning: %s", s)
	}
	p.assumptions(r.Assumptions)
	if p.o.Verbose {
		for _, s := range r.Stages {
			p.line("  %-10s %8.3f s%s", s.Name, s.Seconds, stageCounts(s))
		}
		if r.PeakRSS > 0 {
			p.line("  peak memory %d MiB", r.PeakRSS>>20)
		}
	}
}

// shownAssumptions is how many of a result's assumptions are shown without --verbose.
const shownAssumptions = 3

func (p *printer) assumptions(list []string) {
	rest := 0
	if !p.o.Verbose && len(list) > shownAssumptions {
		rest = len(list) - shownAssumptions
	}
	for _, s := range list[:len(list)-rest] {
		p.line("  assumed: %s", s)
	}
	if rest > 0 {
		p.line("  assumed: %d more (-v shows them)", rest)
	}
}

func turns(l verdict.LoopBound) string {
	if l.Complete {
		return fmt.Sprintf("at most %d turns", l.Turns)
	}
	return fmt.Sprintf("analysed for %d turns, may take more", l.Turns)
}

func (p *printer) claim(c *verdict.Claim) {
	if c.IsShadowed() && !p.o.Verbose {
		return
	}
	show := p.o.Verbose || c.Status == verdict.Violated || c.Status == verdict.Unknown ||
		(c.Check == verdict.Termination && c.Certificate != nil)
	if !show {
		return
	}
	p.line("  %s: %s: %s: %s  [%s]", c.Pos, p.status(c.Status), c.Check, c.Message, c.ID)
	if c.Suppressed != "" {
		p.line("      suppressed: %s", c.Suppressed)
		return
	}
	if c.Reason != nil {
		p.line("      %s", c.Reason)
	}
	if c.Certificate != nil && (p.o.Verbose || c.Check == verdict.Termination) {
		p.line("      by %s%s", c.Certificate.Method, checkedBy(c.Certificate))
		for _, d := range c.Certificate.Detail {
			p.line("        %s", d)
		}
	}
	if len(c.Trace) > 0 {
		p.line("      trace (replay %s%s):", c.Replay, onMachine(c.Machine))
		for _, l := range TraceLines(c.Trace) {
			p.line("        %s", l)
		}
	}
}

// onMachine adds what a run of the compiled program showed.
func onMachine(m *verdict.MachineRun) string {
	switch {
	case m == nil:
		return ""
	case m.Detail == "":
		return "; compiled and run: " + string(m.Result)
	}
	return fmt.Sprintf("; compiled and run: %s: %s", m.Result, m.Detail)
}

func checkedBy(c *verdict.Certificate) string {
	if c.Checked == "" {
		return ""
	}
	return ", checked by " + c.Checked
}

// TraceLines formats a trace, one line a step, indented by call depth.
func TraceLines(steps []verdict.Step) []string {
	width := 0
	for _, s := range steps {
		width = max(width, len(s.Pos.String()))
	}
	var out []string
	for _, s := range steps {
		out = append(out, fmt.Sprintf("%-*s  %s%s", width, s.Pos, strings.Repeat("  ", s.Depth), StepText(s)))
	}
	return out
}

// StepText is one step in words, without its place.
func StepText(s verdict.Step) string {
	switch s.Kind {
	case verdict.StepAssign, verdict.StepInput, verdict.StepVolatile:
		t := s.What + " = " + s.Value
		if s.Bytes != "" {
			t += "  [" + s.Bytes + "]"
		}
		if s.Type != "" {
			t += "  (" + s.Type + ")"
		}
		if s.Kind != verdict.StepAssign {
			t = string(s.Kind) + " " + t
		}
		return t
	}
	t := string(s.Kind) + " " + s.What
	if s.Value != "" {
		t += " = " + s.Value
	}
	return t
}

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
	n := map[verdict.Status]int{}
	for i := range claims {
		if !claims[i].IsShadowed() {
			n[claims[i].Status]++
		}
	}
	var parts []string
	for _, s := range []verdict.Status{verdict.Violated, verdict.Unknown, verdict.Bounded, verdict.Proved} {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	if k := shadowed(claims); k > 0 {
		parts = append(parts, fmt.Sprintf("%d behind a violation", k))
	}
	if len(parts) == 0 {
		return "nothing to check"
	}
	return strings.Join(parts, ", ")
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
