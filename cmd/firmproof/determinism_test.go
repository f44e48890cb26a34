package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// determinismCases are programs with violations, proofs by unwinding and by invariants, bounds, and endless runs; in
// the one given here, invariants, unwinding and violations come in one run.
var determinismCases = []string{"../../examples/small/unwinding.c", "../../examples/small/terminates.c",
	"../../examples/small/stuck.c", "../../examples/small/use_after_free.c",
	"testdata/check/past_overflow_bad.txtar", "testdata/check/behind_free_path_bad.txtar",
	"testdata/check/struct_member_array_good.txtar", ""}

const determinismProgram = `#include "firmproof.h"
int a[8];
int main(void) {
	unsigned n = firmproof_nondet_uint(), x = 0, y = 7;
	firmproof_assume(n < 6);
	while (x < n) { x++; y += 2; a[x % 8] = (int)y; }
	firmproof_assert(y == 2 * x + 7, "line");
	firmproof_assert(a[3] <= 31, "element");
	firmproof_assert(n != 5 || a[1] != 9, "wrong");
	return 100 / (int)(6 - x);
}
`

// TestDeterminism: the same input gives the same claims, statuses, reasons, certificates and traces in the same order,
// however many processors there are and whatever runs beside.
func TestDeterminism(t *testing.T) {
	runs := 6
	if testing.Short() {
		runs = 3
	}
	for _, path := range determinismCases {
		args, name := determinismArgs(t, path)
		t.Run(name, func(t *testing.T) {
			first := ""
			for i := range runs {
				got := underLoad([]int{1, 2, 8}[i%3], i, func() string { return answer(t, args) })
				if first == "" {
					first = got
				} else if got != first {
					t.Fatalf("run %d differs in %s", i, firstDifference(first, got))
				}
			}
		})
	}
}

// determinismArgs are the arguments of `check` for a C file, a case of the corpus, or the program above.
func determinismArgs(t *testing.T, path string) (args []string, name string) {
	t.Helper()
	args = []string{"check", "--format", "json", "--timeout", timeNet}
	switch {
	case path == "":
		file := filepath.Join(t.TempDir(), "main.c")
		if err := os.WriteFile(file, []byte(determinismProgram), 0o644); err != nil {
			t.Fatal(err)
		}
		return append(args, "--target", "x86_64", file), "several"
	case strings.HasSuffix(path, ".c"):
		return append(args, "--target", "x86_64", path), filepath.Base(path)
	}
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, line := range strings.Split(string(a.Comment), "\n") {
		if flags, ok := strings.CutPrefix(line, "flags "); ok {
			args = append(args, strings.Fields(flags)...)
		}
	}
	for _, f := range a.Files {
		if strings.HasSuffix(f.Name, ".c") {
			file := filepath.Join(dir, f.Name)
			if err := os.WriteFile(file, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
			args = append(args, file)
		}
	}
	return args, filepath.Base(path)
}

// underLoad calls f with n processors and busy goroutines beside it.
func underLoad(n, busy int, f func() string) string {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	var over atomic.Bool
	defer over.Store(true)
	for range busy % 3 {
		go func() {
			for !over.Load() {
			}
		}()
	}
	return f()
}

// answer is the report of a run without what is measured.
func answer(t *testing.T, args []string) string {
	t.Helper()
	var out, errs bytes.Buffer
	runWith(args, &out, &errs)
	var r verdict.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || len(r.Results) == 0 || len(r.Results[0].Claims) == 0 {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	for i := range r.Results {
		r.Results[i].DurationMS, r.Results[i].ProcessorMS = 0, 0
		r.Results[i].PeakRSS, r.Results[i].Stages = 0, nil
		for j := range r.Results[i].Claims {
			r.Results[i].Claims[j].By = "" // which of two that find the same run is first
		}
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// firstDifference is the first line in which two reports differ, with those around it.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			return strings.Join(x[max(0, i-12):min(len(x), i+3)], "\n") + "\n---\n" +
				strings.Join(y[max(0, min(i, len(y))-12):min(len(y), i+3)], "\n")
		}
	}
	return "nothing"
}
