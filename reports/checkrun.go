package reports

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// GitHub's limits for check runs (REST API, checks).
const (
	MaxText        = 65535
	MaxAnnotations = 50 // per request; further ones are appended by updates
	maxRaw         = 64 << 10
	maxTitle       = 255
)

// Annotation is a note on lines of a file, with GitHub's field names and limits.
type Annotation struct {
	Path        string `json:"path"`
	StartLine   int    `json:"start_line"`
	EndLine     int    `json:"end_line"`
	StartColumn int    `json:"start_column,omitempty"`
	EndColumn   int    `json:"end_column,omitempty"`
	Level       string `json:"annotation_level"` // notice, warning, failure
	Message     string `json:"message"`
	Title       string `json:"title,omitempty"`
	RawDetails  string `json:"raw_details,omitempty"`
}

// Page is the content of one check run.
type Page struct {
	Conclusion  string // success, failure, neutral
	Title       string
	Summary     string // Markdown
	Text        string // Markdown
	Annotations []Annotation
}

// State of a finding against the base branch.
type State string

// The states; the empty one means that nothing is known of the base.
const (
	Introduced  State = "introduced"
	Preexisting State = "preexisting"
	Fixed       State = "fixed"
	Suppressed  State = "suppressed"
)

// PageOptions say what a check run is about.
type PageOptions struct {
	Changed    map[string][]LineRange      // changed lines by file; nil: annotate every finding
	All        bool                        // annotate known findings outside the changed lines, too
	States     map[string]State            // by Key(result, claim)
	ByTarget   map[string]map[string]State // instead of States, where there are several targets
	FixedCount int
	FixedKeys  []string // of the findings that FixedCount counts, by Key
	DetailsURL string
	FailOn     string // the manifest's report.fail_on, words with commas; empty if it says nothing
	Partial    bool   // harnesses of the commit have never been verified
}

// LineRange is inclusive, lines from 1.
type LineRange struct{ From, To int }

// Key identifies a finding inside one target: entry and claim.
func Key(r *verdict.Result, c *verdict.Claim) string { return r.Entry + "|" + c.ID }

func (o *PageOptions) state(r *verdict.Result, c *verdict.Claim) State {
	if c.Suppressed != "" {
		return Suppressed
	}
	if o.ByTarget != nil {
		return o.ByTarget[r.Target][Key(r, c)]
	}
	return o.States[Key(r, c)]
}

// CheckRun renders the results of one target (or of all, for the aggregate).
func CheckRun(results []verdict.Result, o PageOptions) Page {
	p := Page{Conclusion: Conclusion(results, o), Title: title(results, o)}
	p.Summary = Cut(summary(results, o), MaxText, o.DetailsURL)
	p.Text = Cut(details(results), MaxText, o.DetailsURL)
	var outside []Annotation
	for _, s := range Violations(results) { // those that need few assumptions first
		for _, v := range s.Claims {
			r, c := v.Result, v.Claim
			if !inPath(c.Pos.File) || c.Pos.Line == 0 || o.state(r, c) == Suppressed {
				continue
			}
			a := annotation(r, c)
			switch {
			case o.Changed == nil || touches(o.Changed[a.Path], a.StartLine):
				p.Annotations = append(p.Annotations, a)
			case o.All || o.state(r, c) != Preexisting: // what was there before is in the summary
				outside = append(outside, a)
				if step := causeIn(c, o.Changed); step != nil {
					p.Annotations = append(p.Annotations, causeNote(a, c, step))
				}
			}
		}
	}
	// findings on changed lines first, then the others
	p.Annotations = dedupe(append(p.Annotations, outside...))
	return p
}

// FailsOn reports whether a list of words as report.fail_on has it names what.
func FailsOn(list, what string) bool { return slices.Contains(strings.Split(list, ","), what) }

