package harness

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/interrupt"
)

// Handlers of interrupts (ir.Func.Handler) that nobody has run between the steps of code may change a variable between
// two reads of it, and so may what is handed to code that is not there: tasks, callbacks, handlers that a library enters
// in its table. That they do not is a guess: `interrupts` of the manifest has handlers run.

// Woven says which handlers are run between steps: nothing is assumed of them.
func (p *Program) Woven(list []interrupt.Handler) {
	for _, x := range list {
		p.woven = append(p.woven, x.Name)
	}
}

// quiet notes for each variable that the function reads and a handler changes that this does not happen meanwhile. One
// read alone of numbers gives what any handler before it left, where variables hold any numbers at first.
func (h *harness) quiet() {
	var reads map[*ir.Global]int
	for _, x := range h.p.m.Funcs {
		if !(x.Handler || h.p.handedOver()[x]) || !mayRun(x, h.of, h.p.woven) || h.p.reachOf(x).Funcs[h.of] {
			continue
		}
		if reads == nil {
			reads = h.reads()
		}
		writes := h.p.effectsOf(x).writes
		for _, g := range h.Module.Globals {
			if !writes[g] || !h.reached.Globals[g] || g.Var == nil || !h.p.handedOut(g) && (reads[g] == 0 ||
				h.anyState && onlyNumbers(g) && reads[g] == 1 && h.readsOnce(g)) {
				continue
			}
			what, other := "a handler of interrupts", x.Name
			if !x.Handler {
				what, other = "which code that is not here runs", ""
			}
			a := verdict.Assume(g.Name, verdict.Quiet, verdict.Chosen, fmt.Sprintf("%s, %s, changes %s at no moment of %s",
				x.CName, what, ir.NameOf(g), h.of.CName))
			a.Other = other
			h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, a)
		}
	}
}

// handedOver tells which functions are handed to functions that are not there.
func (p *Program) handedOver() map[*ir.Func]bool {
	if p.beside != nil {
		return p.beside
	}
	p.beside = map[*ir.Func]bool{}
	for _, f := range p.m.Funcs {
		if f.Made || f.Driven() {
			continue
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				to := ir.CalledFunc(in)
				if to == nil || !to.IsDecl() || to.Model != ir.ModelNone && to.Model != ir.ModelStubHavoc && to.Model != ir.ModelNondet {
					continue
				}
				for _, v := range in.Args {
					if c, ok := ir.Root(v).(*ir.Const); ok && c.Func != nil && !c.Func.IsDecl() {
						p.beside[c.Func] = true
					}
				}
			}
		}
	}
	return p.beside
}

// mayRun reports whether x, a handler or the like, may run between two steps of f beside those that are woven in.
func mayRun(x, f *ir.Func, woven []string) bool {
	return x != f && !x.IsDecl() && !x.Made && !slices.Contains(woven, x.Name)
}

// Unlisted lists the handlers that change what an entry reads, and that neither run between its steps nor are called by
// it, by their names in C. woven are those that run.
func Unlisted(m *ir.Module, entry *ir.Func, woven []interrupt.Handler) []string {
	names := make([]string, len(woven))
	for i, x := range woven {
		names[i] = x.Name
	}
	var out []string
	var reached places.Reach
	for _, x := range m.Funcs {
		if !x.Handler || !mayRun(x, entry, names) {
			continue
		}
		if reached.Funcs == nil {
			reached = places.Reached(m, entry)
		}
		if reached.Funcs[x] {
			continue
		}
		touched := places.TouchedBy(m, []*ir.Func{x})
		if slices.ContainsFunc(m.Globals, func(g *ir.Global) bool { return touched.Writes[g] && reached.Globals[g] && !g.Const }) {
			out = append(out, x.CName)
		}
	}
	return out
}

// replaceable notes of each weak function that this one calls that no other file defines it, where the program is not
// whole: it has no main.
func (h *harness) replaceable() {
	for _, f := range h.Module.Funcs {
		if h.reached.Funcs[f] && f != h.of && f.Replaceable && !f.IsDecl() && !f.Made && !h.p.linked() {
			a := verdict.Assume(f.Name, verdict.Calls, verdict.Chosen,
				fmt.Sprintf("%s, a weak function, is the one that is linked", f.CName))
			a.Other = verdict.Replaceable
			h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, a)
		}
	}
}

// linked reports whether the program is whole: weak definitions are then those that the linker has chosen.
func (p *Program) linked() bool { return p.m.Func("main") != nil }

// reachOf is what a handler comes to.
func (p *Program) reachOf(x *ir.Func) places.Reach {
	r, ok := p.reach[x]
	if !ok {
		r = places.Reached(p.m, x)
		p.reach[x] = r
	}
	return r
}

// reads counts the loads of variables in what the function reaches, but for those of volatile numbers, which give any
// value each time.
func (h *harness) reads() map[*ir.Global]int {
	out := map[*ir.Global]int{}
	for f := range h.reached.Funcs {
		into := ir.AddressesIn(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == ir.OpLoad && in.Flags.Has(ir.Volatile) && in.T.IsInt() {
					continue
				}
				for i, v := range in.Args {
					if g := into(v); g != nil && !(in.Op == ir.OpStore && i == 1) && in.Op != ir.OpGep && in.Op != ir.OpBitcast {
						out[g]++
					}
				}
			}
		}
	}
	return out
}

// readsOnce reports whether the one load of a variable stands in the function itself, outside of loops.
func (h *harness) readsOnce(g *ir.Global) bool {
	into := ir.AddressesIn(h.of)
	for _, b := range h.of.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpLoad && into(in.Args[0]) == g {
				return !b.Reaches(b, nil)
			}
		}
	}
	return false
}
