package claims

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/flow"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// resting returns what it says of a claim that holds to rest on some assumptions: nothing that was guessed carries a
// proof, and a limit that was chosen is a bound.
func resting(on []verdict.Assumption) verdict.Fact {
	var known verdict.Fact
	for i := range on {
		switch a := &on[i]; {
		case !a.Guessed():
		case a.Relation == verdict.Limit:
			known |= verdict.Limited
		default:
			known |= verdict.Guessed
		}
	}
	return known
}

// Harmless are ranges of contents that a harness made up, by the IDs of the assumptions that name them: violations that
// were taken back do not come with these.
type Harmless map[string]replay.Range

// JudgeAll gives each claim of res that holds the guesses that it rests on, and the status that this leaves it; and it
// takes back violations by contents that a harness made up. It returns these contents, by claim, and which would do no
// harm.
func JudgeAll(ctx context.Context, p *problem.Problem, res *verdict.Result) (map[string]replay.Contents, Harmless) {
	taken, out := map[string]replay.Contents{}, Harmless{}
	q := QuestionOf(p)
	if len(q.IDs) == 0 {
		return taken, out
	}
	late, end := budget.Longer(ctx, policy.RedrawGrace)
	defer end()
	places := ClaimPlaces(p)
	holds := map[*ir.Instr]bool{}
	for i := range res.Claims {
		if c := &res.Claims[i]; c.Status == verdict.Proved || c.Status == verdict.Bounded {
			holds[places[c.ID]] = true
		}
	}
	q.Holds = func(in *ir.Instr) bool { return holds[in] }
	r := flow.Follow(q)
	asked := r.Asked()
	res.Assumptions = slices.DeleteFunc(slices.Clone(res.Assumptions), func(a verdict.Assumption) bool {
		return q.Nonnull[a.ID] && !slices.Contains(asked, a.ID)
	})
	for i := range res.Claims {
		c := &res.Claims[i]
		in := places[c.ID]
		switch {
		case c.Check == verdict.Unwinding:
		case c.Status == verdict.Violated && c.Check == verdict.Termination:
			for _, exit := range decidersAt(p.Module, c.Pos) {
				on := r.Operands(exit)
				of, _ := MadeUp(late, p, c, exit, on, false)
				takeBack(res, c, of, nil)
				endedByHandler(p, res, c, on)
			}
		case c.Status == verdict.Violated && in != nil:
			of, with := MadeUp(late, p, c, in, DecidedBy(r, c, in), r.Nowhere(in))
			if of != nil {
				taken[c.ID] = with
			} else {
				of = meanwhile(p, r.At(in, false))
			}
			takeBack(res, c, of, out.find(late, p, c, in, of))
		case c.Status != verdict.Proved && c.Status != verdict.Bounded:
		case in != nil && (in.Block.Func.Driven() || in.Block.Func.Made): // not of the program
		case c.Check.Of().Decided == verdict.ByPaths && c.Check != verdict.Leak && in != nil:
			c.Assumptions = named(p.Assumptions, r.At(in, c.Check == verdict.Uninitialised))
			c.Learn(resting(res.RestsOn(c)))
		case c.Check == verdict.Leak:
			c.Assumptions = named(p.Assumptions, r.Left())
			c.Learn(resting(res.RestsOn(c)))
		default:
			c.Assumptions = named(p.Assumptions, r.Whole())
			c.Learn(resting(res.RestsOn(c)))
		}
	}
	return taken, out
}

// DecidedBy lists the assumptions that decide whether violation c happens at an instruction: those that its operands rest
// on, and where it goes past an object, how large that is.
func DecidedBy(r *flow.Rests, c *verdict.Claim, in *ir.Instr) []string {
	if c.Check == verdict.Leak { // what a return gives back says nothing of other memory
		return nil
	}
	ids := r.Operands(in)
	if c.Failure.Is(verdict.OutOfBounds) {
		ids = append(ids, r.Extents(in)...)
	}
	return ids
}

// find looks for a range of the contents that make violation c no finding, and adds it; nil: there is none.
func (h Harmless) find(ctx context.Context, p *problem.Problem, c *verdict.Claim, in *ir.Instr,
	of *verdict.Assumption) *replay.Range {
	if of == nil || of.Relation != verdict.Contents {
		return nil
	}
	r, ok := replay.Harmless(ctx, p, c, in, of.ID)
	if !ok {
		return nil
	}
	if known, is := h[of.ID]; is { // of another claim
		both := known
		if both.Low, both.High = max(known.Low, r.Low), min(known.High, r.High); both.Low <= both.High {
			h[of.ID] = both
		}
	} else {
		h[of.ID] = r
	}
	return &r
}

