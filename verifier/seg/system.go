package seg

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Legend ties a system back to the program.
type Legend struct {
	Locs map[its.Loc]verdict.Pos // where each location is
	Vars []string                // what each variable is

	Heads map[its.Loc]Head // the loop head that a location is, where it is one

	paths map[string]path // by transition tag
}

// Head is a loop head.
type Head struct {
	Func  *ir.Func
	Block *ir.Block
}

// path is where a transition comes from.
type path struct {
	e *edge
	k *know
	x *extractor
}

// SystemOptions say what a system is for.
type SystemOptions struct {
	// Costs: a transition costs the instructions of its path, and paths to an end
	// are transitions too (BV-45, BV-48).
	Costs bool
	// NoTypeBounds leaves out facts with constants as large as those of the types'
	// ranges, so that no bound rests on them (BV-50, BV-51).
	NoTypeBounds bool
	// Overflow makes signed overflow a place where a run stays for ever, so that
	// termination of the system shows that there is none.
	Overflow bool
	// Turns says how often back edges of a loop are taken at most between entering and leaving it, by header.
	Turns map[*ir.Block]int64
}

// System is the graph as an integer transition system: cut points are locations,
// paths between them transitions (AP-73 to AP-76).
func (g *Graph) System(opts SystemOptions) (*its.System, Legend, error) {
	costs := opts.Costs
	x := &extractor{g: g, b: its.NewBuilder(g.Entry.Name), locs: map[*cutPoint]its.Loc{}, names: map[string]string{},
		taken: map[string]bool{}, opts: opts, paths: map[string]path{}}
	if !costs {
		x.keep = g.relevant(opts.Overflow)
	}
	legend := Legend{Locs: map[its.Loc]verdict.Pos{}, Heads: map[its.Loc]Head{}, paths: x.paths}
	for _, c := range g.cuts {
		x.locs[c] = x.b.Loc(x.locName(c))
		legend.Locs[x.locs[c]] = *g.b.at(c.st).Pos
		if f := c.st.top(); c != g.start && g.b.factsOf(f.fn).heads[f.blk] && f.idx == firstNonPhi(f.blk) {
			legend.Heads[x.locs[c]] = Head{f.fn, f.blk}
		}
		for _, sl := range c.slots {
			if x.kept(sl) {
				x.variable(sl)
			}
		}
	}
	for _, c := range g.cuts {
		for _, e := range c.edges {
			if e.overflow && opts.Overflow || e.to != nil || costs && !e.overflow {
				x.edge(e)
			}
		}
	}
	if opts.Overflow {
		over := x.b.Loc(overflowLoc)
		x.b.Trans(over, over).Approx("after the overflow")
	}
	if costs {
		x.b.Goal(its.Complexity)
	}
	sys, err := x.b.System(x.locs[g.start])
	if err != nil {
		return nil, Legend{}, err
	}
	legend.Vars = sys.Vars
	return sys, legend, nil
}

type extractor struct {
	g     *Graph
	b     *its.Builder
	locs  map[*cutPoint]its.Loc
	names map[string]string // variable by slot key
	taken map[string]bool
	opts  SystemOptions
	paths map[string]path
	keep  map[string]bool // slots that matter; nil: all
	loops map[*ir.Func]*unwind.Graph
}

func (x *extractor) kept(sl slot) bool { return x.keep == nil || x.keep[sl.key] }

func (x *extractor) locName(c *cutPoint) string {
	in := x.g.b.at(c.st)
	name := fmt.Sprintf("%s@%d", c.st.top().fn.Name, in.Pos.Line)
	if c == x.g.start {
		name = "start"
	}
	base := name
	for n := 2; x.taken["loc "+name]; n++ {
		name = fmt.Sprintf("%s.%d", base, n)
	}
	x.taken["loc "+name] = true
	return name
}

// variable is the system's variable for a slot: named as in C where that is unique.
func (x *extractor) variable(sl slot) exact.Var {
	name, ok := x.names[sl.key]
	if !ok {
		name = sl.name
		for n := 2; x.taken[name]; n++ {
			name = fmt.Sprintf("%s'%d", sl.name, n)
		}
		x.taken[name] = true
		x.names[sl.key] = name
	}
	return x.b.Var(name)
}

