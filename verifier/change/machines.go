package change

import (
	"context"
	"maps"
	"reflect"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// Machines is one version of a program, compiled for two machines. What the first one does is the reference: inputs with
// which the program violates a check there are not compared.
type Machines struct {
	v       versions
	targets [2]string
	err     error // why nothing is compared
}

// OnMachines brings the programs first and second, of the targets of the plans, together.
func OnMachines(first, second *ir.Module, plans [2]problem.Plan) *Machines {
	plan := plans[1]
	out := &Machines{targets: [2]string{plans[0].Target, plan.Target}}
	fixed := !reflect.DeepEqual(plans[0].Semantics.Regions, plan.Semantics.Regions)
	was, is, both, err := pair.Bring(first, second, out.targets, fixed)
	if out.err = err; err != nil {
		return out
	}
	plan.Semantics.AddressZero = plan.Semantics.AddressZero && plans[0].Semantics.AddressZero
	if plan.Checks = maps.Clone(plan.Checks); plan.Checks == nil {
		plan.Checks = verdict.DefaultChecks()
	}
	out.v = versions{was: was, is: is, plan: plan, known: NewKnown(nil), machines: both}
	return out
}

// Compare decides what a function does on both machines, with the same values of its arguments and of memory.
func (m *Machines) Compare(ctx context.Context, name string) *verdict.Comparison {
	out := &verdict.Comparison{Function: name, Against: m.targets[0], Target: m.targets[1], Differences: []verdict.Difference{}}
	if m.err != nil {
		out.Status, out.Reason = verdict.SameOpen, &verdict.Reason{Kind: verdict.Incomplete, Detail: m.err.Error()}
		return out
	}
	if f := m.v.is.Func(name); f != nil {
		out.Function, out.Pos = f.CName, f.Pos
	}
	v := m.v
	v.old, v.now = name, name
	return v.compare(ctx, out)
}
