// Package llvm finds the LLVM that programs are compiled with: clang, and the tools of the same version. It reads and
// writes names as their text has them.
//
// FIRMPROOF_CLANG names clang (`clang-19`, or a path); its tools lie beside it, under names of the same form. Otherwise
// it is the preferred version, 14, or else the first one of `compared` that is complete, from PATH: 20 and 21 are taken
// where they are named alone.
package llvm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Variable is the environment variable that names clang.
const Variable = "FIRMPROOF_CLANG"

// The versions whose text package frontend reads. Preferred is taken where it is there.
const (
	Oldest    = 14
	Newest    = 22
	Preferred = 14
)

// compared are the versions that are taken by themselves, those that are taken first in front: all cases of
// cmd/firmproof/testdata/check were run with each (`make llvm`).
var compared = []int{Preferred, 19, 18, 17, 16, 15, 22}

// Tools are the programs of one version, as they are called: names on PATH, or paths.
type Tools struct {
	Version            int
	Clang, ClangXX     string
	Link, As, Dis, Opt string
	Symbolizer         string // for replays alone
}

// ArrayFlags are the flags with which -fsanitize=array-bounds takes an array at the end of a structure for as long as it
// is declared, unless that is no or one element. Clang 16 and newer take arrays of any length there for flexible.
func (t Tools) ArrayFlags() []string {
	if t.Version < 15 { // which does so, and knows no such flag
		return nil
	}
	return []string{"-fstrict-flex-arrays=1"}
}

// Find returns the tools to use. The error says what to do.
func Find() (Tools, error) {
	if name := os.Getenv(Variable); name != "" {
		return named(name)
	}
	var partial *Tools
	for _, v := range compared {
		t := Versioned(v)
		switch {
		case !has(t.Clang):
		case t.Complete():
			return t, nil
		case partial == nil:
			partial = &t
		}
	}
	if partial != nil {
		return *partial, nil
	}
	if has("clang") {
		t, err := named("clang")
		if err == nil && !slices.Contains(compared, t.Version) {
			return Tools{}, aloneError("clang", t.Version)
		}
		return t, err
	}
	for v := Newest; v >= Oldest; v-- {
		if t := Versioned(v); t.Complete() {
			return Tools{}, aloneError(t.Clang, v)
		}
	}
	return Tools{}, fmt.Errorf("no clang is installed: %s", remedy)
}

func aloneError(name string, version int) error {
	return fmt.Errorf("%s is clang %d, which is taken where %s=%[1]s names it alone: %[4]s", name, version, Variable, remedy)
}

// remedy says how to get what is supported.
var remedy = fmt.Sprintf("LLVM %d to %d is needed (apt-get install clang-14 llvm-14 on Debian 12, clang-19 llvm-19 on "+
	"Debian 13; %s names another clang)", Oldest, Newest, Variable)

// Complete reports whether all of the tools are there.
func (t Tools) Complete() bool {
	for _, name := range t.All() {
		if !has(name) {
			return false
		}
	}
	return true
}

// All returns the names of the tools.
func (t Tools) All() []string { return []string{t.Clang, t.Link, t.As, t.Dis, t.Opt} }

// Packages returns the Debian packages of the tools: clang's, and the one of all others.
func (t Tools) Packages() string { return fmt.Sprintf("clang-%d llvm-%d", t.Version, t.Version) }

// stable is the version that Debian 13 and later releases have.
const stable = 19

// Installable returns the tools that this machine's packages have, if it is a Debian: the preferred ones, or else those
// of a newer release.
func Installable(ctx context.Context) Tools {
	out, err := exec.CommandContext(ctx, "apt-cache", "show", fmt.Sprintf("clang-%d", Preferred)).Output()
	if newer, e := exec.CommandContext(ctx, "apt-cache", "show", fmt.Sprintf("clang-%d", stable)).Output(); (err != nil ||
		len(out) == 0) && e == nil && len(newer) > 0 {
		return Versioned(stable)
	}
	return Versioned(Preferred)
}

func has(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// Versioned returns the tools by the names that Debian gives them.
func Versioned(v int) Tools { return tools("", "-"+strconv.Itoa(v), v) }

// tools returns the tools in a folder ("" for PATH, else with a `/` at its end) whose names have a suffix.
func tools(dir, suffix string, v int) Tools {
	return Tools{Version: v, Clang: dir + "clang" + suffix, ClangXX: dir + "clang++" + suffix,
		Link: dir + "llvm-link" + suffix, As: dir + "llvm-as" + suffix, Dis: dir + "llvm-dis" + suffix,
		Opt: dir + "opt" + suffix, Symbolizer: dir + "llvm-symbolizer" + suffix}
}

var clangName = regexp.MustCompile(`^clang(-\d+)?$`)

// named returns the tools of the clang that somebody named.
func named(name string) (Tools, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return Tools{}, fmt.Errorf("%s: there is no program %q: %s", Variable, name, remedy)
	}
	dir, base := filepath.Split(name)
	m := clangName.FindStringSubmatch(base)
	if m == nil {
		return Tools{}, fmt.Errorf("%s: %q is not named `clang` or `clang-19`, so that its tools are not found: %s",
			Variable, name, remedy)
	}
	if dir != "" { // builds run in folders of their own
		if dir, err = filepath.Abs(dir); err != nil {
			return Tools{}, err
		}
		dir += "/"
	}
	v, err := versionOf(path)
	if err != nil {
		return Tools{}, err
	}
	if v < Oldest || v > Newest {
		return Tools{}, fmt.Errorf("%s is clang %d, which firmproof does not read: %s", name, v, remedy)
	}
	t := tools(dir, m[1], v)
	if missing := t.missing(); missing != "" && dir != "" && m[1] != "" { // /opt/llvm/bin/clang-19 beside llvm-link
		if plain := tools(dir, "", v); has(plain.Link) {
			plain.Clang = t.Clang
			t = plain
		}
	}
	if missing := t.missing(); missing != "" {
		return Tools{}, fmt.Errorf("%s is there without %s of the same version: %s", name, missing, remedy)
	}
	return t, nil
}

// missing names a tool that is not there; "" if all are.
func (t Tools) missing() string {
	for _, name := range t.All() {
		if !has(name) {
			return name
		}
	}
	return ""
}

var (
	numbered = regexp.MustCompile(`clang-(\d+)$|/llvm-(\d+)/bin/clang$`)
	printed  = regexp.MustCompile(`clang version (\d+)\.`)
)

// versionOf returns the version of clang at path: by the name of the file, or else by what it prints.
func versionOf(path string) (int, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return 0, err
	}
	if m := numbered.FindStringSubmatch(real); m != nil {
		return strconv.Atoi(m[1] + m[2])
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("%s --version: %w", path, err)
	}
	m := printed.FindSubmatch(out)
	if m == nil {
		first, _, _ := strings.Cut(string(out), "\n")
		return 0, fmt.Errorf("%s says %q, which is no version of clang: %s", path, first, remedy)
	}
	return strconv.Atoi(string(m[1]))
}
