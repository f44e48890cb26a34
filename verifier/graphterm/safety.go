package graphterm

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Safety proves claims about paths on the symbolic execution graph, which stands for lists of any length and calls
// of any depth (AP-03, AP-70, MO-03, LI-30): of a complete graph, what is no fault of it holds in every run.
type Safety struct{}

// Run implements problem.Engine.
func (Safety) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	if !p.Unbounded() || len(p.Past) > 0 {
		return problem.ErrOpen
	}
	e := &engine{p: p, a: a}
	opts := seg.Options{Semantics: p.Semantics, Entry: p.Entry, ByNull: true,
		Leave: !p.Checks.Has(verdict.PointerOverflow)}
	g, err := e.build(ctx, opts)
	if err == nil && g.Overflows && !p.Checks.Has(verdict.SignedOverflow) {
		opts.Wrap = true
		g, err = e.build(ctx, opts)
	}
	if err != nil {
		return err
	}
	proofs, err := safetyOn(g, p, opts)
	if err != nil {
		slog.Debug("safety on the graph", "entry", p.Entry.Name, "why", err)
		return problem.ErrOpen
	}
	a.AddProofs(proofs)
	if !a.Proofs().All() {
		return problem.ErrOpen
	}
	return nil
}

// safetyOn returns the claims that hold because g is complete. Behind a fault, g stands for the runs that are
// defined there, which is what claims are asked of only if the fault is a claim itself.
func safetyOn(g *seg.Graph, p *problem.Problem, opts seg.Options) (*problem.Proofs, error) {
	if !g.Complete {
		return nil, fmt.Errorf("%s", g.GaveUp[0].Detail)
	}
	listed := encode.ListClaims(p.Module, p.Checks, func(b *ir.Block) bool { return g.Entered(b.Func) })
	claimed := map[ir.At]bool{}
	for i := range listed {
		claimed[ir.At{Instr: listed[i].Instr, Check: listed[i].Check}] = true
	}
	fails := map[ir.At]bool{}
	for _, f := range g.Faults {
		at := ir.At{Instr: f.In, Check: f.Check}
		if f.Cuts() && !claimed[at] {
			return nil, fmt.Errorf("%s: not shown: %s (%s)", f.In.Pos, f.What, f.Check)
		}
		fails[at] = true
	}
	claims := make([]verdict.Claim, len(listed))
	for i := range listed {
		claims[i] = problem.ClaimOf(&listed[i])
	}
	out := problem.NewProofs(claims)
	frees, valued := g.Frees(), g.Valued()
	for i := range listed {
		c := &listed[i]
		switch {
		case fails[ir.At{Instr: c.Instr, Check: c.Check}], !follows(c, opts), c.Check == verdict.Leak && !frees,
			c.Check == verdict.Uninitialised && !valued:
		default:
			out.Holds[c.ID] = true
		}
	}
	if len(out.Holds) == 0 {
		return nil, fmt.Errorf("no claim was proved")
	}
	out.Certificate = &verdict.Certificate{Method: "symbolic execution graph",
		Detail:  []string{fmt.Sprintf("%d generalised states, %d paths between them", g.Stats.Cuts, g.Stats.Edges)},
		Checked: fmt.Sprintf("seg/certify: %d edges of the graph", g.Stats.Certified)}
	return out, nil
}

// follows reports whether a graph with these options has a fault wherever the claim may fail.
func follows(c *encode.Claim, opts seg.Options) bool {
	switch in := c.Instr; {
	case in.Op == ir.OpTrap:
		return !opts.Wrap || c.Check != verdict.SignedOverflow && c.Check != verdict.Shift
	case c.Check == verdict.Uninitialised:
		return true // wherever such a value comes from
	case in.Op == ir.OpCall && in.Model == ir.ModelNone:
		return false
	}
	switch c.Check {
	case verdict.Memory, verdict.Free, verdict.Leak, verdict.Assert, verdict.Unreachable:
		return true
	case verdict.PointerOverflow:
		return !opts.Leave
	}
	return false
}
