package change

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// A plan for a pair of calls asks whether they end and what both do, on one machine's terms, and leaves the user's plan alone.
func TestPlanOf(t *testing.T) {
	own := verdict.Assume("n", verdict.Extent, verdict.Chosen, "n")
	both := &pair.Paired{}
	both.Entry, both.Assumptions = &ir.Func{Name: "both"}, []verdict.Assumption{own}
	asked := verdict.CheckSet{verdict.Leak: true, verdict.Register: true, verdict.PointerOverflow: true, verdict.Memory: true}
	plan := problem.Plan{Checks: asked, Open: []verdict.Assumption{own}}
	for _, short := range []bool{false, true} {
		both.Short = short
		got := planOf(plan, both)
		if got.Entry != "both" || !got.Generated || !got.Alone || !got.EndsUnasked || got.Open != nil || !got.MallocNeverFails ||
			len(got.Assumptions) != 1 {
			t.Errorf("%+v", got)
		}
		for c, want := range map[verdict.Check]bool{verdict.Leak: false, verdict.Register: false, verdict.PointerOverflow: short,
			verdict.Memory: true, verdict.Termination: true} {
			if got.Checks.Has(c) != want {
				t.Errorf("short %t: %s is asked: %t", short, c, !want)
			}
		}
	}
	if len(asked) != 4 || plan.Assumptions != nil {
		t.Error("the user's plan is another one")
	}
	if got := planOf(problem.Plan{}, both); !got.Checks.Has(verdict.Memory) || !got.Checks.Has(verdict.Termination) {
		t.Error("nobody named checks, and none are asked")
	}
}

// A violation may be one by a pointer that only a wide harness makes null where the harness asked whether it is, and was told so.
func TestOfNull(t *testing.T) {
	call := func(name string) *ir.Instr {
		return &ir.Instr{Op: ir.OpCall, Callee: &ir.Const{Kind: ir.ConstAddr, Func: &ir.Func{Name: name}}}
	}
	is := input.Input{Kind: input.Nondet, Instr: call("p" + ir.IsNull), Value: bits.New(1, 1)}
	with := func(change func(in *input.Input)) input.Input {
		in := is
		change(&in)
		return in
	}
	null := &verdict.Failure{Kind: verdict.NullAccess}
	for _, c := range []struct {
		name    string
		in      input.Input
		check   verdict.Check
		failure *verdict.Failure
		want    bool
	}{
		{"null is accessed", is, verdict.Memory, null, true},
		{"null is computed with", is, verdict.Memory, &verdict.Failure{Kind: verdict.NullArithmetic}, true},
		{"null is passed", is, verdict.Nonnull, nil, true},
		{"an assertion", is, verdict.Assert, nil, true},
		{"another access", is, verdict.Memory, &verdict.Failure{Kind: verdict.OutOfBounds}, false},
		{"another check", is, verdict.DivByZero, nil, false},
		{"it is not null", with(func(in *input.Input) { in.Value = bits.New(1, 0) }), verdict.Memory, null, false},
		{"another input", with(func(in *input.Input) { in.Kind = input.VolatileRead }), verdict.Memory, null, false},
		{"nobody asks", with(func(in *input.Input) { in.Instr = nil }), verdict.Memory, null, false},
		{"another function", with(func(in *input.Input) { in.Instr = call("p") }), verdict.Memory, null, false},
	} {
		f, claim := &failing{inputs: []input.Input{c.in}}, verdict.Claim{Check: c.check, Failure: c.failure}
		if got := (&changeSearch{}).ofNull(f, &claim); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
