package pipeline

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/firmproof/firmproof/reports"
)

// section is a kind of change.
type section struct {
	Title string
	List  []Change
	Run   string // that has pages of these findings; "" if none has
}

// sections lists the kinds of change in the order of the report.
func (t *TargetChange) sections() []section {
	return []section{{"New", t.Introduced, t.To.Run}, {"Fixed", t.Fixed, t.From.Run}, {"Known", t.Open, t.To.Run},
		{"Violated before, undecided now", t.Undecided, t.From.Run},
		{"Newly proved", t.NewlyProved, ""}, {"Proof lost", t.ProofLost, ""}, {"Slower", t.Slower, ""}}
}

// nothingRan stands in a report about a time without runs.
const nothingRan = "Nothing was verified in this time. A push to the branch starts a run; with `nightly` in " +
	".firmproof.yml, each night does."

// timeLayout is how a report writes times.
const timeLayout = "2006-01-02 15:04 UTC"

// Markdown renders the report. server is the address of the server that has pages of the findings; "" if none has.
func (r *Regression) Markdown(server string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, branch %s: %s to %s\n\n", reports.Inert(r.Repository), reports.Inert(r.Branch),
		r.Since.Format(timeLayout), r.Until.Format(timeLayout))
	if len(r.Targets) == 0 {
		b.WriteString(nothingRan + "\n")
		return b.String()
	}
	b.WriteString("| target | new | fixed | known | undecided | newly proved | proof lost | seconds before | " +
		"seconds now |\n|---|---|---|---|---|---|---|---|---|\n")
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
				message := reports.Inert(c.Message)
				if server != "" && s.Run != "" && c.Fingerprint != "" {
					message = fmt.Sprintf("[%s](%s/runs/%s/findings/%s)", message, server, s.Run, c.Fingerprint)
				}
				fmt.Fprintf(&b, "- %s (entry %s) at %s: %s\n", reports.Code(c.Claim), reports.Code(c.Entry),
					reports.Inert(c.Where), message)
				b.WriteString(c.Origin.markdown())
			}
		}
		b.WriteString(t.history())
	}
	return b.String()
}

// maxOrigin bounds the commits that are listed for a finding.
const maxOrigin = 10

