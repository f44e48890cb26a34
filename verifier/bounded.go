package verifier

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// bounded runs the bounded lane: rounds of growing unwinding, each decided whole.
type bounded struct {
	m       *ir.Module
	entry   *ir.Func
	plan    Plan
	res     *verdict.Result
	started time.Time

	settled map[string]*verdict.Claim // violated (or replay mismatch), by ID: final in every later round
	last    *round                    // the last round that ended
	cutAll  bool                      // for tests: cut loops that end by themselves, too
	beyond  *proofs                   // for any number of turns; nil if there are none

	findings map[string]finding // of each violated claim, by ID
}

// finding is where an execution violates a claim, and the claims of Plan.Past that
// it violated before.
type finding struct {
	at     ir.At
	passed []ir.At
}

// round is one encoding with one limit of loop turns.
type round struct {
	limit    int
	f        *encode.Formula
	solver   solve.Solver
	groups   []*group
	complete bool            // no loop or call can go beyond what was analysed
	grows    bool            // what can is analysed further in a round with a larger limit
	gap      *verdict.Reason // a reachable construct that is not modelled
	after    []*ir.After     // what may be executed behind the gaps, each
	cut      *verdict.Reason // why deciding ended early

	gapAnywhere bool // a gap that no claim is before
}

// group is all instances of one claim over contexts and turns.
type group struct {
	id        string
	first     *encode.Claim
	instances []*encode.Claim
	status    verdict.Status
	reason    *verdict.Reason
	reached   bool
	checked   bool // reached is known
}

// deepening gives the limits of the rounds when the user gave none.
func deepening(i int) int { return 2 << (2 * i) } // 2, 8, 32, 128, ...

// free reports that nobody asked for bounds or for less than answers.
func (b *bounded) free() bool {
	return b.plan.Unwind == 0 && len(b.plan.UnwindSet) == 0 && b.plan.StopAfter == ""
}

// run settles the claims, then those that stand behind violations.
func (b *bounded) run(ctx context.Context) {
	b.main(ctx)
	b.past(ctx)
}

// main deepens round by round; beside it, from the end of the first round on, the
// proof for any number of turns is looked for. Whoever settles the claims ends
// the other.
func (b *bounded) main(ctx context.Context) {
	b.settled, b.findings = map[string]*verdict.Claim{}, map[string]finding{}
	if b.alone(ctx) || b.found() {
		b.reportSettled()
		return
	}
	if b.again(ctx); b.found() {
		b.reportSettled()
		return
	}
	rounds, end := context.WithCancel(ctx)
	defer end()
	l := b.startLane(ctx, end)
	open := b.rounds(ctx, rounds, l)
	b.beyond = l.finish(open)
	b.report()
}

// rounds runs the rounds; it reports whether claims may be open after them.
func (b *bounded) rounds(ctx, rounds context.Context, l *lane) bool {
	for i := 0; ; i++ {
		limit := deepening(i)
		if b.plan.Unwind > 0 {
			limit = b.plan.Unwind
		}
		r, err := b.round(rounds, limit)
		if err == nil && b.plan.StopAfter == "encode" {
			b.last = r
			b.res.Reason = &verdict.Reason{Kind: verdict.Cancelled, Detail: "stopped after encode, as asked"}
			return false
		}
		if err == nil && (r.cut == nil || b.last == nil) { // else keep what the last whole round said
			b.last = r
		}
		if b.found() || err == nil && (r.complete || r.cut == nil && !r.grows) {
			return false
		}
		l.begin()
		b.beyond = l.result()
		switch {
		case b.beyond != nil && b.last != nil && b.done(b.last):
			return false
		case err != nil:
			if b.last == nil {
				b.res.Reason = reasonOf(ctx, err)
			}
			return true
		case r.cut != nil || b.plan.Unwind > 0 || rounds.Err() != nil || r.gap != nil && limit >= 32:
			return true
		case i == 0 && b.free():
			if b.probe(rounds); b.found() {
				return false
			}
		}
	}
}

