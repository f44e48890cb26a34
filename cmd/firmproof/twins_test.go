package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Twins are pairs of small programs that differ in a few tokens: one has a bug that its interface permits, on the lines
// with a mark, the other is right. testdata/twins holds them by classes, each as one text:
//
//	=== NAME | arguments of check
//	... {{what is wrong~what is right}} ...
//
// What check answers about a program is one of
//
//	right      the bug is found, or nothing is where nothing is wrong
//	unknown    and said to be so
//	said       the bug's line holds on a condition, or within bounds
//	elsewhere  something else is found, where the bug is not
//	hidden     a bug, and all is proved: testdata/twins/known.txt lists what is so today, and nothing else may be
//	false      an alarm where nothing is wrong; likewise

const (
	twinMark    = "/*BUG*/"
	twinHeaders = "#include <stdint.h>\n#include <string.h>\n#include <stdlib.h>\n#include <stddef.h>\n#include <stdbool.h>\n"
)

var answersOfTwins = []string{"right", "unknown", "said", "elsewhere", "hidden", "false"}

// twin is one program of a pair.
type twin struct {
	name string // CLASS/NAME_bad or CLASS/NAME_ok
	args []string
	text string
	bad  bool
}

var alternative = regexp.MustCompile(`(?s)\{\{(.*?)~(.*?)\}\}`)

// twinsIn reads the pairs of all classes, in order.
func twinsIn(t *testing.T) (out []twin) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "twins", "*.twins"))
	if err != nil || len(files) == 0 {
		t.Fatal("no twins", err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		class := strings.TrimSuffix(filepath.Base(path), ".twins")
		for _, pair := range strings.Split("\n"+string(data), "\n=== ")[1:] {
			head, body, _ := strings.Cut(pair, "\n")
			name, args, _ := strings.Cut(head, "|")
			x := twin{args: strings.Fields(args)}
			if !slices.Contains(x.args, "--target") {
				x.args = append(x.args, "--target", "cortex-m3")
			}
			for i, kind := range []string{"bad", "ok"} {
				x.name, x.bad = class+"/"+strings.TrimSpace(name)+"_"+kind, i == 0
				x.text = twinHeaders + alternative.ReplaceAllString(body, fmt.Sprintf("${%d}", i+1)) + "\n"
				if x.bad && !strings.Contains(x.text, twinMark) {
					t.Errorf("%s: no line is marked", x.name)
				}
				out = append(out, x)
			}
		}
	}
	return out
}

// ask says what check answers about a twin.
func (x *twin) ask(t *testing.T) string {
	path := filepath.Join(writeTree(t, map[string]string{"a.c": x.text}), "a.c")
	code, rep, errs := checkJSON(t, append([]string{path, "--timeout", "6s"}, x.args...)...)
	if code != 0 && code != 1 && code != 3 {
		t.Errorf("%s: exit status %d\n%s", x.name, code, errs)
	}
	lines := strings.Split(x.text, "\n")
	found, other, said := false, false, false
	for i := range rep.Results {
		for _, c := range rep.Results[i].Claims {
			here := c.Pos.Line > 0 && c.Pos.Line <= len(lines) && strings.Contains(lines[c.Pos.Line-1], twinMark)
			switch c.Status {
			case verdict.Violated:
				found, other = found || here, other || !here
			case verdict.Conditional, verdict.Bounded:
				said = said || here
			}
		}
	}
	switch {
	case !x.bad && (found || other):
		return "false"
	case x.bad && found:
		return "right"
	case code == 3:
		return "unknown"
	case !x.bad:
		return "right"
	case other:
		return "elsewhere"
	case said:
		return "said"
	}
	return "hidden"
}

// TestTwins: no bug is hidden, and nothing that is right is violated, but for what is known. `make test` asks about a
// sample, `make twins` about all, which writes docs/twins.md with UPDATE=1.
func TestTwins(t *testing.T) {
	all, whole := twinsIn(t), os.Getenv("FIRMPROOF_LONG") != ""
	known := map[string]bool{}
	path := filepath.Join("testdata", "twins", "known.txt")
	if data, err := os.ReadFile(path); err == nil {
		for line := range strings.Lines(string(data)) {
			known[strings.TrimSpace(line)] = true
		}
	}
	var mutex sync.Mutex
	answers := map[string]string{}
	t.Run("programs", func(t *testing.T) {
		for i := range all {
			if x := &all[i]; whole || i/2%16 == 0 {
				t.Run(x.name, func(t *testing.T) {
					t.Parallel()
					got := x.ask(t)
					mutex.Lock()
					defer mutex.Unlock()
					if answers[x.name] = got; (got == "hidden" || got == "false") && !known[got+" "+x.name] && !update() {
						t.Errorf("%s is %s", x.name, got)
					}
				})
			}
		}
	})
	if !whole || t.Failed() {
		return
	}
	table, wrong := twinTable(answers)
	page := filepath.Join("..", "..", "docs", "twins.md")
	if update() {
		writeFile(t, page, table)
		writeFile(t, path, wrong)
		return
	}
	t.Logf("\n%s", table)
}

func update() bool { return os.Getenv("UPDATE") != "" }

// twinTable counts answers by class, and lists those that are wrong.
func twinTable(answers map[string]string) (table, wrong string) {
	count := map[string]map[string]int{"all": {}}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		got := answers[name]
		class, _, _ := strings.Cut(name, "/")
		if count[class] == nil {
			count[class] = map[string]int{}
		}
		count[class][got]++
		count["all"][got]++
		if got == "hidden" || got == "false" {
			wrong += got + " " + name + "\n"
		}
	}
	var out bytes.Buffer
	out.WriteString("# Twins\n\nPairs of small programs, a bug that the interface permits and its mended twin, by class: " +
		"`cmd/firmproof/testdata/twins`. `UPDATE=1 make twins` writes this page; what hidden and false count is listed in " +
		"`known.txt` there, and a test fails where anything else is.\n\n| class | programs | " +
		strings.Join(answersOfTwins, " | ") + " |\n|---" + strings.Repeat("|---", 1+len(answersOfTwins)) + "|\n")
	classes := slices.DeleteFunc(slices.Sorted(maps.Keys(count)), func(class string) bool { return class == "all" })
	for _, class := range append(classes, "all") {
		total, cells := 0, ""
		for _, a := range answersOfTwins {
			total += count[class][a]
			cells += fmt.Sprintf(" %d |", count[class][a])
		}
		fmt.Fprintf(&out, "| %s | %d |%s\n", class, total, cells)
	}
	return out.String(), wrong
}