// edge makes the transitions of a path: one per outcome of the wrap-arounds on it.
func (x *extractor) edge(e *edge) {
	var splits []exact.Var
	seen := map[exact.Var]bool{}
	note := func(l exact.Lin) {
		for _, t := range l.Terms {
			if x.g.b.wraps[t.Var] && !seen[t.Var] && !e.st.know.iv[t.Var].constant() && len(splits) < policy.WrapSplits {
				seen[t.Var] = true
				splits = append(splits, t.Var)
			}
		}
	}
	if e.to != nil && !e.overflow {
		for _, sl := range e.to.slots {
			if x.kept(sl) {
				note(e.vals[sl.key])
			}
		}
	}
	for _, calls := range x.callees(e) {
		for _, c := range calls {
			for _, sl := range c.to.slots {
				note(c.vals[sl.key])
			}
		}
	}
	dropped := x.dropped(e)
	for _, r := range e.st.know.rows {
		if !touches(r.Lin, dropped) {
			note(r.Lin)
		}
	}
	if !x.opts.Overflow {
		x.split(e, e.st.know, splits)
		return
	}
	x.splitSigned(e, splits)
}

// splitSigned sends the runs of a path that overflow to the place for them. A
// wrap-around that has nothing to do with which paths are taken does not count.
func (x *extractor) splitSigned(e *edge, splits []exact.Var) {
	k := e.st.know.clone()
	if e.st.overflowed {
		over := *e
		over.overflow = true
		x.split(&over, k, nil)
		return
	}
	for v := exact.Var(0); int(v) < len(x.g.b.names); v++ {
		if x.g.b.signedFits[v] && x.mentions(e, v) {
			if i := k.iv[v]; !i.constant() || !i.lo.IsZero() {
				over := *e
				over.overflow = true
				x.split(&over, k.clone(), nil)
			}
			k.lower(v, exact.I(0))
			k.upper(v, exact.I(0))
			splits = slices.DeleteFunc(splits, func(w exact.Var) bool { return w == v })
		}
	}
	if !k.bad {
		x.split(e, k, splits)
	}
}

// mentions reports whether v is part of what the path demands or does, as far as that matters.
func (x *extractor) mentions(e *edge, v exact.Var) bool {
	dropped := x.dropped(e)
	for _, r := range e.st.know.rows {
		if !touches(r.Lin, dropped) && !r.Lin.Coef(v).IsZero() {
			return true
		}
	}
	if e.to != nil {
		for _, sl := range e.to.slots {
			if l := e.vals[sl.key]; x.kept(sl) && !l.Coef(v).IsZero() {
				return true
			}
		}
	}
	return false
}

func (x *extractor) split(e *edge, k *know, vars []exact.Var) {
	if len(vars) == 0 {
		x.transition(e, k)
		return
	}
	i := k.iv[vars[0]]
	for c := i.lo; c.Cmp(i.hi) <= 0; c = c.Add(exact.I(1)) {
		n := k.clone()
		n.lower(vars[0], c)
		n.upper(vars[0], c)
		if !n.bad {
			x.split(e, n, vars[1:])
		}
	}
}

// overflowLoc is where runs are that overflowed.
const overflowLoc = "overflow"

// Independent reports that the given transitions of the system can be taken whatever signed
// overflow does on their paths: no wrap-around of signed arithmetic takes part.
func (g *Graph) Independent(legend Legend, sys *its.System, trans []int) bool {
	for _, n := range trans {
		if p, ok := legend.paths[sys.Trans[n].Tag]; ok && p.x.overflows(p) {
			return false
		}
	}
	return true
}

// overflows reports whether a wrap-around of signed arithmetic is part of what the path demands
// or does.
func (x *extractor) overflows(p path) bool {
	for v := range x.g.b.signedFits {
		if i := p.k.iv[v]; !(i.constant() && i.lo.IsZero()) && x.mentions(p.e, v) {
			return true
		}
	}
	return p.e.st.overflowed || len(p.k.polys) > 0
}
