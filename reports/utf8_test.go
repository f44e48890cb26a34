package reports

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"html"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestUTF8: text of a program that is not ASCII is in each format as it was written.
func TestUTF8(t *testing.T) {
	const message, value = "assertion failed: größe < 10 – 日本", `"Zähler"`
	at := verdict.Pos{File: "quelle/zähler.c", Line: 3, Column: 5, Function: "größer"}
	r := &verdict.Report{Version: 1, Results: []verdict.Result{{Target: "host", Entry: "prüfe", Status: verdict.Violated,
		Claims: []verdict.Claim{{ID: "assert@größer#1", Check: verdict.Assert, Status: verdict.Violated, Message: message,
			Pos: at, Replay: verdict.Confirmed, Trace: []verdict.Step{
				{Pos: at, Kind: verdict.StepAssign, What: "text", Value: value, Type: "const char *"},
				{Pos: at, Kind: verdict.StepViolation, What: message}}}}}}}
	traces := map[string]bool{"text": true, "md": true, "sarif": true, "junit": true, "html": true, "json": true, "github": true}
	for _, f := range Formats() {
		if OnlyCoverage(f.Name) {
			continue
		}
		var out bytes.Buffer
		if err := f.Write(&out, r, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(out.Bytes()) {
			t.Errorf("%s: not UTF-8", f.Name)
		}
		text := textOf(t, f.Name, out.String())
		want := []string{"größe", "– 日本", "größer", "zähler.c"}
		if f.Name == "sarif" {
			want[3] = "z%C3%A4hler.c" // a URI
		}
		if f.Name == "gitlab" {
			want[2] = "prüfe" // no claim and no function
		}
		if f.Name == "rdjson" || f.Name == "csv" {
			want = append(want, "prüfe")
		}
		if traces[f.Name] {
			want = append(want, "Zähler")
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s has no %s:\n%s", f.Name, w, text)
			}
		}
	}
}

// textOf returns what a reader of a format sees.
func textOf(t *testing.T, format, s string) string {
	t.Helper()
	switch format {
	case "json", "sarif", "gitlab", "rdjson":
		if !json.Valid([]byte(s)) {
			t.Fatalf("%s: no JSON", format)
		}
	case "junit":
		for d := xml.NewDecoder(strings.NewReader(s)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	case "md", "html":
		return html.UnescapeString(s)
	}
	return s
}
