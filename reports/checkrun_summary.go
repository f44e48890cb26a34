package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

func summary(results []verdict.Result, o PageOptions) string {
	var b strings.Builder
	switch {
	case len(results) == 0 && len(o.Gaps.Functions) == 0 && !o.Gaps.All:
		b.WriteString(nothingChecked + "\n")
	case len(results) == 0 || o.Gaps.All:
		b.WriteString(nothingReached + "\n")
	}
	if b.WriteString(o.Gaps.text()); len(results) == 0 {
		b.WriteString(o.Behaviour.text())
		return b.String()
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
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
	for _, line := range conditionList(results) {
		b.WriteString("\n- " + line)
	}
	if c := CoverageLine(results, o.Changed); c != "" {
		fmt.Fprintf(&b, "\n\n**Coverage**: %s.\n", Inert(c))
	}
	b.WriteString(fixedText(o.FixedKeys))
	b.WriteString(o.Behaviour.text())
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
	case Accepted:
		return " — accepted"
	case OnTarget:
		return " — new on this target"
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
	for _, text := range handlerBounds(results) {
		b.WriteString("\n- " + Inert(text))
	}
	out := ""
	if b.Len() > 0 {
		out += "\n\n**Bounds reached**\n" + b.String()
	}
	notes := map[string]bool{}
	for i := range results {
		for _, a := range slices.Concat(verdict.TextsOf(results[i].Assumptions), openEnds(&results[i]), results[i].Warnings) {
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
	out := fmt.Sprintf("\n\n**Answered before**\n\nNothing that %d of %s can reach has changed since these runs "+
		"answered:\n", n, plural(len(results), "verification"))
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
			fmt.Fprintf(&b, "<details><summary>%s on %s: %s at <code>%s</code></summary>\n\n"+
				"```\n%s\n```\n\n</details>\n\n",
				c.Check, inHTML(r.Target), inHTML(c.Message), inHTML(c.Pos.String()),
				fence(plain(strings.Join(TraceLines(outside(c.Trace)), "\n"))))
		}
	}
	return b.String()
}

// badgeOf is the badge of a result.
func badgeOf(r *verdict.Result) string { return badgeAs(standingOfResult(r)) }

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

func badge(s verdict.Status) string { return badgeAs(asStanding(s)) }

// badges are the signs of standings in Markdown. Only what is proved has a green tick.
var badges = map[standing]string{asStanding(verdict.Proved): "✅ ", asStanding(verdict.Bounded): "☑️ ",
	asStanding(verdict.Conditional): "🔷 ", asStanding(verdict.Violated): "❌ ", asStanding(verdict.Unknown): "❔ ",
	standsAccepted: "📝 ", standsKnown: "❌ ", standsVacuous: "⚠️ "}

func badgeAs(s standing) string { return badges[s] + string(s) }
