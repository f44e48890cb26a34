package reports

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// GitHub renders a report as workflow commands, which a job's log turns into
// annotations (GitHub Actions, "Workflow commands"): an error for each
// violation, a warning for what is unknown, a notice with the sum.
func GitHub(r *verdict.Report) string {
	var b strings.Builder
	for _, a := range CheckRun(r.Results, PageOptions{}).Annotations {
		command(&b, "error", a.Path, a.StartLine, a.StartColumn, a.Title,
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
		if res.Reason != nil {
			pos := verdict.Pos{}
			if res.Reason.Pos != nil {
				pos = *res.Reason.Pos
			}
			command(&b, "warning", pos.File, pos.Line, pos.Column, fmt.Sprintf("unknown (%s)", res.Target),
				res.Entry+": "+res.Reason.String())
		}
		for j := range res.Claims {
			c := &res.Claims[j]
			if c.Status == verdict.Unknown && c.Suppressed == "" && !c.IsShadowed() {
				command(&b, "warning", c.Pos.File, c.Pos.Line, c.Pos.Column, fmt.Sprintf("%s unknown (%s)", c.Check,
					res.Target), c.Message+": "+c.Reason.String())
			}
		}
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
