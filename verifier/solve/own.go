package solve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/bitblast"
	"github.com/firmproof/firmproof/verifier/solve/sat"
)

// Own is our own solver: see New.
type Own struct {
	s        *ilr.Store
	opts     Options
	sat      *sat.Solver
	record   *sat.Formula
	b        *bitblast.Blaster
	asserted []ilr.Term
	blasted  int        // how many of them the SAT solver has
	learned  []ilr.Term // not yet given to the SAT solver
	hinted   bool
	renewAt  int        // bits that the SAT solver may know before its size is looked at
	roots    []ilr.Term // of the last Check: asserted and assumed
	assumed  []assumption
	failed   bool // an asserted term is false
	proofs   int  // files begun
	arrays   *arrays
	sweep    *sweep // nil before a question is hard
	alone    bool   // asks nobody what is equal
	last     Answer
	stats    Stats
}

// assumption holds what the last Check assumed, for Core.
type assumption struct {
	term ilr.Term
	lit  sat.Lit
}

// New makes our own solver for terms of s.
func New(s *ilr.Store, opts Options) Solver { return NewOwn(s, opts) }

// NewOwn returns the solver that New does, by its own type: it has more methods than the interface.
func NewOwn(s *ilr.Store, opts Options) *Own {
	o := &Own{s: s, opts: opts, renewAt: policy.RenewBits}
	o.renew()
	return o
}

// renew starts with an empty SAT solver.
func (o *Own) renew() {
	if o.sat != nil {
		o.stats = o.Stats()
		o.sat.Close()
	}
	so := sat.Options{Seed: o.opts.Seed, Config: o.opts.Config}
	if o.opts.Proof != "" {
		so.Proof = fmt.Sprintf("%s-%d.proof", o.opts.Proof, o.proofs)
		o.proofs++
	}
	o.sat = sat.New(so)
	var sink sat.Sink = o.sat
	if o.opts.Record {
		o.record = &sat.Formula{}
		sink = sat.Tee{Solver: o.sat, Formula: o.record}
	}
	o.b = bitblast.New(o.s, sink)
	o.arrays = newArrays(o.s, o.b)
	o.blasted = 0
}

// fit renews the SAT solver if the question is small compared with what the solver holds.
func (o *Own) fit(assumptions []ilr.Term) {
	if !o.hinted || o.b.Size() <= o.renewAt || o.opts.Record {
		return
	}
	cone := 0
	o.s.Walk(append(slices.Clone(o.asserted), assumptions...), func(t ilr.Term) { cone += max(1, o.s.Width(t)) })
	if cone*policy.RenewRatio < o.b.Size() {
		o.renew()
		o.renewAt = max(policy.RenewBits, policy.RenewRatio*cone)
		return
	}
	o.renewAt = o.b.Size() * 5 / 4
}

// Close frees the SAT solver.
func (o *Own) Close() {
	o.sat.Close()
	if o.sweep != nil {
		o.sweep.solver.Close()
	}
}

// Assert makes t hold for good.
func (o *Own) Assert(t ilr.Term) {
	o.last = Invalid
	switch {
	case o.s.IsTrue(t):
		return
	case o.s.IsFalse(t):
		o.failed = true
	}
	o.asserted = append(o.asserted, t)
}

// LimitConflicts gives each later call of the SAT solver at most n conflicts; 0 is no limit.
func (o *Own) LimitConflicts(n int) { o.opts.Conflicts = n }

// Learn takes t, which follows from what was asserted, as a hint. Only who gives such
// hints goes from question to question; a solver without any never starts anew.
func (o *Own) Learn(t ilr.Term) {
	o.hinted = true
	if !o.s.IsTrue(t) && !o.s.IsFalse(t) {
		o.learned = append(o.learned, t)
	}
}

// Check decides the asserted terms under the assumptions.
func (o *Own) Check(ctx context.Context, assumptions ...ilr.Term) (Answer, error) {
	a, err := o.check(ctx, assumptions)
	if a == Unknown && err == nil {
		panic("solve: unknown without a reason")
	}
	o.last = a
	return a, err
}

func (o *Own) check(ctx context.Context, assumptions []ilr.Term) (Answer, error) {
	if o.failed {
		o.assumed = nil
		return Unsat, nil
	}
	ctx, end := o.watched(ctx)
	defer end()
	var lits []sat.Lit
	possible := false
	if err := o.polled(ctx, &o.stats.Blast, func() { lits, possible = o.blast(assumptions) }); err != nil {
		return Unknown, err
	}
	if !possible {
		return Unsat, nil
	}
	for round := 0; ; round++ {
		r, err := o.solve(ctx, lits)
		if r == sat.Unsat {
			return Unsat, nil
		}
		if r == sat.Unknown {
			return Unknown, err
		}
		added := 0
		err = o.polled(ctx, &o.stats.Refine, func() { added = o.arrays.refine(o.roots, round, o.sat.Val) })
		if err != nil {
			o.renew() // lemmas may be marked as stated that are not
			return Unknown, err
		}
		o.stats.Lemmas += added
		if added == 0 {
			return Sat, nil
		}
	}
}

