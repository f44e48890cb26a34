package compile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stuck is a Runner whose programs do not end by themselves.
type stuck struct{}

func (stuck) Run(ctx context.Context, _ Cmd) (Result, error) {
	<-ctx.Done()
	return Result{}, ctx.Err()
}

// TestCompileLimit: a compiler that does not end is said with its file; where the caller ends, that is no fault of the
// file's.
func TestCompileLimit(t *testing.T) {
	old := compileLimit
	defer func() { compileLimit = old }()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte("int f(void) { return 1; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := Request{File: "a.c", Dir: dir, WorkDir: t.TempDir(), CacheDir: t.TempDir(), Target: load(t, "host"),
		Runner: stuck{}}
	compileLimit = 50 * time.Millisecond
	var wrong *BuildError
	if _, err := Compile(context.Background(), r); !errors.As(err, &wrong) ||
		!strings.Contains(err.Error(), "a.c: clang") || !strings.Contains(err.Error(), "did not end within 50ms") {
		t.Errorf("stuck: %v", err)
	}
	compileLimit = time.Minute
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	var infra *InfraError
	if _, err := Compile(ctx, r); !errors.As(err, &infra) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's end: %v", err)
	}
}
