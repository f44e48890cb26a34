package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Each function of a program of Csmith has to do the same as the compiler makes it at -O2 and at -O0, where neither
// executes undefined behaviour: the front end and the comparison read both. The optimiser computes ahead what it may not
// use, so that its promises about signs (nsw, nuw, exact) are left out, and inputs with which it computes something undefined
// ahead are not compared.
//
//	FIRMPROOF_CSMITH=10m FIRMPROOF_SEED=1 go test ./cmd/firmproof -run TestOptimised -v

var (
	promise = regexp.MustCompile(`\b(nsw|nuw|exact) `)
	drawn   = regexp.MustCompile(`(?m)^static .*?(func_\d+)\(.*\)$`) // the beginning of a function that Csmith drew
)

// optimisedSample are the seeds that every run of the tests takes.
var optimisedSample = []int64{45, 7_002}

// TestOptimised runs seeds until the time of FIRMPROOF_CSMITH is up, or those of the sample.
func TestOptimised(t *testing.T) {
	if _, err := exec.LookPath("csmith"); err != nil {
		t.Skip("no csmith here: make setup-tests installs it")
	}
	seeds, until := csmithSeeds(t, optimisedSample)
	count := map[verdict.Sameness]int{}
	for _, seed := range seeds {
		if until.IsZero() || time.Now().Before(until) {
			optimised(t, seed, count)
		}
	}
	t.Log(count)
	if count[verdict.Same] == 0 {
		t.Errorf("nothing was compared: %v", count)
	}
}

// optimised compares the functions of one program.
func optimised(t *testing.T, seed int64, count map[verdict.Sameness]int) {
	t.Helper()
	text, err := exec.Command("csmith", "--seed", fmt.Sprint(seed), "--no-argc", "--concise", "--no-volatiles", "--no-pointers",
		"--no-bitfields", "--no-checksum", "--max-funcs", "3", "--max-block-depth", "2", "--max-expr-complexity", "5").Output()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := llvm.Find()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put(t, dir, "p.c", string(text))
	// what only this file names would be fitted to what it does
	file := func(level string) string {
		out := filepath.Join(dir, "p"+level+".ll")
		cmd := exec.Command(tools.Clang, level, "-g", "-S", "-emit-llvm", "-w", "-fno-discard-value-names", "-fno-inline",
			"-fno-vectorize", "-fno-slp-vectorize", "-Xclang", "-disable-O0-optnone", "-Dstatic=", "-Dinline=",
			"-I/usr/include/csmith", "-o", out, filepath.Join(dir, "p.c"))
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		ir, err := os.ReadFile(out)
		if err == nil {
			err = os.WriteFile(out, promise.ReplaceAll(ir, nil), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	args := []string{file("-O2"), file("-O0"), "--timeout", "2s", "--json"}
	for _, f := range drawn.FindAllStringSubmatch(string(text), -1) {
		args = append(args, "--function", f[1])
	}
	_, said := diffed(t, args...)
	var all verdict.Comparisons
	if err := json.Unmarshal([]byte(said), &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Comparisons {
		count[c.Status]++
		for _, d := range c.Differences {
			if d.Kind != verdict.DiffersCheck {
				t.Errorf("seed %d: %s differs in %s %s: %s, at -O2 %s", seed, c.Function, d.Kind, d.Name, d.New, d.Old)
			}
		}
	}
}
