package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// failed returns the error of a run in which nothing was verified: err, unless someone ended the run, which it says.
func (s *simulation) failed(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return userError(err)
	}
	fmt.Fprintln(s.out, "firmproof: cancelled\nEnded by a signal before the change was built: nothing was checked.")
	return &exitError{code: exitUnknown}
}

// soon returns what do gives, or why ctx ended where do does not notice that in time: a build may be deep in its work.
func soon[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type given struct {
		t    T
		err  error
		fell *fall
	}
	done := make(chan given, 1)
	go func() {
		var g given
		defer func() {
			if p := recover(); p != nil {
				g.fell = &fall{p, panicked()}
			}
			done <- g
		}()
		g.t, g.err = do()
	}()
	select {
	case g := <-done:
		if g.fell != nil {
			panic(g.fell)
		}
		return g.t, g.err
	case <-whenLate(ctx):
		var none T
		return none, context.Cause(ctx)
	}
}

// cutOff lists the entries of a run that someone ended, without a whole answer about the head, or about the base.
func cutOff(head, base *verdict.Report) []string {
	var out []string
	for i := range head.Results {
		if wasCutOff(&head.Results[i]) {
			out = append(out, head.Results[i].Entry)
		}
	}
	if base == nil {
		return append(out, "all of the base")
	}
	for i := range base.Results {
		if wasCutOff(&base.Results[i]) {
			out = append(out, base.Results[i].Entry+" of the base")
		}
	}
	return out
}

func wasCutOff(r *verdict.Result) bool {
	return r.Reason != nil && r.Reason.Kind == verdict.Cancelled ||
		slices.ContainsFunc(r.Claims, func(c verdict.Claim) bool {
			return c.Reason != nil && c.Reason.Kind == verdict.Cancelled
		})
}
