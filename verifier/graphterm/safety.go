package graphterm

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/firmproof/firmproof/verifier/certificate"
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
	if !p.Unbounded() || len(p.Past) > 0 || !growsMemory(p) {
		return problem.ErrOpen
	}
	e := &engine{p: p, a: a}
	for _, byNull := range []bool{true, false} {
		if byNull && !p.On(byNullsApart) {
			continue
		}
		apart, err := e.safety(ctx, &certificate.Safe{ByNull: byNull})
		if a.Proofs().All() {
			return nil
		}
		if err != nil {
			return e.safetyModularly(ctx, err)
		}
		if !apart {
			break // the other graph is the same
		}
	}
	return e.safetyModularly(ctx, problem.ErrOpen)
}

// safety gives the proofs of one graph. It reports whether that tells states apart by pointers that are null.
func (e *engine) safety(ctx context.Context, evidence *certificate.Safe) (bool, error) {
	g, err := e.build(ctx, evidence.Options(e.p))
	if err == nil && g.Overflows && !e.p.Checks.Has(verdict.SignedOverflow) {
		if !e.p.On(byWrapping) {
			return g.ByNull, problem.ErrOpen
		}
		evidence.Wrap = true
		g, err = e.build(ctx, evidence.Options(e.p))
	}
	if err != nil {
		return false, err
	}
	proofs, err := safetyOn(g, e.p)
	if err != nil {
		slog.Debug("safety on the graph", "entry", e.p.Entry.Name, "why", err)
		return g.ByNull, nil
	}
	proofs.Evidence = evidence
	proofs.Certificate.Makers = techniques(nil, certificate.Graph(*evidence))
	e.a.AddProofs(proofs)
	return g.ByNull, nil
}

// growsMemory reports whether the program may make any number of objects, or one of any size: of others, inductive
// invariants say as much, and people can read them.
func growsMemory(p *problem.Problem) bool {
	for _, f := range p.Module.Slice(p.Entry, true).Funcs {
		for _, b := range f.Blocks {
			if slices.ContainsFunc(b.Instrs, makesObject) {
				return true
			}
		}
	}
	return false
}

// makesObject reports an instruction that makes a heap block, or a local of variable size.
func makesObject(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpAlloca:
		_, fixed := in.Args[0].(*ir.Const)
		return !fixed
	case ir.OpCall:
		return slices.Contains([]ir.Model{ir.ModelMalloc, ir.ModelCalloc, ir.ModelAligned, ir.ModelAllocaC},
			in.CalledModel())
	}
	return false
}

// safetyOn returns the claims that hold because g is complete.
func safetyOn(g *seg.Graph, p *problem.Problem) (*problem.Proofs, error) {
	listed, holds, err := g.Holds(p.Checks)
	if err != nil {
		return nil, err
	}
	claims := make([]verdict.Claim, len(listed))
	for i := range listed {
		claims[i] = problem.ClaimOf(&listed[i])
	}
	out := problem.SomeProofs(claims)
	out.Holds = holds
	out.Certificate = &verdict.Certificate{Method: "symbolic execution graph",
		Detail:  []string{fmt.Sprintf("%d generalised states, %d paths between them", g.Stats.Cuts, g.Stats.Edges)},
		Checked: fmt.Sprintf("seg/certify: %d edges of the graph", g.Stats.Certified)}
	return out, nil
}
