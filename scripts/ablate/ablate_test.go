package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier"
)

// Every technique has a row of sources, with files that exist.
func TestSources(t *testing.T) {
	names := verifier.Techniques()
	for n, files := range sources {
		if !slices.Contains(names, n) {
			t.Errorf("%q is no technique", n)
		}
		for _, pattern := range strings.Fields(files) {
			if found, _ := filepath.Glob(filepath.Join("../../verifier", pattern)); len(found) == 0 {
				t.Errorf("%q: no %s", n, pattern)
			}
		}
	}
	for _, n := range names {
		if _, ok := sources[n]; !ok {
			t.Errorf("%q has no row", n)
		}
	}
}

func testOptions(t *testing.T) *options {
	t.Helper()
	return &options{work: t.TempDir(), timeout: time.Second, match: regexp.MustCompile(""), every: 1, own: 1}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each kind of program is found, with the question that it asks.
func TestPrograms(t *testing.T) {
	o, dir := testOptions(t), t.TempDir()
	write(t, filepath.Join(dir, "own/a.c"), "// args: --unwind 3\n")
	write(t, filepath.Join(dir, "own/project/.firmproof.yml"), "")
	write(t, filepath.Join(dir, "own/case.txtar"), "flags --checks leak\n-- main.c --\nint main;\n")
	write(t, filepath.Join(dir, "own/worked.txtar"), "Title.\n-- x.c --\n// memory: unsafe, termination: ends\n"+
		"-- y.c --\n// reach: safe, termination: -\n")
	write(t, filepath.Join(dir, "corpus/manifest.json"), `[{"file": "b.c", "property": "termination", "expected": false,
		"data_model": "ILP32", "semantics": "mathematical integers"}, {"file": "c.koat", "property": "its-complexity"},
		{"file": "d.c", "property": "complexity", "entry": "f"}, {"file": "e.c", "property": "weather"}]`)
	list, err := o.programs([]string{filepath.Join(dir, "own"), filepath.Join(dir, "corpus")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range list {
		last := p.args[len(p.args)-1]
		got = append(got, strings.TrimSpace(p.name+": "+p.args[0]+" "+p.want))
		if p.args[0] != "check" && !slices.Contains(p.args, "--techniques") || !filepath.IsAbs(last) {
			t.Errorf("%s: %v", p.name, p.args)
		}
	}
	want := []string{"own/a.c: check", "own/case: check", "own/project: check", "own/worked/x.c memory: svcomp FALSE",
		"own/worked/x.c termination: svcomp TRUE", "own/worked/y.c reach: svcomp TRUE", "corpus/b.c termination: svcomp FALSE",
		"corpus/c.koat: its", "corpus/d.c: bound"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if !slices.Contains(list[0].args, "3") || !slices.Contains(list[1].args, "leak") ||
		!slices.Contains(list[6].args, "ILP32") || !slices.Contains(list[6].args, "unbounded") {
		t.Errorf("options are missing: %v", list)
	}
	o.every, o.own = 3, 4
	if list, err = o.programs([]string{filepath.Join(dir, "own"), filepath.Join(dir, "corpus")}); err != nil ||
		len(list) != 3 {
		t.Errorf("%d of a third and a quarter: %v", len(list), err)
	}
}

// The last line and the one before say what came out, and by what.
func TestLastLine(t *testing.T) {
	for _, c := range []struct {
		text, want string
		worth      int
		by         string
		wrong      bool
	}{
		{"techniques: graph, affine\nTRUE\n", "TRUE", 30, "graph affine", false},
		{"x\ntechniques: unwinding\nFALSE(termination)\n", "TRUE", 30, "unwinding", true},
		{"techniques: induction\nUNKNOWN\n", "TRUE", 0, "", false},
		{"techniques: resets\nWORST_CASE(?,O(n^2))\n", "", 28, "resets", false},
		{"techniques: resets\nWORST_CASE(?,O(EXP))\n", "", 1, "resets", false},
		{"techniques: cycles\nNO", "FALSE", 30, "cycles", false},
	} {
		got, wrong := lastLine(c.text, c.want)
		if a := got[""]; a.Worth != c.worth || strings.Join(a.By, " ") != c.by || wrong != c.wrong {
			t.Errorf("%q: %v, wrong %t", c.text, got, wrong)
		}
	}
	if got, _ := lastLine("panic: oh\n", "TRUE"); got != nil {
		t.Errorf("no answer is one: %v", got)
	}
}

// A technique is left out of the programs that it had a part in, as many as are allowed, and of no others.
func TestAblation(t *testing.T) {
	o := testOptions(t)
	o.engine = filepath.Join(t.TempDir(), "engine")
	write(t, o.engine, `#!/bin/sh
case "$*" in
*a.c*-b) echo "techniques: c"; echo UNKNOWN;;
*-b) echo "techniques: c"; echo "WORST_CASE(?,O(n^3))";;
*a.c*) echo "techniques: b"; echo TRUE;;
*) echo "techniques: b, c"; echo "WORST_CASE(?,O(n^2))";;
esac
`)
	if err := os.Chmod(o.engine, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := readState(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	a := &ablation{o: o, state: s, programs: []program{{"a", []string{"its", "a.c"}, ""}, {"x", []string{"its", "x.c"}, ""},
		{"y", []string{"its", "y.c"}, ""}}}
	if err := a.run([]string{"b", "c", "d"}); err != nil {
		t.Fatal(err)
	}
	rows := map[string]row{}
	for _, r := range a.rows {
		rows[r.name] = r
	}
	if b := rows["b"]; b.claims != 3 || b.tried != 3 || b.lost != 3 {
		t.Errorf("b: %+v", b)
	}
	if c := rows["c"]; c.claims != 2 || c.tried != 2 || c.lost != 0 {
		t.Errorf("c: %+v", c)
	}
	if !slices.Equal(a.idle, []string{"d"}) {
		t.Errorf("idle: %v", a.idle)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	again, err := readState(s.file.Name())
	if err != nil || len(again.known) != len(s.known) || len(s.known) != 8 {
		t.Errorf("%d of %d kept: %v", len(again.known), len(s.known), err)
	}
	o.most = 1
	less := &ablation{o: o, state: again, programs: a.programs}
	if err := less.run([]string{"b"}); err != nil || less.rows[0].tried != 1 {
		t.Errorf("at most one program: %+v, %v", less.rows, err)
	}
}