// Conclusion is GitHub's word for results: failure for a violation that is not suppressed,
// and for an unknown or a vacuous answer where the manifest says so; action_required where there is no verdict
// at all, or one of some harnesses only; neutral for only unknowns, and for a change whose
// violations were all there before it; success otherwise.
func Conclusion(results []verdict.Result, o PageOptions) string {
	unknown, vacuous, answered, known := false, false, false, false
	for i := range results {
		r := &results[i]
		unknown, vacuous = unknown || r.Reason != nil, vacuous || r.Vacuous != nil
		answered = answered || !processLost(r)
		for j := range r.Claims {
			c := &r.Claims[j]
			switch {
			case o.state(r, c) == Suppressed:
			case c.Status == verdict.Violated && o.Changed != nil && o.state(r, c) == Preexisting:
				known = true
			case c.Status == verdict.Violated:
				return "failure"
			case c.Status == verdict.Unknown && !c.IsShadowed():
				unknown = true
			}
		}
	}
	switch {
	case unknown && FailsOn(o.FailOn, "unknown"), vacuous && FailsOn(o.FailOn, "vacuous"):
		return "failure"
	case !answered || o.Partial:
		return "action_required"
	case unknown || known:
		return "neutral"
	}
	return "success"
}

// processLost reports whether nothing of an entry was answered, because its build or
// verification died or reached a limit.
func processLost(r *verdict.Result) bool {
	if r.Reason == nil || len(r.Claims) > 0 {
		return false
	}
	switch r.Reason.Kind {
	case verdict.OutOfMemory, verdict.TimedOut, verdict.Internal:
		return true
	}
	return false
}

