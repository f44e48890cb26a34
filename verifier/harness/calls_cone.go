package harness

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// cone holds the functions that a function's behaviour depends on by what they leave in variables, and in structures
// that they are handed alike.
type cone struct {
	p       *Program
	of      *ir.Func
	list    []*ir.Func          // of first
	state   map[*ir.Global]bool // variables that functions of list read or write, and that some code may change
	hidden  map[*ir.Global]bool // the same, of the C library
	handles []*shared
	setups  []setup
	ends    map[*ir.Func]bool // functions that may end the life of what they are handed
	linkage func(*ir.Func) (static, known bool)
	leaves  bool // code that is not there is called, which may call the program
}

// touches is what a call of a function touches.
type touches struct {
	reads, writes map[*ir.Global]bool
	handed        []*ir.DType // structures that its pointers lead to one of, by parameter; nil: something else
	changes       bool        // one of these is not const
	frees         bool        // it may release memory
	takes         bool        // arguments can be made for all its parameters
}

// effectsOf reads the code that f comes to.
func (p *Program) effectsOf(f *ir.Func) *touches {
	if p.effects[f] == nil {
		p.effects[f] = p.effectsBut(f)
	}
	return p.effects[f]
}

// effectsBut is effectsOf without what functions do that f calls.
func (p *Program) effectsBut(f *ir.Func, except ...*ir.Func) *touches {
	t := places.TouchedBy(p.m, []*ir.Func{f}, nil, except...)
	e := &touches{reads: t.Reads, writes: map[*ir.Global]bool{}, takes: true}
	for g := range t.Writes {
		if t.Writes[g] && !g.Const {
			e.writes[g] = true
		}
		ir.EachAddress(g.Init, func(to *ir.Global) { // a table of addresses
			if e.reads[to] = true; !to.Const {
				e.writes[to] = true
			}
		})
	}
	h := p.newHarness(&irbuild.Builder{Module: p.m}, f)
	for i := range f.Params {
		e.takes = e.takes && !h.unknown(i)
		t := h.handed(i)
		e.handed = append(e.handed, t)
		e.changes = e.changes || t != nil && !strings.HasPrefix(t.Name, "const ")
	}
	e.frees = releases(places.Reached(p.m, f))
	for g := range t.Reads {
		if (t.AnyWrite || e.frees) && !g.Const && g.Var != nil && ir.HoldsPointer(g.Var.T) {
			e.writes[g] = true // what it leads to is its state, too
		}
	}
	return e
}

// handed returns the structure or union that parameter i leads to one of; nil: it leads to something else.
func (h *harness) handed(i int) *ir.DType {
	p, v := h.of.Params[i], h.vars[i]
	if !p.T.IsPtr() || p.SRet != nil || p.ByVal != nil || h.pieces[p].of != nil || h.unknown(i) ||
		v.T.Kind != ir.DPointer || v.Slot == ir.Value(p) && ir.IsStruct(v.T) {
		return nil
	}
	elem := h.elemOf(i)
	if !ir.IsAggregate(elem) || ir.SizeInC(elem) <= 0 || h.given(h.nameOf(i)).size(1) > 0 {
		return nil
	}
	e := h.extentOf(i, h.nameOf(i))
	if e.count >= 0 || e.text || len(e.tables) > 0 || e.ends != nil || e.bytes != ir.SizeInC(elem) {
		return nil
	}
	return elem
}

// coneOf finds what f depends on; nil where that is nothing.
func (p *Program) coneOf(f *ir.Func, linkage func(*ir.Func) (static, known bool)) *cone {
	c := &cone{p: p, of: f, state: map[*ir.Global]bool{}, hidden: map[*ir.Global]bool{}, ends: map[*ir.Func]bool{},
		linkage: linkage}
	if !p.effectsOf(f).takes {
		return nil
	}
	c.add(f)
	var all []*ir.Func
	for _, g := range p.m.Funcs {
		if g != f && c.callable(g) {
			all = append(all, g)
		}
	}
	c.findHandles(all)
	for more := true; more; {
		more = false
		for _, g := range all {
			if len(c.list) <= policy.HarnessCalled && !slices.Contains(c.list, g) && c.matters(p.effectsOf(g)) {
				c.add(g)
				more = true
			}
		}
	}
	c.findSetups(all)
	if len(c.state) == 0 && len(c.handles) == 0 {
		return nil
	}
	for _, g := range c.list {
		e := p.effectsOf(g)
		c.ends[g] = e.frees && slices.ContainsFunc(e.handed, func(t *ir.DType) bool {
			return t != nil && c.handleFor(t) != nil
		})
		for r := range places.Reached(p.m, g).Funcs {
			c.leaves = c.leaves || r.IsDecl() && !strings.HasPrefix(r.Name, "firmproof") &&
				slices.Contains([]ir.Model{ir.ModelNone, ir.ModelNondet, ir.ModelStubHavoc}, r.Model) // stubs, too
		}
	}
	return c
}

// public reports whether other files can name g.
func (c *cone) public(g *ir.Func) bool {
	static, known := c.linkage(g)
	return known && !static
}

// static reports whether no other file can name g.
func (c *cone) static(g *ir.Func) bool {
	static, known := c.linkage(g)
	return known && static
}

// callable reports whether anybody may call g, with arguments that can be made.
func (c *cone) callable(g *ir.Func) bool {
	return !g.IsDecl() && !g.Made && !g.Driven() && !TakesVariable(g) && g.CName != "main" &&
		(c.public(g) || g.Addr && len(g.Params) == 0) && c.p.effectsOf(g).takes
}

// add takes g into the cone, with the variables that it touches.
func (c *cone) add(g *ir.Func) {
	c.list = append(c.list, g)
	for v, read := range c.p.effectsOf(g).reads {
		switch {
		case !read || v.Const || !c.p.varies(v):
		case v.Var == nil:
			c.hidden[v] = true
		default:
			c.state[v] = true
		}
	}
}

// matters reports whether a function may change what those of the cone find.
func (c *cone) matters(e *touches) bool {
	for v := range e.writes {
		if c.state[v] {
			return true
		}
	}
	return e.changes && slices.ContainsFunc(e.handed, func(t *ir.DType) bool {
		return t != nil && !strings.HasPrefix(t.Name, "const ") && c.handleFor(t) != nil
	})
}
