package bitblast

import (
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/sat"
)

// CNF gives the clauses of an AIG to a sink: Tseitin's encoding with the
// polarities of Plaisted and Greenbaum, only for the cone of what is asked, and
// incrementally. Conjunctions are flattened and multiplexers, exclusive ors and
// majorities recognised.
type CNF struct {
	g     *AIG
	sink  sat.Sink
	vars  []sat.Lit // of a node, 0 when none yet
	done  []uint8   // polarities emitted
	stack []task
	leafs []Edge
	tick  func()
}

type task struct {
	node uint32
	pol  uint8
}

const (
	positive uint8 = 1 // node implies its definition
	negative uint8 = 2 // the definition implies the node
)

// NewCNF makes a CNF that gives its clauses to sink.
func NewCNF(g *AIG, sink sat.Sink) *CNF { return &CNF{g: g, sink: sink, tick: func() {}} }

// Lit returns a literal that implies e: asserting or assuming it makes e hold.
func (c *CNF) Lit(e Edge) sat.Lit {
	l := c.lit(e, positive)
	c.run()
	return l
}

// Assert makes e hold for good, splitting conjunctions.
func (c *CNF) Assert(e Edge) {
	if e == True {
		return
	}
	if e == False {
		c.sink.Add()
		return
	}
	work := []Edge{e}
	for len(work) > 0 {
		e := work[len(work)-1]
		work = work[:len(work)-1]
		if l, r, ok := c.g.gate(e); ok && !e.inverted() {
			work = append(work, l, r)
			continue
		}
		if l, r, ok := c.g.gate(e); ok && c.noVar(e) { // a clause
			a, b := c.lit(l.Not(), positive), c.lit(r.Not(), positive)
			c.sink.Add(a, b)
			continue
		}
		c.sink.Add(c.lit(e, positive))
	}
	c.run()
}

func (c *CNF) noVar(e Edge) bool { return int(e.node()) >= len(c.vars) || c.vars[e.node()] == 0 }

// Known returns the literal of e if it has one.
func (c *CNF) Known(e Edge) (sat.Lit, bool) {
	if c.noVar(e) {
		return 0, false
	}
	return c.signed(e), true
}

func (c *CNF) signed(e Edge) sat.Lit {
	if e.inverted() {
		return -c.vars[e.node()]
	}
	return c.vars[e.node()]
}

// lit names e and queues the definition needed when e occurs with polarity pol.
func (c *CNF) lit(e Edge, pol uint8) sat.Lit {
	n := e.node()
	if grow := c.g.Len() - len(c.vars); grow > 0 {
		c.vars = append(c.vars, make([]sat.Lit, grow)...)
		c.done = append(c.done, make([]uint8, grow)...)
	}
	if c.vars[n] == 0 {
		c.vars[n] = c.sink.NewVar()
		if n == 0 {
			c.sink.Add(-c.vars[0])
			c.done[0] = positive | negative
		}
	}
	if e.inverted() {
		pol = flip(pol)
	}
	if c.done[n]&pol != pol {
		c.stack = append(c.stack, task{n, pol &^ c.done[n]})
		c.done[n] |= pol
	}
	return c.signed(e)
}

func flip(pol uint8) uint8 { return pol&1<<1 | pol>>1 }

func (c *CNF) run() {
	for len(c.stack) > 0 {
		c.tick() // before the task is taken: what is left stays for the next run
		t := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		e := Edge(t.node) << 1
		if _, _, ok := c.g.gate(e); !ok {
			continue
		}
		if s, a, b, ok := c.mux(e); ok {
			c.emitMux(e, t.pol, s, a, b)
		} else if of, ok := c.majority(e); ok {
			c.emitMajority(e, t.pol, of)
		} else {
			c.emitAnd(e, t.pol)
		}
	}
}

