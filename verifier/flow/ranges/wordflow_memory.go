package ranges

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// cell is a place of a number that is followed through a function: a variable of its own that nothing else gets at, or
// memory at an address that stays the same while the function runs.
type cell struct {
	slot   *ir.Instr  // the variable, or that which holds the address, or part of it
	param  *ir.Param  // or the parameter that is the address, or part of it
	global *ir.Global // or the variable of the program
	off    int64
	memory bool
	// what the function stored there, and neither a function that it calls nor one that comes later has seen yet
	pending bool
}

// cellOf returns the memory whose address is v.
func (x *wordFlow) cellOf(v ir.Value) (cell, bool) {
	off := int64(0)
	for range policy.ExpressionSteps {
		switch a := v.(type) {
		case *ir.Const:
			return cell{global: a.Global, off: off + a.Off, memory: true}, a.Kind == ir.ConstAddr && a.Global != nil
		case *ir.Param:
			return cell{param: a, off: off, memory: true}, true
		case *ir.Instr:
			switch {
			case a.Op == ir.OpGep && len(a.Args) == 1:
				off += a.Off
				v = a.Args[0]
				continue
			case a.Op == ir.OpBitcast:
				v = a.Args[0]
				continue
			case a.Op == ir.OpLoad && !a.Flags.Has(ir.Volatile):
				slot, ok := a.Args[0].(*ir.Instr)
				return cell{slot: slot, off: off, memory: true}, ok && x.once[slot]
			}
		}
		break
	}
	return cell{}, false
}

// findCells notes the memory that loads and stores of numbers go to, if its address stays the same.
func (x *wordFlow) findCells() {
	x.once, x.cells, x.first = pointerSlots(x.f), map[*ir.Instr]cell{}, map[cell]*ir.Instr{}
	if x.at == nil {
		return
	}
	for _, b := range x.f.Blocks {
		for _, in := range b.Instrs {
			addr, ok := accessOf(in)
			if _, known := x.at(in); !ok || !known || in.Flags.Has(ir.Volatile) && !(x.sole != nil && x.sole(in)) {
				continue
			}
			if c, ok := x.cellOf(addr); ok {
				x.cells[in] = c
				if first := x.first[c]; first == nil {
					x.first[c] = in
				} else if first.Access.Width != in.Access.Width {
					x.at = nil // memory that is taken for numbers of two widths
					clear(x.cells)
					return
				}
			}
		}
	}
}

// accessOf returns the address of a load or store of a number.
func accessOf(in *ir.Instr) (ir.Value, bool) {
	switch {
	case in.Op == ir.OpLoad && in.T.IsInt():
		return in.Args[0], true
	case in.Op == ir.OpStore && in.Args[0].Type().IsInt():
		return in.Args[1], true
	}
	return nil, false
}

// pointerSlots returns the variables of f that hold an address which is set where the function begins, and never again.
func pointerSlots(f *ir.Func) map[*ir.Instr]bool {
	escapes, stores, out := ir.Escapes(f), map[*ir.Instr]int{}, map[*ir.Instr]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if slot, ok := storedTo(in); ok && slot.Op == ir.OpAlloca && !escapes[slot] {
				stores[slot]++
				out[slot] = stores[slot] == 1 && b.Index == 0 && in.Args[0].Type().IsPtr() && slot.Access.IsPtr()
			}
		}
	}
	return out
}

func storedTo(in *ir.Instr) (*ir.Instr, bool) {
	if in.Op != ir.OpStore {
		return nil, false
	}
	slot, ok := in.Args[1].(*ir.Instr)
	return slot, ok
}

// width returns the bits of the number in a cell.
func (x *wordFlow) width(c cell) int {
	if c.memory {
		c.pending = false
		return x.first[c].Access.Width
	}
	return x.slots[c.slot]
}

// holds returns the key under which what a cell holds is known, if it is.
func holds(env map[cell]Interval, c cell) (cell, bool) {
	if c.pending = c.memory; c.pending {
		if _, ok := env[c]; ok {
			return c, true
		}
	}
	c.pending = false
	_, ok := env[c]
	return c, ok
}

