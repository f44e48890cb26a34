package reports

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// FuzzReport: any report that reads as one is rendered by every format, and on every page of GitHub.
func FuzzReport(f *testing.F) {
	whole, err := os.ReadFile("testdata/report.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"version":1,"results":[{"target":"i386","entry":"f","status":"violated","claims":[{"id":"memory@f#1","check":"memory","status":"violated","message":"x</code>@acme/security","location":{"file":"a|b.c","line":-1},"trace":[{"kind":"violation"}]}]}]}`))
	f.Add([]byte(`{"results":[{"claims":[{}]},{}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r verdict.Report
		if json.Unmarshal(text, &r) != nil {
			return
		}
		for _, make := range []func(*verdict.Report) ([]byte, error){func(r *verdict.Report) ([]byte,
			error) {
			return HTML(r, TextOptions{})
		}, SARIF, JUnit} {
			if _, err := make(&r); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = Markdown(&r), GitHub(&r)
		o := PageOptions{ByTarget: map[string]map[string]State{}, DetailsURL: "https://x"}
		run := Outcome{Target: "i386", State: "done", Conclusion: "failure", Reported: true}
		for _, p := range []Page{TargetPage(run, r.Results, o), AggregatePage(run, []Outcome{run}, r.Results, o)} {
			if len(p.Summary) > MaxText || len(p.Text) > MaxText {
				t.Fatalf("%d and %d bytes", len(p.Summary), len(p.Text))
			}
		}
	})
}
