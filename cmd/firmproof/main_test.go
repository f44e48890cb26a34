package main

import (
	"os"
	"testing"

	"github.com/firmproof/firmproof/pipeline/sandbox"
)

// TestMain lets the test binary be the second stage of its own sandboxes. Without it each of them would run all
// tests once more, inside.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.InitCommand {
		os.Exit(sandbox.Init(os.Args[2:]))
	}
	os.Exit(m.Run())
}
