package manifest

import (
	"strings"
	"testing"
)

const plainManifest = "version: 1 # of the format\nbuild: {sources: [a.c]}\n"

// TestEdits: each edit says what it is to say, in the forms that people write, and leaves the rest.
func TestEdits(t *testing.T) {
	assume := func(place, what string) func([]byte) ([]byte, error) {
		return func(text []byte) ([]byte, error) { return AssumeIn(Name, text, place, what) }
	}
	stub := func(text []byte) ([]byte, error) { return StubIn(Name, text, "hal_read", "nondet") }
	any := func(text []byte) ([]byte, error) { return StubIn(Name, text, AnyStub, "havoc") }
	unwind := func(text []byte) ([]byte, error) { return UnwindIn(Name, text, "first", "first.0", 8) }
	harness := func(text []byte) ([]byte, error) { return HarnessIn(Name, text, "put_harness", "proofs/a b.c") }
	for _, c := range []struct {
		name, text string
		edit       func([]byte) ([]byte, error)
		want       string
	}{
		{"a first line", "", assume("f.p", "16 elements"), "assume:\n  f.p: 16 elements\n"},
		{"one more", "assume:\n  f.p: 0..64 # why\n", assume("f.q", "not null"), "assume:\n  f.q: not null\n  f.p: 0..64 # why\n"},
		{"in the place of one", "assume:\n  f.p: 0..64 # why\n", assume("f.p", "8 elements, may be null"),
			"assume:\n  f.p: '8 elements, may be null' # why\n"},
		{"in the place of a quoted one", "assume:\n  f.p: '8 elements, may be null'\n", assume("f.p", "apart"), "assume:\n  f.p: apart\n"},
		{"a quoted one in braces", "assume: {f.p: '8 elements, may be null'}\n", assume("f.p", "apart"), ""},
		{"empty", "assume: {}\nfunctions: all\n", assume("f.p", "apart"), "assume:\n  f.p: apart\nfunctions: all\n"},
		{"in braces", "stubs: {a: havoc}\n", stub, "stubs: {hal_read: nondet, a: havoc}\n"},
		{"in a list", "stubs:\n    a: havoc\n", stub, "stubs:\n    hal_read: nondet\n    a: havoc\n"},
		{"all", "", any, "stubs:\n  '*': havoc\n"},
		{"all again", "stubs:\n  \"*\": nondet\n", any, "stubs:\n  \"*\": havoc\n"},
		{"turns", "harnesses:\n- entry: first # it\n  unwind: 2\n", unwind,
			"harnesses:\n- unwindset: {first.0: 8}\n  entry: first # it\n  unwind: 2\n"},
		{"turns in braces", "harnesses:\n  - {entry: first}\n", unwind, "harnesses:\n  - {unwindset: {first.0: 8}, entry: first}\n"},
		{"more turns", "harnesses:\n  - entry: first\n    unwindset: {first.0: 4}\n", unwind,
			"harnesses:\n  - entry: first\n    unwindset: {first.0: 8}\n"},
		{"turns of one more loop", "harnesses:\n  - entry: first\n    unwindset: {first.1: 4}\n", unwind,
			"harnesses:\n  - entry: first\n    unwindset: {first.0: 8, first.1: 4}\n"},
		{"more turns in a list", "harnesses:\n  - entry: first\n    unwindset:\n      first.0: 4\n", unwind,
			"harnesses:\n  - entry: first\n    unwindset:\n      first.0: 8\n"},
		{"of no harness", "harnesses: [{entry: other}]\n", unwind, ""},
		{"a harness", "", harness, "harnesses:\n  - {entry: put_harness, file: proofs/a b.c}\n"},
		{"one more harness", "harnesses:\n- entry: first\n", harness,
			"harnesses:\n- {entry: put_harness, file: proofs/a b.c}\n- entry: first\n"},
		{"one more in brackets", "harnesses: [{entry: first}]\n", harness,
			"harnesses: [{entry: put_harness, file: proofs/a b.c}, {entry: first}]\n"},
		{"a wrong one", "", assume("f.p", "a lot"), ""},
	} {
		got, err := c.edit([]byte(plainManifest + c.text))
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: taken:\n%s", c.name, got)
		case c.want != "" && (err != nil || string(got) != plainManifest+c.want):
			t.Errorf("%s: %v\n%s", c.name, err, got)
		}
	}
	// without a line feed at the end
	got, err := StubIn(Name, []byte(strings.TrimSuffix(plainManifest, "\n")), "f", "havoc")
	if err != nil || string(got) != plainManifest+"stubs:\n  f: havoc\n" {
		t.Errorf("%v\n%s", err, got)
	}
}
