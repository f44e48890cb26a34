package pipeline

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/firmproof/firmproof/reports"
)

// sections lists the kinds of change in the order of the report.
func (t *TargetChange) sections() []struct {
	Title string
	List  []Change
} {
	type section = struct {
		Title string
		List  []Change
	}
	return []section{{"Introduced", t.Introduced}, {"Fixed", t.Fixed}, {"Still open", t.Open},
		{"Violated before, undecided now", t.Undecided},
		{"Newly proved", t.NewlyProved}, {"Proof lost", t.ProofLost}, {"Slower", t.Slower}}
}

// Markdown renders the report.
func (r *Regression) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, branch %s: %s to %s\n\n", reports.Inert(r.Repository), reports.Inert(r.Branch),
		r.Since.Format("2006-01-02 15:04"),
		r.Until.Format("2006-01-02 15:04"))
	if len(r.Targets) == 0 {
		b.WriteString("Nothing was verified in this time.\n")
		return b.String()
	}
	b.WriteString("| target | introduced | fixed | open | undecided | newly proved | proof lost | seconds before | now |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, t := range r.Targets {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %.1f | %.1f |\n", reports.Inert(t.Target),
			len(t.Introduced),
			len(t.Fixed), len(t.Open), len(t.Undecided), len(t.NewlyProved),
			len(t.ProofLost), t.From.Seconds, t.To.Seconds)
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		fmt.Fprintf(&b, "\n## %s\n\nCommits %s to %s.\n", reports.Inert(t.Target), reports.ShortSHA(t.From.Commit),
			reports.ShortSHA(t.To.Commit))
		for _, s := range t.sections() {
			if len(s.List) == 0 {
				continue
			}
			fmt.Fprintf(&b, "\n### %s\n\n", s.Title)
			for _, c := range s.List {
				if c.Claim == "" {
					fmt.Fprintf(&b, "- entry %s: %s\n", reports.Code(c.Entry), reports.Inert(c.Message))
					continue
				}
				fmt.Fprintf(&b, "- %s (entry %s) at %s: %s\n", reports.Code(c.Claim), reports.Code(c.Entry),
					reports.Inert(c.Where), reports.Inert(c.Message))
			}
		}
		b.WriteString(t.history())
	}
	return b.String()
}

// history is the Markdown of the commits and of the trend.
func (t *TargetChange) history() string {
	var b strings.Builder
	if len(t.Commits) > 0 {
		b.WriteString("\n### Commits in between\n\n")
		for _, c := range t.Commits {
			fmt.Fprintf(&b, "- %s %s (%s)\n", reports.ShortSHA(c.SHA), reports.Inert(c.Subject),
				reports.Inert(c.Author))
		}
	}
	if len(t.Trend) > 1 {
		b.WriteString("\n### Trend\n\n| run | commit | by | seconds | proved | bounded | violated | unknown | least turns |\n|---|---|---|---|---|---|---|---|---|\n")
		for _, p := range t.Trend {
			fmt.Fprintf(&b, "| %s | %s | %s | %.1f | %d | %d | %d | %d | %s |\n", p.At.Format("2006-01-02 15:04"),
				reports.ShortSHA(p.Commit), p.Trigger, p.Seconds, p.Counts["proved"],
				p.Counts["bounded"], p.Counts["violated"], p.Counts["unknown"], p.Least())
		}
	}
	return b.String()
}

// Least words Turns.
func (p Point) Least() string {
	if p.Turns == 0 {
		return "all"
	}
	return fmt.Sprint(p.Turns)
}

const regressionPage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Repository}} regression report</title>
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8884}code{overflow-wrap:anywhere}</style></head><body>
<h1>{{.Repository}}, branch {{.Branch}}</h1><p>{{.Since.Format "2006-01-02 15:04"}} to {{.Until.Format "2006-01-02 15:04"}}</p>
{{if not .Targets}}<p>Nothing was verified in this time.</p>{{end}}
{{range .Targets}}<h2>{{.Target}}</h2><p>Commits <code>{{short .From.Commit}}</code> to <code>{{short .To.Commit}}</code>; {{printf "%.1f" .From.Seconds}} s before, {{printf "%.1f" .To.Seconds}} s now.</p>
{{range sections .}}{{if .List}}<h3>{{.Title}} ({{len .List}})</h3><table><tr><th>claim</th><th>entry</th><th>where</th><th>message</th></tr>
{{range .List}}<tr><td><code>{{.Claim}}</code></td><td><code>{{.Entry}}</code></td><td>{{.Where}}</td><td>{{.Message}}</td></tr>{{end}}</table>{{end}}{{end}}
{{with .Commits}}<h3>Commits in between ({{len .}})</h3><ul>{{range .}}<li><code>{{short .SHA}}</code> {{.Subject}} ({{.Author}})</li>{{end}}</ul>{{end}}
{{if gt (len .Trend) 1}}<h3>Trend</h3><table><tr><th>run</th><th>commit</th><th>by</th><th>seconds</th><th>proved</th><th>bounded</th><th>violated</th><th>unknown</th><th>least turns</th></tr>
{{range .Trend}}<tr><td>{{.At.Format "2006-01-02 15:04"}}</td><td><code>{{short .Commit}}</code></td><td>{{.Trigger}}</td><td>{{printf "%.1f" .Seconds}}</td><td>{{.Counts.proved}}</td><td>{{.Counts.bounded}}</td><td>{{.Counts.violated}}</td><td>{{.Counts.unknown}}</td><td>{{.Least}}</td></tr>{{end}}</table>{{end}}{{end}}
</body></html>
`

// HTML renders the report as one self-contained page.
func (r *Regression) HTML() ([]byte, error) {
	funcs := template.FuncMap{"short": reports.ShortSHA, "sections": func(t TargetChange) any { return t.sections() }}
	page, err := template.New("").Funcs(funcs).Parse(regressionPage)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, r); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return b.Bytes(), nil
}
