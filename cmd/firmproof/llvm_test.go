package main

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm"
)

// llvmSample is the part of the cases that the short form of TestLLVM runs with each version: one of so many.
const llvmSample = 60

// TestLLVM runs cases of testdata/check with each LLVM that is installed beside the preferred one, and holds the answers
// to the same `want`: exit status, and claims by line, check and status. Numbers in the identities of claims and the
// order of claims on a line are not compared. What differs is listed with its reason in testdata/llvm.txt, and has to
// differ still. `make llvm` runs all cases (LLVM=all), or those with the versions in LLVM (`15 19`).
func TestLLVM(t *testing.T) {
	cases, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	differs := llvmDifferences(t)
	asked := os.Getenv("LLVM")
	for v := llvm.Oldest; v <= llvm.Newest; v++ {
		if v == llvm.Preferred || asked != "" && asked != "all" && !strings.Contains(asked, strconv.Itoa(v)) {
			continue
		}
		t.Run(strconv.Itoa(v), func(t *testing.T) {
			if !llvm.Versioned(v).Complete() {
				t.Skipf("LLVM %d is not installed: apt-get install %s", v, llvm.Versioned(v).Packages())
			}
			t.Setenv(llvm.Variable, fmt.Sprintf("clang-%d", v))
			for _, path := range cases {
				name := strings.TrimSuffix(filepath.Base(path), ".txtar")
				h := fnv.New32a()
				fmt.Fprintf(h, "%d %s", v, name)
				if asked == "" && h.Sum32()%llvmSample != 0 {
					continue
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					r := checkCase(t, path)
					same, reason := r.code == r.exit && byKind(r.got) == byKind(r.want), differs[fmt.Sprintf("%s %d", name, v)]
					if same == (reason != "") {
						t.Errorf("exit status %d, want %d\ngot\n%s\nwant\n%s\nlisted reason: %q\n%s", r.code, r.exit, r.got,
							r.want, reason, r.said)
					}
				})
			}
		})
	}
}

// identityEnd is the number at the end of a claim's identity, made of the statement in LLVM's words.
var identityEnd = regexp.MustCompile(`#[0-9a-f]{6}\b`)

// byKind returns the claims of an answer in one order, without the numbers of identities.
func byKind(want string) string {
	lines := strings.Split(identityEnd.ReplaceAllString(want, "#"), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// llvmDifferences reads testdata/llvm.txt: `CASE FROM-TO REASON`, by case and version.
func llvmDifferences(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open("testdata/llvm.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]string{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var name string
		var from, to int
		if sc.Text() == "" || strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		parts := strings.SplitN(sc.Text(), " ", 3)
		if len(parts) != 3 {
			t.Fatalf("%q: want CASE FROM-TO REASON", sc.Text())
		}
		if _, err := fmt.Sscanf(parts[1], "%d-%d", &from, &to); err != nil {
			t.Fatalf("%q: %v", sc.Text(), err)
		}
		name = parts[0]
		for v := from; v <= to; v++ {
			out[fmt.Sprintf("%s %d", name, v)] = parts[2]
		}
	}
	return out
}
