package change

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/calls"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// ByBoth names who finds a violation by executions of both commits of a change.
const ByBoth = "both commits"

// LeavesOpen reports whether executions of an entry may fail that its result does not know of. What holds under a guess of
// plan does so in each execution, since the harness makes what was guessed; but that of plan may hand over more
// (Plan.Wide). A range that the result takes for contents is in no harness.
func LeavesOpen(plan *problem.Plan, res *verdict.Result) bool {
	own := idsOf(plan.Assumptions)
	return res.Reason != nil || slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool {
		return c.Status == verdict.Unknown || c.Status == verdict.Bounded ||
			c.Status == verdict.Conditional && slices.ContainsFunc(res.RestsOn(&c), func(a verdict.Assumption) bool {
				return a.Guessed() && (a.Relation == verdict.Interval && !own[a.ID] || a.Relation == verdict.Extent && plan.Wide != nil)
			})
	})
}

// idsOf returns the IDs of assumptions.
func idsOf(list []verdict.Assumption) map[string]bool {
	ids := map[string]bool{}
	for _, a := range list {
		ids[a.ID] = true
	}
	return ids
}

// Held lists the sites where all claims of res hold, whatever is in the structures that the harness of plan makes, and
// executions come to.
func Held(plan *problem.Plan, res *verdict.Result) []string {
	own, held, out := idsOf(plan.Assumptions), map[string]bool{}, []string{}
	for i := range plan.Assumptions {
		if a := &plan.Assumptions[i]; a.Relation == verdict.Extent {
			own[a.NoMore().ID] = true // so it is in the entry, too
		}
	}
	for i := range res.Claims {
		c := &res.Claims[i]
		limited, more := false, false // more: it takes a range of contents, or a larger block
		for _, a := range res.RestsOn(c) {
			limited = limited || a.Relation == verdict.Limit
			more = more || a.Guessed() && !own[a.ID]
		}
		holds := c.Status == verdict.Proved || c.Status == verdict.Conditional || c.Status == verdict.Bounded && limited
		site := verdict.Site(c.ID)
		before, known := held[site]
		held[site] = (before || !known) && holds && !more && !c.Unreachable
	}
	for site, holds := range held {
		if holds {
			out = append(out, site)
		}
	}
	slices.Sort(out)
	return out
}

// isDoubtful reports whether the violations that are known do not tell what the change did: one rests on a guess, or
// both commits violate a claim.
func (x *against) isDoubtful(found []verdict.Claim, res *verdict.Result) bool {
	return slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool {
		return c.Status == verdict.Violated && (x.fell(c) == Guessed || slices.ContainsFunc(found,
			func(now verdict.Claim) bool { return verdict.Site(now.ID) == verdict.Site(c.ID) }))
	})
}

// search looks for inputs with which one commit fails and the other does not. The one is the reference of the other: an
// input that either handles is one that a caller may give, as far as anybody knows.
func (x *against) search(w way, found []verdict.Claim, res *verdict.Result) {
	s := &changeSearch{against: x, way: w, inputs: replay.NewMutants(x.samples, w.now.p.Module, w.before.p.Module),
		tried: map[string]int{}, stood: map[string]bool{}, fails: map[failure]bool{}}
	near, own := differing(w.now.p.Module, w.before.p.Module, w.differs())
	s.inputs.Prefer(near)
	s.checks = checksIn(own)
	for i := range res.Claims {
		if c := &res.Claims[i]; c.Status == verdict.Violated && x.fell(*c) == Stands {
			s.stood[c.ID] = true
		}
	}
	for i := range x.out.Mended {
		s.stood[x.out.Mended[i].ID] = true
	}
	for _, c := range slices.Concat(res.Claims, x.left, found) {
		if c.Status == verdict.Violated && len(c.Inputs) > 0 && x.ctx.Err() == nil {
			s.try(replay.FromReport(c.Inputs))
		}
	}
	for n, last := 0, 0; n < policy.SearchRuns && n-last < policy.SearchStale && x.ctx.Err() == nil; n++ {
		if s.try(s.inputs.Next()) {
			last = n
		}
		if !s.inputs.Varied() {
			return
		}
	}
}

// changeSearch is the state of a search.
type changeSearch struct {
	*against
	way
	inputs *replay.Mutants
	tried  map[string]int  // inputs of violations that were looked at, by commit and claim
	stood  map[string]bool // IDs of violations of the base that are findings, or that the search made such
	fails  map[failure]bool
	checks []*ir.Block // of both commits, that end with a decision which the other one does not take
}

// failure is what an execution of a program came to: a claim, and the objects of a harness that it failed with.
type failure struct {
	p          *problem.Problem
	id, blocks string
}

