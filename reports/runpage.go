package reports

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Outcome holds what is known of a run beside its report.
type Outcome struct {
	Target     string // empty: all targets
	State      string // queued, running, waiting, done
	Conclusion string // GitHub's word, when done
	Detail     string // what happened: a note of ours, or what a tool said
	Gated      bool   // waits for someone's approval
	Counts     map[string]int
	Reported   bool // has a report
	URL        string
	BaseRef    string // branch that the commit is to be merged into; empty: it is on its branch
	BaseSHA    string
	Before     int // runs that come first, of one that is queued
	Over, Size int // verifications that are over, and all, of one that goes on
}

// Name is the name of the run's check. The branch that a commit is to be merged into is
// part of it, unless it is the default one: an answer for one branch is none for another.
func (r *Outcome) Name(defaultBranch string) string {
	name := "firmproof"
	if r.BaseRef != "" && r.BaseRef != defaultBranch {
		name += " (into " + cutPlain(line(r.BaseRef), 100) + ")"
	}
	if r.Target != "" {
		name += " / " + line(r.Target)
	}
	return name
}

// head returns what the summary begins with.
func (r *Outcome) head() string {
	out := ""
	if r.BaseRef != "" {
		out = Against(r.BaseRef, r.BaseSHA) + "\n\n"
	}
	if r.Detail != "" {
		out += Paragraphs(r.Detail) + "\n\n"
	}
	return out
}

// TargetPage is the page of a run on one target.
func TargetPage(r Outcome, results []verdict.Result, o PageOptions) Page {
	switch {
	case r.State != "done" && len(o.Early) > 0:
		return earlyPage(r, o)
	case len(results) == 0 && (r.State != "done" || !r.Reported):
		return StatePage(r)
	}
	p := CheckRun(results, o)
	p.Summary = Cut(r.head()+p.Summary, MaxText, o.DetailsURL)
	return p
}

// earlyPage is the page of a run on one target that goes on and has violations already.
func earlyPage(r Outcome, o PageOptions) Page {
	p := Page{Title: fmt.Sprintf("%s; %d of %d verifications over", violatedSoFar(o.Early), r.Over, r.Size),
		Text: Cut(details(o.Early), MaxText, o.DetailsURL), Annotations: notes(o.Early, &o, true)}
	p.Annotations = p.Annotations[:min(len(p.Annotations), MostNotes)]
	p.Summary = Cut(r.head()+earlyText(o.Early, &o), MaxText, o.DetailsURL)
	return p
}

// violatedSoFar counts the places that are violated.
func violatedSoFar(results []verdict.Result) string {
	return fmt.Sprintf("%d violated so far", len(Violations(results)))
}

// earlyText lists in Markdown what is violated while the run goes on.
func earlyText(results []verdict.Result, o *PageOptions) string {
	return fmt.Sprintf("The run goes on. This is violated, whatever its other verifications say; [its page](%s) shows it as "+
		"of now.\n%s\n", o.DetailsURL, violationList(results, o))
}

// AggregatePage sums up all targets. Annotations belong to the targets' own check runs.
func AggregatePage(all Outcome, targets []Outcome, results []verdict.Result, o PageOptions) Page {
	if len(targets) == 0 {
		return StatePage(all)
	}
	done := 0
	var table strings.Builder
	table.WriteString("| target | result | |\n|---|---|---|\n")
	for i := range targets {
		t := &targets[i]
		word, note := t.State, ""
		if t.State == "done" {
			done++
			word, note = t.Conclusion, CountsLine(t.Counts)
			if !t.Reported {
				note = firstLine(t.Detail)
			}
		}
		fmt.Fprintf(&table, "| [%s](%s) | %s | %s |\n", Inert(t.Target), t.URL, word, Inert(note))
	}
	p := Page{Title: fmt.Sprintf("%d of %d targets done", done, len(targets))}
	early := ""
	if broken := violated(slices.Concat(results, o.Early)); all.State != "done" && len(broken) > 0 {
		p.Title, early = violatedSoFar(broken)+"; "+p.Title, "\n"+earlyText(broken, &o)
	}
	if all.State == "done" {
		p.Title = StatePage(targets[0]).Title
		if len(results) > 0 {
			full := CheckRun(results, o)
			p.Title, p.Text = full.Title, full.Text
		}
	}
	covered := ""
	if c := CoverageLine(results, o.Changed); c != "" {
		covered = "\n**Coverage**: " + Inert(c) + ".\n"
	}
	p.Summary = Cut(all.head()+table.String()+early+covered+o.Gaps.text()+o.Behaviour.text()+DifferText(results), MaxText,
		o.DetailsURL)
	return p
}

