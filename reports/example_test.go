package reports

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestExampleOf: what can be corrected of what a violation assumes is suggested, and nothing of what is one structure.
func TestExampleOf(t *testing.T) {
	for assumed, want := range map[string]string{
		"tf.link leads to one TF_Link of its own":              "",
		"tf.link may be null":                                  "`F.tf.link: not null`",
		"s leads to as many elements as len says, at most 64":  "`F.s: 16 elements`",
		"to leads to 64 bytes: a guess, since nothing says it": "`F.to: 64 bytes`",
		"path leads to a string of at most 15 characters":      "`F.path: 64 bytes`",
	} {
		v := &SiteClaim{Result: &verdict.Result{Entry: "any call of F"},
			Claim: &verdict.Claim{Assumes: []string{"a leads to one T of its own", assumed}}}
		if got := exampleOf(v); got != want {
			t.Errorf("%s: %q, want %q", assumed, got, want)
		}
	}
}

// TestCalledFrom: a violation in the C library is shown with the program's own call, the last one that leads there.
func TestCalledFrom(t *testing.T) {
	at := func(file string, line int) verdict.Pos { return verdict.Pos{File: file, Line: line} }
	c := &verdict.Claim{Pos: at("firmproof-libc/stdio_out.c", 19), Trace: []verdict.Step{
		{Kind: verdict.StepCall, Pos: at("a.c", 3)}, {Kind: verdict.StepAssign, Pos: at("a.c", 4)},
		{Kind: verdict.StepCall, Pos: at("a.c", 5)}, {Kind: verdict.StepCall, Pos: at("firmproof-libc/stdio_out.c", 117)},
	}}
	if from, ok := calledFrom(c); !ok || from.Line != 5 || from.File != "a.c" {
		t.Errorf("%v, %v", from, ok)
	}
	c.Pos = at("a.c", 19)
	if from, ok := calledFrom(c); ok {
		t.Errorf("of the program's own: %v", from)
	}
}
