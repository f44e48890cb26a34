package reports

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestRebase: every name of a file of the project gets the folder of the project, also those in texts of violations; the
// given report stays.
func TestRebase(t *testing.T) {
	r := fixture(t)
	res, pos := &r.Results[0], verdict.Pos{File: "src/rx.c", Line: 3}
	res.Complexity = &verdict.Complexity{Loops: []verdict.LoopTurns{{Name: "f.0", Pos: pos}}}
	res.Vacuous = &verdict.Reason{Pos: &pos}
	before, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(Rebase(r, "fw", func(string) bool { return true }))
	if err != nil {
		t.Fatal(err)
	}
	bare := regexp.MustCompile(`.{40}[^/](src|proofs)/rx\.c`)
	if got := bare.FindAll(text, 3); got != nil {
		t.Errorf("without the folder: %q", got)
	}
	if !regexp.MustCompile(`written at fw/src/rx\.c:`).Match(text) {
		t.Error("no text names a file: nothing was tested")
	}
	if after, _ := json.Marshal(r); string(after) != string(before) {
		t.Error("the given report changed")
	}
}
