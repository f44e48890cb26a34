package trace

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// relevance follows what each value and byte was computed
// from and under which branches: a dynamic slice backwards from the failure
// (Agrawal and Horgan, PLDI 1990; control dependence by post-dominators, as Xin and
// Zhang, ISSTA 2007).
type relevance struct {
	cur   *cause   // of the instruction that is executed
	entry []*cause // of the entry's parameters
	mem   map[*interp.Object]*memoryCauses
	born  map[*interp.Object]*cause // allocations of heap blocks
	pdoms map[*ir.Func][]*ir.Block
}

// cause is one executed instruction, by what it depends on.
type cause struct {
	preds []*cause
	steps []int // of the trace, counted from the start of the run
	seen  bool
	// variables of Options.Undefined that it looks at
	undefined []string
}

// under is a branch whose outcome decides whether what runs until the block runs.
type under struct {
	by    *cause
	until *ir.Block
}

// causesOf holds what a frame knows of its registers.
type causesOf struct {
	vals   []*cause
	params []*cause
	call   *cause
	under  []under
}

func (c *cause) on(preds ...*cause) {
	for _, p := range preds {
		if p != nil && p != c && (len(c.preds) == 0 || c.preds[len(c.preds)-1] != p) {
			c.preds = append(c.preds, p)
		}
	}
}

// control is the branch or call that fr's current instruction runs under.
func (c *causesOf) control() *cause {
	if n := len(c.under); n > 0 {
		return c.under[n-1].by
	}
	return c.call
}

// causeOf is the cause of operand v.
func (c *causesOf) causeOf(v ir.Value) *cause {
	switch v := v.(type) {
	case *ir.Instr:
		return c.vals[v.ID]
	case *ir.Param:
		if v.Index < len(c.params) {
			return c.params[v.Index]
		}
	}
	return nil
}

// Before implements Observer: it begins the cause of in, which fr executes next.
func (x *tracer) Before(fr *interp.Frame, in *ir.Instr) {
	if x.rel == nil {
		return
	}
	if x.Executed > policy.RelevantSteps || x.Executed > policy.MarkedSteps && !x.ask.Relevant {
		x.rel, x.why = nil, nil
		return
	}
	c, why := &cause{}, x.why[len(x.why)-1]
	c.on(why.control())
	for _, a := range in.Args {
		c.on(why.causeOf(a))
	}
	if in.Callee != nil {
		c.on(why.causeOf(in.Callee))
	}
	why.vals[in.ID] = c
	x.rel.cur = c
	if n := len(in.Targets); n > 1 {
		until := x.postDominators(fr.Func)[fr.Block.Index]
		if k := len(why.under); k > 0 && why.under[k-1].until == until {
			why.under = why.under[:k-1]
		}
		why.under = append(why.under, under{c, until})
	}
}

// Jump implements Observer: it ends the branches that do not decide about b any more.
func (x *tracer) Jump(b *ir.Block) {
	if x.rel == nil {
		return
	}
	why := x.why[len(x.why)-1]
	for n := len(why.under); n > 0 && why.under[n-1].until == b; n-- {
		why.under = why.under[:n-1]
	}
}

// enterCauses gives a new frame the causes of its arguments.
func (x *tracer) enterCauses(fr *interp.Frame) {
	if x.rel == nil {
		return
	}
	why := &causesOf{vals: make([]*cause, fr.Func.NumInstr), params: x.rel.entry}
	if n := len(x.why); n > 0 {
		why.call, why.params = x.rel.cur, nil
		for _, a := range fr.Call.Args {
			why.params = append(why.params, x.why[n-1].causeOf(a))
		}
	}
	x.why = append(x.why, why)
}

// leaveCauses gives the result of fr, which came back, its cause.
func (x *tracer) leaveCauses(fr *interp.Frame, hasRet bool) {
	n := len(x.why) - 1
	if x.rel == nil || n == 0 {
		return
	}
	if x.why = x.why[:n]; hasRet {
		x.why[n-1].vals[fr.Call.ID] = x.rel.cur
	}
}

// Phis implements Observer: the cause of a phi follows from the values from before the jump.
func (x *tracer) Phis(fr *interp.Frame) {
	if x.rel == nil {
		return
	}
	why := x.why[len(x.why)-1]
	var got []*cause
	phis := interp.PhisOf(fr.Block)[fr.Next:]
	for _, in := range phis {
		c := &cause{}
		c.on(why.control())
		for i, b := range in.Incoming {
			if b == fr.Prev {
				c.on(why.causeOf(in.Args[i]))
			}
		}
		got = append(got, c)
	}
	for i, in := range phis {
		why.vals[in.ID] = got[i]
	}
}