// endedByHandler makes an endless run unknown that goes on as long as no handler changes what decides its end.
func endedByHandler(p *problem.Problem, res *verdict.Result, c *verdict.Claim, ids []string) {
	for i := range p.Assumptions {
		a := &p.Assumptions[i]
		if c.Status == verdict.Violated && a.Relation == verdict.Quiet && slices.Contains(ids, a.ID) {
			res.Withdraw(c, &verdict.Reason{Kind: verdict.Incomplete,
				Detail: "it goes on only if " + a.Text, Remedy: "`interrupts` of the manifest has handlers run"})
		}
	}
}

// QuestionOf asks which guesses of p, and which contents that its harness made up, values rest on.
func QuestionOf(p *problem.Problem) flow.Question {
	q := flow.Question{Module: p.Module, Starts: map[*ir.Global]string{}, Apart: map[string]bool{},
		Around: map[*ir.Global][]string{}, Quiet: map[*ir.Global][]string{}, Still: map[string]bool{}, Own: map[*ir.Func][]string{},
		Mapped: map[string]bool{}, Nonnull: map[string]bool{}, Heads: headsOf(p), Fresh: p.Fresh}
	for _, a := range slices.Concat(p.Assumptions, p.Open) {
		if !a.Guessed() {
			continue
		}
		switch {
		case a.Relation == verdict.Order:
			q.Order = a.ID
		case a.ID == symbolsDiffer.ID:
			q.Differ = a.ID
		}
		q.IDs = append(q.IDs, a.ID)
		q.Apart[a.ID], q.Still[a.ID] = a.Relation == verdict.Apart, a.Relation == verdict.Quiet
		q.Mapped[a.ID], q.Nonnull[a.ID] = a.Relation == verdict.Mapped, a.MayBeNull() && a.Other != verdict.Linked
		replaced := a.MayBeReplaced()
		if replaced {
			if f := p.Module.Func(a.Subject); f != nil {
				q.Own[f] = append(q.Own[f], a.ID)
			}
		}
		for _, g := range p.Module.Globals {
			switch {
			case a.Relation == verdict.Start && g.Name == a.Subject:
				q.Starts[g] = a.ID
			case a.Relation == verdict.Apart && g.Name == a.Other:
				q.Around[g] = append(q.Around[g], a.ID)
			case a.Relation == verdict.Quiet && g.Name == a.Subject, replaced && !g.Const: // which others may change, too
				q.Quiet[g] = append(q.Quiet[g], a.ID)
			}
		}
	}
	return q
}

// headsOf lists the failures of assertions that the harness of p keeps to.
func headsOf(p *problem.Problem) map[*ir.Instr]bool {
	kept, out := map[string]bool{}, map[*ir.Instr]bool{}
	for i := range p.Assumptions {
		kept[p.Assumptions[i].ID] = true
	}
	for _, f := range p.Module.Funcs {
		for _, b := range f.Blocks {
			if in := ir.AssertFails(b); in != nil && kept[ir.KeptBy(f, in).ID] {
				out[in] = true
			}
		}
	}
	return out
}

// named lists those IDs that are of assumptions in list.
func named(list []verdict.Assumption, ids []string) []string {
	return slices.DeleteFunc(ids, func(id string) bool {
		return !slices.ContainsFunc(list, func(a verdict.Assumption) bool { return a.ID == id })
	})
}

// decidersAt lists the instructions in a line that decide where control goes.
func decidersAt(m *ir.Module, at verdict.Pos) []*ir.Instr {
	var out []*ir.Instr
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			if t := b.Term(); len(t.Targets) > 1 && t.Pos != nil && t.Pos.File == at.File && t.Pos.Line == at.Line {
				out = append(out, t)
			}
		}
	}
	return out
}

