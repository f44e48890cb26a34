package reports

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// mostCommands is how many annotations of a kind GitHub shows of a step ("Workflow commands", limits); what is more is
// told in its summary alone.
const mostCommands = 10

// GitHub renders a report as workflow commands, which a job's log turns into annotations (GitHub Actions, "Workflow
// commands"): an error for each place of a violation, whatever targets it was found on, a warning for each vacuous harness
// and each reason why something is unknown, the first ten of each kind, and a notice with the sum.
func GitHub(r *verdict.Report) string {
	j := &jobLog{}
	for _, s := range Violations(r.Results) {
		if s.Accepted() != nil || !inPath(s.Pos.File) || s.Pos.Line == 0 {
			continue
		}
		shown := s.Shown()
		a := annotation(shown.Result, shown.Claim)
		kind, title := "error", fmt.Sprintf("%s (%s)", s.Check, listed(s.Targets(), 3))
		if s.Known() {
			kind, title = "notice", "known: "+title
		}
		ids := names(s.Claims, func(c SiteClaim) string { return c.Claim.ID })
		j.command(kind, s.Pos, cutPlain(line(title), maxTitle), strings.TrimSpace(plain(fmt.Sprintf(
			"%s\nIn harness %s on %s; claim %s.\n", shown.Claim.Message, listed(s.Entries(), 3), listed(s.Targets(), 6),
			listed(ids, 3)))+a.RawDetails))
	}
	j.empty(r.Results)
	for _, o := range Obstacles(r.Results) {
		pos := verdict.Pos{}
		switch {
		case o.Reason.Pos != nil:
			pos = *o.Reason.Pos
		case len(o.Unknown) > 0:
			pos = o.Unknown[0].Claim.Pos
		}
		j.command("warning", pos, "unknown", o.Reason.String()+"\nleaves open "+o.Leaves())
	}
	title := CheckRun(r.Results, PageOptions{}).Title
	if j.left > 0 {
		title += fmt.Sprintf("; %d more in the summary", j.left)
	}
	write(&j.text, "notice", verdict.Pos{}, "firmproof", title)
	return j.text.String()
}

// jobLog collects workflow commands.
type jobLog struct {
	text strings.Builder
	n    map[string]int // by kind
	left int            // what is in the summary alone
}

// empty tells of vacuous results, each sentence once.
func (j *jobLog) empty(results []verdict.Result) {
	type key struct {
		at          verdict.Pos
		entry, says string
	}
	on := map[key][]string{}
	var order []key
	for i := range results {
		res := &results[i]
		if res.Vacuous == nil {
			continue
		}
		k := key{entry: res.Entry, says: vacuity(res)}
		if at := vacuousAt(res); at != nil {
			k.at = *at
		}
		if on[k] == nil {
			order = append(order, k)
		}
		on[k] = append(on[k], res.Target)
	}
	for _, k := range order {
		j.command("warning", k.at, fmt.Sprintf("vacuous (%s)", listed(on[k], 3)), k.entry+": "+k.says)
	}
}

// command adds a command where there is room for one of its kind.
func (j *jobLog) command(kind string, at verdict.Pos, title, message string) {
	if j.n == nil {
		j.n = map[string]int{}
	}
	most := mostCommands
	if kind == "notice" {
		most-- // for the sum
	}
	if j.n[kind] >= most {
		j.left++
		return
	}
	j.n[kind]++
	write(&j.text, kind, at, title, message)
}

// write writes one workflow command. Data and properties have escapes of their own.
func write(b *strings.Builder, kind string, at verdict.Pos, title, message string) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var props []string
	if at.File != "" {
		props = append(props, "file="+property.Replace(at.File))
		if at.Line > 0 {
			props = append(props, fmt.Sprintf("line=%d", at.Line))
		}
		if at.Column > 0 {
			props = append(props, fmt.Sprintf("col=%d", at.Column))
		}
	}
	props = append(props, "title="+property.Replace(title))
	fmt.Fprintf(b, "::%s %s::%s\n", kind, strings.Join(props, ","), data.Replace(message))
}
