package main

import (
	"os"
	"testing"

	"github.com/firmproof/firmproof/pipeline/sandbox"
)

// TestMain lets the test binary be the second stage of its own sandboxes. Without it each of them would run all
// tests once more, inside. And it lets it be the program, for tests that need a process of its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.InitCommand {
		os.Exit(sandbox.Init(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == asProgram {
		os.Exit(runWith(os.Args[2:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// asProgram is the first argument that makes the test binary the program.
const asProgram = "as-program"
