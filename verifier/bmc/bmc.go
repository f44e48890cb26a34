// Package bmc decides claims by bounded model checking: rounds of growing unwinding,
// each encoded once and decided claim by claim, every violation replayed.
package bmc

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Engine runs rounds until every claim is settled, no loop can go on, or time is up.
type Engine struct{}

// Run implements problem.Engine. After the first round it gives way to engines that
// look for proofs beyond the bound.
func (Engine) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	b := &unwinder{p: p, a: a, whole: map[string]int{}}
	if encode.AsFacts(p.Module) && p.StopAfter == "" && !p.Dumps["ilr"] && !p.Dumps["smt2"] && b.withFacts(ctx) {
		return nil
	}
	for i := 0; ; i++ {
		limit := policy.UnwindLimit(i)
		if p.Unwind > 0 {
			limit = p.Unwind
		}
		r, err := b.round(ctx, limit, false)
		if err == nil && (r.cut == nil || b.last == nil) { // else keep what the last whole round said
			b.last = r
			a.SetUnwinding(b.outcome(r, b.whole))
		}
		if err == nil && p.StopAfter == "encode" {
			a.Fail(&verdict.Reason{Kind: verdict.Cancelled, Detail: "stopped after encode, as asked"})
			return nil
		}
		if a.Enough(p) || b.allSettled() || err == nil && !r.stopped && (r.complete || r.cut == nil && !r.grows) {
			return nil
		}
		a.GiveWay()
		switch {
		case b.covered():
			return nil
		case err != nil:
			if b.last == nil {
				a.Fail(problem.EarlyEnd(ctx, err))
			}
			return err
		case r.cut != nil || r.stopped || p.Unwind > 0 || ctx.Err() != nil || r.gap != nil && limit >= policy.GapUnwind:
			return problem.ErrOpen
		case i == 0 && p.Unbounded():
			if replay.Probe(ctx, p, a); a.Enough(p) {
				return nil
			}
		}
	}
}

// unwinder is the state of the rounds.
type unwinder struct {
	p    *problem.Problem
	a    *problem.Answers
	last *round // the last round that ended
	// claims that hold, whose executions come by no bound that is reached: later rounds would say the same
	whole   map[string]int // with the turns of the round
	ordered bool           // a round was told the order of products
	// what every round so far found out about lines and branches
	coverage map[ir.Spot]verdict.Reach
}

// allSettled reports that every claim which the program can have is settled: a loop
// without end behind them needs no more turns.
func (b *unwinder) allSettled() bool {
	if b.last == nil || len(b.a.AllSettled()) == 0 || b.p.Checks.Has(verdict.Unwinding) {
		return false
	}
	all := encode.ListClaims(b.p.Module, b.p.Checks, b.p.Leaks, func(*ir.Block) bool { return true })
	return !slices.ContainsFunc(all, func(c encode.Claim) bool { return b.a.Settled(c.ID) == nil })
}

// covered reports that nothing is open after the last round: each claim is settled or
// proved for any number of turns.
func (b *unwinder) covered() bool {
	proofs := b.a.Proofs()
	return proofs != nil && b.last != nil && !slices.ContainsFunc(b.last.groups, func(g *group) bool {
		return g.First.Check != verdict.Unwinding && b.a.Settled(g.ID) == nil && b.whole[g.ID] == 0 &&
			!proofs.Covers(g.ID)
	})
}

// round is one encoding with one limit of loop turns.
type round struct {
	limit    int
	facts    bool // assumed quantifiers are facts: what is not violated holds, what is reached may not be
	dropped  int  // with facts: violations that the replay did not confirm
	f        *encode.Formula
	solver   solve.Solver
	groups   []*group
	complete bool            // no loop or call can go beyond what was analysed
	grows    bool            // what can is analysed further in a round with a larger limit
	stopped  bool            // the formula ends where the time for making it was over
	gap      *verdict.Reason // a reachable construct that is not modelled
	behind   *ir.After       // what may be executed behind the gaps; nil: nothing
	gaps     []*ir.Instr     // where
	unplaced bool            // a gap has no place: any claim may follow it
	cut      *verdict.Reason // why deciding ended early
	deadEnds map[ir.At][]*ir.Instr
	partEnds map[ir.At][]*ir.Instr
	vacuous  *verdict.Reason   // why what holds says nothing about the program
	ordered  map[ilr.Term]bool // what was told of the order of products
}