func title(results []verdict.Result, o PageOptions) string {
	n := map[verdict.Status]int{}
	targets := map[string]bool{}
	fresh, known, vacuous := 0, 0, 0
	for i := range results {
		if results[i].Vacuous != nil {
			vacuous++
		}
		targets[results[i].Target] = true
		for j := range results[i].Claims {
			c := &results[i].Claims[j]
			if c.IsShadowed() {
				continue
			}
			n[c.Status]++
			if c.Status == verdict.Violated {
				if s := o.state(&results[i], c); s == Preexisting || s == Suppressed {
					known++
				} else {
					fresh++
				}
			}
		}
		if results[i].Reason != nil {
			n[verdict.Unknown]++
		}
	}
	on := ""
	if len(targets) > 1 {
		on = fmt.Sprintf(" on %d targets", len(targets))
	}
	switch {
	case fresh+known+o.FixedCount > 0 && (o.States != nil || o.ByTarget != nil):
		return fmt.Sprintf("%d new, %d fixed, %d known%s", fresh, o.FixedCount, known, on)
	case n[verdict.Violated] > 0:
		return plural(n[verdict.Violated], "violation") + on
	case n[verdict.Unknown] > 0:
		return fmt.Sprintf("%d undecided, %d hold%s", n[verdict.Unknown], n[verdict.Proved]+n[verdict.Bounded], on)
	case vacuous > 0:
		return fmt.Sprintf("%d of %s vacuous: nothing is shown%s", vacuous, plural(len(results), "verification"), on)
	case n[verdict.Bounded] > 0:
		return fmt.Sprintf("%d proved, %d hold up to bounds%s", n[verdict.Proved], n[verdict.Bounded], on)
	case n[verdict.Proved] > 0:
		return fmt.Sprintf("all %d proved%s", n[verdict.Proved], on)
	}
	return "nothing to check" + on
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func summary(results []verdict.Result, o PageOptions) string {
	var b strings.Builder
	b.WriteString("| target | entry | status | claims | time |\n|---|---|---|---|---|\n")
	for i := range results {
		r := &results[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.1f s |\n", Inert(r.Target), codeCell(r.Entry),
			badgeOf(r),
			countsOf([]*verdict.Result{r}),
			float64(r.DurationMS)/1000)
	}
	b.WriteString(violationList(results, &o))
	for i := range results {
		r := &results[i]
		if r.Reason != nil {
			fmt.Fprintf(&b, "\n\n**%s / %s** is unknown: %s\n", prose(r.Target), prose(r.Entry),
				Inert(reasonText(r.Reason)))
		}
		if r.Vacuous != nil {
			fmt.Fprintf(&b, "\n\n**%s / %s** is vacuous: %s\n", prose(r.Target), prose(r.Entry), Inert(vacuity(r)))
		}
	}
	b.WriteString(undecidedList(results))
	if c := CoverageLine(results, o.Changed); c != "" {
		fmt.Fprintf(&b, "\n\n**Coverage**: %s.\n", Inert(c))
	}
	b.WriteString(fixedText(o.FixedKeys))
	b.WriteString(DifferText(results))
	b.WriteString(boundsText(results))
	b.WriteString(reusedText(results))
	if o.DetailsURL != "" {
		fmt.Fprintf(&b, "\n\n[Full report with traces](%s)\n", o.DetailsURL)
	}
	return b.String()
}

// reasonText says first where, then what, then what helps.
func reasonText(r *verdict.Reason) string {
	text := r.Detail
	if r.Pos != nil {
		text = r.Pos.String() + ": " + text
	}
	if r.Remedy != "" {
		text += ". What helps: " + r.Remedy
	}
	return text + " (" + string(r.Kind) + ")"
}

// maxUndecided limits the undecided claims that the summary lists one by one; more are counted by reason.
const maxUndecided = 20

func undecidedClaims(results []verdict.Result) int {
	n := 0
	for i := range results {
		for j := range results[i].Claims {
			if c := &results[i].Claims[j]; c.Status == verdict.Unknown && !c.IsShadowed() {
				n++
			}
		}
	}
	return n
}

// DifferText says in Markdown where targets disagree; empty if they do not.
func DifferText(results []verdict.Result) string {
	diff := Differences(&verdict.Report{Results: results})
	if len(diff) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\n**Targets differ**\n")
	for _, d := range diff {
		fmt.Fprintf(&b, "\n- %s", Inert(d))
	}
	return b.String() + "\n"
}

// fixedText lists the findings of the base that are gone.
func fixedText(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	out := "\n\n**Fixed**\n"
	for _, k := range keys {
		entry, id, _ := strings.Cut(k, "|")
		out += fmt.Sprintf("\n- %s (%s)", Code(id), Code(entry))
	}
	return out + "\n"
}

func stateNote(s State) string {
	switch s { // the words of the title
	case "":
		return ""
	case Introduced:
		return " — new"
	case Preexisting:
		return " — known"
	}
	return " — " + string(s)
}

// boundsText says how bounded claims were bounded, and on what the answers rest.
func boundsText(results []verdict.Result) string {
	var b strings.Builder
	for i := range results {
		r := &results[i]
		for _, l := range r.Bounds.Loops {
			if !l.Complete {
				fmt.Fprintf(&b, "\n- %s / %s: %s", Inert(r.Target), Inert(r.Entry),
					seenTurns(l.Turns, fmt.Sprintf("%s (%s)", Code(l.Pos.String()), Code(l.Name))))
			}
		}
	}
	out := ""
	if b.Len() > 0 {
		out += "\n\n**Bounds reached**\n" + b.String()
	}
	notes := map[string]bool{}
	for i := range results {
		for _, a := range append(append([]string{}, results[i].Assumptions...), results[i].Warnings...) {
			notes[a] = true
		}
	}
	if len(notes) > 0 {
		out += "\n\n**Assumptions and warnings**\n"
		for _, n := range sortedKeys(notes) {
			out += "\n- " + Inert(n)
		}
	}
	return out
}

// reusedText names the earlier runs that answers come from.
func reusedText(results []verdict.Result) string {
	lines := map[string]int{}
	n := 0
	for i := range results {
		if u := results[i].Reused; u != "" {
			lines[u]++
			n++
		}
	}
	if n == 0 {
		return ""
	}
	out := fmt.Sprintf("\n\n**Answered before**\n\nNothing that %d of %s can reach has changed since these runs answered:\n", n, plural(len(results), "verification"))
	for _, l := range sortedKeys(lines) {
		out += fmt.Sprintf("\n- %d by run %s", lines[l], Code(l))
	}
	return out
}

func details(results []verdict.Result) string {
	var b strings.Builder
	for i := range results {
		r := &results[i]
		for j := range r.Claims {
			c := &r.Claims[j]
			if len(c.Trace) == 0 {
				continue
			}
			fmt.Fprintf(&b, "<details><summary>%s on %s: %s at <code>%s</code></summary>\n\n```\n%s\n```\n\n</details>\n\n",
				c.Check, inHTML(r.Target), inHTML(c.Message), inHTML(c.Pos.String()),
				fence(plain(strings.Join(TraceLines(c.Trace), "\n"))))
		}
	}
	return b.String()
}

// badgeOf is the badge of a result's status: what holds vacuously is not shown as proved.
func badgeOf(r *verdict.Result) string {
	if r.Vacuous != nil {
		return "⚠️ vacuous"
	}
	return badge(r.Status)
}

// vacuity says in a sentence why what holds in r says nothing about the program.
func vacuity(r *verdict.Result) string {
	v := r.Vacuous
	s := v.Detail
	if v.Pos != nil {
		s = v.Pos.String() + ": " + s
	}
	if v.Remedy != "" {
		s += " (" + v.Remedy + ")"
	}
	return s
}

func badge(s verdict.Status) string {
	switch s {
	case verdict.Proved:
		return "✅ proved"
	case verdict.Bounded:
		return "☑️ bounded"
	case verdict.Violated:
		return "❌ violated"
	case verdict.Unknown:
		return "❔ unknown"
	}
	return s.String()
}

func annotation(r *verdict.Result, c *verdict.Claim) Annotation {
	a := Annotation{Path: c.Pos.File, StartLine: c.Pos.Line, EndLine: c.Pos.Line, Level: "failure",
		Title: cutPlain(line(fmt.Sprintf("%s (%s)", c.Check, r.Target)), maxTitle),
		Message: cutPlain(plain(fmt.Sprintf("%s\nIn harness %s on %s; claim %s.", c.Message, r.Entry, r.Target, c.ID)),
			maxRaw-1)}
	if c.Pos.Column > 0 {
		a.StartColumn, a.EndColumn = c.Pos.Column, c.Pos.Column
	}
	if len(c.Trace) > 0 {
		what := "Counterexample"
		if goesOn(c) {
			what = "The first steps of a run that never ends"
		}
		a.RawDetails = cutPlain(plain(what+", replay "+string(c.Replay)+":\n"+
			strings.Join(TraceLines(c.Trace), "\n")), maxRaw-1)
	}
	return a
}

// causeIn returns the last step of a trace on a changed line that the failure depends on; nil if there is none.
func causeIn(c *verdict.Claim, changed map[string][]LineRange) *verdict.Step {
	for i := len(c.Trace) - 1; i >= 0; i-- {
		if s := &c.Trace[i]; s.Relevant && inPath(s.Pos.File) && touches(changed[s.Pos.File], s.Pos.Line) {
			return s
		}
	}
	return nil
}

// causeNote tells at a changed line of the finding a elsewhere that it brings about.
func causeNote(a Annotation, c *verdict.Claim, s *verdict.Step) Annotation {
	out := a
	out.Path, out.StartLine, out.EndLine, out.StartColumn, out.EndColumn = s.Pos.File, s.Pos.Line, s.Pos.Line, 0, 0
	out.Title = cutPlain(line(fmt.Sprintf("brings about %s at %s", a.Title, c.Pos)), maxTitle)
	what := s.What + " = " + s.Value
	if s.Kind != verdict.StepAssign && s.Kind != verdict.StepInput {
		what = string(s.Kind) + " " + s.What
	}
	out.Message = cutPlain(plain(fmt.Sprintf("%s: the failure at %s depends on it.\n%s", line(what), c.Pos, a.Message)),
		maxRaw-1)
	return out
}

// dedupe keeps the first of annotations that would read the same.
func dedupe(in []Annotation) []Annotation {
	seen := map[string]bool{}
	var out []Annotation
	for _, a := range in {
		k := fmt.Sprintf("%s\x00%d\x00%s", a.Path, a.StartLine, a.Message)
		if !seen[k] {
			seen[k] = true
			out = append(out, a)
		}
	}
	return out
}

func touches(ranges []LineRange, line int) bool {
	for _, r := range ranges {
		if r.From <= line && line <= r.To {
			return true
		}
	}
	return false
}

// cutPlain shortens to at most n bytes at a rune boundary.
func cutPlain(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Cut shortens Markdown to at most limit bytes at a line end, closes an open
// fence and details, and says where the rest is.
func Cut(s string, limit int, url string) string {
	if len(s) <= limit {
		return s
	}
	tail := "\n\n_Cut here; the full report has the rest._"
	if url != "" {
		tail = fmt.Sprintf("\n\n_Cut here; the [full report](%s) has the rest._", url)
	}
	closing := "\n```\n</details>"
	room := limit - len(tail) - len(closing)
	cut := s[:room]
	if i := strings.LastIndexByte(cut, '\n'); i > 0 {
		cut = cut[:i]
	} else {
		for len(cut) > 0 && !utf8.ValidString(cut) {
			cut = cut[:len(cut)-1]
		}
	}
	if strings.Count(cut, "\n```")%2 == 1 {
		cut += "\n```"
	}
	if strings.Count(cut, "<details>") > strings.Count(cut, "</details>") {
		cut += "\n</details>"
	}
	return cut + tail
}
