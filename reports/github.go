package reports

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// GitHub renders a report as workflow commands, which a job's log turns into
// annotations (GitHub Actions, "Workflow commands"): an error for each
// violation, a warning for each reason why something is unknown, since a job shows ten of each kind, a notice with the
// sum.
func GitHub(r *verdict.Report) string {
	var b strings.Builder
	for _, a := range CheckRun(r.Results, PageOptions{}).Annotations {
		kind := "error"
		if a.Level != "failure" {
			kind = a.Level
		}
		command(&b, kind, a.Path, a.StartLine, a.StartColumn, a.Title,
			strings.TrimSpace(a.Message+"\n"+a.RawDetails))
	}
	for i := range r.Results {
		res := &r.Results[i]
		if res.Vacuous != nil {
			pos := verdict.Pos{}
			if res.Vacuous.Pos != nil {
				pos = *res.Vacuous.Pos
			}
			command(&b, "warning", pos.File, pos.Line, pos.Column, fmt.Sprintf("vacuous (%s)", res.Target),
				res.Entry+": "+vacuity(res))
		}
	}
	for _, o := range Obstacles(r.Results) {
		pos := verdict.Pos{}
		switch {
		case o.Reason.Pos != nil:
			pos = *o.Reason.Pos
		case len(o.Unknown) > 0:
			pos = o.Unknown[0].Claim.Pos
		}
		command(&b, "warning", pos.File, pos.Line, pos.Column, "unknown", o.Reason.String()+"\nleaves open "+o.Leaves())
	}
	command(&b, "notice", "", 0, 0, "firmproof", CheckRun(r.Results, PageOptions{}).Title)
	return b.String()
}

// command writes one workflow command. Data and properties have escapes of their own.
func command(b *strings.Builder, kind, file string, line, column int, title, message string) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var props []string
	if file != "" {
		props = append(props, "file="+property.Replace(file))
		if line > 0 {
			props = append(props, fmt.Sprintf("line=%d", line))
		}
		if column > 0 {
			props = append(props, fmt.Sprintf("col=%d", column))
		}
	}
	props = append(props, "title="+property.Replace(title))
	fmt.Fprintf(b, "::%s %s::%s\n", kind, strings.Join(props, ","), data.Replace(message))
}
