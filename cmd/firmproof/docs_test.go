package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestReportSchema: real reports fit the published schema, spoilt ones do not, and it knows every check.
func TestReportSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	for _, args := range [][]string{{"../../examples/small/use_after_free.c"}, {"../../examples/small/assert.c",
		"--target", "cortex-m3", "--target", "avr"},
		{"../../examples/small/unwinding.c"}, {"../../examples/small/div_by_zero.c", "--unwind", "2", "--checks",
			"all"}} {
		var out, errs bytes.Buffer
		if code := runWith(append([]string{"check", "--timeout", "10s", "--format", "json"}, args...), &out,
			&errs); code == exitUsage || code == exitInternal {
			t.Fatalf("%v: exit %d: %s", args, code, errs.String())
		}
		if err := validate(out.String()); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		for _, s := range [][2]string{{`"version": 1`, `"version": 2`}, {`"status": "`, `"status": "not-`},
			{`"entry":`, `"entri":`}} {
			if validate(strings.Replace(out.String(), s[0], s[1], 1)) == nil {
				t.Errorf("%v: accepts %s", args, s[1])
			}
		}
	}
	for _, p := range verdict.Properties() {
		claim := `{"id":"x","check":"` + string(p.Check) + `","status":"proved","message":"","location":{}}`
		report := `{"version":1,"tool":{"name":"firmproof","version":""},"results":[{"target":"t","entry":"e","status":"proved","duration_ms":0,"peak_rss_bytes":0,"bounds":{},"claims":[` + claim + `]}]}`
		if err := validate(report); err != nil {
			t.Errorf("%s: %v", p.Check, err)
		}
	}
}

// TestChecksInSchemas: the schemas of report and manifest name the checks of the table. UPDATE=1 writes them.
func TestChecksInSchemas(t *testing.T) {
	var names []string
	for _, p := range verdict.Properties() {
		names = append(names, string(p.Check))
	}
	lines := "\"" + strings.Join(names, "\",\n        \"") + "\""
	for file, places := range map[string][]struct{ pattern, with string }{
		"report.schema.json": {{`(?s)("check": \{\s*"enum": \[\s*)".*?"(\s*\])`, "${1}" + lines + "${2}"}},
		"manifest.schema.json": {{`\((default\|all\|)?(?:[a-z-]+\|){9,}[a-z-]+\)`,
			"(${1}" + strings.Join(names, "|") + ")"}},
	} {
		path := filepath.Join("..", "..", "docs", file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := string(text)
		for _, p := range places {
			pattern := regexp.MustCompile(p.pattern)
			if !pattern.MatchString(want) {
				t.Errorf("%s: no list of checks", file)
			}
			want = pattern.ReplaceAllString(want, p.with)
		}
		switch {
		case want == string(text):
		case os.Getenv("UPDATE") == "":
			t.Errorf("%s: its list of checks is out of date; UPDATE=1 writes it", file)
		default:
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestManual: the manual's tables are those of the program. UPDATE=1 writes them.
func TestManual(t *testing.T) {
	const file = "../../docs/manual.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for part, want := range map[string]string{"checks": checksTable(), "targets": targetsTable(t)} {
		begin, end := strings.Index(text, "<!-- begin "+part), strings.Index(text, "<!-- end "+part)
		if begin < 0 || end < begin {
			t.Fatalf("no marks for %s", part)
		}
		begin += strings.Index(text[begin:], "\n") + 1
		if text[begin:end] != want {
			if os.Getenv("UPDATE") == "" {
				t.Errorf("%s: the table of %s is out of date; UPDATE=1 writes it", file, part)
			}
			text = text[:begin] + want + text[end:]
		}
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range reports.FormatNames() {
		if !strings.Contains(text, "`"+f+"`") {
			t.Errorf("the format %s is not in the manual", f)
		}
	}
}

func checksTable() string {
	var b strings.Builder
	b.WriteString("\n| check | default | finds | holds when |\n|---|---|---|---|\n")
	for _, p := range verdict.Properties() {
		on := "no"
		if p.Default {
			on = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.Check, on, p.Title, strings.ReplaceAll(p.Meaning, "|", "\\|"))
	}
	return b.String() + "\n"
}

func targetsTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n| target | is | pointer | int, long | order |\n|---|---|---|---|---|\n")
	for _, n := range targets.Names()[1:] { // without host, which differs between machines
		to, err := targets.Load(n)
		if err != nil {
			t.Fatal(err)
		}
		order := "little"
		if to.BigEndian {
			order = "big"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d bits | %d, %d bytes | %s endian |\n", n, to.Description, to.PointerBits,
			to.Types.Int.Size, to.Types.Long.Size, order)
	}
	return b.String() + "\n"
}