// blast gives the SAT solver what is new and names the assumptions; possible is
// false when one of them is false for certain.
func (o *Own) blast(assumptions []ilr.Term) (lits []sat.Lit, possible bool) {
	o.fit(assumptions)
	o.assumed = o.assumed[:0]
	for ; o.blasted < len(o.asserted); o.blasted++ {
		o.b.Assert(o.asserted[o.blasted])
	}
	for ; len(o.learned) > 0; o.learned = o.learned[1:] {
		o.b.Assert(o.learned[0])
	}
	o.roots = append(o.roots[:0], o.asserted...)
	for _, t := range assumptions {
		if o.s.IsTrue(t) {
			continue
		}
		if v, ok := o.b.Constant(t); ok && !v {
			o.assumed = append(o.assumed[:0], assumption{term: t})
			return nil, false
		}
		l := o.b.Lit(t)
		lits = append(lits, l)
		o.assumed = append(o.assumed, assumption{t, l})
		o.roots = append(o.roots, t)
	}
	return lits, true
}

// solve asks the SAT solver, and tells one that finds the question hard which words in it are equal.
func (o *Own) solve(ctx context.Context, lits []sat.Lit) (sat.Result, error) {
	most := o.opts.Conflicts
	if o.alone || o.opts.Record || o.opts.Proof != "" || (most > 0 && most <= policy.SweepAfter) {
		return o.solveOnce(ctx, lits, most)
	}
	r, err := o.solveOnce(ctx, lits, policy.SweepAfter)
	if r != sat.Unknown || !errors.Is(err, ErrLimit) {
		return r, err
	}
	if o.sweep == nil {
		o.sweep = newSweep(o.s, o.opts)
	}
	if err := o.polled(ctx, &o.stats.Blast, func() { o.tell(ctx) }); err != nil {
		return sat.Unknown, err
	}
	return o.solveOnce(ctx, lits, most)
}

// tell sweeps the words of the question, and gives the SAT solver what is equal.
func (o *Own) tell(ctx context.Context) {
	o.sweep.run(ctx, o.roots)
	for _, t := range o.sweep.equal {
		o.b.Assert(t)
	}
	o.stats.Equal += len(o.sweep.equal)
	o.sweep.equal = nil
}

// solveOnce asks the SAT solver, with at most so many conflicts, 0 for any number; the error of Unknown says why.
func (o *Own) solveOnce(ctx context.Context, lits []sat.Lit, most int) (sat.Result, error) {
	for _, l := range lits {
		o.sat.Assume(l)
	}
	if most > 0 {
		o.sat.LimitConflicts(most)
	}
	r, _ := o.sat.Solve(ctx)
	if r != sat.Unknown {
		return r, nil
	}
	return r, reason(ctx)
}

// reason turns the end of a context into one of the Err values.
func reason(ctx context.Context) error {
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return ErrLimit
	case errors.Is(cause, ErrMemory):
		return ErrMemory
	case errors.Is(cause, context.DeadlineExceeded):
		return ErrTimeout
	default:
		return ErrCancelled
	}
}

// Core lists assumptions of the last Check, which was Unsat, that cannot hold
// together with what was asserted.
func (o *Own) Core() []ilr.Term {
	if o.last != Unsat {
		panic("solve: Core without Unsat")
	}
	var out []ilr.Term
	for _, a := range o.assumed {
		if a.lit == 0 || o.sat.Failed(a.lit) {
			out = append(out, a.term)
		}
	}
	return out
}

// Model returns the model of the last Check, which was Sat.
func (o *Own) Model() ilr.Model {
	if o.last != Sat {
		panic("solve: Model without Sat")
	}
	m := ilr.Model{BV: map[ilr.Term]bits.Vec{}, Arrays: map[ilr.Term]*ilr.ArrayValue{}}
	o.s.Walk(o.roots, func(t ilr.Term) {
		if o.s.Kind(t) != ilr.KVar {
			return
		}
		switch {
		case o.s.Sort(t).Kind == ilr.SortArray:
			m.Arrays[t] = o.arrays.value(t)
		case o.b.Has(t):
			m.BV[t] = o.b.InputValue(t, o.sat.Val)
		default:
			m.BV[t] = bits.New(max(1, o.s.Width(t)), 0)
		}
	})
	return m
}

// Stats counts the work so far.
func (o *Own) Stats() Stats {
	st, n := o.stats, o.sat.Stats()
	st.Terms, st.Gates = o.s.Len(), st.Gates+o.b.Gates()
	st.Vars, st.Clauses, st.Conflicts = st.Vars+n.Vars, st.Clauses+n.Clauses, st.Conflicts+n.Conflicts
	st.Calls, st.Solve = st.Calls+n.Calls, st.Solve+n.Seconds
	return st
}

// WriteDIMACS writes all clauses so far, the assumptions as units. Options.Record
// must have been set.
func (o *Own) WriteDIMACS(w io.Writer, assumptions ...ilr.Term) error {
	if o.record == nil {
		return fmt.Errorf("solve: clauses were not recorded")
	}
	lits, possible := o.blast(assumptions)
	if !possible {
		f := sat.Formula{Vars: o.record.Vars, Clauses: append(slices.Clip(o.record.Clauses), nil)}
		return f.WriteDIMACS(w)
	}
	return o.record.WriteDIMACS(w, lits...)
}
