package main

import (
	"context"
	"strings"
	"testing"
)

// TestFall: a panic of a goroutine is an internal error of the command, and says where it came about.
func TestFall(t *testing.T) {
	defer func() {
		f, is := recover().(*fall)
		if !is || f.why != "fell" || !strings.Contains(f.at, "TestFall") {
			t.Errorf("%+v", f)
		}
	}()
	_, _ = soon(context.Background(), func() (int, error) { panic("fell") })
}
