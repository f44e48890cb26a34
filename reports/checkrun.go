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
	MaxAnnotations = 50  // per request; further ones are appended by updates
	MostNotes      = 200 // of a check run; thousands stop GitHub's page of changed files from loading
	maxRaw         = 64 << 10
	maxTitle       = 255
)

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
	Accepted    State = "suppressed" // as the store has it
	OnTarget    State = "new-target" // new, in code that did not change, on a target that the base has not
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
	FailOn     string           // the manifest's report.fail_on, words with commas; empty if it says nothing
	Partial    bool             // harnesses of the commit have never been verified
	Early      []verdict.Result // of a run that goes on: what it violates already
	Gaps       Gaps             // what of the change was not looked at
	Behaviour  Behaviour
}

// Key identifies a finding inside one target: entry and claim.
func Key(r *verdict.Result, c *verdict.Claim) string { return r.Entry + "|" + c.ID }

func (o *PageOptions) state(r *verdict.Result, c *verdict.Claim) State {
	switch {
	case c.Accepted != nil:
		return Accepted
	case c.Baseline == verdict.Known:
		return Preexisting
	case c.Baseline == verdict.New:
		return Introduced
	}
	if o.ByTarget != nil {
		return o.ByTarget[r.Target][Key(r, c)]
	}
	return o.States[Key(r, c)]
}

// CheckRun renders the results of one target (or of all, for the aggregate).
func CheckRun(results []verdict.Result, o PageOptions) Page {
	p := Page{Conclusion: Conclusion(results, o), Title: headlineOf(results, o)}
	p.Summary = Cut(summary(results, o), MaxText, o.DetailsURL)
	p.Text = Cut(details(results), MaxText, o.DetailsURL)
	p.Annotations = notes(results, &o, false)
	if n := len(p.Annotations); n > MostNotes {
		p.Annotations = p.Annotations[:MostNotes]
		p.Summary = Cut(fmt.Sprintf("Of %d notes, the first %d stand on their lines; all findings are on the page of the run."+
			"\n\n%s", n, MostNotes, p.Summary), MaxText, o.DetailsURL)
	}
	return p
}

// notes lists the annotations of what is violated: findings on changed lines first, then the others. Early ones are
// those that stay whatever is still to be said of the commit that the change starts from.
func notes(results []verdict.Result, o *PageOptions, early bool) []Annotation {
	var inside, outside []Annotation
	for _, s := range Violations(results) { // those that need few assumptions first
		for _, v := range s.Claims {
			r, c := v.Result, v.Claim
			if !inPath(c.Pos.File) || c.Pos.Line == 0 || o.state(r, c) == Accepted {
				continue
			}
			a := annotation(r, c)
			switch {
			case o.Changed == nil || touches(o.Changed[a.Path], a.StartLine):
				inside = append(inside, a)
			case o.All || !early && o.state(r, c) != Preexisting: // what was there before is in the summary
				outside = append(outside, a)
				if step := causeIn(c, o.Changed); step != nil {
					inside = append(inside, causeNote(a, c, step))
				}
			}
		}
	}
	return dedupe(append(append(inside, o.Behaviour.notes(o.Changed)...), outside...))
}

// FailsOn reports whether a list of words as report.fail_on has it names what.
func FailsOn(list, what string) bool { return slices.Contains(strings.Split(list, ","), what) }

// Conclusion is GitHub's word for results: failure for a violation that is not suppressed,
// and for an unknown, a vacuous or a conditional answer, less that is asked, or another behaviour, where the manifest says
// so;
// action_required where there is no verdict at all, or one of some harnesses only; neutral for only unknowns, for a change
// whose violations were all there before it, and where nothing, or nothing of the change, was checked, or all answers are
// vacuous, or someone ended the run; success otherwise.
func Conclusion(results []verdict.Result, o PageOptions) string {
	unknown, vacuous, answered, known, checked := false, false, len(results) == 0, false, false
	conditional := false
	for i := range results {
		r := &results[i]
		unknown, vacuous = unknown || r.Reason != nil, vacuous || r.Vacuous != nil
		answered = answered || !processLost(r)
		for j := range r.Claims {
			c := &r.Claims[j]
			checked = checked || r.Vacuous == nil
			switch {
			case o.state(r, c) == Accepted:
			case c.Status == verdict.Violated && o.Changed != nil && o.state(r, c) == Preexisting:
				known = true
			case c.Status == verdict.Violated:
				return "failure"
			case c.Status == verdict.Unknown && !c.IsShadowed():
				unknown = true
			case c.Status == verdict.Conditional:
				conditional = true
			}
		}
	}
	switch {
	case unknown && FailsOn(o.FailOn, "unknown"), vacuous && FailsOn(o.FailOn, "vacuous"),
		conditional && FailsOn(o.FailOn, "conditional"), len(o.Gaps.Less) > 0 && FailsOn(o.FailOn, "weakened"),
		o.Behaviour.differs() && FailsOn(o.FailOn, "behaviour"), o.Behaviour.breaks():
		return "failure"
	case !answered || o.Partial:
		return "action_required"
	case unknown || known || !checked || o.Gaps.All || len(o.Gaps.Ended) > 0 || o.Behaviour.unsure():
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
	case verdict.OutOfMemory, verdict.TimedOut, verdict.ClockOver, verdict.Internal:
		return true
	}
	return false
}

// held is the headline where nothing is violated but what was accepted.
func held(n map[verdict.Status]int, accepted int) string {
	switch {
	case n[verdict.Proved] > 0 && n[verdict.Conditional]+n[verdict.Bounded]+n[verdict.Unknown]+accepted == 0:
		return fmt.Sprintf("all %d proved", n[verdict.Proved])
	case n[verdict.Proved]+n[verdict.Conditional]+n[verdict.Bounded]+n[verdict.Unknown]+accepted == 0:
		return "nothing to check"
	}
	out := fmt.Sprintf("%d proved", n[verdict.Proved])
	for _, k := range []struct {
		s    verdict.Status
		word string
	}{{verdict.Conditional, "conditional"}, {verdict.Bounded, "up to bounds"}, {verdict.Unknown, "open"}} {
		if n[k.s] > 0 {
			out += fmt.Sprintf(", %d %s", n[k.s], k.word)
		}
	}
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
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
