package pipeline

import (
	"errors"
	"fmt"

	"github.com/firmproof/firmproof/pipeline/checkout"
)

// BuildError is the fault of whoever wrote the change: it is shown to them, ends
// the run with Conclusion, and is never retried.
type BuildError struct {
	Conclusion string // failure (their build), action_required (their manifest), neutral, timed_out
	Err        error
}

func (e *BuildError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *BuildError) Unwrap() error { return e.Err }

// InfraError is a fault of ours: retried, and never shown as a finding. Errors
// that are not a BuildError are treated the same.
type InfraError struct{ Err error }

func (e *InfraError) Error() string { return "infrastructure: " + e.Err.Error() }

// Unwrap gives the cause.
func (e *InfraError) Unwrap() error { return e.Err }

func theirs(conclusion, format string, args ...any) error {
	return &BuildError{conclusion, fmt.Errorf(format, args...)}
}

func isTheirs(err error) bool {
	var b *BuildError
	var c *checkout.Error
	return errors.As(err, &b) || errors.Is(err, checkout.ErrGone) || errors.As(err, &c) && c.Theirs
}

// conclusionOf is GitHub's word for an error that is theirs.
func conclusionOf(err error) string {
	var b *BuildError
	switch {
	case errors.As(err, &b):
		return b.Conclusion
	case errors.Is(err, checkout.ErrGone):
		return "cancelled"
	}
	return "failure"
}
