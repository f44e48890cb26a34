package harness

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/interrupt"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// Handlers of interrupts (ir.Func.Handler) that nobody has run between the steps of code may change a variable between
// two reads of it, and so may what is handed to code that is not there: tasks, callbacks, handlers that a library enters
// in its table. That they do not is a guess: `interrupts` of the manifest has handlers run.

// Woven says which handlers are run between steps, and where: nothing is assumed of them. nil: none.
func (p *Program) Woven(handlers *interrupt.Woven) { p.woven = handlers }

// among calls the function among handlers that run between steps: as one where it is, and with none behind it where none
// makes a difference.
func (h *harness) among(call func()) {
	if h.p.woven == nil {
		call()
		return
	}
	active, value := h.p.woven.RunsAs(h.of)
	if active == nil {
		call()
		if h.p.woven.Meets(h.of) {
			h.LetHandlersRun()
		}
		return
	}
	set := func(n int64) { h.Store(h.Int(active.T, n), h.AddrOfGlobal(active), active.Align) }
	set(value)
	call()
	set(0)
}

// quiet notes for each variable that the function reads and a handler changes that this does not happen meanwhile. One
// read alone of numbers gives what any handler before it left, where variables hold any numbers at first.
func (h *harness) quiet(args []ir.Value) {
	var reads map[*ir.Global]int
	for _, x := range h.p.m.Funcs {
		if !(x.Handler || h.p.handedOver()[x]) || !mayRun(x, h.of, h.p.woven) || h.p.runsIn(h.of, x) {
			continue
		}
		if reads == nil {
			reads = h.reads()
		}
		writes := h.p.writesAlone(x)
		h.stays(x, writes, args)
		for _, g := range h.Module.Globals {
			if !writes[g] || !h.reached.Globals[g] || g.Var == nil || !h.p.handedOut(g) && (reads[g] == 0 ||
				h.anyState && onlyNumbers(g) && reads[g] == 1 && h.readsOnce(g)) {
				continue
			}
			h.stay(x, g.Name, ir.NameOf(g))
		}
	}
}

// writesAlone lists the variables that x writes, but for what handlers do that are run between its steps.
func (p *Program) writesAlone(x *ir.Func) map[*ir.Global]bool {
	point := p.m.Func(irbuild.Point)
	if point == nil {
		return p.effectsOf(x).writes
	}
	if p.alone[x] == nil {
		p.alone[x] = p.effectsBut(x, point)
	}
	return p.alone[x].writes
}

// stay notes that x, a handler or the like, does not change what is named so while the function runs.
func (h *harness) stay(x *ir.Func, about, name string) (id string) {
	what, other := "a handler of interrupts", x.Name
	if !x.Handler {
		what, other = "which code that is not here runs", ""
	}
	a := verdict.Assume(about, verdict.Quiet, verdict.Chosen, fmt.Sprintf("%s, %s, changes %s at no moment of %s",
		x.CName, what, name, h.of.CName))
	a.Other = other
	h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, a)
	return a.ID
}

// stays notes of each pointer that may lead to a variable which x writes that this does not happen meanwhile:
// `ring_get(&rx)`.
func (h *harness) stays(x *ir.Func, writes map[*ir.Global]bool, args []ir.Value) {
	for _, p := range h.grounds(args) {
		if p.variable != nil {
			continue
		}
		for _, g := range h.p.m.Globals {
			if writes[g] && g.Var != nil && !g.Const && h.p.handedOut(g) && mayOverlap(p.t, g.Var.T) &&
				(isVolatile(p.t) || !isVolatile(g.Var.T)) { // C17 6.7.3p6
				id := h.stay(x, h.of.CName+"."+h.prefix+p.name, "what "+h.prefix+p.name+" leads to")
				if brings(id, p.at); h.overlap && p.moves() {
					brings(id, h.leads(p, args)) // what it leads to, too
				}
				break
			}
		}
	}
}

// isVolatile reports a type that is volatile, or an array of such.
func isVolatile(t *ir.DType) bool {
	for t != nil && t.Kind == ir.DArray {
		t = t.Elem
	}
	return t != nil && t.Volatile
}

// runsIn reports whether f runs in the handler x alone: no other file can name it, and only what x comes to does.
func (p *Program) runsIn(f, x *ir.Func) bool {
	in := p.reachOf(x).Funcs
	return in[f] && !f.Public && !f.Addr && !slices.ContainsFunc(p.calls[f], func(at *ir.Instr) bool { return !in[at.Block.Func] })
}