// violated keeps of results those with a violation that counts.
func violated(results []verdict.Result) []verdict.Result {
	return slices.DeleteFunc(slices.Clone(results), func(r verdict.Result) bool {
		return !slices.ContainsFunc(r.Claims, func(c verdict.Claim) bool { return c.Status == verdict.Violated && c.Accepted == nil })
	})
}

// StatePage shows a run without a report: its state, or what went wrong.
func StatePage(r Outcome) Page {
	title := map[string]string{"": "waiting for a worker", "failure": "the build failed",
		"action_required": "something is needed first", "cancelled": "cancelled",
		"timed_out": "timed out", "neutral": "not verified"}[r.Conclusion]
	switch {
	case r.State == "running", r.State == "waiting":
		title = "running"
	case r.Gated:
		title = "waiting for approval"
	case r.State == "done" && r.Conclusion == "success":
		title = "done"
	}
	p := Page{Title: title, Summary: title + "."}
	if r.State == "queued" && r.Before > 0 {
		p.Title += ": " + Place(r.Before)
		p.Summary = fmt.Sprintf(
			"Waiting for a worker; %s when this was written. [The run's page](%s) says how many do now.",
			Place(r.Before), r.URL)
	}
	notes := CompilerNotes(r.Detail)
	switch {
	case r.Detail != "" && !r.Gated && (r.Conclusion == "failure" || len(notes) > 0 || strings.Contains(r.Detail, "\n")):
		p.Summary = Fenced(r.Detail) // what a compiler or the manifest's reader said
		p.Annotations = notes
	case r.Detail != "" || r.BaseRef != "":
		p.Summary = strings.TrimSpace(r.head())
	}
	p.Summary = Cut(p.Summary, MaxText, "")
	return p
}

// Place says how many runs come before a queued one.
func Place(before int) string {
	switch before {
	case 0:
		return "next in the queue"
	case 1:
		return "one run comes first"
	}
	return fmt.Sprintf("%d runs come first", before)
}

var compilerNote = regexp.MustCompile(
	`(?m)^(?:firmproof: |check: |error: )*([^\s:]+):(\d+)(?::(\d+))?: (?:fatal )?(error|warning)?:? ?(.+)$`)

// CompilerNotes turns FILE:LINE:COLUMN messages of compilers and of the manifest into annotations.
func CompilerNotes(text string) []Annotation {
	var out []Annotation
	for _, m := range compilerNote.FindAllStringSubmatch(text, 20) {
		at, err := strconv.Atoi(m[2])
		if err != nil || at == 0 || m[4] == "warning" || !inPath(m[1]) {
			continue
		}
		out = append(out, Annotation{Path: m[1], StartLine: at, EndLine: at, Level: "failure", Title: "build",
			Message: cutPlain(plain(m[5]), maxRaw-1)})
	}
	return out
}

// StateWord returns the word for the state of a finding, or for a status.
func StateWord(s string) string {
	switch State(s) {
	case Introduced:
		return "new"
	case Preexisting:
		return "known"
	case Accepted:
		return "accepted"
	}
	return s
}

// CountsLine says how many claims came out how.
func CountsLine(c map[string]int) string {
	var out []string
	for _, k := range []string{"violated", "unknown", "conditional", "bounded", "proved", "introduced", "fixed", "preexisting",
		"suppressed"} {
		if c[k] > 0 {
			out = append(out, fmt.Sprintf("%d %s", c[k], StateWord(k)))
		}
	}
	return strings.Join(out, ", ")
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
