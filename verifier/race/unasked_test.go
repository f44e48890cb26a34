package race

import (
	"context"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/problem"
)

// TestPathsComeFirst: termination that nobody asked for begins soon beside the question about paths, or, where bounds are
// given, after half of the time.
func TestPathsComeFirst(t *testing.T) {
	ctx, cancel := budget.With(context.Background(), time.Hour)
	defer cancel()
	for _, c := range []struct {
		plan        problem.Plan
		least, most time.Duration
	}{
		{problem.Plan{}, 0, time.Minute},
		{problem.Plan{Unwind: 3}, 20 * time.Minute, 30 * time.Minute},
		{problem.Plan{UnwindSet: map[string]int{"main.0": 3}}, 20 * time.Minute, 30 * time.Minute},
	} {
		r := runsQuestion{p: &problem.Problem{Plan: c.plan}}
		alone, stop := r.alone(ctx)
		if left, limited := budget.Left(alone); !limited || left < c.least || left > c.most {
			t.Errorf("%+v: %v for paths alone", c.plan, left)
		}
		stop()
	}
}