// mux recognises e = !(p&q) & !(!p&v) = p ? !q : !v.
func (c *CNF) mux(e Edge) (s, a, b Edge, ok bool) {
	l, r, _ := c.g.gate(e)
	if !l.inverted() || !r.inverted() {
		return
	}
	p, q, ok1 := c.g.gate(l)
	u, v, ok2 := c.g.gate(r)
	if !ok1 || !ok2 {
		return
	}
	switch {
	case p == u.Not():
		return p, q.Not(), v.Not(), true
	case p == v.Not():
		return p, q.Not(), u.Not(), true
	case q == u.Not():
		return q, p.Not(), v.Not(), true
	case q == v.Not():
		return q, p.Not(), u.Not(), true
	}
	return
}

func (c *CNF) emitMux(e Edge, pol uint8, s, a, b Edge) {
	z := c.lit(e, 0)
	p := c.lit(s, positive|negative)
	x, y := c.lit(a, pol), c.lit(b, pol)
	if pol&positive != 0 {
		c.sink.Add(-z, -p, x)
		c.sink.Add(-z, p, y)
	}
	if pol&negative != 0 {
		c.sink.Add(z, -p, -x)
		c.sink.Add(z, p, -y)
	}
	if a == b.Not() {
		return
	}
	if pol&positive != 0 { // redundant, for propagation
		c.sink.Add(-z, x, y)
	}
	if pol&negative != 0 {
		c.sink.Add(z, -x, -y)
	}
}

// majority recognises e = !(x&y) & !(!(!x&!y)&v), which holds if at least two of !x, !y and !v do: these are returned.
func (c *CNF) majority(e Edge) (of [3]Edge, ok bool) {
	both, rest, _ := c.g.gate(e)
	if !both.inverted() || !rest.inverted() {
		return of, false
	}
	for range 2 {
		x, y, ok1 := c.g.gate(both)
		some, v, ok2 := c.g.gate(rest)
		for range 2 {
			if ok1 && ok2 && some.inverted() && c.isNeither(some.Not(), x, y) {
				return [3]Edge{x.Not(), y.Not(), v.Not()}, true
			}
			some, v = v, some
		}
		both, rest = rest, both
	}
	return of, false
}

// isNeither reports whether e = !x&!y.
func (c *CNF) isNeither(e, x, y Edge) bool {
	p, q, ok := c.g.gate(e)
	return ok && (p == x.Not() && q == y.Not() || p == y.Not() && q == x.Not())
}

func (c *CNF) emitMajority(e Edge, pol uint8, of [3]Edge) {
	z := c.lit(e, 0)
	var l [3]sat.Lit
	for i, f := range of {
		l[i] = c.lit(f, pol)
	}
	for i := range l {
		x, y := l[i], l[(i+1)%len(l)]
		if pol&positive != 0 {
			c.sink.Add(-z, x, y)
		}
		if pol&negative != 0 {
			c.sink.Add(z, -x, -y)
		}
	}
}

// emitAnd flattens e through AND nodes that nothing else uses.
func (c *CNF) emitAnd(e Edge, pol uint8) {
	leafs := c.leafs[:0]
	l, r, _ := c.g.gate(e)
	leafs = append(leafs, l, r)
	for i := 0; i < len(leafs) && len(leafs) < policy.CutLeafs; {
		f := leafs[i]
		l, r, ok := c.g.gate(f)
		if !ok || f.inverted() || c.g.refs[f.node()] > 1 || !c.noVar(f) || c.isShape(f) {
			i++
			continue
		}
		leafs[i] = l
		leafs = append(leafs, r)
	}
	c.leafs = leafs
	z := c.lit(e, 0)
	long := make([]sat.Lit, 0, len(leafs)+1)
	for _, f := range leafs {
		long = append(long, -c.lit(f, pol))
	}
	if pol&positive != 0 {
		for _, l := range long {
			c.sink.Add(-z, -l)
		}
	}
	if pol&negative != 0 {
		c.sink.Add(append(long, z)...)
	}
}

// isShape reports a gate that is more than a conjunction.
func (c *CNF) isShape(e Edge) bool {
	_, _, _, mux := c.mux(e)
	_, majority := c.majority(e)
	return mux || majority
}
