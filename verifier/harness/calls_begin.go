package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// setup is a pointer among the variables that is null at first, that the program sets, and that nothing compares with
// null: whoever calls the program sets it up first, by one of the functions of list.
type setup struct {
	g    *ir.Global
	slot places.Slot
	list []*ir.Func
	held *places.Held
}

// findSetups finds the pointers that are set up first. One to a function is not where nothing else is set with it: it
// is registered at some time, or never.
func (c *cone) findSetups(all []*ir.Func) {
	h := c.p.newHarness(&irbuild.Builder{Module: c.p.m}, c.of)
	for _, g := range c.p.m.Globals {
		if !c.state[g] || g.Extern || g.Var == nil {
			continue
		}
		for _, s := range places.PointersIn(g.Var.T, g.Var.Name, 0) {
			known := h.setUp(g, s, false)
			if known == nil {
				continue
			}
			st := setup{g: g, slot: s, held: known}
			for _, f := range append([]*ir.Func{c.of}, all...) {
				if c.p.sets(f, g, s.Off) && (!places.IsFunction(s.T) || c.setsMore(f, g)) {
					st.list = append(st.list, f)
				}
			}
			if places.IsFunction(s.T) && len(st.list) == 0 {
				continue
			}
			for _, f := range st.list {
				if !slices.Contains(c.list, f) {
					c.add(f)
				}
			}
			c.setups = append(c.setups, st)
		}
	}
}

// setsMore reports whether f writes variables of the cone beside g.
func (c *cone) setsMore(f *ir.Func, g *ir.Global) bool {
	for v := range c.p.effectsOf(f).writes {
		if v != g && c.state[v] {
			return true
		}
	}
	return false
}

// sets reports whether code that f comes to stores a pointer off bytes into g that is not null.
func (p *Program) sets(f *ir.Func, g *ir.Global, off int64) bool {
	if !p.effectsOf(f).writes[g] {
		return false
	}
	for r := range places.Reached(p.m, f).Funcs {
		for _, b := range r.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpStore || !in.Args[0].Type().IsPtr() || ir.IsNullConst(in.Args[0]) {
					continue
				}
				at, n, fixed := fixedPlace(in.Args[1])
				if k, ok := at.(*ir.Const); ok && fixed && k.Global == g && k.Off+n == off {
					return true
				}
			}
		}
	}
	return false
}

// setUp writes the calls that set pointers up.
func (w *callWriter) setUp() {
	left := policy.HarnessFields
	for _, s := range w.cone.setups {
		w.begun = true
		at := &ir.Const{T: w.Ptr(), Kind: ir.ConstAddr, Global: s.g, Off: s.slot.Off}
		if len(s.list) == 0 {
			h := w.p.newHarness(w.Builder, w.cone.of)
			h.variant = "calls."
			h.Store(h.isSet(s.slot, s.held, &left), at, 1)
			h.showHeld()
			w.take(h)
			continue
		}
		w.oneOf(s.list, func(f *ir.Func) { w.callOf(f, nil) })
		w.Assume(w.Compare(ir.NE, w.Load(w.Ptr(), at), w.Null()))
	}
}
