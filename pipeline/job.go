package pipeline

import (
	"context"
	"time"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Request is one build of a run, or of the commit that it is compared with: the tree in Dir, whose manifest is in place, on one target.
type Request struct {
	Run     string
	Dir     string // sources, writable
	Scratch string // for output, outside of Dir, writable
	Work    string // trees of this machine are below it; its name is in no answer
	Units   string // compiled units of earlier builds, to be read; may be missing or empty
	Target  string
	Options store.Options
	Limit   time.Duration
	Changed map[string][]reports.LineRange // lines of the change, for `functions: changed`; nil: not of a change
	Asked   prepare.Asked                  // on behalf of the other commit of the change
	Only    []string                       // see prepare.Request
}

// Built holds what a build leaves: the verifications to do, in the order of the report.
type Built struct {
	Jobs    []prepare.Job
	Sandbox string // layers that were active
	// of the program, to be compared with the other commit's
	Outlines map[string]*prepare.Outline
	Versions map[string]*prepare.Version // likewise, where behaviour is compared: what they do
}

// Task is one job for a process of its own.
type Task struct {
	Job     prepare.Job
	Scratch string        // holds Job.Module; writable, and gone afterwards
	Work    string        // as in Request
	Limit   time.Duration // of the process; the engine's own is Job.Timeout
}

// Checker builds trees and verifies entries, each in a process of its own.
type Checker interface {
	// Build errors are *BuildError for what the author of the tree can mend.
	Build(ctx context.Context, req Request) (*Built, error)
	// Verify gives the answer of the engine, not yet completed. A process that dies
	// is an unknown; an error is a fault of ours.
	Verify(ctx context.Context, t Task) (*verdict.Result, error)
	// Engine names the build of firmproof that answers.
	Engine() string
}