// reasonOf explains an early end by the context, else by err.
func reasonOf(ctx context.Context, err error) *verdict.Reason {
	switch ctx.Err() {
	case context.DeadlineExceeded:
		return &verdict.Reason{Kind: verdict.TimedOut, Detail: "the time given was used up",
			Remedy: "give more with --timeout, or bounds with --unwind"}
	case context.Canceled:
		return &verdict.Reason{Kind: verdict.Cancelled, Detail: "stopped"}
	}
	return &verdict.Reason{Kind: verdict.SolverGaveUp, Detail: err.Error()}
}

// round encodes with at most limit turns per loop and decides every claim.
func (b *bounded) round(ctx context.Context, limit int) (*round, error) {
	r := &round{limit: limit}
	rules := newSimplifier()
	store := ilr.NewStore(rules)
	solver, err := solve.Open(b.plan.Solver, store, solve.Options{Memory: uint64(b.plan.Memory),
		Record: b.plan.Dumps["dimacs"], Proof: b.proofName(limit)})
	if err != nil {
		return nil, err
	}
	if b.plan.Answers != nil && !b.plan.Dumps["dimacs"] {
		solver = solve.Remember(solver, store, b.plan.Answers)
	}
	r.solver = solver
	defer b.checkProofs(ctx, limit)
	defer solver.Close()
	opts := b.plan.encodeOptions()
	opts.Unwind, opts.UnwindSet, opts.Depth, opts.MaxUnwind = b.plan.Unwind, b.plan.UnwindSet, b.plan.Depth, limit
	var p encode.Prober
	if b.plan.Unwind == 0 {
		p = &prober{solver: r.solver}
	}
	stop := b.stage("encode")
	f, err := encode.Encode(ctx, b.m, b.entry, store, opts, p)
	stop(map[string]int64{"terms": int64(store.Len())})
	if err != nil {
		return nil, err
	}
	r.f = f
	r.groups = append(groupClaims(f.Claims), groupClaims(f.Dead)...)
	b.dump(r)
	if b.plan.StopAfter == "encode" {
		return r, nil
	}
	for _, a := range f.Assumptions {
		r.solver.Assert(a)
	}
	stop = b.stage("decide")
	b.decide(ctx, r)
	if !b.found() {
		b.decideBounds(ctx, r)
		b.reachability(ctx, r)
	}
	stop(nil)
	b.solverStages(r, rules)
	b.dumpClauses(r)
	return r, nil
}

// prober asks the round's own solver; what it cannot tell is feasible.
type prober struct{ solver solve.Solver }

func (p *prober) Feasible(ctx context.Context, cond ilr.Term) bool {
	ans, err := p.solver.Check(ctx, cond)
	return err != nil || ans != solve.Unsat
}

// Possible takes few conflicts.
func (p *prober) Possible(ctx context.Context, cond ilr.Term) bool {
	p.solver.LimitConflicts(probeConflicts)
	defer p.solver.LimitConflicts(0)
	return p.Feasible(ctx, cond)
}

// probeConflicts are those that an answer about one address may take.
const probeConflicts = 200

// stage starts a stage's clock; the function it returns stops it and adds to
// what earlier rounds spent in a stage of that name.
func (b *bounded) stage(name string) func(map[string]int64) {
	begin := time.Now()
	return func(counts map[string]int64) {
		addStage(b.res, verdict.Stage{Name: name, Seconds: time.Since(begin).Seconds(), Peak: PeakRSS(),
			Counts: counts})
	}
}

func addStage(res *verdict.Result, s verdict.Stage) {
	for i := range res.Stages {
		if old := &res.Stages[i]; old.Name == s.Name {
			old.Seconds += s.Seconds
			old.Peak = max(old.Peak, s.Peak)
			old.Counts = s.Counts // of the last round
			return
		}
	}
	res.Stages = append(res.Stages, s)
}

