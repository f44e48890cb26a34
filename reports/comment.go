package reports

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// MaxComment is GitHub's limit on the text of a comment or an issue, in
// characters; it is kept in bytes, which are never fewer.
const MaxComment = 65536

// maxListed bounds each list of a comment: the full report has the rest.
const maxListed = 20

// maxShown bounds the inputs, and the values, of a finding, in bytes.
const maxShown = 200

// CommentOptions say what a comment is about, beside the results.
type CommentOptions struct {
	PageOptions
	Commit   string
	Targets  []string            // all of the run, also those without a report
	Failed   map[string]string   // target to what went wrong, for those without a report: its first line is shown
	Fixed    map[string][]string // target to keys of findings that are gone
	MarkLine string              // first line, which makes the comment recognisable
	Patch    *Patch              // that was tried on Commit; nil: the results are of Commit
}

// Patch is a change that nobody pushed.
type Patch struct {
	By, URL string // who proposes it, and the address where it stands, which may be empty
	Note    string // what is to be said of the comparison
}

// Comment is the summary of all targets of a pull request as one Markdown
// text: a table of harnesses and targets, findings by their state against the
// base, and on what the answers rest.
func Comment(results []verdict.Result, o CommentOptions) string {
	c := &commenter{results: results, o: o, at: map[string]map[string]*verdict.Result{}}
	for i := range results {
		r := &results[i]
		if c.at[r.Entry] == nil {
			c.at[r.Entry] = map[string]*verdict.Result{}
			c.entries = append(c.entries, r.Entry)
		}
		c.at[r.Entry][r.Target] = r
	}
	sort.Strings(c.entries)
	return c.text()
}

type commenter struct {
	b       strings.Builder
	results []verdict.Result
	o       CommentOptions
	entries []string
	at      map[string]map[string]*verdict.Result // entry, target
}

func (c *commenter) text() string {
	title := headlineOf(c.results, c.o.PageOptions)
	if len(c.results) == 0 {
		title = "no answer"
	}
	fresh, gone, known := "New", "Fixed", "Known"
	if p := c.o.Patch; p != nil {
		fresh, gone, known = "What the patch brings", "What the patch mends", "What stays"
		what := "The patch"
		if p.URL != "" {
			what = "[The patch](" + p.URL + ")"
		}
		fmt.Fprintf(&c.b, "%s\n### firmproof, with the patch: %s\n\n%s of %s on commit %s; nothing was pushed", c.o.MarkLine,
			title, what, Inert(p.By), c.o.Commit)
	} else {
		fmt.Fprintf(&c.b, "%s\n### firmproof: %s\n\nCommit %s", c.o.MarkLine, title, c.o.Commit)
	}
	if c.o.DetailsURL != "" {
		fmt.Fprintf(&c.b, " · [full report with traces](%s)", c.o.DetailsURL)
	}
	c.b.WriteString("\n\n")
	if c.o.Patch != nil && c.o.Patch.Note != "" {
		c.b.WriteString(Paragraphs(c.o.Patch.Note) + "\n\n")
	}
	c.findings(fresh, func(s State) bool { return s == Introduced || s == OnTarget || s == "" }, false)
	c.b.WriteString(DifferText(c.results))
	c.table()
	c.failures()
	c.fixed(gone)
	c.findings(known, func(s State) bool { return s == Preexisting }, true)
	c.findings("Accepted", func(s State) bool { return s == Accepted }, true)
	c.list("Conditional", conditionList(c.results), true)
	c.b.WriteString(c.o.Behaviour.text())
	c.bounds()
	c.rest()
	if len(c.results) > 0 {
		c.time()
	}
	return Cut(c.b.String(), MaxComment, c.o.DetailsURL)
}

// maxRows is how many rows of harnesses that are proved the table has as it is; where there are more, they are folded.
const maxRows = 6

