package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// mistake is a part of a document, and what makes it wrong.
type mistake struct{ right, wrong string }

// passes wants a document to be found right, and not so with each of the mistakes.
func passes(t *testing.T, document []byte, judge func(document []byte) error, mistakes ...mistake) {
	t.Helper()
	if err := judge(document); err != nil {
		t.Errorf("%v", err)
	}
	for _, m := range mistakes {
		wrong := bytes.Replace(document, []byte(m.right), []byte(m.wrong), 1)
		if bytes.Equal(wrong, document) {
			t.Errorf("the document lacks %s", m.right)
		} else if judge(wrong) == nil {
			t.Errorf("%s passes", m.wrong)
		}
	}
}

// jsonJudge holds documents to a schema of testdata/schemas.
func jsonJudge(t *testing.T, name string) func([]byte) error {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "schemas", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return func(document []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
		if err != nil {
			return err
		}
		return schema.Validate(v)
	}
}

// TestJSONSchemas: GitLab's and reviewdog's formats have the structure that their readers document.
func TestJSONSchemas(t *testing.T) {
	text, err := GitLab(vacuousFixture(t))
	if err != nil {
		t.Fatal(err)
	}
	passes(t, text, jsonJudge(t, "gitlab"), mistake{`"check_name"`, `"checkName"`}, mistake{`"major"`, `"high"`},
		mistake{`"begin": `, `"begin": -`}, mistake{`"path": "`, `"path": "./`}, mistake{`"path": "`, `"path": "/`},
		mistake{`"lines"`, `"line"`})
	if text, err = RDJSON(vacuousFixture(t)); err != nil {
		t.Fatal(err)
	}
	passes(t, text, jsonJudge(t, "rdjson"), mistake{`"ERROR"`, `"error"`}, mistake{`"value"`, `"name"`},
		mistake{`"path"`, `"file"`}, mistake{`"line": `, `"line": -`}, mistake{`"column": `, `"col": `},
		mistake{`"source"`, `"tool"`})
	for _, write := range []func(*verdict.Report) ([]byte, error){GitLab, RDJSON} { // of nothing at all
		if text, err := write(&verdict.Report{}); err != nil || bytes.Contains(text, []byte("null")) {
			t.Errorf("%v: %s", err, text)
		}
	}
}

// vacuousFixture is the fixture, with a result that says nothing.
func vacuousFixture(t *testing.T) *verdict.Report {
	r := fixture(t)
	r.Results[1].Vacuous = &verdict.Reason{Kind: verdict.Incomplete, Detail: "an assumption is never true"}
	return r
}

// tool returns where a program of make setup-tests is.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s here: make setup-tests installs it", name)
	}
	return path
}

// TestJUnitSchema: libxml2 finds the JUnit report to be one by our schema of what its readers have in common, and the
// counts of a suite are those of its cases.
func TestJUnitSchema(t *testing.T) {
	text, err := JUnit(vacuousFixture(t))
	if err != nil {
		t.Fatal(err)
	}
	var read junitSuites
	if err := xml.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	for _, s := range read.Suites {
		failures, errors, skipped := 0, 0, 0
		for _, c := range s.Cases {
			switch {
			case c.Failure != nil:
				failures++
			case c.Error != nil:
				errors++
			case c.Skipped != nil:
				skipped++
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failures || s.Errors != errors || s.Skipped != skipped {
			t.Errorf("%s counts %d tests, %d failures, %d errors, %d skipped; it has %d, %d, %d, %d", s.Name, s.Tests,
				s.Failures, s.Errors, s.Skipped, len(s.Cases), failures, errors, skipped)
		}
	}
	xmllint := tool(t, "xmllint")
	passes(t, text, func(document []byte) error {
		c := exec.Command(xmllint, "--nonet", "--noout", "--schema", "testdata/schemas/junit.xsd", "-")
		c.Stdin = bytes.NewReader(document)
		return run(c)
	}, mistake{"classname=", "class="}, mistake{` tests="`, ` tests="-`}, mistake{`time="`, `time="x`},
		mistake{"<failure ", "<failed "}, mistake{`type="`, `kind="`}, mistake{` line="`, ` line="-`},
		mistake{"</failure>", "</failure><skipped type='a' message='b'/>"})
}

// run runs a command; its error has what the command said.
func run(c *exec.Cmd) error {
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// TestLCOVReader: lcov adds up the trace file to what we say of it.
func TestLCOVReader(t *testing.T) {
	lcov := tool(t, "lcov")
	text, err := LCOV(coverageFixture())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "coverage.lcov")
	summary := regexp.MustCompile(`lines\.*: 50\.0% \(2 of 4 lines\)\s+functions\.*: 100\.0% \(1 of 1 function\)\s+` +
		`branches\.*: 50\.0% \(1 of 2 branches\)`)
	passes(t, text, func(document []byte) error {
		if err := os.WriteFile(file, document, 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(lcov, "--rc", "lcov_branch_coverage=1", "--summary", file).CombinedOutput()
		if err == nil && !summary.Match(out) {
			err = fmt.Errorf("not %s: %s", summary, out)
		}
		return err
	}, mistake{"SF:", "FILE:"}, mistake{"DA:17,0", "DA:17,5"}, mistake{"DA:18,0", "DA:18"}, mistake{"end_of_record",
		""},
		mistake{"BRDA:16,0,1,0", "BRDA:16,0,1,1"}, mistake{"FNDA:2", "FNDA:0"})
}

// TestCSVRows: each claim has a row that says what the report says of it, for any reader of RFC 4180.
func TestCSVRows(t *testing.T) {
	r := vacuousFixture(t)
	r.Results[0].Claims[0].Message = "a \"quoted\", long\nmessage, =1+1"
	text, err := CSV(r)
	if err != nil {
		t.Fatal(err)
	}
	passes(t, text, func(document []byte) error { return sameRows(t, r, document) }, mistake{",proved,", ",violated,"},
		mistake{`""quoted""`, `"quoted"`}, mistake{",memory,", ",memory,,"}, mistake{"status", "state"})
}

// sameRows reads what CSV wrote, and compares it with the report.
func sameRows(t *testing.T, r *verdict.Report, document []byte) error {
	rows, err := csv.NewReader(bytes.NewReader(document)).ReadAll() // all rows have as many cells
	if err != nil {
		return err
	}
	at := func(row []string, column string) string {
		i := slices.Index(rows[0], column)
		if i < 0 {
			return "no " + column
		}
		return row[i]
	}
	n := 1
	for i := range r.Results {
		res := &r.Results[i]
		for ; n < len(rows) && at(rows[n], "claim") == ""; n++ { // of the verification as a whole
		}
		for j := range res.Claims {
			c := &res.Claims[j]
			if n == len(rows) {
				return fmt.Errorf("no row for %s", c.ID)
			}
			got := []string{at(rows[n], "target"), at(rows[n], "entry"), at(rows[n], "claim"), at(rows[n], "status"),
				at(rows[n], "file"), at(rows[n], "line")}
			want := []string{res.Target, res.Entry, c.ID, c.Status.String(), c.Pos.File, count(c.Pos.Line)}
			if !slices.Equal(got, want) {
				return fmt.Errorf("row %d is %q, not %q", n, got, want)
			}
			n++
		}
	}
	if n != len(rows) {
		return fmt.Errorf("%d rows, not %d", len(rows), n)
	}
	return nil
}