func groupClaims(claims []encode.Claim) []*group {
	byID := map[string]*group{}
	var out []*group
	for i := range claims {
		c := &claims[i]
		g := byID[c.ID]
		if g == nil {
			g = &group{id: c.ID, first: c}
			byID[c.ID] = g
			out = append(out, g)
		}
		g.instances = append(g.instances, c)
	}
	return out
}

// done reports that nothing is open after r: claims are proved or violated.
func (b *bounded) done(r *round) bool {
	return b.beyond != nil && !slices.ContainsFunc(r.groups, func(g *group) bool {
		return g.first.Check != verdict.Unwinding && b.settled[g.id] == nil && !b.beyond.covers(g.id)
	})
}

// report turns the last round and what was settled before into claims.
func (b *bounded) report() {
	r := b.last
	if r == nil {
		b.reportBeyond()
		return
	}
	for _, l := range r.f.Loops {
		b.res.Bounds.Loops = append(b.res.Bounds.Loops, verdict.LoopBound{Pos: l.Pos, Name: l.Name, Turns: l.Turns,
			Complete: l.Complete})
	}
	b.res.Bounds.Unwind = b.plan.Unwind
	b.res.Assumptions = append(b.res.Assumptions, r.f.Notes...)
	seen := map[string]bool{}
	anyReached := false
	for _, g := range r.groups {
		seen[g.id] = true
		anyReached = anyReached || g.reached
		if c := b.settled[g.id]; c != nil {
			b.res.Claims = append(b.res.Claims, *c)
			continue
		}
		b.res.Claims = append(b.res.Claims, b.claim(r, g))
	}
	for _, id := range sortedIDs(b.settled) {
		if !seen[id] {
			b.res.Claims = append(b.res.Claims, *b.settled[id])
		}
	}
	b.forgetBounds()
	if r.gap != nil && b.res.Reason == nil && !slices.ContainsFunc(r.groups, r.behindGap) {
		b.res.Reason = r.gap // claims before it do not tell
	}
	if len(r.groups) > 0 && !anyReached && len(b.settled) == 0 && r.cut == nil && r.gap == nil {
		b.res.Warnings = append(b.res.Warnings,
			"no claim is reached by any execution: check the assumptions of the harness")
	}
}

// reportSettled reports the claims that are settled, when no round is.
func (b *bounded) reportSettled() {
	for _, id := range sortedIDs(b.settled) {
		b.res.Claims = append(b.res.Claims, *b.settled[id])
	}
}

// claim words the answer for a group that nothing violated.
func (b *bounded) claim(r *round, g *group) verdict.Claim {
	c := verdict.Claim{ID: g.id, Check: g.first.Check, Message: g.first.Message, Pos: g.first.Pos, Status: g.status,
		Reason: g.reason, Replay: verdict.NotRun}
	if g.first.Check != verdict.Unwinding && (!r.complete || r.cut != nil) && b.beyond.covers(g.id) &&
		(len(b.settled) == 0 || g.reached) {
		return b.beyond.claim(g)
	}
	if g.first.Check == verdict.Unwinding || g.status == verdict.Unknown {
		return c
	}
	switch {
	case !g.reached && g.checked && len(b.settled) > 0:
		c.Status = verdict.Unknown
		c.Reason = &verdict.Reason{Kind: verdict.Shadowed, Detail: "no execution gets here without another violation",
			Remedy: "mend that one first"}
	case r.gap != nil && r.behindGap(g):
		c.Status, c.Reason = verdict.Unknown, r.gap
	case r.complete && (r.cut == nil || !b.beyond.covers(g.id)):
		c.Status = verdict.Proved
		c.Unreachable = g.checked && !g.reached
		c.Certificate = &verdict.Certificate{Method: "complete unwinding"}
	default:
		c.Status = verdict.Bounded
		c.Message += fmt.Sprintf(" (holds for up to %d loop turns)", r.limit)
	}
	return c
}