// table has a row per harness and a column per target: what stands worst first, what is proved throughout last.
func (c *commenter) table() {
	if len(c.entries) == 0 {
		return
	}
	worst := map[string]int{}
	for _, e := range c.entries {
		worst[e] = len(standings)
		for _, t := range c.o.Targets {
			if r := c.at[e][t]; r != nil {
				worst[e] = min(worst[e], slices.Index(standings, standingOfResult(r)))
			} else if c.o.Failed[t] != "" {
				worst[e] = min(worst[e], slices.Index(standings, asStanding(verdict.Unknown)))
			}
		}
	}
	order := slices.Clone(c.entries)
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(worst[a], worst[b]) })
	fine := slices.Index(standings, asStanding(verdict.Proved))
	proved := slices.IndexFunc(order, func(e string) bool { return worst[e] >= fine })
	if proved < 0 || len(order)-proved <= maxRows {
		c.rows(order)
		return
	}
	c.rows(order[:proved])
	fmt.Fprintf(&c.b, "\n<details><summary>%d harnesses are proved</summary>\n", len(order)-proved)
	c.rows(order[proved:])
	c.b.WriteString("\n</details>\n")
}

func (c *commenter) rows(entries []string) {
	if len(entries) == 0 {
		return
	}
	heads := make([]string, len(c.o.Targets))
	for i, t := range c.o.Targets {
		heads[i] = Inert(t)
	}
	fmt.Fprintf(&c.b, "\n| harness | %s |\n|---%s|\n", strings.Join(heads, " | "), strings.Repeat("|---", len(heads)))
	for _, e := range entries {
		fmt.Fprintf(&c.b, "| %s |", codeCell(e))
		for _, t := range c.o.Targets {
			fmt.Fprintf(&c.b, " %s |", c.cell(e, t))
		}
		c.b.WriteString("\n")
	}
}

func (c *commenter) cell(entry, target string) string {
	r := c.at[entry][target]
	if r == nil {
		if c.o.Failed[target] != "" {
			return "not verified"
		}
		return "–"
	}
	fresh, known := 0, 0
	for i := range r.Claims {
		if cl := &r.Claims[i]; cl.Status == verdict.Violated {
			switch c.o.state(r, cl) {
			case Preexisting:
				known++
			case Introduced, OnTarget, "":
				fresh++
			}
		}
	}
	parts := []string{badgeOf(r)}
	for _, n := range []struct {
		n    int
		word string
	}{{fresh, "new"}, {c.fixedOf(entry, target), "fixed"}, {known, "known"}} {
		if n.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.n, n.word))
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("%.1f s", float64(r.DurationMS)/1000)), ", ")
}

func (c *commenter) fixedOf(entry, target string) int {
	n := 0
	for _, key := range c.o.Fixed[target] {
		if strings.HasPrefix(key, entry+"|") {
			n++
		}
	}
	return n
}

// failures says what went wrong on targets without a report.
func (c *commenter) failures() {
	for _, t := range sortedKeys(c.o.Failed) {
		fmt.Fprintf(&c.b, "\n- **%s**: %s", prose(t), Inert(cutPlain(firstLine(c.o.Failed[t]), 500)))
	}
	if len(c.o.Failed) > 0 {
		c.b.WriteString("\n")
	}
}

// findings lists violations in one state; the same claim on several targets is one line.
func (c *commenter) findings(head string, want func(State) bool, folded bool) {
	targets, shown := map[string][]string{}, map[string]string{}
	var lines []string
	for i := range c.results {
		r := &c.results[i]
		for j := range r.Claims {
			cl := &r.Claims[j]
			if cl.Status != verdict.Violated || !want(c.o.state(r, cl)) {
				continue
			}
			text := fmt.Sprintf("**%s** %s: %s (%s, %s)", cl.Check, Code(cl.Pos.String()), Inert(cl.Message),
				Code(r.Entry), Code(cl.ID))
			if cl.Accepted != nil {
				text += ", accepted: " + Inert(cl.Accepted.String())
			}
			if shown[text] == "" && !folded {
				shown[text] = shownBy(cl)
			}
			if targets[text] == nil {
				lines = append(lines, text)
			}
			targets[text] = append(targets[text], Inert(r.Target))
		}
	}
	for i, text := range lines {
		lines[i] = text + " on " + strings.Join(targets[text], ", ") + shown[text]
	}
	c.list(head, lines, folded)
}

