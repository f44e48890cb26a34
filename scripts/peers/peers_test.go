package main

import (
	"strings"
	"testing"
	"time"
)

func TestSection(t *testing.T) {
	done := func(s float64) outcome { return outcome{true, true, s} }
	open := outcome{true, false, 60}
	tab := table{tools: []string{"firmproof", "cbmc"}, rows: []row{
		{"sort", 2, []outcome{done(1), done(2)}}, {"sort", 4, []outcome{done(4), done(2)}},
		{"sort", 8, []outcome{done(16), open}}, {"sort", 16, []outcome{open, {}}},
		{"crc", 2, []outcome{open, done(3)}},
	}}
	text := tab.section("2026-01-02", "abc", time.Minute)
	for _, want := range []string{"| sort | 2 | 1.00 | 2.00 | 2.00 | |\n", "| sort | 4 | 4.00 | 2.00 | 0.50 | |\n",
		"| sort | 8 | 16.00 | open at 60.0 | > 3.8 | |\n", "| sort | 16 | open at 60.0 | - |  | 2.0, 0.0 |\n",
		"| crc | 2 | open at 60.0 | 3.00 | lost | -, - |\n",
		"Beside cbmc: 2 sizes are decided by both, 1 by firmproof alone, 1 by cbmc alone. " +
			"Geometric mean of the ratios of the first: 1.00. Lost by more than 1.2: sort 4, crc 2.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestReplaced(t *testing.T) {
	section := heading + "\n\nnew\n"
	for _, c := range [][2]string{
		{"# B\n\n## A\n\na\n", "# B\n\n## A\n\na\n\n" + section},
		{"# B\n\n" + heading + "\n\nold\n\n## A\n\na\n", "# B\n\n" + section + "\n## A\n\na\n"},
		{"# B\n\n" + heading + "\n\nold\n", "# B\n\n" + section},
	} {
		if got := replaced(c[0], section); got != c[1] {
			t.Errorf("%q became %q", c[0], got)
		}
	}
}

// TestFamilies: each program is there and uses its size, and there is none beside them.
func TestFamilies(t *testing.T) {
	dir := t.TempDir()
	for _, f := range families {
		if _, err := f.write(dir); err != nil {
			t.Error(err)
		}
	}
	files, err := sources.ReadDir("families")
	if err != nil || len(files) != len(families) {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestRun: what is decided is what the tool says, and each run has a folder of its own for what it keeps.
func TestRun(t *testing.T) {
	seen := map[string]bool{}
	for _, status := range []string{"0", "10"} {
		sh := tool{name: "sh", at: "/bin/sh",
			args: func(string, int, int, time.Duration) []string {
				return []string{"-c", `ls "$XDG_CACHE_HOME"; echo "$XDG_CACHE_HOME"; exit ` + status}
			},
			proved: func(out []byte, status int) bool {
				seen[string(out)] = true
				return status == 0
			}}
		if x, err := sh.run("", 1, 1, time.Minute, t.TempDir()); err != nil || !x.ran || x.decided != (status == "0") {
			t.Errorf("status %s: %v, %v", status, x, err)
		}
	}
	if len(seen) != 2 {
		t.Errorf("folders: %v", seen)
	}
}
