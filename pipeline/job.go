package pipeline

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Request is one build: the tree in Dir, whose manifest is in place, on one target.
type Request struct {
	Run     string
	Dir     string // sources, writable
	Scratch string // for output, outside of Dir, writable
	Units   string // compiled units of earlier builds, to be read; may be missing or empty
	Target  string
	Options store.Options
	Limit   time.Duration
	Changed map[string][]reports.LineRange // lines of the change, for `functions: changed`; nil: not of a change
}

// Built is what a build leaves: the verifications to do, in the order of the report.
type Built struct {
	Jobs    []Job
	Sandbox string // layers that were active
}

// Job is one verification: an entry on a target. It is data, made by one process
// and worked by another.
type Job struct {
	Plan    verifier.Plan `json:"plan"`
	Timeout time.Duration `json:"timeout"`
	Raise   bool          `json:"raise,omitempty"` // with greater bounds again, until the time is used
	// file with the part of the program that the entry reaches (ir.Decode)
	Module string       `json:"module,omitempty"`
	Key    verifier.Key `json:"key"`   // of the module and the plan
	Proof  verifier.Key `json:"proof"` // the same without bounds: what is proved holds under any

	// What the result is completed with, however it was found.
	Machine    *verdict.Machine       `json:"machine,omitempty"`
	Label      string                 `json:"label,omitempty"` // shown instead of the entry
	Stages     []verdict.Stage        `json:"stages,omitempty"`
	Notes      []string               `json:"notes,omitempty"`
	Suppressed []manifest.Suppression `json:"suppressed,omitempty"`

	Settled *verdict.Result `json:"settled,omitempty"` // known without a run, and complete
}

// Name is what the report calls the entry.
func (j *Job) Name() string {
	switch {
	case j.Settled != nil:
		return j.Settled.Entry
	case j.Label != "":
		return j.Label
	}
	return j.Plan.Entry
}

// Complete adds to an answer of the engine what belongs to the build and the manifest.
func (j *Job) Complete(res *verdict.Result) {
	res.Stages = append(slices.Clone(j.Stages), res.Stages...)
	res.Warnings = append(res.Warnings, j.Notes...)
	for _, s := range j.Suppressed {
		for i := range res.Claims {
			if c := &res.Claims[i]; c.ID == s.Claim && (c.Status == verdict.Violated || c.Status == verdict.Unknown) {
				c.Suppressed = s.Reason
			}
		}
	}
	res.Summarise()
	res.Entry, res.Machine = j.Name(), j.Machine
}

// Task is one job for a process of its own.
type Task struct {
	Job     Job
	Scratch string        // holds Job.Module; writable, and gone afterwards
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

// Keepable reports whether an answer is worth storing: it would come out the same
// again. steady reports that more time would not change it either.
func Keepable(res *verdict.Result) (keep, steady bool) {
	if res.Reason != nil && !lasting(res.Reason) {
		return false, false
	}
	steady = true
	for i := range res.Claims {
		c := &res.Claims[i]
		switch c.Status {
		case verdict.Proved, verdict.Violated:
		case verdict.Bounded:
			steady = false
		default:
			if c.Reason == nil || !lasting(c.Reason) {
				return false, false
			}
			steady = steady && c.Reason.Kind != verdict.BoundReached
		}
	}
	return true, steady
}

// lasting reports whether an unknown of this kind does not depend on the machine and its load.
func lasting(r *verdict.Reason) bool {
	switch r.Kind {
	case verdict.Unsupported, verdict.Undefined, verdict.Shadowed, verdict.BoundReached:
		return true
	}
	return false
}

// allProved reports whether every claim holds without bounds.
func allProved(res *verdict.Result) bool {
	return res.Reason == nil && len(res.Claims) > 0 && !slices.ContainsFunc(res.Claims,
		func(c verdict.Claim) bool { return c.Status != verdict.Proved })
}

// Movable reports whether the lines of an answer can be changed after the event:
// they stand in positions only, not in texts.
func Movable(res *verdict.Result) bool {
	if res.Reason != nil || res.Complexity != nil {
		return false
	}
	texts := append(slices.Clone(res.Assumptions), res.Warnings...)
	for i := range res.Claims {
		c := &res.Claims[i]
		if c.Status == verdict.Violated || c.Reason != nil && namesPlace(c.Reason.Detail) {
			return false
		}
		texts = append(texts, c.Message)
		if c.Certificate != nil {
			texts = append(append(texts, c.Certificate.Detail...), c.Certificate.Method)
		}
	}
	return !slices.ContainsFunc(texts, namesPlace)
}

// namesPlace reports whether a text may name a line: "file:12" or "line 12".
func namesPlace(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == ':' && s[i+1] >= '0' && s[i+1] <= '9' {
			return true
		}
	}
	return strings.Contains(s, "line ")
}

// Unbounded is a plan without the bounds and the budget that a proof does not rest on.
func Unbounded(p verifier.Plan) verifier.Plan {
	p.Unwind, p.UnwindSet, p.Depth, p.Memory, p.Solver = 0, nil, 0, 0, ""
	return p
}
