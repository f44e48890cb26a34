package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// overheard is a writer that tells once that a word was written.
type overheard struct {
	mu    sync.Mutex
	all   bytes.Buffer
	word  string
	found chan struct{}
}

// Write implements io.Writer.
func (n *overheard) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before := strings.Contains(n.all.String(), n.word)
	n.all.Write(p)
	if !before && strings.Contains(n.all.String(), n.word) {
		close(n.found)
	}
	return len(p), nil
}

// TestSimulationKilled: a signal ends a simulation in a process of its own; it tells what it knows, and what it did not
// come to. Entries are verified one after the other, each for both commits: what was done is compared.
func TestSimulationKilled(t *testing.T) {
	const text = "#include \"firmproof.h\"\nint quick(void) {\n  return 1 / (firmproof_nondet_int() | @);\n}\nint hard(void) {\n" +
		"  unsigned long long a = firmproof_nondet_uint(), b = firmproof_nondet_uint();\n" +
		"  firmproof_assert(a <= @ || b <= @ || a * b != 13372101884243077687u, \"factors\");\n  return 0;\n}\n"
	dir := changesFolder(t, map[string]string{"a.c": strings.ReplaceAll(text, "@", "1"), ".firmproof.yml": "version: 1\n" +
		"targets: [x86_64]\nbuild: {sources: [a.c]}\nharnesses: [{entry: quick}, {entry: hard}]\n"},
		map[string]string{"a.c": strings.ReplaceAll(text, "@", "0")})
	for _, sent := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		progress := &overheard{word: "quick", found: make(chan struct{})}
		var out bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], asProgram, "run", "--pr-sim", "main~1..main", "--repo", dir, "--jobs", "1",
			"--timeout", "10m")
		cmd.Stdout, cmd.Stderr = &out, progress
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-progress.found: // the first violation is said at once
		case <-ctx.Done():
		}
		if err := cmd.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		var exit *exec.ExitError
		want := exitViolated
		if sent == os.Interrupt {
			want = exitInterrupted
		}
		if !errors.As(err, &exit) || exit.ExitCode() != want {
			t.Errorf("%v: %v: %s", sent, err, progress.all.String())
		}
		wantAll(t, out.String(), "Ended by a signal", "firmproof / x86_64: failure", "div-by-zero",
			"**Ended before it was done**, without a whole answer: `hard`, `hard of the base`", "1 new, 0 fixed, 0 known")
	}
}
