package verifier

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// The proof beyond the bound: loops are cut (encode.Cuts), invariants are guessed
// and those that are not inductive dropped (Houdini: Flanagan and Leino 2001), and
// what the survivors prove holds for any number of turns. What the cut formula
// calls a violation need not be one: only proofs come out of here.

const (
	maxWalks       = 80   // walks until the cut loops are known
	conflictsOfAll = 4000 // of the SAT solver, for a question about all candidates
	conflictsOfOne = 2000 // for a question about one
	maxThinned     = 8    // invariants of a certificate that are tried to do without, one by one
	maxProbes      = 6    // turns of loops that are not cut
	cutDepth       = 24   // nested calls
	roundPercent   = 40   // of the time left, for the first round
	proofPercent   = 60   // of the time left then, for the proof
	otherPercent   = 40   // of the proof's time left, for another solver that checks it
)

// proofs is what was proved for any number of loop turns.
type proofs struct {
	groups []*group        // all claims of the cut program
	holds  map[string]bool // by claim ID
	known  map[string]bool // the IDs of groups
	cert   *verdict.Certificate
}

// covers reports that claim id was proved: it holds, or nothing gets there.
func (p *proofs) covers(id string) bool { return p != nil && (p.holds[id] || !p.known[id]) }

// all reports that every claim but the bounds was proved.
func (p *proofs) all() bool {
	return p != nil && !slices.ContainsFunc(p.groups, func(g *group) bool { return g.first.Check != verdict.Unwinding && !p.holds[g.id] })
}

// share is a context with a part of the time that ctx has left.
func share(ctx context.Context, percent time.Duration) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithTimeout(ctx, time.Minute)
	}
	return context.WithTimeout(ctx, time.Until(end)*percent/100)
}

// prover proves claims of the cut program.
type prover struct {
	*bounded
	cuts   *encode.Cuts
	f      *encode.Formula
	solver *solve.Own
	core   []ilr.Term // what the last check used, if it was Unsat
	alive  []*encode.Candidate
	gaps   ilr.Term
}

// induct tries to prove the claims for any number of loop turns; nil when it
// could not.
func (b *bounded) induct(ctx context.Context) *proofs {
	stop := b.stage("induction")
	p := &prover{bounded: b, cuts: &encode.Cuts{All: b.cutAll}}
	var out *proofs
	if p.walk(ctx, false) && p.cuts.Any() && p.walk(ctx, true) && p.houdini(ctx) && p.noGaps(ctx) {
		out = p.decideCut(ctx)
	}
	counts := map[string]int64{"invariants": int64(len(p.alive))}
	if p.solver != nil {
		p.solver.Close()
	}
	stop(counts)
	return out
}

// walk encodes until the unknown states at the headers cover what the turns do.
func (p *prover) walk(ctx context.Context, propose bool) bool {
	p.cuts.Propose = propose
	for i := 0; i < maxWalks; i++ {
		f, solver, err := p.encodeCut(ctx)
		if err != nil {
			return false
		}
		if p.solver != nil {
			p.solver.Close()
		}
		p.f, p.solver = f, solver
		if !f.Grown {
			return true
		}
	}
	return false
}

func (p *prover) encodeCut(ctx context.Context) (*encode.Formula, *solve.Own, error) {
	store := ilr.NewStore(nil)
	solver := solve.NewOwn(store, solve.Options{Memory: uint64(p.plan.Memory)})
	depth := cutDepth
	if d := p.plan.Depth; d > 0 && d < depth {
		depth = d
	}
	opts := encode.Options{Checks: p.plan.Checks, Stack: p.plan.Stack, Depth: depth, MaxUnwind: maxProbes, Cuts: p.cuts,
		MallocNeverFails: p.plan.MallocNeverFails, AnyAlignment: p.plan.AnyAlignment, Leaks: p.plan.Leaks, VolatileMemory: p.plan.VolatileMemory, Regions: p.plan.Regions, AddressZero: p.plan.AddressZero}
	f, err := encode.Encode(ctx, p.m, p.entry, store, opts, &prober{solver: solver})
	if err != nil {
		solver.Close()
		return nil, nil, err
	}
	for _, a := range f.Assumptions {
		solver.Assert(a)
	}
	return f, solver, nil
}

