package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/manifest"
)

// watchEvery is the interval at which files are compared.
const watchEvery = 500 * time.Millisecond

// watched are the endings of files that a check depends on.
var watched = []string{".c", ".h", ".cc", ".cpp", ".hpp", ".s", ".S", ".inc", ".ld", ".ll", ".yml", ".yaml", ".cmake",
	"Makefile", "CMakeLists.txt", "compile_commands.json"}

// runWatch checks, and again after each change, until ctx ends. A change ends a check that still runs.
func runWatch(ctx context.Context, stdout, stderr io.Writer, paths []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool {
		return a == "--watch" || strings.HasPrefix(a, "--watch=")
	})
	w := &watch{roots: watchedRoots(paths), every: watchEvery, check: func(ctx context.Context) {
		cmd := exec.CommandContext(ctx, self, args...)
		cmd.Stdout, cmd.Stderr = stdout, stderr
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its children
		cmd.WaitDelay = 5 * time.Second
		_ = cmd.Run() // its exit status says how the check came out, which it told
		if ctx.Err() == nil {
			fmt.Fprintln(stderr, "firmproof: watching; Ctrl-C ends")
		}
	}}
	return w.run(ctx)
}

// watchedRoots are the folders of projects, and files, that paths name.
func watchedRoots(paths []string) []string {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var out []string
	for _, p := range paths {
		if st, err := os.Stat(p); err == nil && st.IsDir() {
			if above, err := manifest.Above(p); err == nil {
				p = above
			}
		}
		out = append(out, p)
	}
	return out
}

// watch runs check again and again.
type watch struct {
	roots []string
	every time.Duration
	check func(ctx context.Context)
	known map[string]fileState
}

// fileState is a file's contents by their digest, which is taken anew when size or time are other ones.
type fileState struct {
	size    int64
	changed time.Time
	sum     [sha256.Size]byte
}

func (w *watch) run(ctx context.Context) error {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for ctx.Err() == nil {
		w.look()
		one, end := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.check(one)
		}()
		for changed := false; !changed && ctx.Err() == nil; {
			select {
			case <-tick.C:
				changed = w.look()
			case <-ctx.Done():
			}
		}
		end()
		<-done
	}
	return context.Cause(ctx)
}

// look reads what changed since the last look, and reports whether anything did.
func (w *watch) look() (changed bool) {
	now := map[string]fileState{}
	for _, root := range w.roots {
		// what cannot be read is left out
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".git"):
				return fs.SkipDir
			case !d.Type().IsRegular() || path != root && !slices.ContainsFunc(watched, func(end string) bool {
				return strings.HasSuffix(d.Name(), end)
			}):
				return nil
			}
			st, err := d.Info()
			if err != nil {
				return nil
			}
			was, had := w.known[path]
			s := fileState{st.Size(), st.ModTime(), was.sum}
			if !had || s != was {
				text, err := os.ReadFile(path)
				if err != nil {
					return nil
				}
				s.sum = sha256.Sum256(text)
			}
			changed = changed || !had || s.sum != was.sum
			now[path] = s
			return nil
		})
	}
	changed = changed || len(now) != len(w.known)
	w.known = now
	return changed
}
