// Package termination proves or refutes termination of integer transition
// systems, and bounds their cost.
//
//	answer          certificate            checked by
//	Terminating     ranking functions      certify.Terminating
//	NonTerminating  recurrent set, a run   certify.NonTerminating
//	Unknown         none; Reason says why
//
// Nothing is answered whose certificate the checker rejects. Worked example:
//
//	sys, err := its.ReadFile("countdown.koat")
//	answer := termination.Prove(ctx, sys, termination.Options{})
//	answer.Verdict // termination.Terminating
//	answer.Text    // the proof in plain words
package termination

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// Verdict is the answer to "does every run end".
type Verdict uint8

// The verdicts.
const (
	InvalidVerdict Verdict = iota
	Terminating
	NonTerminating
	Unknown
)

// String is YES, NO or MAYBE, as competitions print it.
func (v Verdict) String() string {
	return [...]string{"INVALID", "YES", "NO", "MAYBE"}[v]
}

// Options tune a proof. The zero value is the default.
type Options struct {
	Timeout  time.Duration   // 0: only ctx limits
	Z3Millis int             // per question of the last rung; 0 means 1000
	Off      map[string]bool // names of Techniques that are left out
}

// Answer is the result of Prove.
type Answer struct {
	Verdict Verdict
	Proof   *certify.Termination // for Terminating
	Run     *certify.Recurrence  // for NonTerminating
	Reason  string               // for Unknown: what stopped the proof
	Late    bool                 // for Unknown: that was the end of the time
	Text    string               // the argument in plain words
	Rungs   linear.Rungs         // who answered the arithmetic questions
	By      []string             // Techniques that had a part in it
}

// Prove decides termination of the system as far as it can.
func Prove(ctx context.Context, sys *its.System, opts Options) Answer {
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = budget.WithTimeout(ctx, opts.Timeout)
		defer cancel()
	}
	if opts.Z3Millis == 0 {
		opts.Z3Millis = 1000
	}
	ladder := linear.NewLadder(opts.Z3Millis)
	defer ladder.Close()
	a := &attempt{sys: sys, ladder: ladder}
	answer := a.prove(ctx, true, opts.Off)
	if a.phased = true; answer.Verdict == Unknown && ctx.Err() == nil && a.tally.phased() {
		if second := a.prove(ctx, false, opts.Off); second.Verdict != Unknown || second.Reason != "" { // the checker's
			answer = second
		}
	}
	answer.Rungs = ladder.Rungs
	return answer
}

// attempt is one way to search for a proof.
type attempt struct {
	sys        *its.System
	ladder     *linear.Ladder
	phased     bool // with phases that are not nested
	everyCycle bool // see problem
	tally      *tally
}

// prove looks for ranking functions; without them, where refute asks for it, for a run that never ends.
func (a *attempt) prove(ctx context.Context, refute bool, off map[string]bool) Answer {
	answer := Answer{Verdict: Unknown}
	for _, everyCycle := range []bool{false, true} {
		a.everyCycle, a.tally = everyCycle, newTally(off)
		cert, p, stuck := a.search(ctx, a.sys, policy.SplitRounds)
		if cert == nil {
			if !everyCycle && refute {
				answer = p.refuted(ctx, stuck)
			}
			break
		}
		var err error
		if answer, err = p.certified(ctx, cert); !errors.Is(err, certify.ErrUncut) {
			break
		}
	}
	return answer
}

// search looks for a termination certificate, at last by splitting locations
// rounds times. Without one it returns the components where it stopped.
func (a *attempt) search(ctx context.Context, sys *its.System, rounds int) (*certify.Termination, *problem,
	[][]*edge) {
	p := newProblem(ctx, sys, a.ladder, a.everyCycle, nil)
	p.tally = a.tally
	if p.on(byInvariants) {
		p.computeInvariants(ctx)
	}
	r := newRanker(p)
	r.phased = a.phased
	cert := &certify.Termination{Cuts: p.cuts, Inv: p.inv}
	if r.run(ctx) {
		cert.Ranks = r.ranks
		return cert, p, nil
	}
	if !a.phased && rounds == policy.SplitRounds && p.phased() && !r.hopeless(ctx) { // cheaper than splits
		again := newRanker(p)
		again.phased = true
		if again.run(ctx) {
			cert.Ranks = again.ranks
			return cert, p, nil
		}
	}
	for _, split := range a.splits(ctx, p, r, rounds) {
		if sys, origin, ok := split.system(); ok {
			if inner, _, _ := a.search(ctx, sys, rounds-1); inner != nil {
				p.did(split.name, true)
				cert.Split = p.refinement(sys, origin, inner)
				return cert, p, nil
			}
		}
	}
	return nil, p, r.stuck
}