// shownBy says with what input a violation is shown, and with what values at its line.
func shownBy(c *verdict.Claim) string {
	out := ""
	if inputs := inputsOf(c.Trace); inputs != "" {
		out += "<br>with " + Code(cutPlain(inputs, maxShown))
	}
	for _, s := range c.Trace {
		if s.Kind == verdict.StepViolation && s.Value != "" {
			out += "<br>there " + Code(cutPlain(s.Value, maxShown))
		}
	}
	return out
}

func (c *commenter) fixed(head string) {
	targets := map[string][]string{}
	for _, t := range sortedKeys(c.o.Fixed) {
		for _, key := range c.o.Fixed[t] {
			targets[key] = append(targets[key], Inert(t))
		}
	}
	var lines []string
	for _, key := range sortedKeys(targets) {
		entry, claim, _ := strings.Cut(key, "|")
		lines = append(lines, fmt.Sprintf("%s (%s) on %s", Code(claim), Code(entry), strings.Join(targets[key], ", ")))
	}
	c.list(head, lines, false)
}

// list writes a heading with its lines, folded away if they are not what the reader came for.
func (c *commenter) list(head string, lines []string, folded bool) {
	if len(lines) == 0 {
		return
	}
	more := len(lines) - maxListed
	if more > 0 {
		lines = append(lines[:maxListed:maxListed], fmt.Sprintf("and %d more", more))
	}
	if folded {
		fmt.Fprintf(&c.b, "\n<details><summary>%s (%d)</summary>\n\n- %s\n\n</details>\n", head,
			max(len(lines), more+maxListed), strings.Join(lines, "\n- "))
		return
	}
	fmt.Fprintf(&c.b, "\n**%s**\n\n- %s\n", head, strings.Join(lines, "\n- "))
}

// bounds says how each bounded answer was bounded.
func (c *commenter) bounds() {
	var lines []string
	for i := range c.results {
		r := &c.results[i]
		if r.Status != verdict.Bounded && r.Status != verdict.Conditional {
			continue
		}
		var how []string
		if r.Bounds.Unwind > 0 {
			how = append(how, plural(r.Bounds.Unwind, "loop turn"))
		} else {
			how = append(how, "loops deepened until the time was used")
		}
		if r.Bounds.Depth > 0 {
			how = append(how, plural(r.Bounds.Depth, "nested call"))
		}
		for _, a := range r.Bounds.Handlers {
			how = append(how, Inert(a.Text))
		}
		for _, l := range r.Bounds.Loops {
			if !l.Complete {
				how = append(how, seenTurns(l.Turns, fmt.Sprintf("%s (%s)", Code(l.Pos.String()), Code(l.Name))))
			}
		}
		lines = append(lines, fmt.Sprintf("%s on %s: %s", Code(r.Entry), Inert(r.Target), strings.Join(how, "; ")))
	}
	c.list("How bounded answers were bounded", lines, true)
}

// rest lists assumptions, stubs and warnings.
func (c *commenter) rest() {
	notes := map[string]bool{}
	for i := range c.results {
		for _, a := range verdict.TextsOf(c.results[i].Assumptions) {
			notes[Inert(a)] = true
		}
		for _, a := range openEnds(&c.results[i]) {
			notes["termination open: "+Inert(a)] = true
		}
		for _, a := range c.results[i].Warnings {
			notes["warning: "+Inert(a)] = true
		}
	}
	c.list("Assumptions, stubs and warnings", sortedKeys(notes), true)
}

// time says what the run cost, and what the cache spared.
func (c *commenter) time() {
	var used, spared int64
	reused := 0
	for i := range c.results {
		r := &c.results[i]
		if r.Reused != "" {
			reused++
			spared += r.DurationMS
			continue
		}
		used += r.DurationMS
	}
	fmt.Fprintf(&c.b, "\n%.1f s of verification", float64(used)/1000)
	if reused > 0 {
		fmt.Fprintf(&c.b, "; %d of %s taken from the cache, which saved %.1f s", reused, plural(len(c.results),
			"answer"), float64(spared)/1000)
	}
	c.b.WriteString(".\n")
}
