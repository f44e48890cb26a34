package smtlib

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/ilr"
)

// engineOf makes an engine of a shell script.
func engineOf(t *testing.T, text string) Engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return Engine{Name: "engine", Path: path}
}

func question(t *testing.T) *Script {
	t.Helper()
	s := ilr.NewStore(nil)
	p, err := Print(s, nil, []ilr.Term{s.Var("x", ilr.Bool)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMemoryCeiling: an engine that passes its ceiling is ended, and said to be.
func TestMemoryCeiling(t *testing.T) {
	e := engineOf(t, `exec awk 'BEGIN { s = "x"; while (length(s) < 200000000) s = s s; while (1) ; }'`)
	e.Memory = 64 << 20
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	if a, _, err := e.Run(ctx, question(t)); a != Unknown || !errors.Is(err, ErrMemory) {
		t.Errorf("%s, %v", a, err)
	}
}

// TestEndsWithParent: an engine does not outlive the process that asked it, however that ends.
func TestEndsWithParent(t *testing.T) {
	const engine = "FIRMPROOF_TEST_ENGINE"
	if path := os.Getenv(engine); path != "" {
		_, _, err := Engine{Name: "engine", Path: path}.Run(context.Background(), question(t))
		t.Fatal("the engine ended: ", err)
	}
	number := filepath.Join(t.TempDir(), "pid")
	e := engineOf(t, "echo $$ >"+number+".new; mv "+number+".new "+number+"\nexec sleep 600\n")
	parent := exec.Command(os.Args[0], "-test.run", "^TestEndsWithParent$")
	parent.Env = append(os.Environ(), engine+"="+e.Path)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	await(t, "the engine to begin", func() bool {
		text, err := os.ReadFile(number)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed
	await(t, "the engine to end", func() bool { return !runs(pid) })
}

// runs reports whether a process runs: one that ended may be listed until somebody waits for it.
func runs(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(text), ") Z ")
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited for ", what)
		}
	}
}
