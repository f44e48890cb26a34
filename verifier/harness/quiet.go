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
// two reads of it. That they do not is a guess: `interrupts` of the manifest has them run.

// Woven says which handlers are run between steps: nothing is assumed of them.
func (p *Program) Woven(list []interrupt.Handler) {
	for _, x := range list {
		p.woven = append(p.woven, x.Name)
	}
}

// quiet notes for each variable that the function reads and a handler changes that this does not happen meanwhile. One
// read alone of numbers gives what any handler before it left, where variables hold any numbers at first.
func (h *harness) quiet() {
	for _, x := range h.p.m.Funcs {
		if !x.Handler || x.IsDecl() || x.Made || slices.Contains(h.p.woven, x.Name) || h.reachedFrom(x) {
			continue
		}
		writes := h.p.effectsOf(x).writes
		for _, g := range h.Module.Globals {
			if !writes[g] || !h.reached.Globals[g] || g.Var == nil || !h.readsAgain(g) {
				continue
			}
			a := verdict.Assume(g.Name, verdict.Quiet, verdict.Chosen, fmt.Sprintf("%s, a handler of interrupts, changes %s at no moment of %s",
				x.CName, ir.NameOf(g), h.of.CName))
			a.Other = x.Name
			h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, a)
		}
	}
}

// replaceable notes of each weak function that this one calls that no other file defines it, where the program is not
// whole: it has no main.
func (h *harness) replaceable() {
	for _, f := range h.Module.Funcs {
		if h.reached.Funcs[f] && f != h.of && f.Replaceable && !f.IsDecl() && !f.Made && h.p.m.Func("main") == nil {
			a := verdict.Assume(f.Name, verdict.Calls, verdict.Chosen,
				fmt.Sprintf("%s, a weak function, is the one that is linked", f.CName))
			a.Other = verdict.Replaceable
			h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, a)
		}
	}
}

// reachedFrom reports whether a handler runs the function itself, or is it.
func (h *harness) reachedFrom(x *ir.Func) bool {
	return x == h.of || places.Reached(h.p.m, x).Funcs[h.of]
}

// readsAgain reports whether the function may read a variable, and find another value than it had, or than is assumed.
func (h *harness) readsAgain(g *ir.Global) bool {
	if h.p.handedOut(g) { // through a pointer, too
		return true
	}
	return h.reads(g) > 0 && !(h.anyState && onlyNumbers(g) && h.readsOnce(g))
}

// reads counts the loads of a variable in what the function reaches, but for those of volatile numbers, which give any
// value each time.
func (h *harness) reads(g *ir.Global) int {
	n := 0
	for f := range h.reached.Funcs {
		into := addressesIn(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == ir.OpLoad && in.Flags.Has(ir.Volatile) && in.T.IsInt() {
					continue
				}
				for i, v := range in.Args {
					if into(v) == g && !(in.Op == ir.OpStore && i == 1) && in.Op != ir.OpGep && in.Op != ir.OpBitcast {
						n++
					}
				}
			}
		}
	}
	return n
}

// readsOnce reports whether the function itself reads a variable in one place, outside of loops, and nothing that it calls
// does.
func (h *harness) readsOnce(g *ir.Global) bool {
	if h.reads(g) != 1 {
		return false
	}
	into := addressesIn(h.of)
	for _, b := range h.of.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpLoad && into(in.Args[0]) == g {
				return !b.Reaches(b, nil)
			}
		}
	}
	return false
}