// split is a technique that makes a larger system of one.
type split struct {
	name   string
	system func() (*its.System, []*edge, bool)
}

// splits lists ways to split the locations where r is stuck.
func (a *attempt) splits(ctx context.Context, p *problem, r *ranker, rounds int) []split {
	var out []split
	if p.on(byEntry) && a.phased && rounds == policy.SplitRounds {
		for _, all := range []bool{true, false} {
			out = append(out, split{byEntry, func() (*its.System, []*edge, bool) {
				return p.byEntry(ctx, policy.SplitTransitions, all)
			}})
		}
	}
	if p.on(bySplits) && rounds > 0 && !r.hopeless(ctx) {
		out = append(out, split{bySplits, func() (*its.System, []*edge, bool) {
			return p.refined(ctx, policy.SplitTransitions)
		}})
	}
	return out
}

// hopeless reports that an edge can stand still, so no function will do.
func (r *ranker) hopeless(ctx context.Context) bool {
	for _, comp := range r.stuck {
		for _, e := range comp {
			if r.standsStill(ctx, e) {
				return true
			}
		}
	}
	return false
}

// refinement describes the split system to the checker.
func (p *problem) refinement(split *its.System, origin []*edge, inner *certify.Termination) *certify.Refinement {
	out := &certify.Refinement{Locs: make([]its.Loc, len(split.Locs)), Inner: inner}
	for l := range out.Locs {
		out.Locs[l] = p.sys.Start // unless an edge says otherwise
	}
	for i, t := range split.Trans {
		out.Arcs = append(out.Arcs, certify.Arc{From: int(t.From), To: int(t.To), Path: origin[i].path})
		out.Locs[t.From], out.Locs[t.To] = origin[i].from, origin[i].to
	}
	return out
}

// certified hands the proof to the checker.
func (p *problem) certified(ctx context.Context, cert *certify.Termination) (Answer, error) {
	if err := certify.Terminating(ctx, p.sys, cert); err != nil {
		return notChecked(err), err
	}
	p.proof(cert)
	return Answer{Verdict: Terminating, Proof: cert, Text: p.explain(cert), By: p.list()}, nil
}

// notChecked returns the answer where the checker of certificates ended with an error.
func notChecked(err error) Answer {
	return Answer{Verdict: Unknown, Reason: err.Error(), Late: errors.Is(err, context.DeadlineExceeded)}
}

// refuted looks for an infinite run where no ranking function was found.
func (p *problem) refuted(ctx context.Context, stuck [][]*edge) Answer {
	failed := Answer{Verdict: Unknown, Reason: "no ranking function and no recurrent set found for " + p.describe(stuck[0])}
	if ctx.Err() != nil {
		failed.Reason, failed.Late = "out of time at "+p.describe(stuck[0]), true
	}
	cert := p.refute(ctx, stuck)
	if cert == nil && p.on(byOrbits) {
		cert = p.repeat(ctx)
		p.did(byOrbits, cert != nil)
	}
	if cert == nil {
		return failed
	}
	if err := certify.NonTerminating(ctx, p.sys, cert); err != nil {
		return notChecked(err)
	}
	return Answer{Verdict: NonTerminating, Run: cert, Text: p.explainRun(cert), By: p.list()}
}

func (p *problem) describe(comp []*edge) string {
	seen := map[its.Loc]bool{}
	out := ""
	for _, e := range comp {
		if !seen[e.from] {
			seen[e.from] = true
			if out != "" {
				out += ", "
			}
			out += p.sys.Locs[e.from]
		}
	}
	return fmt.Sprintf("the component {%s}", out)
}
