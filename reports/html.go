package reports

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"

	"github.com/firmproof/firmproof/verifier/verdict"
)

//go:embed report.html.tmpl
var reportTemplate string

// HTML renders the report as one self-contained page without scripts: a table of
// results, then each claim with its trace.
func HTML(r *verdict.Report) ([]byte, error) {
	t, err := template.New("report").Funcs(template.FuncMap{
		"counts":   Counts,
		"seconds":  func(ms int64) string { return fmt.Sprintf("%.2f s", float64(ms)/1000) },
		"step":     StepText,
		"indent":   func(d int) string { return fmt.Sprintf("%dch", 2*d) },
		"diff":     Differences,
		"anchor":   func(res verdict.Result, id string) string { return res.Target + "/" + res.Entry + "/" + id },
		"turns":    turns,
		"property": func(c verdict.Check) verdict.Property { p, _ := verdict.Lookup(string(c)); return p },
	}).Parse(reportTemplate)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	err = t.Execute(&buf, r)
	return buf.Bytes(), err
}
