// Package rewrite simplifies terms while they are made. Rules is an
// ilr.Simplifier: give it to ilr.NewStore.
//
//	(R1) local rules (package rules)
//	(R2) known bits and unsigned ranges decide comparisons and fold constants (package facts)
//	(R3) operations on if-then-else of constants move into the branches (lift.go)
//	(R4) reads over writes at provably different or equal indices (memory.go)
//	(R5) sums, products, quotients and remainders that are equal as polynomials are one term (poly.go, sums.go, quotients.go)
//
// Instances of every rule of (R1) are proved by our own solver in the tests; (R2) to
// (R5), and the whole, are tested on random terms against the evaluator.
package rewrite

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite/facts"
	"github.com/firmproof/firmproof/verifier/rewrite/rules"
)

// Rules simplifies terms of one store; make one for each store.
type Rules struct {
	facts facts.Table
	polys polys
}

// New makes a simplifier for one store.
func New() *Rules {
	return &Rules{polys: polys{memo: map[ilr.Term]poly{}, first: map[uint64]ilr.Term{}}}
}

// NewStore returns a store that simplifies.
func NewStore() *ilr.Store { return ilr.NewStore(New()) }

// match holds the store and the sort of the term about to be made.
type match struct {
	s    *ilr.Store
	r    *Rules
	sort ilr.Sort
}

// Simplify implements ilr.Simplifier.
func (r *Rules) Simplify(s *ilr.Store, k ilr.Kind, sort ilr.Sort, imm uint64, args []ilr.Term) ilr.Term {
	if t := rules.Apply(s, &r.facts, k, sort, imm, args); t != 0 {
		return t
	}
	if t := r.facts.Simplify(s, k, sort, imm, args); t != 0 {
		return t
	}
	m := match{s: s, r: r, sort: sort}
	if t := m.lift(k, imm, args); t != 0 {
		return t
	}
	if t := m.memory(k, args); t != 0 {
		return t
	}
	return m.sums(k, args)
}