// handedOver tells which functions are handed to functions that are not there, also in a structure, and which ones a
// vendor's handlers call.
func (p *Program) handedOver() map[*ir.Func]bool {
	if p.beside != nil {
		return p.beside
	}
	p.beside = map[*ir.Func]bool{}
	held := p.functionsHeld()
	for _, f := range p.m.Funcs {
		if f.Made || f.Driven() {
			continue
		}
		if !f.IsDecl() && ir.NamesCallback(f.Name) {
			p.beside[f] = true
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				to := ir.CalledFunc(in)
				if to == nil || !to.IsDecl() || to.Model != ir.ModelNone && to.Model != ir.ModelStubHavoc && to.Model != ir.ModelNondet {
					continue
				}
				for _, v := range in.Args {
					for _, x := range held(v) {
						p.beside[x] = p.beside[x] || !x.IsDecl()
					}
				}
			}
		}
	}
	return p.beside
}

// functionsHeld returns a function that lists the functions which a value is, or which the variable that it leads to may
// hold: by its initialiser, and by what any code stores or copies there.
func (p *Program) functionsHeld() func(ir.Value) []*ir.Func {
	held := map[any][]*ir.Func{} // by the variable
	seen := map[*ir.Global]bool{}
	var constant func(c *ir.Const) []*ir.Func
	constant = func(c *ir.Const) (out []*ir.Func) {
		if c == nil {
			return nil
		}
		if c.Func != nil {
			out = append(out, c.Func)
		}
		for _, e := range c.Elems {
			out = append(out, constant(e)...)
		}
		if g := c.Global; g != nil {
			if !seen[g] {
				seen[g] = true
				held[g] = append(held[g], constant(g.Init)...)
			}
			out = append(out, held[g]...)
		}
		return out
	}
	of := func(v ir.Value) []*ir.Func {
		switch r := ir.Root(v).(type) {
		case *ir.Const:
			return constant(r)
		case *ir.Instr:
			return held[r]
		}
		return nil
	}
	for _, f := range p.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				var to, what ir.Value
				switch {
				case in.Op == ir.OpStore:
					to, what = in.Args[1], in.Args[0]
				case in.Model == ir.ModelMemcpy:
					to, what = in.Args[0], in.Args[1]
				}
				if to == nil || !what.Type().IsPtr() {
					continue
				}
				var at any = ir.Root(to)
				if c, ok := at.(*ir.Const); ok {
					at = c.Global
				}
				held[at] = append(held[at], of(what)...)
			}
		}
	}
	return of
}

// mayRun reports whether x, a handler or the like, may run between two steps of f beside those that are woven in.
func mayRun(x, f *ir.Func, woven *interrupt.Woven) bool {
	return x != f && !x.IsDecl() && !x.Made && !woven.Runs(x)
}

// Unlisted lists the handlers that change what an entry reads, and that neither run between its steps nor are called by
// it, by their names in C. woven are those that run.
func Unlisted(m *ir.Module, entry *ir.Func, woven *interrupt.Woven) []string {
	var out []string
	var reached places.Reach
	for _, x := range m.Funcs {
		if !x.Handler || !mayRun(x, entry, woven) {
			continue
		}
		if reached.Funcs == nil {
			reached = places.Reached(m, entry)
		}
		if reached.Funcs[x] {
			continue
		}
		touched := places.TouchedBy(m, []*ir.Func{x}, nil, m.Func(irbuild.Point))
		if slices.ContainsFunc(m.Globals, func(g *ir.Global) bool { return touched.Writes[g] && reached.Globals[g] && !g.Const }) {
			out = append(out, x.CName)
		}
	}
	return out
}

// replaceable notes of each weak function that this one calls that no other file defines it, where the program is not
// whole: it has no main. Whoever defines a function of the C library does what the standard says (C17 7.1.3), as ours do.
func (h *harness) replaceable() {
	for _, f := range h.Module.Funcs {
		if h.reached.Funcs[f] && f != h.of && f.Replaceable && !f.IsDecl() && !f.Made && !f.Pos.InLibrary() && !h.p.linked() {
			a := verdict.Assume(f.Name, verdict.Calls, verdict.Chosen,
				fmt.Sprintf("%s, a weak function, is the one that is linked", f.CName))
			a.Other = verdict.Replaceable
			h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, a)
		}
	}
}

// linked reports whether the program is whole: weak definitions are then those that the linker has chosen.
func (p *Program) linked() bool { return p.m.Func("main") != nil }

// reachOf is what a function comes to.
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
				if readsVolatile(in) {
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