// check asks whether bad is possible where the given invariants are assumed.
func (p *prover) check(ctx context.Context, with []*encode.Candidate, bad ...ilr.Term) (solve.Answer, *ilr.Evaluator) {
	s := p.f.Store
	q := s.Or(bad...)
	p.core = nil
	if s.IsFalse(q) {
		return solve.Unsat, nil
	}
	as := make([]ilr.Term, 0, len(with)+1)
	for _, c := range with {
		as = append(as, c.Selector)
	}
	ans, err := p.solver.Check(ctx, append(as, q)...)
	if err != nil || ans != solve.Sat {
		if err != nil {
			ans = solve.Unknown
		} else {
			p.core = p.solver.Core()
		}
		return ans, nil
	}
	return ans, s.NewEvaluator(p.solver.Model(), ilr.EvalFloat)
}

func failsOf(cs []*encode.Candidate) []ilr.Term {
	out := make([]ilr.Term, len(cs))
	for i, c := range cs {
		out[i] = c.Fails
	}
	return out
}

// noGaps reports that the cut program is modelled on every path.
func (p *prover) noGaps(ctx context.Context) bool {
	p.gaps = gapsOf(p.f)
	ans, _ := p.check(ctx, p.alive, p.gaps)
	return ans == solve.Unsat
}

// gapsOf is that some path leaves what is modelled, or nests calls too deep.
func gapsOf(f *encode.Formula) ilr.Term {
	var ts []ilr.Term
	for i := range f.Gaps {
		ts = append(ts, f.Gaps[i].Guard)
	}
	for i := range f.Claims {
		if f.Claims[i].Check == verdict.Unwinding {
			ts = append(ts, f.Claims[i].Violated)
		}
	}
	return f.Store.Or(ts...)
}

// decideCut finds the claims that hold, the invariants that they need, and has
// both checked once more.
func (p *prover) decideCut(ctx context.Context) *proofs {
	out := &proofs{groups: append(groupClaims(p.f.Claims), groupClaims(p.f.Dead)...), holds: map[string]bool{}, known: map[string]bool{}}
	var open []*group
	for _, g := range out.groups {
		out.known[g.id] = true
		if g.first.Check != verdict.Unwinding {
			open = append(open, g)
		}
	}
	defer p.solver.LimitConflicts(0)
	for len(open) > 0 {
		p.solver.LimitConflicts(conflictsOfAll)
		ans, ev := p.check(ctx, p.alive, anyOf(p.f.Store, open))
		if ans == solve.Unsat {
			break
		}
		if ctx.Err() != nil {
			return nil
		}
		if ans == solve.Unknown {
			open = p.claimByClaim(ctx, open)
			break
		}
		n := len(open)
		open = slices.DeleteFunc(open, func(g *group) bool {
			return slices.ContainsFunc(g.instances, func(c *encode.Claim) bool { return ev.Holds(c.Violated) })
		})
		if len(open) == n {
			return nil
		}
	}
	if len(open) == 0 {
		return nil
	}
	for _, g := range open {
		out.holds[g.id] = true
	}
	goals := []ilr.Term{p.gaps}
	for _, g := range open {
		goals = append(goals, anyOf(p.f.Store, []*group{g}))
	}
	keep := p.needed(ctx, goals)
	checker, ok := p.verify(ctx, keep, out)
	if !ok {
		return nil
	}
	out.cert = &verdict.Certificate{Method: "inductive invariants", Detail: detail(keep, p.cuts.Loops()), Checked: checker}
	return out
}

// claimByClaim lists the claims that hold, where all at once are too hard.
func (p *prover) claimByClaim(ctx context.Context, open []*group) []*group {
	p.solver.LimitConflicts(conflictsOfOne)
	return slices.DeleteFunc(open, func(g *group) bool {
		ans, _ := p.check(ctx, p.alive, anyOf(p.f.Store, []*group{g}))
		return ans != solve.Unsat
	})
}

// needed picks survivors that suffice to exclude the goals and to be inductive:
// those that refutations of the goals use, then those that refutations of their
// own failures use, until there is nothing new.
func (p *prover) needed(ctx context.Context, goals []ilr.Term) []*encode.Candidate {
	used := map[ilr.Term]bool{}
	asked := map[*encode.Candidate]bool{}
	for todo := slices.Clone(goals); len(todo) > 0; {
		for _, t := range todo {
			if ans, _ := p.check(ctx, p.alive, t); ans != solve.Unsat {
				return p.alive
			}
			for _, t := range p.core {
				used[t] = true
			}
		}
		todo = nil
		for _, c := range p.alive {
			if used[c.Selector] && !asked[c] {
				asked[c] = true
				todo = append(todo, c.Fails)
			}
		}
	}
	keep := slices.DeleteFunc(slices.Clone(p.alive), func(c *encode.Candidate) bool { return !asked[c] })
	if len(keep) > maxThinned {
		return keep
	}
	return p.thin(ctx, keep, p.f.Store.Or(goals...))
}