func failureOf(p *problem.Problem, id string, f *verdict.Failure) failure {
	return failure{p, verdict.Site(id), strings.Join(f.Names(verdict.ByHarness), ",")}
}

// try executes both commits on the inputs of a source, and reports whether one of them went a new way.
func (s *changeSearch) try(src input.Source) bool {
	rec := &input.Recorder{Source: src}
	opts := s.now.p.Execution(policy.SearchSteps)
	opts.Differ = s.inputs.Differ
	now, err := interp.Run(s.ctx, s.now.p.Module, opts, rec)
	if err != nil {
		return false
	}
	if now.Kind == interp.AssumeFailed {
		return s.inputs.Tell(rec.Inputs, now)
	}
	list := replay.Shown(rec.Inputs)
	is := s.endingOf(s.now.p, now)
	was, before, given := s.run(s.before.p, list, policy.SearchSteps)
	if is.How == verdict.Fails {
		s.fails[failureOf(s.now.p, is.Claim, now.Failure)] = true
	}
	if was.How == verdict.Fails {
		s.fails[failureOf(s.before.p, was.Claim, before.Failure)] = true
	}
	switch {
	case is.How == verdict.Fails && was.How == verdict.Passes && s.out.NewOf(is.Claim) == nil:
		of := failing{&s.now, &s.before, rec.Inputs, now}
		if c := s.only(&of, "head "+is.Claim, before); c != nil {
			s.out.New = append(s.out.New, *c)
		}
	case is.How == verdict.Passes && was.How == verdict.Fails && replay.Fits(given, list) && !s.stood[was.Claim]:
		of := failing{&s.before, &s.now, given, before}
		if c := s.only(&of, "base "+was.Claim, now); c != nil {
			s.out.Mended = append(s.out.Mended, *c)
			s.out.Ends[c.ID], s.stood[c.ID] = verdict.Ending{How: verdict.Passes}, true
		}
	}
	return s.inputs.Tell(rec.Inputs, now, before)
}

// endingOf says what an execution of p comes to.
func (x *against) endingOf(p *problem.Problem, out *interp.Outcome) verdict.Ending {
	if _, id, fails := x.claims.Violated(p, out); fails {
		return verdict.Ending{How: verdict.Fails, Claim: id}
	}
	if out.Kind == interp.Returned || out.Kind == interp.Exited {
		return verdict.Ending{How: verdict.Passes}
	}
	return verdict.Ending{How: verdict.Open}
}

// failing is an execution of one commit that fails on inputs with which the other one passes.
type failing struct {
	side, other *searched
	inputs      []input.Input
	out         *interp.Outcome
}

// only returns the violation that f is, with small inputs, if it is a finding; key names its commit and claim. beside is
// the execution of the other commit.
func (s *changeSearch) only(f *failing, key string, beside *interp.Outcome) *verdict.Claim {
	if s.tried[key]++; s.tried[key] > policy.SearchEach || replay.NotFollowed(f.inputs) != nil {
		return nil
	}
	out, err := replay.Execute(s.ctx, f.side.p, f.inputs, false)
	at, id, fails := encode.Claim{}, "", false
	if err == nil {
		at, id, fails = s.claims.Violated(f.side.p, out)
	}
	if _, first, _ := s.claims.Violated(f.side.p, f.out); !fails || id != first {
		return nil
	}
	passes := func(list []input.Input) bool {
		e, _, _ := s.run(f.other.p, replay.Shown(list), policy.SearchSteps)
		return e.How == verdict.Passes
	}
	if !passes(f.inputs) {
		return nil
	}
	f.inputs = replay.ShrinkWhile(s.ctx, f.side.p, f.inputs, out, passes)
	c := replay.Traced(s.ctx, f.side.p, problem.ClaimOf(&at), f.inputs, out).Claim
	c.ID, c.By = id, ByBoth
	if !s.counts(f, &c, at.Instr, beside) {
		return nil
	}
	c.Evidence = nil
	s.name(f, &c, f.inputs)
	return &c
}