// seenBy publishes what an instruction lets others see of memory, and forgets what it may change.
func (x *wordFlow) seenBy(in *ir.Instr, env map[cell]Interval, stored func(*ir.Instr, Interval)) {
	_, access := accessOf(in)
	own, isCell := x.cells[in]
	at, known := places.Place{}, false
	if access && x.at != nil {
		at, known = x.at(in)
	}
	if access && (x.isSlot(in) || in.Op == ir.OpLoad && !known) || !access && !x.touchesMemory(in) {
		return // nothing is said of what such a load gives
	}
	for c, v := range env {
		plain := c
		plain.pending = false
		if !c.memory || isCell && plain == own {
			continue
		}
		if known {
			if other, _ := x.at(x.first[plain]); other != at {
				continue
			}
		}
		if c.pending && stored != nil {
			stored(x.first[plain], v)
		}
		if c.pending || in.Op != ir.OpLoad {
			delete(env, c)
		}
	}
}

// touchesMemory reports whether an instruction that is no load or store of a number may read or write numbers.
func (x *wordFlow) touchesMemory(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpLoad:
		return !in.T.IsPtr()
	case ir.OpStore:
		return !in.Args[0].Type().IsPtr()
	case ir.OpCall:
		return !isQuiet(in)
	case ir.OpRet, ir.OpUnreachable, ir.OpUnsupported, ir.OpAsm, ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpVaArg:
		return true
	}
	return false
}

func (x *wordFlow) isSlot(in *ir.Instr) bool {
	addr, _ := accessOf(in)
	slot, ok := addr.(*ir.Instr)
	return ok && x.slots[slot] > 0
}

// isQuiet reports whether a call neither reads nor writes memory.
func isQuiet(in *ir.Instr) bool {
	_, arithmetic := overflowing[in.Model]
	return arithmetic || in.Model == ir.ModelLifetimeStart || in.Model == ir.ModelLifetimeEnd ||
		in.Model == ir.ModelAssume || in.Model == ir.ModelNop && len(in.Args) == 0
}

// publish has others see what is pending at the end of a block on the way to another: where that does not know of it, and
// where control goes back.
func (x *wordFlow) publish(from, to *ir.Block, env map[cell]Interval) {
	for c, v := range env {
		if _, kept := x.in[to.Index][c]; c.pending && (!kept || to.Index <= from.Index) {
			plain := c
			plain.pending = false
			x.stored(x.first[plain], v)
		}
	}
}

// instrsFrom returns the instructions of a block, behind those of the blocks from that of in on by which alone control
// comes to it.
func instrsFrom(in *ir.Instr, at *ir.Block) []*ir.Instr {
	out := at.Instrs
	for b, n := at, 0; b != in.Block && len(b.Preds) == 1 && n < policy.ExpressionSteps; n++ {
		b = b.Preds[0]
		out = slices.Concat(b.Instrs, out)
	}
	return out
}

// holder is a cell that holds what an instruction gives, and a constant more.
type holder struct {
	cell
	more int64
}

// holders returns the cells that hold what in gives, or a constant more, where a block ends.
func (x *wordFlow) holders(at *ir.Block, in *ir.Instr) []holder {
	var out []holder
	for _, i := range instrsFrom(in, at) {
		c, ok := x.cells[i]
		if addr, access := accessOf(i); access && x.isSlot(i) {
			c, ok = cell{slot: addr.(*ir.Instr)}, true
		}
		switch {
		case i == in && i.Op == ir.OpLoad && ok:
			out = append(out, holder{c, 0})
		case i.Op == ir.OpStore && ok:
			// another address of the same kind may be the same memory
			out = slices.DeleteFunc(out, func(h holder) bool {
				return h.cell == c || h.memory && c.memory && x.mayBe(h.cell, i)
			})
			sum, _ := i.Args[0].(*ir.Instr)
			if sum == in {
				out = append(out, holder{c, 0})
			} else if sum == nil {
				continue
			} else if d, of := addend(sum); of == ir.Value(in) {
				out = append(out, holder{c, d})
			}
		case i.Op == ir.OpStore && !i.Args[0].Type().IsPtr() || i.Op != ir.OpLoad && x.touchesMemory(i):
			out = slices.DeleteFunc(out, func(h holder) bool { return h.memory && x.mayBe(h.cell, i) })
		}
	}
	return out
}

// mayBe reports whether an instruction may change what is in a cell of memory.
func (x *wordFlow) mayBe(c cell, in *ir.Instr) bool {
	if at, known := x.at(in); known {
		other, _ := x.at(x.first[c])
		return other == at
	}
	return true
}
