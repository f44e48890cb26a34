package lasso_test

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/lasso"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

func TestLasso(t *testing.T) {
	m := testprogram.File(t, "testdata/loops.c", "x86_64")
	for _, c := range []struct {
		entry  string
		inputs []int64
		kind   interp.Kind
		cycle  int64 // inputs in the cycle
	}{
		{"spin", nil, interp.Lasso, 0},
		{"odd", []int64{7}, interp.Lasso, 0},
		{"odd", []int64{8}, interp.Returned, 0},
		{"flip", nil, interp.Lasso, 0},
		{"polling", []int64{0, 0, 0, 0, 0, 0, 0, 0}, interp.Lasso, 1},
		{"heap", nil, interp.Lasso, 3},
		{"leaking", nil, interp.Lasso, 1},
		{"counting", nil, interp.StepLimit, 0},
		{"nested", nil, interp.Lasso, 0},
		{"called", nil, interp.Lasso, 0},
		{"ring", nil, interp.Lasso, 0},
		{"long_way", nil, interp.Returned, 0},
		{"by_number", nil, interp.Returned, 0},
		{"by_number_round", nil, interp.Lasso, 0},
		{"same_call", nil, interp.Lasso, 0},
		{"same_calls", nil, interp.Returned, 0},
		{"two_calls", nil, interp.Lasso, 0},
		{"ring_calls", nil, interp.Lasso, 0},
		{"list_calls", nil, interp.Returned, 0},
		{"global_calls", nil, interp.Returned, 0},
		{"hidden_calls", nil, interp.Returned, 0},
		{"local_calls", nil, interp.Returned, 0},
		{"local_round", nil, interp.Lasso, 0},
		{"address_calls", nil, interp.Returned, 0},
		{"building_calls", nil, interp.StepLimit, 0},
		{"waiting_calls", []int64{0, 0, 0, 0}, interp.Lasso, 1},
	} {
		src := &testprogram.Inputs{List: c.inputs, Mallocs: true}
		opts := interp.Options{Entry: m.Func(c.entry), Checks: testprogram.SoundChecks(), MaxSteps: 200_000}
		out, err := lasso.Run(context.Background(), m, opts, src)
		if err != nil {
			t.Fatal(err)
		}
		if out.Kind != c.kind {
			t.Errorf("%s(%v): got %v, want %v", c.entry, c.inputs, out, c.kind)
			continue
		}
		if c.kind != interp.Lasso {
			continue
		}
		if cy := out.Cycle; cy == nil || cy.Length <= 0 || cy.Head == nil || (cy.CycleInputs > 0) != (c.cycle > 0) {
			t.Errorf("%s(%v): cycle %+v", c.entry, c.inputs, cy)
		}
	}
}