// counts reports whether a violation that only one commit has is a finding. What rests on a guess of the harness is one
// where the other commit does the same with the same block: it fails so on other inputs; or, where no block is part of it,
// where it comes to the claim on these. Or a check is in the other commit alone: that keeps the claim, whatever the
// contents are, and within what counts the block, or turns these contents away. Contents that stand elsewhere in the
// other program, or are of another size, are not the same input there; that it fails for others says nothing of these.
func (s *changeSearch) counts(f *failing, c *verdict.Claim, at *ir.Instr, beside *interp.Outcome) bool {
	standing := f.side.stands(*c)
	var contents *verdict.Assumption
	var other replay.Contents
	if standing != Falls {
		contents, other = f.side.restsOnContents(s.ctx, c, at)
	}
	switch {
	case standing == Falls, f.side.own != nil && s.ofNull(f, c):
		return false
	case s.calls:
		return contents == nil && calls.Finds(f.side.by, c)
	case standing == Stands && contents == nil:
		return true
	case contents != nil && !f.other.hasAt(contents, f.side.p):
		return false
	case (contents == nil || contents.Relation != verdict.Contents) && s.fails[failureOf(f.other.p, c.ID, c.Failure)]:
	case slices.Contains(f.other.held, verdict.Site(c.ID)) && (standing == Stands || s.sameCounts(f, c)):
	case contents != nil && s.turnsAway(f, other):
	case len(c.Failure.Names(verdict.ByHarness)) > 0 || !comesTo(f.other.p, beside, verdict.Site(c.ID)):
		return false
	}
	if !slices.Contains(s.out.Relative, c.ID) {
		s.out.Relative = append(s.out.Relative, c.ID)
	}
	return true
}

// turnsAway reports whether the other commit has a check that f's commit has not, which tells the contents that a
// violation depends on from others with which f's commit does not fail. All else is the same.
func (s *changeSearch) turnsAway(f *failing, with replay.Contents) bool {
	others := with.In(f.side.p.Module, f.inputs)
	if others == nil {
		return false
	}
	these, at, _ := s.run(f.other.p, replay.Shown(f.inputs), policy.SearchSteps)
	those, beside, _ := s.run(f.other.p, replay.Shown(others), policy.SearchSteps)
	return these.How == verdict.Passes && those.How == verdict.Passes && slices.ContainsFunc(s.checks, func(b *ir.Block) bool {
		return at.Visits[b] > 0 && beside.Visits[b] > 0 && slices.ContainsFunc(b.Succs(), func(to *ir.Block) bool {
			return at.Visits[to] > 0 != (beside.Visits[to] > 0)
		})
	})
}

// sameCounts reports whether in both commits the same number counts each block that a violation goes past, and has the
// violation name that.
func (s *changeSearch) sameCounts(f *failing, c *verdict.Claim) bool {
	for _, name := range c.Failure.Names(verdict.ByHarness) {
		i := slices.IndexFunc(f.side.p.Assumptions, func(a verdict.Assumption) bool {
			return a.Relation == verdict.Extent && a.Subject == name && a.Other != ""
		})
		if i < 0 {
			return false
		}
		a := f.side.p.Assumptions[i]
		if !slices.ContainsFunc(f.other.p.Assumptions, func(o verdict.Assumption) bool { return o.ID == a.ID }) {
			return false
		}
		c.Assumptions = append(c.Assumptions, a.ID)
		s.out.Assumptions = verdict.AddAssumptions(s.out.Assumptions, a)
	}
	return true
}

// ofNull reports whether a violation may be one by a pointer that only the wide harness makes null: that is how code is
// looked at which tests for null, and says nothing of code that does not.
func (s *changeSearch) ofNull(f *failing, c *verdict.Claim) bool {
	return (c.Failure.Is(verdict.NullAccess) || c.Failure.Is(verdict.NullArithmetic) || c.Check == verdict.Nonnull ||
		c.Check == verdict.Assert) && slices.ContainsFunc(f.inputs, func(in input.Input) bool {
		if in.Kind != input.Nondet || in.Instr == nil || in.Value.IsZero() {
			return false
		}
		asks := ir.CalledFunc(in.Instr)
		return asks != nil && strings.HasSuffix(asks.Name, ir.IsNull)
	})
}

// comesTo reports whether an execution of p came to the place of a claim. What it does there is no failure, if it does not
// fail.
func comesTo(p *problem.Problem, out *interp.Outcome, id string) bool {
	if out == nil {
		return false
	}
	return slices.ContainsFunc(encode.ListClaims(p.Module, p.Checks, p.Leaks, func(b *ir.Block) bool {
		return out.Visits[b] > 0
	}), func(c encode.Claim) bool { return c.ID == id && passed(out, c.Instr) })
}

// passed reports whether an execution went past an instruction: in the block that the program ends in, it may have done so
// in a call in front of that.
func passed(out *interp.Outcome, in *ir.Instr) bool {
	b := in.Block
	if out.Visits[b] == 0 || out.Kind != interp.Exited {
		return out.Visits[b] > 0
	}
	return !slices.ContainsFunc(b.Instrs[:slices.Index(b.Instrs, in)], func(in *ir.Instr) bool { return in.Op == ir.OpCall }) ||
		slices.ContainsFunc(b.Succs(), func(to *ir.Block) bool { return out.Visits[to] > 0 })
}
