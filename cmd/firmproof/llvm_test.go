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
	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
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
					sameAnswer(t, checkCase(t, path), differs[fmt.Sprintf("%s %d", name, v)])
				})
			}
		})
	}
}

// sameAnswer holds the answer that another LLVM than the preferred one gives to a case's `want`, from which it has to differ
// where there is a reason for that.
func sameAnswer(t *testing.T, r caseResult, reason string) {
	t.Helper()
	if same := r.code == r.exit && byKind(r.got) == byKind(r.want); same == (reason != "") {
		t.Errorf("exit status %d, want %d\ngot\n%s\nwant\n%s\nlisted reason: %q\n%s", r.code, r.exit, r.got, r.want, reason,
			r.said)
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

// c23 is a program in C23, and what is wrong in it.
const c23 = `# what C23 adds: constexpr, #embed, enumerations with a type, _BitInt, attributes, nullptr, typeof, auto
flags --cflags=-std=c23 --target cortex-m3
exit 1
-- data.bin --
abc
-- main.c --
#include <stdint.h>
#include "firmproof.h"
constexpr int size = 4;
static constexpr unsigned char data[] = {
#embed "data.bin"
};
static_assert(sizeof data == 4);
enum colour : uint8_t { red = 1, blue = 0xFF };
typedef unsigned _BitInt(7) seven;
[[nodiscard]] static int *find(bool have, int *p) { return have ? p : nullptr; }
int main() {
    int a[size] = {};
    typeof(a[0]) i = firmproof_nondet_int();
    typeof_unqual(data[0]) c = data[2];
    firmproof_assert(c == 'c', "embedded");
    seven s = (seven)i;
    firmproof_assert(s + 1wbu <= 127, "seven bits");
    firmproof_assert(s + 1wbu != 0, "it wraps around");
    auto p = find(i == 0b1'0, a);
    if (i >= 0 && i < size) a[i] = blue;
    if (true) *p = red;
    return 0;
}
-- want --
main.c:18 assert violated
main.c:21 memory violated
`

// TestC23 checks a program in C23 with each LLVM that reads all of it.
func TestC23(t *testing.T) {
	llvmtest.Each(t, func(t *testing.T, tools llvm.Tools) {
		if tools.Version < 19 {
			t.Skipf("clang %d reads a part of C23 alone", tools.Version)
		}
		path := filepath.Join(t.TempDir(), "c23.txtar")
		if err := os.WriteFile(path, []byte(c23), 0o644); err != nil {
			t.Fatal(err)
		}
		if r := checkCase(t, path); r.code != r.exit || r.got != r.want {
			t.Errorf("exit status %d, want %d\ngot\n%s\nwant\n%s\n%s", r.code, r.exit, r.got, r.want, r.said)
		}
	})
}
