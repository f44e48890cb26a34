package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/change"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// onTwo compares one version, of the paths, on two targets.
func (d *difference) onTwo(ctx context.Context, paths []string) (*verdict.Comparisons, error) {
	if len(d.machines) != 2 || d.machines[0] == d.machines[1] || len(d.req.Targets) > 0 {
		return nil, fmt.Errorf("--targets wants two targets, such as cortex-m3,avr, and goes without --target")
	}
	req := d.req
	if req.Paths, req.Targets = paths, d.machines; len(paths) == 0 {
		req.Paths = []string{"."}
	}
	sides, err := prepare.Versions(ctx, req)
	if err != nil {
		return nil, err
	}
	if len(sides) != 2 {
		return nil, fmt.Errorf("the program is not built for both targets")
	}
	first, second := &sides[0], &sides[1]
	out := noComparisons()
	names := d.functions
	if len(names) == 0 {
		names, out.Added, out.Gone = inBoth(first.Bodies.Names, second.Bodies.Names)
	}
	machines := change.OnMachines(first.Module, second.Module, [2]problem.Plan{first.Plan, second.Plan})
	if d.certs != nil {
		machines.Keep(d.keep)
	}
	for _, name := range names {
		if f, g := first.Module.Func(name), second.Module.Func(name); f == nil || g == nil {
			return nil, fmt.Errorf("no function %q on both targets", name)
		}
		within, cancel := budget.With(ctx, d.timeout)
		out.Comparisons = append(out.Comparisons, *machines.Compare(within, name))
		cancel()
	}
	return out, nil
}

// inBoth lists the names that both lists have, those of now alone, and those of old alone.
func inBoth(old, now []string) (both, added, gone []string) {
	for _, name := range now {
		if slices.Contains(old, name) {
			both = append(both, name)
		} else {
			added = append(added, name)
		}
	}
	for _, name := range old {
		if !slices.Contains(now, name) {
			gone = append(gone, name)
		}
	}
	return both, added, gone
}
