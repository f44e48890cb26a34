package certificate

import (
	"context"
	"errors"
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/termination/certify"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Recurrent shows a run that never ends: a recurrent set of the transition system of the symbolic execution graph,
// which is built again from the program, and the way into it.
type Recurrent struct {
	Graph
	Places []string       `json:"places"`
	Vars   []string       `json:"variables"`
	Start  []exact.Lin    `json:"start"` // numbers: of the variables
	Stem   []certify.Step `json:"stem"`
	Temps  [][]exact.Lin  `json:"temporaries"` // numbers: of each step of the stem
	Cycle  []certify.Step `json:"cycle"`
	Choice []exact.Lin    `json:"choice"` // of the temporaries of the cycle, over the state before it
	Set    []exact.Lin    `json:"set"`    // not negative
}

// RecurrentOf writes a recurrent set of a system of g down.
func RecurrentOf(g Graph, sys *its.System, proof *certify.Recurrence) *Recurrent {
	r := &Recurrent{Graph: g, Places: sys.Locs, Vars: sys.Vars, Start: numbers(proof.Start), Stem: proof.Stem,
		Cycle: proof.Cycle, Choice: proof.Choice, Set: proof.Set}
	for _, t := range proof.StemTemps {
		r.Temps = append(r.Temps, numbers(t))
	}
	return r
}

func numbers(list []exact.Int) []exact.Lin {
	var out []exact.Lin
	for _, n := range list {
		out = append(out, exact.Lin{Const: n})
	}
	return out
}

// proof returns the recurrent set for its checker.
func (r *Recurrent) proof() *certify.Recurrence {
	plain := func(list []exact.Lin) []exact.Int {
		var out []exact.Int
		for _, l := range list {
			out = append(out, l.Const)
		}
		return out
	}
	p := &certify.Recurrence{Start: plain(r.Start), Stem: r.Stem, Cycle: r.Cycle, Choice: r.Choice, Set: r.Set}
	for _, t := range r.Temps {
		p.StemTemps = append(p.StemTemps, plain(t))
	}
	return p
}

// check builds graph and system again, and holds the way and the set to them: each step is one of the program.
func (r *Recurrent) check(ctx context.Context, p *program) (*Finding, error) {
	if len(r.Cycle) == 0 {
		return nil, errors.New("there is no cycle")
	}
	g, sys, legend, err := systemOf(ctx, p, r.Graph, false, r.Places, r.Vars)
	if err != nil {
		return nil, err
	}
	proof := r.proof()
	if err := certify.NonTerminating(ctx, sys, proof); err != nil {
		return nil, err
	}
	if r.Wrap && !g.Independent(legend, sys, proof.Transitions()) {
		return nil, errors.New("the run goes on for ever by signed overflow")
	}
	return &Finding{Kind: "recurrent set",
		Shown: map[string]verdict.Status{string(verdict.Termination) + "@" + p.Plan.Entry: verdict.Violated},
		Checked: fmt.Sprintf("the transition system made afresh from the program (%d locations, %d transitions): "+
			"the way leads into the set, and each turn of the cycle stays in it", len(sys.Locs), len(sys.Trans)),
		Trusted: "symbolic execution graph: paths that it calls exact are the program's"}, nil
}
