// Package certify accepts or rejects certificates of termination and
// non-termination. It shares no search code with package termination: it
// composes transitions itself, and believes an implication only when a weighted
// sum of hypotheses, added up here in math/big, shows it and Z3 finds no
// counterexample.
//
//	certificate   claims                                        checked by
//	Termination   no run from the start is infinite             Terminating
//	Recurrence    one run from given values never ends          NonTerminating
//
// A termination certificate names cut locations, inductive invariants there and
// ranking steps. Every cycle passes a cut location; an edge is a path between
// two of them. Each ranking step takes edges out of one strongly connected
// component, until no cycle is left:
//
//	(C1) no cycle avoids the cut locations
//	(C2) the start's invariant is true, and each edge keeps the invariants
//	(C3) functions f1..fd do not rise on any edge of the component, and on a
//	     strict edge f1 falls by 1, f(i)+f(i-1) >= f(i)'+1, and fd >= 0
//	(C4) after all steps no component has an edge
//
// An edge of a run that stays in the component is followed by another one: what all
// of those say of the state (Rank.Kept) holds after it. A step may be a phase
// (Rank.Phase), or take all edges out by relations (Rank.Relations, closure.go).
package certify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
)

// Step is a transition of the system and which of its targets is followed.
type Step struct{ Trans, Target int }

// Key is a text for a path.
func Key(path []Step) string {
	var b strings.Builder
	for _, s := range path {
		fmt.Fprintf(&b, "%d.%d ", s.Trans, s.Target)
	}
	return b.String()
}

// Rank is one ranking step on the component whose locations Funcs map.
type Rank struct {
	Funcs  []map[its.Loc]exact.Lin // f1..fd per cut location
	Strict [][]Step                // the edges taken out
	Kept   map[its.Loc][]exact.Lin `json:",omitempty"` // each >= 0 where an edge of the component is taken
	Phase  []Rank                  `json:",omitempty"` // the step is a phase, and what follows it ends by these

	Relations []Relation `json:",omitempty"` // the step is about these instead of functions, and all edges are strict
}

// Termination is a termination certificate.
type Termination struct {
	Cuts  []its.Loc
	Inv   map[its.Loc][]exact.Lin // each >= 0
	Ranks []Rank
	Split *Refinement // instead of Ranks: the argument is about a refined system
}

// checker holds one check.
type checker struct {
	ctx   context.Context
	sys   *its.System
	cert  *Termination
	isCut map[its.Loc]bool
	edges []*path
	proof *prover
}

// ErrUncut says that (C1) is not shown.
var ErrUncut = errors.New("certificate: a cycle avoids the cut locations")

// Terminating checks a termination certificate against the system.
func Terminating(ctx context.Context, sys *its.System, cert *Termination) error {
	c := newChecker(ctx, sys, cert)
	defer c.proof.close()
	if err := c.cutAndKeep(); err != nil {
		return err
	}
	if cert.Split != nil {
		return c.refinement(cert.Split)
	}
	return c.ranks(c.edges, c.cert.Ranks, nil)
}

// Invariants checks (C1) and (C2) only: that the invariants hold at the cut
// locations whenever a run is there.
func Invariants(ctx context.Context, sys *its.System, cert *Termination) error {
	c := newChecker(ctx, sys, cert)
	defer c.proof.close()
	return c.cutAndKeep()
}

func newChecker(ctx context.Context, sys *its.System, cert *Termination) *checker {
	return &checker{ctx: ctx, sys: sys, cert: cert, isCut: map[its.Loc]bool{}, proof: newProver()}
}

// cutAndKeep checks (C1) and (C2).
func (c *checker) cutAndKeep() error {
	sys, cert := c.sys, c.cert
	for _, l := range cert.Cuts {
		c.isCut[l] = true
	}
	if !c.isCut[sys.Start] {
		return fmt.Errorf("certificate: the start is no cut location")
	}
	if len(cert.Inv[sys.Start]) != 0 {
		return fmt.Errorf("certificate: the start has an invariant")
	}
	for _, l := range cert.Cuts {
		if err := c.walk(newPath(sys, l), map[its.Loc]bool{}); err != nil {
			return err
		}
	}
	return c.invariants()
}

// walk extends a path until it meets a cut location (C1).
func (c *checker) walk(p *path, onPath map[its.Loc]bool) error {
	for i := range c.sys.Trans {
		t := &c.sys.Trans[i]
		if t.From != p.to {
			continue
		}
		for k := range t.Targets() {
			q := p.extend(c.sys, i, k)
			if dead, err := c.infeasible(q); err != nil || dead {
				if err != nil {
					return err
				}
				continue
			}
			if c.isCut[q.to] {
				c.edges = append(c.edges, q)
				continue
			}
			if onPath[q.to] {
				return fmt.Errorf("%w: one through %s", ErrUncut, c.sys.Locs[q.to])
			}
			onPath[q.to] = true
			if err := c.walk(q, onPath); err != nil {
				return err
			}
			delete(onPath, q.to)
		}
	}
	return nil
}

func (c *checker) infeasible(p *path) (bool, error) {
	if c.ctx.Err() != nil {
		return false, c.ctx.Err()
	}
	return c.proof.implied(c.ctx, c.hyp(p), exact.C(-1)) == nil, nil
}

func (c *checker) hyp(p *path) []row {
	rows := append([]row(nil), p.rows()...)
	for _, l := range c.cert.Inv[p.from] {
		rows = append(rows, row{l, false})
	}
	return append(rows, p.products(rows)...)
}

// invariants checks (C2).
func (c *checker) invariants() error {
	for _, e := range c.edges {
		var goals []exact.Lin
		for _, l := range c.cert.Inv[e.to] {
			goals = append(goals, e.after(l))
		}
		if err := c.proof.all(c.ctx, c.hyp(e), goals); err != nil {
			return fmt.Errorf("certificate: invariant at %s after %s: %w", c.sys.Locs[e.to], e.text(c.sys), err)
		}
	}
	return nil
}

// isComponent: the locations that f maps reach one another over the edges, and
// no other location lies on a cycle with them.
func isComponent(edges []*path, f map[its.Loc]exact.Lin) bool {
	for _, e := range edges {
		_, from := f[e.from]
		_, to := f[e.to]
		if from != to && reaches(edges, e.to, e.from) {
			return false
		}
	}
	return true
}

func reaches(edges []*path, from, to its.Loc) bool {
	seen := map[its.Loc]bool{from: true}
	work := []its.Loc{from}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		if l == to {
			return true
		}
		for _, e := range edges {
			if e.from == l && !seen[e.to] {
				seen[e.to] = true
				work = append(work, e.to)
			}
		}
	}
	return false
}
