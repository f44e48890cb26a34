package interrupt

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// A function that does nothing but steps which commute with all handlers needs no points: what runs within it may run in
// front of its calls as well. There stands a point if the function stops, or has a cycle (I2, I3), so that executions
// which stay in it have the runs that come before its end, too. Where executions begin, points stand all the same.

// commuting is what a program's functions do, with all that they call.
type commuting struct {
	met   map[*ir.Func]bool // has a step that does not commute with handlers, or changes the mask
	stays map[*ir.Func]bool // has what a point stands at otherwise
}

// commutes reads the functions that points may be put into.
func (w *interrupts) commutes(woven []*ir.Func) commuting {
	c := commuting{map[*ir.Func]bool{}, map[*ir.Func]bool{}}
	callers := map[*ir.Func][]*ir.Func{}
	for _, f := range woven {
		w.escapes = ir.Escapes(f)
		c.stays[f] = hasCycle(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				c.met[f] = c.met[f] || w.meets(in) || w.touchesMask(in)
				c.stays[f] = c.stays[f] || stops(in, false) || in.Op == ir.OpAsm
				for _, g := range w.Module.MayCall(in) {
					callers[g] = append(callers[g], f)
				}
			}
		}
	}
	for _, set := range []map[*ir.Func]bool{c.met, c.stays} {
		maps.DeleteFunc(set, func(_ *ir.Func, is bool) bool { return !is })
		for todo := slices.Collect(maps.Keys(set)); len(todo) > 0; {
			g := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, f := range callers[g] {
				if !set[f] {
					set[f] = true
					todo = append(todo, f)
				}
			}
		}
	}
	return c
}

// meets reports an instruction that does not commute with handlers, or that a race is claimed at.
func (w *interrupts) meets(in *ir.Instr) bool {
	return w.touch.Conflict(in, w.escapes) || w.races != nil && w.races.sites[in] != nil
}

// touchesMask reports whether an instruction may change the interrupt mask, or tell what it is.
func (w *interrupts) touchesMask(in *ir.Instr) bool {
	if in.Op == ir.OpAsm {
		effects, read := asmMasks(w.processor, in)
		return read != nil || len(effects) > 0
	}
	if !w.isAVR() {
		return false
	}
	if in.Op == ir.OpLoad {
		at, constant := ir.ConstantAddress(in.Args[0])
		return constant && at == w.processor.sreg
	}
	return slices.ContainsFunc(w.touch.Accesses(in), func(a places.Access) bool { return a.Writes && w.mayWriteSREG(in, a.Addr) })
}

// needsPoint reports a call in front of which a point stands for what runs within the function.
func (w *interrupts) needsPoint(in *ir.Instr) bool {
	return slices.ContainsFunc(w.Module.MayCall(in), func(g *ir.Func) bool { return w.commuting.stays[g] && !w.commuting.met[g] })
}

// hasCycle reports a function that can go round.
func hasCycle(f *ir.Func) bool {
	const open, closed = 1, 2
	state := map[*ir.Block]int{}
	var visit func(b *ir.Block) bool
	visit = func(b *ir.Block) bool {
		state[b] = open
		for _, to := range b.Succs() {
			if state[to] == open || state[to] == 0 && visit(to) {
				return true
			}
		}
		state[b] = closed
		return false
	}
	return visit(f.Blocks[0])
}
