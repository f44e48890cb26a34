package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWatch: a check begins at once, again after a file changed, came or went, and not for a build's output or a
// file that was written as it is; a change ends the check that runs.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.c", "int a;\n")
	ctx, cancel := context.WithCancel(context.Background())
	began, ended := make(chan struct{}, 10), make(chan struct{}, 10)
	w := &watch{roots: []string{dir}, every: 5 * time.Millisecond, check: func(ctx context.Context) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
	}}
	done := make(chan error, 1)
	go func() { done <- w.run(ctx) }()
	<-began
	for _, change := range []func(){
		func() { write("a.c", "int b;\n") },
		func() { write("b.h", "int c;\n") },
		func() {
			if err := os.Remove(filepath.Join(dir, "b.h")); err != nil {
				t.Error(err)
			}
		},
	} {
		change()
		<-ended
		<-began
	}
	cancel()
	<-ended
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the watch ended with %v", err)
	}
	if write("a.o", "x"); w.look() {
		t.Error("an object file counts as a change")
	}
	if write("a.c", "int b;\n"); w.look() {
		t.Error("a file that was written as it is counts as a change")
	}
}