// thin drops what is not needed after all.
func (p *prover) thin(ctx context.Context, keep []*encode.Candidate, bad ilr.Term) []*encode.Candidate {
	for i := 0; i < len(keep); {
		less := slices.Delete(slices.Clone(keep), i, i+1)
		if ans, _ := p.check(ctx, less, append(failsOf(less), bad)...); ans == solve.Unsat {
			keep = less
			continue
		}
		i++
	}
	return keep
}

// verify encodes anew with exactly the invariants of keep, and has another solver
// decide that they hold, are preserved and prove the claims.
func (p *prover) verify(ctx context.Context, keep []*encode.Candidate, out *proofs) (string, bool) {
	p.cuts.Keep = map[string]bool{}
	for _, c := range keep {
		p.cuts.Keep[c.Key] = true
	}
	f, solver, err := p.encodeCut(ctx)
	if err != nil {
		return "", false
	}
	defer solver.Close()
	if f.Grown {
		return "", false
	}
	bad := []ilr.Term{gapsOf(f)}
	for i := range f.Candidates {
		bad = append(bad, f.Candidates[i].Fails)
	}
	for i := range f.Claims {
		if out.holds[f.Claims[i].ID] {
			bad = append(bad, f.Claims[i].Violated)
		}
	}
	q := f.Store.Or(bad...)
	if f.Store.IsFalse(q) {
		return "a second encoding, by simplification alone", true
	}
	if z3, err := solve.Open("z3", f.Store, solve.Options{}); err == nil {
		defer z3.Close()
		for _, a := range f.Assumptions {
			z3.Assert(a)
		}
		half, cancel := share(ctx, otherPercent)
		defer cancel()
		switch ans, _ := z3.Check(half, q); ans {
		case solve.Unsat:
			return "a second encoding, decided by z3", true
		case solve.Sat:
			return "", false
		}
	}
	for _, t := range bad {
		if ans, err := solver.Check(ctx, t); err != nil || ans != solve.Unsat {
			return "", false
		}
	}
	return "a second encoding, decided by a second run of the solver", true
}

// detail words the certificate.
func detail(keep []*encode.Candidate, loops []string) []string {
	var out []string
	for _, c := range keep {
		out = append(out, fmt.Sprintf("%s:%d: %s", c.Pos.File, c.Pos.Line, c.Text))
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) == 0 {
		for _, l := range loops {
			out = append(out, fmt.Sprintf("loop %s: holds in every turn from any state", l))
		}
	}
	return out
}

// claim is the answer for a claim that was proved.
func (p *proofs) claim(g *group) verdict.Claim {
	return verdict.Claim{ID: g.id, Check: g.first.Check, Message: g.first.Message, Pos: g.first.Pos, Status: verdict.Proved, Replay: verdict.NotRun,
		Certificate: p.cert, Unreachable: !p.known[g.id]}
}

// reportBeyond reports when no round of unwinding ended.
func (b *bounded) reportBeyond() {
	if !b.beyond.all() {
		return
	}
	b.res.Reason = nil
	for _, g := range b.beyond.groups {
		if g.first.Check != verdict.Unwinding {
			b.res.Claims = append(b.res.Claims, b.beyond.claim(g))
		}
	}
}

// forgetBounds leaves out the claims that bounds suffice when no other claim
// depends on them and nobody asked for them.
func (b *bounded) forgetBounds() {
	if b.beyond == nil || b.plan.Checks.Has(verdict.Unwinding) || slices.ContainsFunc(b.res.Claims, func(c verdict.Claim) bool {
		return c.Check != verdict.Unwinding && c.Status != verdict.Proved && c.Status != verdict.Violated
	}) {
		return
	}
	b.res.Claims = slices.DeleteFunc(b.res.Claims, func(c verdict.Claim) bool { return c.Check == verdict.Unwinding })
}