// Leaked implements Observer: it makes the end of the run depend on the allocation of o and on the last writes of what
// held it, and on nothing else.
func (x *tracer) Leaked(o *interp.Object) {
	x.leaked = o
	if x.rel == nil || x.rel.cur == nil {
		return
	}
	x.rel.cur = &cause{}
	x.rel.cur.on(x.rel.born[o])
	for _, h := range x.blocks.of[o] {
		if h.in.Dead == "" {
			x.readBytes(h.in, h.off, int64(x.PtrBits/8))
		}
	}
}

// markRelevant marks the steps that the last instruction depends on, and notes of each the steps that it follows from;
// with Options.Relevant the others go.
func (x *tracer) markRelevant() {
	t := x
	switch {
	case x.Outcome.Kind != interp.Violation:
		return
	case x.rel == nil || x.rel.cur == nil:
		for i := range t.steps {
			t.steps[i].Relevant = true
		}
		return
	}
	keep := x.relevantSteps()
	last := len(t.steps) - 1
	for i := range t.steps {
		t.steps[i].Relevant = i == last || keep[t.dropped+i] != nil
	}
	number := make([]int, len(t.steps)) // of the steps that stay
	if n := 0; x.ask.Relevant {
		for i := range t.steps {
			if number[i] = n; t.steps[i].Relevant {
				n++
			}
		}
	} else {
		for i := range number {
			number[i] = i
		}
	}
	for i := range t.steps {
		c := keep[t.dropped+i]
		if i == last {
			c = x.rel.cur
		}
		if c != nil {
			t.steps[i].Causes = t.nearest(c, i, number)
		}
	}
	if x.ask.Relevant {
		t.steps = slices.DeleteFunc(t.steps, func(s verdict.Step) bool { return !s.Relevant })
	}
}

// causes returns the numbers of the nearest steps that step i follows from, the latest first. c is its cause.
func (t *tracer) nearest(c *cause, i int, number []int) []int {
	var out []int
	seen := map[*cause]bool{c: true}
	for todo := slices.Clone(c.preds); len(todo) > 0 && len(seen) < policy.CausesWalk; {
		p := todo[0]
		todo = todo[1:]
		if seen[p] {
			continue
		}
		seen[p] = true
		found := false
		for k := len(p.steps) - 1; k >= 0 && !found; k-- {
			if at := p.steps[k] - t.dropped; at >= 0 && at < i {
				out, found = append(out, number[at]), true
			}
		}
		if !found {
			todo = append(todo, p.preds...)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return b - a })
	out = slices.Compact(out)
	return out[:min(len(out), policy.Causes)]
}

// relevantSteps returns the steps, counted from the start of the run, that the last instruction depends on, each with
// the instruction that made it.
func (x *tracer) relevantSteps() map[int]*cause {
	keep := map[int]*cause{}
	for todo := []*cause{x.rel.cur}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c.seen {
			continue
		}
		c.seen = true
		for _, s := range c.steps {
			keep[s] = c
		}
		todo = append(todo, c.preds...)
	}
	return keep
}

// postDominators gives, by block of f, the nearest block that every way to the end
// of f passes, or nil (Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm).
func (x *tracer) postDominators(f *ir.Func) []*ir.Block {
	if p, ok := x.rel.pdoms[f]; ok {
		return p
	}
	n := len(f.Blocks)
	post := make([]map[int]bool, n) // block -> what post-dominates it, itself included; nil: everything
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			var meet map[int]bool
			succs := f.Blocks[i].Succs()
			if f.Blocks[i].Term().Op == ir.OpUnreachable {
				continue // the run ends there, or goes on elsewhere
			}
			for _, s := range succs {
				if post[s.Index] == nil {
					continue
				}
				if meet == nil {
					meet = map[int]bool{}
					for k := range post[s.Index] {
						meet[k] = true
					}
					continue
				}
				for k := range meet {
					if !post[s.Index][k] {
						delete(meet, k)
					}
				}
			}
			if meet == nil && len(succs) > 0 {
				continue // leads to no end so far
			}
			if meet == nil {
				meet = map[int]bool{}
			}
			meet[i] = true
			if len(meet) != len(post[i]) || post[i] == nil {
				post[i], changed = meet, true
			}
		}
	}
	out := make([]*ir.Block, n)
	for i := range out {
		for k := range post[i] { // the nearest is post-dominated by all others
			if k != i && len(post[k]) == len(post[i])-1 {
				out[i] = f.Blocks[k]
			}
		}
	}
	x.rel.pdoms[f] = out
	return out
}
