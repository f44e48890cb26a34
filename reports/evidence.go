package reports

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Requirement is a tag `@req ID` of harnesses, with what was found out of these.
type Requirement struct {
	ID      string
	Results []*verdict.Result
}

var reqTag = regexp.MustCompile(`@req[ \t]+([\w.:/-]+(?:[ \t]*,[ \t]*[\w.:/-]+)*)`)

// Requirements reads the tags in the comment above each entry, and in its body. The second result lists the entries
// without one.
func Requirements(r *verdict.Report, source Source) (tagged []Requirement, untagged []string) {
	index := map[string]int{}
	for i := range r.Results {
		res := &r.Results[i]
		ids := tagsOf(res, source)
		if len(ids) == 0 && !slices.Contains(untagged, res.Entry) {
			untagged = append(untagged, res.Entry)
		}
		for _, id := range ids {
			at, known := index[id]
			if !known {
				at = len(tagged)
				index[id] = at
				tagged = append(tagged, Requirement{ID: id})
			}
			tagged[at].Results = append(tagged[at].Results, res)
		}
	}
	slices.SortFunc(tagged, func(a, b Requirement) int { return strings.Compare(a.ID, b.ID) })
	return tagged, untagged
}

// tagsOf lists the tags of an entry: of the lines of comments above its head, and of those down to where its braces close.
func tagsOf(res *verdict.Result, source Source) []string {
	if res.At == nil || res.At.File == "" || res.At.Line <= 0 {
		return nil
	}
	lines := strings.Split(string(source(res.At.File)), "\n")
	head := res.At.Line - 1
	if head >= len(lines) {
		return nil
	}
	from, to, opened, depth := head, head, false, 0
	for from > 0 && isComment(lines[from-1]) {
		from--
	}
	for ; to < len(lines) && !(opened && depth <= 0); to++ {
		opened = opened || strings.Contains(lines[to], "{")
		depth += strings.Count(lines[to], "{") - strings.Count(lines[to], "}")
	}
	var out []string
	for _, m := range reqTag.FindAllStringSubmatch(strings.Join(lines[from:to], "\n"), -1) {
		for _, id := range strings.Split(m[1], ",") {
			if id = strings.TrimSpace(id); !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// isComment reports a line that is part of a comment as people write them above functions.
func isComment(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") || strings.HasPrefix(text, "*") ||
		strings.HasSuffix(text, "*/")
}

// verified is what a requirement's row says: it is verified where every claim of its harnesses is proved, and the harness
// says something.
func verified(res *verdict.Result) string {
	switch {
	case res.Vacuous != nil:
		return "says nothing (vacuous)"
	case res.IsAccepted():
		return "violated, accepted"
	case res.Status == verdict.Proved && res.EndsOpen:
		return "proved, termination open"
	}
	return res.Status.String()
}

// RequirementsCSV is the traceability matrix: a row for each requirement, harness and target.
func RequirementsCSV(tagged []Requirement, untagged []string) ([]byte, error) {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	_ = w.Write([]string{"requirement", "harness", "file", "line", "target", "answer", "claims"}) // a buffer takes all
	for _, q := range tagged {
		for _, r := range q.Results {
			_ = w.Write([]string{q.ID, line(r.Entry), line(r.At.File), count(r.At.Line), line(r.Target), verified(r),
				Counts(r.Claims)})
		}
	}
	for _, entry := range untagged {
		_ = w.Write([]string{"", line(entry), "", "", "", "no @req", ""})
	}
	w.Flush()
	return buf.Bytes(), w.Error()
}

// Evidence is what the first page of a folder of evidence tells.
type Evidence struct {
	Report   *verdict.Report
	Source   Source
	Facts    [][2]string // of the run: commit, command, compiler, ...
	Accepted []AcceptedRow
	Checked  string // what the check of the certificates said
	Files    [][2]string
}

// told is what the first page says, in the order of its parts.
type told struct {
	Evidence
	Title                                   string
	Rows                                    []toldRow
	Untagged                                string
	Assumed, Conditional, Unknown, Warnings []string
}

// toldRow is what was found for a requirement.
type toldRow struct{ Requirement, Harness, Target, Answer, Claims, Class string }

// tellEvidence collects what the first page says.
func tellEvidence(e Evidence) told {
	tagged, untagged := Requirements(e.Report, e.Source)
	data := told{Evidence: e, Title: headlineOf(e.Report.Results, PageOptions{}), Untagged: strings.Join(untagged, ", ")}
	for _, q := range tagged {
		for _, r := range q.Results {
			class := r.Status.String()
			if r.Vacuous != nil {
				class = "unknown"
			}
			data.Rows = append(data.Rows, toldRow{q.ID, plain(r.Entry), plain(r.Target), verified(r), Counts(r.Claims), class})
		}
	}
	once := func(list *[]string, text string) {
		if text = plain(text); !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	for i := range e.Report.Results {
		r := &e.Report.Results[i]
		for _, a := range r.Assumptions {
			once(&data.Assumed, fmt.Sprintf("%s [%s]", a.Text, a.Origin))
		}
		for _, w := range r.Warnings {
			once(&data.Warnings, w)
		}
	}
	for _, c := range Conditions(e.Report.Results) {
		once(&data.Conditional, conditionLine(&c))
	}
	for _, o := range Obstacles(e.Report.Results) {
		once(&data.Unknown, o.Reason.String()+": leaves open "+o.Leaves())
	}
	return data
}

// EvidencePage is the first page: what was proved, for which requirements, and what that rests on.
func EvidencePage(e Evidence) ([]byte, error) {
	var buf bytes.Buffer
	err := evidenceTemplate.Execute(&buf, tellEvidence(e))
	return buf.Bytes(), err
}

var evidenceTemplate = template.Must(template.New("evidence").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>firmproof: evidence</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}th,td{border:1px solid #c8ccd1;padding:.3rem .5rem;text-align:left;vertical-align:top}
pre{white-space:pre-wrap;background:#f4f5f7;padding:.7rem}.proved{color:#116329}.violated{color:#a40e26;font-weight:600}.unknown{color:#7a4d00}
@media print{body{margin:0;max-width:none}h2{break-after:avoid}tr{break-inside:avoid}}
</style></head><body>
<h1>Evidence of firmproof</h1>
<p>{{.Title}}. This folder says what was asked, what was answered, and what the answers rest on. It claims no conformity to a standard.</p>
<h2>The run</h2>
<table>{{range .Facts}}<tr><th scope="row">{{index . 0}}</th><td>{{index . 1}}</td></tr>{{end}}</table>
<h2>Requirements</h2>
{{if .Rows}}<table><tr><th>requirement</th><th>harness</th><th>target</th><th>answer</th><th>claims</th></tr>
{{range .Rows}}<tr><td>{{.Requirement}}</td><td>{{.Harness}}</td><td>{{.Target}}</td><td class="{{.Class}}">{{.Answer}}</td><td>{{.Claims}}</td></tr>
{{end}}</table>{{else}}<p>No harness has a tag <code>@req ID</code>.</p>{{end}}
{{if .Untagged}}<p>Harnesses without a requirement: {{.Untagged}}.</p>{{end}}
<h2>Assumptions</h2>
{{if .Assumed}}<ul>{{range .Assumed}}<li>{{.}}</li>{{end}}</ul>{{else}}<p>None beyond those of the target.</p>{{end}}
{{if .Conditional}}<h2>What holds under conditions alone</h2><ul>{{range .Conditional}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{if .Unknown}}<h2>What is not known</h2><ul>{{range .Unknown}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{if .Warnings}}<h2>Warnings</h2><ul>{{range .Warnings}}<li>{{.}}</li>{{end}}</ul>{{end}}
<h2>Deviations</h2>
{{if .Accepted}}<table><tr><th>claim</th><th>because</th><th>by</th><th>until</th></tr>
{{range .Accepted}}<tr><td>{{.Claim}}</td><td>{{.Reason}}</td><td>{{.By}}</td><td>{{.Until}}</td></tr>{{end}}</table>{{else}}<p>The manifest accepts no finding.</p>{{end}}
<h2>Certificates</h2>
<pre>{{.Checked}}</pre>
<h2>Files</h2>
<table>{{range .Files}}<tr><th scope="row">{{index . 0}}</th><td>{{index . 1}}</td></tr>{{end}}</table>
</body></html>
`))
