package certificate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/termination/certify"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Ranking shows that every run ends: ranking functions of the transition system of the symbolic execution graph, which
// is built again from the program.
type Ranking struct {
	Graph
	Overflow bool                 `json:"overflow"` // the system runs for ever at signed overflow: there is none
	Places   []string             `json:"places"`   // the locations of the system, as people read them
	Vars     []string             `json:"variables"`
	Proof    *certify.Termination `json:"proof"`
}

// Graph says which symbolic execution graph of a program a proof is about.
type Graph struct {
	Wrap    bool `json:"wrap"`              // signed overflow wraps around; else it ends a run
	ByNull  bool `json:"by_null,omitempty"` // seg.Options.ByNull
	Modular bool `json:"modular,omitempty"` // seg.Options.Modular
}

// Options returns those of the graph for p.
func (g Graph) Options(p *problem.Problem) seg.Options {
	return seg.Options{Semantics: p.Semantics, Entry: p.Entry, MathInts: p.MathInts(), Wrap: g.Wrap, ByNull: g.ByNull,
		Modular: g.Modular}
}

// RankingOf writes a proof about a system of g down.
func RankingOf(g Graph, overflow bool, sys *its.System, proof *certify.Termination) *Ranking {
	return &Ranking{Graph: g, Overflow: overflow, Places: sys.Locs, Vars: sys.Vars, Proof: proof}
}

// check builds graph and system again and holds the ranking functions to them.
func (r *Ranking) check(ctx context.Context, p *program, noOverflow func(*program) bool) (*Finding, error) {
	checked := *p
	g, sys, _, err := systemOf(ctx, p, r.Graph, r.Overflow, r.Places, r.Vars)
	switch {
	case err != nil:
		return nil, err
	case !g.Complete:
		return nil, errors.New("the symbolic execution graph of the program is not complete")
	}
	if g.Overflows && !r.Wrap && !r.Overflow && !p.MathInts() && !noOverflow(&checked) {
		return nil, errors.New("the proof ends runs at signed overflow, and that there is none is not certified")
	}
	if err := r.fits(sys, r.Proof); err != nil {
		return nil, err
	}
	if err := certify.Terminating(ctx, sys, r.Proof); err != nil {
		return nil, err
	}
	f := &Finding{Kind: "ranking functions",
		Shown: map[string]verdict.Status{string(verdict.Termination) + "@" + p.Plan.Entry: verdict.Proved},
		Checked: fmt.Sprintf(
			"the transition system made afresh from the program (%d locations, %d transitions), by exact arithmetic and Z3",
			len(sys.Locs), len(sys.Trans)),
		Trusted: fmt.Sprintf("symbolic execution graph (%d of its edges are proved when it is built)",
			g.Stats.Certified)}
	if g.Overflows && !r.Wrap && !r.Overflow && !p.MathInts() {
		f.Checked += "; runs end at signed overflow, which other claims here exclude"
	}
	return f, nil
}

// systemOf builds the graph of p, without checks, and its transition system again, which have to have these locations
// and variables.
func systemOf(ctx context.Context, p *program, of Graph, overflow bool, places, vars []string) (*seg.Graph,
	*its.System, seg.Legend, error) {
	if err := p.unchecked(); err != nil {
		return nil, nil, seg.Legend{}, err
	}
	g, err := seg.Build(ctx, p.Module, of.Options(p.Problem))
	if err != nil {
		return nil, nil, seg.Legend{}, err
	}
	sys, legend, err := g.System(seg.SystemOptions{Overflow: overflow})
	if err == nil && (!slices.Equal(sys.Locs, places) || !slices.Equal(sys.Vars, vars)) {
		err = errors.New("the transition system of the program has other locations or variables than the certificate says")
	}
	return g, sys, legend, err
}

// fits reports what in a proof is not about the system: indices, and variables beyond its own.
func (r *Ranking) fits(sys *its.System, proof *certify.Termination) error {
	if proof == nil {
		return errors.New("there are no ranking functions")
	}
	loc := func(l its.Loc) bool { return l >= 0 && int(l) < len(sys.Locs) }
	bad := slices.ContainsFunc(proof.Cuts, func(l its.Loc) bool { return !loc(l) })
	within := func(a exact.Lin, vars int) {
		for _, t := range a.Terms {
			bad = bad || t.Var < 0 || int(t.Var) >= vars
		}
	}
	lin := func(a exact.Lin) { within(a, len(sys.Vars)) }
	lins := func(at map[its.Loc][]exact.Lin) {
		for l, list := range at {
			bad = bad || !loc(l)
			for _, a := range list {
				lin(a)
			}
		}
	}
	lins(proof.Inv)
	var ranks func(list []certify.Rank)
	ranks = func(list []certify.Rank) {
		for _, rank := range list {
			for _, f := range rank.Funcs {
				for l, a := range f {
					bad = bad || !loc(l)
					lin(a)
				}
			}
			lins(rank.Kept)
			ranks(rank.Phase)
			for _, rel := range rank.Relations {
				bad = bad || !loc(rel.From) || !loc(rel.To)
				for _, a := range rel.Rows {
					within(a, 2*len(sys.Vars))
				}
				lin(rel.Falls)
			}
		}
	}
	ranks(proof.Ranks)
	if bad {
		return errors.New("the proof names locations or variables that the transition system does not have")
	}
	return nil
}

// excludesOverflow reports whether evidence before proves every claim about signed overflow that the program has, and
// every bound.
func (c *Certificate) excludesOverflow(p *program) bool {
	for i := range c.Claims {
		if cl := &c.Claims[i]; cl.Check == verdict.Unwinding && !c.proved[cl.ID] {
			return false
		}
	}
	all := encode.ListClaims(p.Module, verdict.CheckSet{verdict.SignedOverflow: true}, p.Leaks,
		func(*ir.Block) bool { return true })
	return !slices.ContainsFunc(all, func(cl encode.Claim) bool { return !c.proved[cl.ID] })
}
