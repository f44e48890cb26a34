package reports

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// fixture is a report of the project in testdata/fw, on two targets, with every status.
func fixture(t testing.TB) *verdict.Report {
	t.Helper()
	text, err := os.ReadFile("testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	r := &verdict.Report{}
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// fixtureSource reads the sources of the fixture.
func fixtureSource(file string) []byte {
	text, err := os.ReadFile(filepath.Join("testdata/fw", filepath.FromSlash(file)))
	if err != nil {
		return nil
	}
	return text
}

// TestGolden compares what each format writes of the fixture with the files in testdata; UPDATE=1 writes them anew.
func TestGolden(t *testing.T) {
	options := TextOptions{Source: fixtureSource, Check: "firmproof check .", Replay: "firmproof replay ."}
	for _, f := range Formats() {
		// the fixture itself; TestPage looks at the page, TestCoverage at coverage, which the fixture has none of
		if f.Name == "json" || f.Name == "html" || OnlyCoverage(f.Name) {
			continue
		}
		var got bytes.Buffer
		if err := f.Write(&got, fixture(t), options); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		golden(t, "report."+f.Name, got.Bytes())
	}
	var all, quiet bytes.Buffer
	options.Trace, options.Verbose = "all", true
	Text(&all, fixture(t), options)
	golden(t, "verbose.text", all.Bytes())
	Text(&quiet, fixture(t), TextOptions{Quiet: true})
	golden(t, "quiet.text", quiet.Bytes())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from what it was; UPDATE=1 go test ./reports writes it anew. Got:\n%s", file, got)
	}
}