// group is all instances of one claim, and what the round says of them.
type group struct {
	*problem.Group
	status verdict.Status
	reason *verdict.Reason
	reach  problem.Reach
	// executions come to it only where an earlier claim may fail: nothing does while all hold
	blocked bool
}

// round encodes with at most limit turns per loop and decides every claim.
func (b *unwinder) round(ctx context.Context, limit int, facts bool) (*round, error) {
	rules := problem.NewSimplifier()
	store := ilr.NewStore(rules)
	solver, err := b.p.OpenSolver(store, b.proofName(limit))
	if err != nil {
		return nil, err
	}
	r := &round{limit: limit, facts: facts, solver: solver}
	defer b.checkProofs(ctx, limit)
	defer solver.Close()
	if err := b.encode(ctx, r, store); err != nil {
		return nil, err
	}
	if r.facts && r.f.Facts == 0 {
		return nil, errNoFacts
	}
	b.dump(r)
	if b.p.StopAfter == "encode" {
		return r, nil
	}
	for _, t := range r.f.Assumptions {
		solver.Assert(t)
	}
	stop := b.a.Stage("decide")
	b.decide(ctx, r)
	if !b.a.Enough(b.p) {
		b.otherWays(ctx, r)
		b.decideBounds(ctx, r)
		b.keepWhole(r)
		b.reachability(ctx, r)
		b.vacuity(ctx, r)
		if b.p.Coverage && !r.facts {
			b.cover(ctx, r)
		}
	}
	stop(nil)
	b.solverStages(r, rules)
	b.dumpClauses(r)
	return r, nil
}

func (b *unwinder) encode(ctx context.Context, r *round, store *ilr.Store) error {
	opts := b.p.Encoding()
	opts.Unwind, opts.UnwindSet, opts.Depth, opts.MaxUnwind = b.p.Unwind, b.p.UnwindSet, b.p.Depth, r.limit
	opts.Coverage, opts.Facts = b.p.Coverage, r.facts
	prober := &problem.Prober{Solver: r.solver, Store: store, Proven: b.p.Proofs != ""}
	if b.last == nil && b.p.StopAfter == "" && !r.facts { // what came so far is worth deciding
		first, cancel := budget.Share(ctx, policy.FirstWalkPercent)
		defer cancel()
		opts.Stop = first.Done()
		if b.p.Unbounded() {
			prober.Most = policy.FirstProbeTerms
		}
		var end context.CancelFunc
		ctx, end = budget.Longer(ctx, policy.StopWalkAfter)
		defer end()
	}
	stop := b.a.Stage("encode")
	f, err := encode.Encode(ctx, b.p.Module, b.p.Entry, store, opts, prober)
	stop(map[string]int64{"terms": int64(store.Len())})
	if err != nil {
		return err
	}
	r.f = f
	for _, g := range problem.GroupsOf(f) {
		r.groups = append(r.groups, &group{Group: g})
	}
	return nil
}

// outcome returns what the round says, for the report.
func (b *unwinder) outcome(r *round, whole map[string]int) *problem.Unwinding {
	u := &problem.Unwinding{Limit: r.limit, Loops: r.f.Loops, Notes: r.f.Notes, Complete: r.complete,
		Ordered: b.ordered, Repeats: len(r.f.Endless) > 0, Gap: r.gap,
		Cut: r.cut, Vacuous: r.vacuous, Stops: r.f.Stops, DeadEnds: r.deadEnds, PartEnds: r.partEnds}
	for _, g := range r.groups {
		c := problem.Unwound{Claim: problem.ClaimOf(g.First), At: ir.At{Instr: g.First.Instr, Check: g.First.Check},
			Reach: g.reach, Blocked: g.blocked, Dead: r.f.Store.IsFalse(g.First.Loose),
			BehindGap: r.gap != nil && r.behindGap(g), Whole: whole[g.ID]}
		c.Reason, c.Replay = g.reason, verdict.NotRun
		c.Learn(verdict.FactOf(g.status))
		if c.Status == verdict.Proved && g.First.Holds != "" {
			c.Message = g.First.Holds
		}
		u.Claims = append(u.Claims, c)
	}
	return u
}
