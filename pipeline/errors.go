package pipeline

import (
	"errors"
	"fmt"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/compile"
)

// BuildError is the fault of whoever wrote the change: it is shown to them, ends
// the run with Conclusion, and is never retried.
type BuildError struct {
	Conclusion string // failure (their build), action_required (their manifest), neutral, timed_out
	Err        error
}

func (e *BuildError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Err }

// LimitError is a build that reached a limit of this server: it is shown to the author
// of the change with what to do, and is not retried, because it would come out the same.
type LimitError struct {
	Limit string // time, memory, files, ...
	Err   error
}

func (e *LimitError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *LimitError) Unwrap() error { return e.Err }

// ours is a fault of ours: retried, and never shown as a finding. Errors that are
// not a BuildError are treated the same.
func ours(err error) error { return &compile.InfraError{Stage: "infrastructure", Err: err} }

func theirs(conclusion, format string, args ...any) error {
	return &BuildError{conclusion, fmt.Errorf(format, args...)}
}

// isFinal reports whether a run that ended with err would end so again: the fault is the
// change's, or a limit was reached. Anything else is a fault of ours, and tried again.
func isFinal(err error) bool {
	var b *BuildError
	var l *LimitError
	var c *checkout.Error
	return errors.As(err, &b) || errors.As(err, &l) || errors.Is(err, checkout.ErrGone) || errors.As(err, &c) &&
		c.Theirs
}

// conclusionOf is GitHub's word for an error that is final. None of them is a pass.
func conclusionOf(err error) string {
	var b *BuildError
	var l *LimitError
	switch {
	case errors.As(err, &b):
		return b.Conclusion
	case errors.As(err, &l) && l.Limit == "time":
		return "timed_out"
	case errors.As(err, &l):
		return "action_required"
	case errors.Is(err, checkout.ErrGone):
		return "cancelled"
	}
	return "failure"
}
