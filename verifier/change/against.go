// Package change compares two versions of a program: by executions on inputs of each other's violations (against.go)
// and of a search (search.go), and by one program that calls both (compare.go).
package change

import (
	"context"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Side is one commit of a change: the program of an entry, and what is asked of it.
type Side struct {
	Module *ir.Module
	Plan   problem.Plan
	Stands func(verdict.Claim) Standing // what a violation of it would be
	Open   bool                         // further executions of the entry may fail: LeavesOpen
	Left   []verdict.Claim              // violations that are no findings, as they rest on a guess
	Held   []string                     // see Held, of its answer
	Time   time.Duration                // of the head's entry: no search takes longer; 0: no limit
}

// Standing says what a violation of a commit counts for.
type Standing uint8

// The standings.
const (
	Falls   Standing = iota // it is no finding, whatever the other commit does
	Guessed                 // it rests on what a generated harness made up: it is one where only this commit fails so
	Stands                  // it is a finding
)

// Against executes both commits of a change on inputs of each other's violations. found are those of the head's
// report; res is the result of the base. A claim that both violate gets a number of further inputs, until one is found
// with which only the head does. Then both are executed on inputs that nobody found before.
func Against(ctx context.Context, base, head Side, found []verdict.Claim, res *verdict.Result) *verdict.Change {
	x := &against{sides: [2]Side{base, head}, base: base.problem(), head: head.problem(), stands: head.Stands, fell: base.Stands, left: slices.Concat(base.Left, head.Left),
		samples: slices.Concat(head.Plan.Samples, base.Plan.Samples), claims: replay.Claims{},
		out: &verdict.Change{Ends: map[string]verdict.Ending{}, Same: map[string]string{}}}
	if x.base == nil || x.head == nil {
		return nil
	}
	x.asked = x.base.Checks
	x.base = x.askedBoth(x.base)
	x.within(ctx, policy.ChangeTime, func() { x.known(found, res) })
	if base.Open || head.Open || x.isDoubtful(found, res) {
		for _, w := range x.others() {
			if head.Time > 0 { // entries that share their time are many
				w.limit = min(w.limit, head.Time)
			}
			x.within(ctx, w.limit, func() { x.search(w, found, res) })
		}
	}
	return x.out
}

// within does something in a time of its own.
func (x *against) within(ctx context.Context, limit time.Duration, do func()) {
	part, cancel := budget.With(ctx, limit)
	defer cancel()
	defer budget.Work(part)()
	x.ctx = part
	do()
}

// known executes both commits on the inputs of the violations that either has, and inputs beside them.
func (x *against) known(found []verdict.Claim, res *verdict.Result) {
	ctx := x.ctx
	for i := range res.Claims {
		if c := &res.Claims[i]; c.Status == verdict.Violated && len(c.Inputs) > 0 && ctx.Err() == nil {
			x.out.Ends[c.ID] = x.endOf(c)
		}
	}
	x.values = replay.Constants(x.head.Module)
	for _, v := range replay.Constants(x.base.Module) {
		if !slices.Contains(x.values, v) {
			x.values = append(x.values, v)
		}
	}
	for i := range found {
		if ctx.Err() == nil {
			x.ownOf(&found[i])
		}
	}
}

// problem weaves in what surrounds the entry; nil if there is none.
func (s Side) problem() *problem.Problem { return s.problemOf(s.Plan) }

// problemOf is problem for another plan.
func (s Side) problemOf(plan problem.Plan) *problem.Problem {
	var res verdict.Result
	main := s.Module.Func(plan.Entry)
	p := race.Prepare(s.Module, plan, &res)
	if p != nil {
		race.PassArguments(p, main, &res)
		p.Facts = interp.NewFacts(p.Module)
	}
	return p
}

// against is the state of Against.
type against struct {
	ctx        context.Context
	sides      [2]Side // base and head
	base, head *problem.Problem
	asked      map[verdict.Check]bool       // of the base by itself; now what the head is asked, too
	all        []way                        // once they are asked for
	stands     func(verdict.Claim) Standing // of the head
	fell       func(verdict.Claim) Standing // of the base
	left       []verdict.Claim              // Side.Left of both
	samples    [][]byte                     // Plan.Samples of both
	values     []int64                      // that either program compares with
	claims     replay.Claims                // of both
	out        *verdict.Change
}

// endOf executes the head on the inputs of a violation of the base, called as the base was. All that the base is asked is
// asked there.
func (x *against) endOf(c *verdict.Claim) verdict.Ending {
	as := func(p *problem.Problem) verdict.Ending {
		q := *p
		q.Checks = x.asked
		e, _, _ := x.run(&q, c.Inputs, policy.KnownSteps)
		return e
	}
	if as(x.base).Claim != c.ID {
		for _, w := range x.others()[1:] {
			if as(w.before.p).Claim == c.ID {
				return as(w.now.p)
			}
		}
	}
	return as(x.head)
}

// askedBoth is p, of the base, asked what the head is asked, too.
func (x *against) askedBoth(p *problem.Problem) *problem.Problem {
	q := *p
	q.Checks = maps.Clone(p.Checks)
	maps.Copy(q.Checks, x.head.Checks)
	return &q
}

// others lists the ways to call the function of the entry, the entry itself first.
func (x *against) others() []way {
	if x.all == nil {
		x.all = x.ways()
	}
	return x.all
}

// run executes p on the inputs of a report, and says what it comes to, with the outcome and what it was given; nil where
// it did not end.
func (x *against) run(p *problem.Problem, list []verdict.Input, steps int64) (verdict.Ending, *interp.Outcome,
	[]input.Input) {
	open := verdict.Ending{How: verdict.Open}
	out, given, err := replay.AsReported(x.ctx, p, list, steps)
	if err != nil {
		return open, nil, nil
	}
	switch _, id, fails := x.claims.Violated(p, out); {
	case fails:
		return verdict.Ending{How: verdict.Fails, Claim: id}, out, given
	case !replay.Fits(given, list):
	case out.Kind == interp.Returned, out.Kind == interp.Exited,
		out.Kind == interp.StepLimit && len(given) > len(list): // it went on to what the inputs say nothing of
		return verdict.Ending{How: verdict.Passes}, out, given
	}
	return open, out, given
}

// ownOf looks for inputs with which c fails, a violation of the head, and the base fails nowhere.
func (x *against) ownOf(c *verdict.Claim) {
	now, out, _ := x.run(x.head, c.Inputs, policy.KnownSteps)
	if now.Claim != c.ID {
		x.otherwise(c)
		return
	}
	if x.isNew(c, x.base) {
		return
	}
	steps := 2*out.Executed + policy.ShrinkSlack
	left := policy.ChangeTrials
	for list := range x.near(c.Inputs) {
		if left--; left < 0 || x.ctx.Err() != nil {
			return
		}
		if x.isOwn(c, list, steps) {
			return
		}
	}
}

// otherwise notes what the base does on the inputs of a violation of the head that another way to call the function
// brings about. With none, where objects lie matters, say.
func (x *against) otherwise(c *verdict.Claim) {
	for _, w := range x.others()[1:] {
		if now, _, _ := x.run(w.now.p, c.Inputs, policy.KnownSteps); now.Claim != c.ID {
			continue
		}
		x.isNew(c, x.askedBoth(w.before.p))
		return
	}
}

// isNew reports whether the base passes on the inputs of a violation of the head, which is new then; where it fails, that is
// noted.
func (x *against) isNew(c *verdict.Claim, base *problem.Problem) bool {
	before, _, _ := x.run(base, c.Inputs, policy.KnownSteps)
	switch before.How {
	case verdict.Passes:
		x.out.New = append(x.out.New, *c)
	case verdict.Fails:
		x.out.Same[c.ID] = before.Claim
	}
	return before.How == verdict.Passes
}

// isOwn reports whether the head fails with c on the inputs, and the base does not fail; then it notes the violation.
func (x *against) isOwn(c *verdict.Claim, list []verdict.Input, steps int64) bool {
	now, out, given := x.run(x.head, list, steps)
	if now.Claim != c.ID {
		return false
	}
	before, _, _ := x.run(x.base, list, policy.KnownSteps)
	if before.How == verdict.Fails && verdict.Site(before.Claim) == verdict.Site(c.ID) {
		x.out.Same[c.ID] = before.Claim // what ends the base on the inputs of c only stands in front of that
	}
	if before.How != verdict.Passes {
		return false
	}
	at, _, _ := x.claims.Violated(x.head, out)
	again, err := replay.Execute(x.ctx, x.head, given, false)
	if err != nil || replay.NotFollowed(given) != nil {
		return false
	}
	if _, id, fails := x.claims.Violated(x.head, again); !fails || id != c.ID {
		return false
	}
	shown := replay.Traced(x.ctx, x.head, problem.ClaimOf(&at), given, again).Claim
	own := *c
	own.Message, own.Trace, own.Inputs, own.Object = shown.Message, shown.Trace, shown.Inputs, shown.Object
	own.Undefined, own.Replay = shown.Undefined, shown.Replay
	if x.stands(own) == Stands {
		x.out.New = append(x.out.New, own)
		return true
	}
	return false
}

// near gives inputs beside those of list: one or two of its values are others, that the programs compare with, or all
// are, by a fixed generator.
func (x *against) near(list []verdict.Input) func(yield func([]verdict.Input) bool) {
	var scalars []int
	for i, in := range list {
		if k := input.KindNamed(in.Kind); in.Width > 0 && (k == input.Nondet || k == input.Param || k == input.VolatileRead ||
			k == input.Unspecified) {
			scalars = append(scalars, i)
		}
	}
	with := func(from []verdict.Input, i int, v int64) []verdict.Input {
		out := slices.Clone(from)
		out[i].Value = bits.NewInt(out[i].Width, v).Hex()
		return out
	}
	return func(yield func([]verdict.Input) bool) {
		for _, i := range scalars {
			for _, v := range x.values {
				if !yield(with(list, i, v)) {
					return
				}
			}
		}
		for i, in := range list {
			if data, err := hex.DecodeString(in.Bytes); err == nil && !x.nearBytes(list, i, data, yield) {
				return
			}
		}
		seed := uint64(1)
		for len(scalars) > 0 && len(x.values) > 0 {
			next := list
			for range 1 + seed%3 {
				seed = seed*0x5851f42d4c957f2d + 0x14057b7ef767814f
				next = with(next, scalars[seed>>33%uint64(len(scalars))], x.values[seed>>40%uint64(len(x.values))])
			}
			if !yield(next) {
				return
			}
		}
	}
}

// nearBytes gives inputs of which one byte of input i, data, is another that the programs compare with.
func (x *against) nearBytes(list []verdict.Input, i int, data []byte, yield func([]verdict.Input) bool) bool {
	for k := range data {
		for _, v := range x.values {
			if v < -128 || v > 255 {
				continue
			}
			other := slices.Clone(data)
			other[k] = byte(v)
			next := slices.Clone(list)
			next[i].Bytes = hex.EncodeToString(other)
			if !yield(next) {
				return false
			}
		}
	}
	return true
}