// MadeUp returns the contents among ids that the harness of p made up, and that make violation c no finding; nil: none.
// ids are those that the values may rest on which decide whether in fails. What is in a block of which nothing says what
// it holds is input like any, but for addresses that are computed from it, and for how often a loop turns. A loop that
// never ends is one by all other contents. What fails in the same way with other contents does not depend on them: flow
// errs on the side of more, executions say which of them it is, and with which numbers it does not fail. nowhere: the
// address is a number, and where it meets a block is a matter of that number.
func MadeUp(ctx context.Context, p *problem.Problem, c *verdict.Claim, in *ir.Instr, ids []string, nowhere bool) (
	of *verdict.Assumption, with replay.Contents) {
	var contents []string
	for i := range p.Open {
		a := &p.Open[i]
		opaque := a.Relation == verdict.Extent
		address := nowhere || c.Failure.IsNumber() || a.Subject == ir.FurtherArguments && (c.Check == verdict.Uninitialised ||
			c.Failure != nil && !c.Failure.Is(verdict.OutOfBounds) && !c.Failure.Is(verdict.OutOfIndex))
		switch {
		case !slices.Contains(ids, a.ID) || a.Other == verdict.Meanwhile:
		case c.Check != verdict.Termination && a.Relation == verdict.Contents:
			contents = append(contents, a.ID)
		case a.Subject == ir.FurtherArguments && c.Failure.Is(verdict.NullAccess) && replay.Whatever(ctx, p, c, in, a.ID):
			// the null pointer comes from elsewhere
		case c.Check == verdict.Termination && opaque || c.Check != verdict.Termination && (!opaque || address):
			return a, with
		}
	}
	if len(contents) == 0 {
		return nil, with
	}
	with, known := replay.Decisive(ctx, p, c, in, contents)
	if !known {
		with = replay.Contents{ID: contents[0]}
	}
	for i := range p.Open {
		if p.Open[i].ID == with.ID {
			return &p.Open[i], with
		}
	}
	return nil, with
}

// meanwhile returns the volatile number among ids that a violation reads as what it is not at first, while other variables
// are as they are at first; nil: there is none, or nothing rests on these.
func meanwhile(p *problem.Problem, ids []string) *verdict.Assumption {
	first := slices.ContainsFunc(p.Assumptions, func(a verdict.Assumption) bool {
		return a.Relation == verdict.Start && a.Guessed() && slices.Contains(ids, a.ID)
	})
	for i := range p.Open {
		if a := &p.Open[i]; first && a.Other == verdict.Meanwhile && slices.Contains(ids, a.ID) {
			return a
		}
	}
	return nil
}

// takeBack makes a violation unknown that depends on contents which the harness made up, and what is only known behind
// it. r is a range of these that does no harm; nil: none is known.
func takeBack(res *verdict.Result, c *verdict.Claim, of *verdict.Assumption, r *replay.Range) {
	if of == nil || c.Status != verdict.Violated {
		return
	}
	switch {
	case of.Other == verdict.Meanwhile:
		res.Withdraw(c, &verdict.Reason{Kind: verdict.Incomplete,
			Detail: fmt.Sprintf("it fails where a read of %s, which is volatile, gives what the program stores later, and other "+
				"variables have their initial values", of.Subject),
			Remedy: "a harness that calls what sets them, and then this function"})
		return
	case of.Relation == verdict.Meaning:
		res.Withdraw(c, &verdict.Reason{Kind: verdict.Incomplete,
			Detail: fmt.Sprintf("it fails where a read of %s, which is volatile, gives what the program may never store there", of.Subject),
			Remedy: "`volatile: memory` in the manifest has volatile objects hold what was stored last"})
		return
	case of.Relation == verdict.Order:
		res.Withdraw(c, &verdict.Reason{Kind: verdict.Incomplete,
			Detail: "it fails for an order of blocks in memory that the tool chose",
			Remedy: "a harness of yours that takes both out of one block says how they stand to each other"})
		return
	}
	why := &verdict.Reason{Kind: verdict.Incomplete,
		Detail: fmt.Sprintf("it fails for contents of %s that the harness made up", of.Subject),
		Remedy: "a harness that fills the structure as callers do says what is there: `firmproof harness` writes one to begin with"}
	line := of.Line
	if r != nil {
		line = fmt.Sprintf("%d..%d", r.Low, r.High)
	}
	if line != "" {
		why.Remedy = fmt.Sprintf("`%s.%s: %s` under `assume` of the manifest (or --assume) says what is there", of.Other,
			of.Subject, line)
	}
	res.Withdraw(c, why)
}
