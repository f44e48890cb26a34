package llvm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put writes programs that print a version of clang.
func put(t *testing.T, dir string, version int, names ...string) {
	t.Helper()
	for _, n := range names {
		text := fmt.Sprintf("#!/bin/sh\necho Debian clang version %d.1.0\n", version)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, n)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, n), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// all returns the names of a version's tools, as Debian has them.
func all(v int) []string { return Versioned(v).All() }

// TestFind: 14 is taken before others, then 19 and what is older, then 22, of those that are complete; what is named is taken, if it is supported.
func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		make func(dir string)
		env  string // DIR is the folder
		want string // clang, or part of the error
	}{
		"preferred":    {func(d string) { put(t, d, 14, all(14)...); put(t, d, 19, all(19)...) }, "", "clang-14"},
		"newest":       {func(d string) { put(t, d, 16, all(16)...); put(t, d, 19, all(19)...) }, "", "clang-19"},
		"newer one":    {func(d string) { put(t, d, 22, all(22)...); put(t, d, 16, all(16)...) }, "", "clang-16"},
		"newest alone": {func(d string) { put(t, d, 22, all(22)...) }, "", "clang-22"},
		"not compared": {func(d string) { put(t, d, 21, all(21)...) }, "",
			"clang-21 is clang 21, which is taken where FIRMPROOF_CLANG=clang-21 names it alone"},
		"incomplete": {func(d string) { put(t, d, 19, "clang-19"); put(t, d, 16, all(16)...) }, "", "clang-16"},
		"alone":      {func(d string) { put(t, d, 14, "clang-14") }, "", "clang-14"},
		"newer":      {func(d string) { put(t, d, 23, all(23)...) }, "", "no clang is installed: LLVM 14 to 22 is needed"},
		"none":       {func(string) {}, "", "no clang is installed"},
		"plain": {func(d string) { put(t, d, 18, "clang", "llvm-link", "llvm-as", "llvm-dis", "opt") }, "",
			"clang"},
		"plain, not compared": {func(d string) { put(t, d, 21, "clang", "llvm-link", "llvm-as", "llvm-dis", "opt") }, "",
			"is taken where FIRMPROOF_CLANG=clang names it alone"},
		"plain, too old": {func(d string) { put(t, d, 13, "clang", "llvm-link", "llvm-as", "llvm-dis", "opt") }, "",
			"clang is clang 13, which firmproof does not read"},
		"named": {func(d string) { put(t, d, 14, all(14)...); put(t, d, 19, all(19)...) }, "clang-19", "clang-19"},
		"path": {func(d string) {
			put(t, d, 19, "llvm-19/bin/clang", "llvm-19/bin/llvm-link", "llvm-19/bin/llvm-as", "llvm-19/bin/llvm-dis", "llvm-19/bin/opt")
		}, "DIR/llvm-19/bin/clang", "/llvm-19/bin/clang"},
		"path, new": {func(d string) { put(t, d, 23, "clang") }, "DIR/clang", "is clang 23, which firmproof does not read"},
		"absent":    {func(string) {}, "clang-19", `FIRMPROOF_CLANG: there is no program "clang-19"`},
		"gcc":       {func(d string) { put(t, d, 14, "gcc") }, "gcc", "is not named `clang`"},
		"without tools": {func(d string) { put(t, d, 19, "clang-19", "llvm-link-19") }, "clang-19",
			"clang-19 is there without llvm-as-19 of the same version"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.make(dir)
			t.Setenv("PATH", dir)
			t.Setenv(Variable, strings.ReplaceAll(c.env, "DIR", dir))
			got, err := Find()
			if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && !strings.HasSuffix(got.Clang, c.want) {
				t.Errorf("%v %v, want %s", got, err, c.want)
			}
		})
	}
}
