package certificate

import (
	"context"
	"fmt"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Safe shows claims about paths: the symbolic execution graph of the program, which is built again, is complete and
// has no fault where they stand.
type Safe struct {
	Wrap    bool `json:"wrap"`              // signed overflow wraps around; else it is a fault
	ByNull  bool `json:"by_null"`           // seg.Options.ByNull
	Modular bool `json:"modular,omitempty"` // seg.Options.Modular
}

// Options returns those of the graph for p.
func (s *Safe) Options(p *problem.Problem) seg.Options {
	return seg.Options{Semantics: p.Semantics, Entry: p.Entry, Wrap: s.Wrap, ByNull: s.ByNull,
		Modular: s.Modular, Leave: !p.Checks.Has(verdict.PointerOverflow)}
}

func (s *Safe) check(ctx context.Context, p *program) (*Finding, error) {
	g, err := seg.Build(ctx, p.Module, s.Options(p.Problem))
	if err != nil {
		return nil, err
	}
	listed, holds, err := g.Holds(p.Checks)
	if err != nil {
		return nil, err
	}
	f := &Finding{Kind: "symbolic execution graph", Shown: map[string]verdict.Status{},
		Checked: fmt.Sprintf(
			"the graph made afresh from the program (%d generalised states, %d paths) has no fault there",
			g.Stats.Cuts, g.Stats.Edges),
		Trusted: fmt.Sprintf("symbolic execution (%d of its edges are proved when it is built)", g.Stats.Certified)}
	for i := range listed {
		f.Claims = append(f.Claims, listed[i].ID)
		if holds[listed[i].ID] {
			f.Shown[listed[i].ID] = verdict.Proved
		}
	}
	return f, nil
}