// markdown words an origin below the finding's line.
func (o *Origin) markdown() string {
	if o == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  - %s", reports.Inert(o.Line()))
	for i, c := range o.Commits {
		if i == maxOrigin {
			fmt.Fprintf(&b, " and %d more", len(o.Commits)-i)
			break
		}
		fmt.Fprintf(&b, "%s %s %s (%s)", map[bool]string{true: ",", false: ""}[i > 0], reports.ShortSHA(c.SHA),
			reports.Inert(c.Subject), reports.Inert(c.Author))
	}
	b.WriteString("\n")
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
		b.WriteString("\n### Trend\n\n| run | commit | by | seconds | proved | conditional | bounded | violated | unknown | least turns |\n|---|---|---|---|---|---|---|---|---|---|\n")
		for _, p := range t.Trend {
			fmt.Fprintf(&b, "| %s | %s | %s | %.1f | %d | %d | %d | %d | %d | %s |\n", p.At.UTC().Format(timeLayout),
				reports.ShortSHA(p.Commit), p.Trigger, p.Seconds, p.Counts["proved"],
				p.Counts["conditional"], p.Counts["bounded"], p.Counts["violated"], p.Counts["unknown"], p.Least())
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

const regressionPage = `{{define "page"}}<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{.Repository}} regression report</title>
<style>{{style}}</style></head><body><main>{{template "body" .}}</main></body></html>{{end}}
{{define "body"}}<h1>{{.Repository}}, branch {{.Branch}}</h1>
<p>{{at .Since}} to {{at .Until}}</p>
{{if not .Targets}}<p>{{nothingRan}}</p>{{else}}
<table class="wide"><thead><tr><th>target</th><th>new</th><th>fixed</th><th>known</th><th>undecided</th>
<th>newly proved</th><th>proof lost</th><th>slower</th></tr></thead><tbody>
{{range .Targets}}<tr><td><a href="#{{.Target}}">{{.Target}}</a></td>{{range sections .}}<td data-label="{{.Title}}">{{len .List}}</td>{{end}}</tr>
{{end}}</tbody></table>{{end}}
{{range .Targets}}<h2 id="{{.Target}}">{{.Target}}</h2><p>{{if eq .From.Run .To.Run}}One run so far, of commit <code>{{short .To.Commit}}</code>: the next one is compared with it.{{else}}Commits <code>{{short .From.Commit}}</code> to <code>{{short .To.Commit}}</code>; {{printf "%.1f" .From.Seconds}} s before, {{printf "%.1f" .To.Seconds}} s now.{{end}}</p>
{{range $s := sections .}}{{if .List}}<h3>{{.Title}} ({{len .List}})</h3>
<table class="wide"><thead><tr><th>claim</th><th>entry</th><th>where</th><th>message</th></tr></thead><tbody>
{{range .List}}<tr><td><code>{{.Claim}}</code></td><td><code>{{.Entry}}</code></td><td>{{.Where}}</td>
<td>{{if and $.Linked $s.Run .Fingerprint}}<a href="/runs/{{$s.Run}}/findings/{{.Fingerprint}}">{{.Message}}</a>
{{- else}}{{.Message}}{{end}}{{with .Origin}}<p class="origin">{{.Line}}{{range $i, $c := .Commits}}{{if lt $i 10}}
{{- if $i}},{{end}} <code>{{short $c.SHA}}</code> {{$c.Subject}} ({{$c.Author}}){{end}}{{end}}</p>{{end}}</td></tr>{{end}}
</tbody></table>{{end}}{{end}}
{{with .Commits}}<h3>Commits in between ({{len .}})</h3><ul>{{range .}}<li><code>{{short .SHA}}</code> {{.Subject}} ({{.Author}})</li>{{end}}</ul>{{end}}
{{if gt (len .Trend) 1}}<details><summary>Trend: {{len .Trend}} runs</summary><div><table class="wide"><thead><tr><th>run</th><th>commit</th><th>by</th><th>seconds</th><th>proved</th><th>conditional</th><th>bounded</th><th>violated</th><th>unknown</th><th>least turns</th></tr></thead><tbody>
{{range .Trend}}<tr><td>{{at .At}}</td><td><code>{{short .Commit}}</code></td><td>{{.Trigger}}</td>
<td data-label="seconds">{{printf "%.1f" .Seconds}}</td><td data-label="proved">{{.Counts.proved}}</td>
<td data-label="conditional">{{.Counts.conditional}}</td>
<td data-label="bounded">{{.Counts.bounded}}</td><td data-label="violated">{{.Counts.violated}}</td>
<td data-label="unknown">{{.Counts.unknown}}</td><td data-label="least turns">{{.Least}}</td></tr>{{end}}
</tbody></table></div></details>{{end}}{{end}}{{end}}
`

var regressionTemplate = template.Must(template.New("").Funcs(template.FuncMap{"short": reports.ShortSHA,
	"at":         func(t time.Time) string { return t.UTC().Format(timeLayout) },
	"nothingRan": func() string { return nothingRan },
	"sections":   func(t TargetChange) any { return t.sections() },
	"style":      func() template.CSS { return template.CSS(reports.PageStyle()) }}).Parse(regressionPage))

// HTML renders the report as one self-contained page.
func (r *Regression) HTML() ([]byte, error) { return r.execute("page", false) }

// Body renders the report for a page of the server, which has reports.PageStyle: findings lead to their pages.
func (r *Regression) Body() (template.HTML, error) {
	text, err := r.execute("body", true)
	return template.HTML(text), err
}

func (r *Regression) execute(name string, linked bool) ([]byte, error) {
	var b bytes.Buffer
	data := struct {
		*Regression
		Linked bool
	}{r, linked}
	if err := regressionTemplate.ExecuteTemplate(&b, name, data); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return b.Bytes(), nil
}
