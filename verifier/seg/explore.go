package seg

import (
	"fmt"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// run builds the graph.
func (b *builder) run() error {
	b.start = &cutPoint{pos: "start", st: b.initialState()}
	b.startSlots()
	work := []*cutPoint{b.start}
	for len(work) > 0 || b.refresh(&work) || b.repair(&work) {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		c.busy = false
		if c != b.start && !b.isReachable(c) {
			continue
		}
		next, err := b.expand(c)
		if err != nil {
			return err
		}
		if b.reshaped {
			return errShape
		}
		for _, n := range append(next, b.outdated...) {
			if !n.busy {
				n.busy = true
				work = append(work, n)
			}
		}
		b.outdated = nil
	}
	return nil
}

// refresh finds the cut points with a path that does not say what each number of its
// target is, because the target got that number later: they are expanded again, once.
func (b *builder) refresh(work *[]*cutPoint) bool {
	for _, c := range b.reachable() {
		for _, e := range slices.Concat(c.edges, c.exits) {
			if e.to == nil || c.refreshed || !e.stale() {
				continue
			}
			c.refreshed, c.busy = true, true
			*work = append(*work, c)
			break
		}
	}
	return len(*work) > 0
}

// repair has the cut points expanded again of which an edge is not certified.
func (b *builder) repair(work *[]*cutPoint) bool {
	defer func(start time.Time) { b.certifying += time.Since(start) }(time.Now())
	for _, c := range b.certify() {
		b.repairs++
		c.busy = true
		*work = append(*work, c)
	}
	return len(*work) > 0
}

// stale reports that the target has a number to which the edge gives no value.
func (e *edge) stale() bool {
	for _, sl := range e.to.slots {
		if _, ok := e.vals[sl.key]; !ok {
			return true
		}
	}
	return false
}

// initialState is the entry with any parameters.
func (b *builder) initialState() *state {
	fn := b.opts.Entry
	s := &state{know: newKnow(), objs: map[int]*object{}, owned: map[int]bool{}}
	f := &frame{fn: fn, blk: fn.Blocks[0], vals: map[ir.Value]value{}}
	s.frames = []*frame{f}
	for _, g := range b.m.Globals {
		if !g.Const {
			b.globalObject(s, g)
		}
	}
	for _, p := range fn.Params {
		f.vals[p] = b.fresh(s, p.T, p.Name, b.paramRep(fn, p))
		s.input(ParamInput, nil, p.T.Width, f.vals[p])
	}
	return s
}

// expand executes from c and returns the cut points that are new or more general now,
// the last to be expanded first. It starts over when it learns of a new place to cut at.
func (b *builder) expand(c *cutPoint) ([]*cutPoint, error) {
	for {
		next, again, err := b.expandOnce(c)
		if err != nil || !again {
			return next, err
		}
	}
}

func (b *builder) expandOnce(c *cutPoint) (next []*cutPoint, again bool, err error) {
	c.edges, c.dirty, c.outdated = nil, false, false
	c.returns, c.uses, c.faults, c.exits = nil, nil, nil, nil
	b.current = c
	first := c.st.clone()
	first.cost, first.approx, first.overflowed = 0, "", false
	first.calls, first.calling = nil, 0
	if c != b.start {
		first.inputs = nil
	}
	stack := []*state{first}
	arrivals := map[string]int{}
	for len(stack) > 0 {
		if err := b.ctx.Err(); err != nil {
			return nil, false, fmt.Errorf("symbolic execution graph of %s: %w", b.opts.Entry.Name, err)
		}
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if s.entered {
			pos := s.position()
			if b.isCut(s, pos) {
				more, grown := b.arrive(c, s, pos)
				stack = append(stack, more...)
				if grown != nil {
					next = append(next, grown)
					if grown == c {
						return next, false, nil // expanded again from its more general state
					}
				}
				continue
			}
			if arrivals[pos]++; arrivals[pos] > policy.StateArrivals {
				b.cutPos[pos] = true
				return nil, true, nil
			}
		}
		if b.steps++; b.steps > b.opts.MaxStates {
			b.giveUp(verdict.Reason{Kind: verdict.BoundReached, Detail: "the graph has too many states"}, b.at(s))
			return nil, false, nil
		}
		stack = append(stack, b.advance(c, s)...)
	}
	return next, false, nil
}

func (b *builder) at(s *state) *ir.Instr { return s.top().blk.Instrs[s.top().idx] }

// advance executes until the state has to be looked at again.
func (b *builder) advance(c *cutPoint, s *state) []*state {
	s.entered = false
	in := b.at(s)
	blk, depth := s.top().blk, len(s.frames)
	var seen func(*state, result)
	if b.opts.watch != nil {
		seen = b.opts.watch(b, s.clone())
	}
	r := b.step(s)
	if seen != nil {
		seen(s, r)
	}
	for _, over := range b.over {
		c.edges = append(c.edges, &edge{from: c, st: over, tag: "signed overflow at " + in.Pos.String(),
			overflow: true})
	}
	b.over = nil
	switch r.kind {
	case advanced:
		s.top().idx++
		return []*state{s}
	case moved:
		s.entered = true
		return []*state{s}
	case forked:
		out := make([]*state, 0, len(r.states))
		for n := len(r.states) - 1; n >= 0; n-- {
			t := r.states[n]
			t.entered = t.entered || in.Op.IsTerm() && (t.top().blk != blk || len(t.frames) != depth || b.at(t) != in)
			if t.know.bad {
				continue
			}
			out = append(out, t)
		}
		return out
	case gaveUp:
		b.giveUp(verdict.Reason{Kind: r.rkind, Detail: r.why, Function: r.fn}, in)
	}
	c.edges = append(c.edges, &edge{from: c, st: s, tag: r.why})
	return nil
}

// isCut tells whether a place is one to generalise at: a loop head, or where
// many paths met.
func (b *builder) isCut(s *state, pos string) bool {
	f := s.top()
	return b.cutPos[pos] || f.bottom && f.blk == f.fn.Blocks[0] && f.idx == 0 || b.factsOf(f.fn).heads[f.blk] &&
		f.idx == firstNonPhi(f.blk)
}

func firstNonPhi(blk *ir.Block) int {
	for n, in := range blk.Instrs {
		if in.Op != ir.OpPhi {
			return n
		}
	}
	return 0
}

// arrive ends a path at a cut point: an edge if the generalised state there covers it,
// else the generalised state grows first. States to go on with instead are
// returned when a live condition has to be split on.
func (b *builder) arrive(c *cutPoint, s *state, pos string) (more []*state, grown *cutPoint) {
	if s.know.bad || !b.ask.consistent(s.know) {
		return nil, nil
	}
	b.distinct(s)
	b.tidy(s)
	if n, v, open := b.undecided(s); open {
		r := b.splitOn(s, s.frames[n].vals[v].cond, func(t *state, h bool) {
			t.frames[n].vals[v] = value{kind: boolValue, cond: truth(h)}
		})
		for _, t := range r.states {
			t.entered = true
		}
		return r.states, nil
	}
	key := b.cutKey(s, pos)
	to := b.cuts[key]
	arrived := s.clone()
	m, slots, vals, changed := b.generalise(to, s)
	e := &edge{from: c, to: to, arrived: arrived, st: s, vals: vals, tag: b.where(c.st) + " to " + b.where(s)}
	if changed {
		b.merges++
		if to == nil {
			to = &cutPoint{id: len(b.order) + 1, pos: pos}
			b.cuts[key] = to
			b.order = append(b.order, to)
			e.to = to
		} else {
			to.merges++
		}
		to.st, to.slots, to.tracked, to.dirty = m.j, slots, m.tracked, true
	}
	c.edges = append(c.edges, e)
	if to.dirty {
		grown = to
	}
	return nil, grown
}

// where is the source line of a state.
func (b *builder) where(s *state) string {
	in := b.at(s)
	return fmt.Sprintf("%s:%d", s.top().fn.Name, in.Pos.Line)
}

// reachable are the cut points that the start reaches, in the order of their making.
func (b *builder) reachable() []*cutPoint {
	seen := map[*cutPoint]bool{b.start: true}
	work := []*cutPoint{b.start}
	for len(work) > 0 {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range c.edges {
			if e.to != nil && !seen[e.to] {
				seen[e.to] = true
				work = append(work, e.to)
			}
		}
	}
	out := []*cutPoint{b.start}
	for _, c := range b.order {
		if seen[c] {
			out = append(out, c)
		}
	}
	return out
}

func (b *builder) isReachable(c *cutPoint) bool {
	for _, r := range b.reachable() {
		if r == c {
			return true
		}
	}
	return false
}
