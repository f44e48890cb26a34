package interrupt

import (
	"maps"

	"github.com/firmproof/firmproof/verifier/ir"
)

// reads is a set of loads.
type reads map[*ir.Instr]bool

func (r reads) with(more reads) reads {
	if len(more) == 0 {
		return r
	}
	out := maps.Clone(r)
	if out == nil {
		out = reads{}
	}
	maps.Copy(out, more)
	return out
}

// dependence follows from which loads the values of a function are computed, also through its local variables, and
// through the arguments of calls into their results.
type dependence struct {
	meant  func(load *ir.Instr) bool
	values map[*ir.Instr]reads
	at     map[*ir.Instr]reads // by store: what its value is computed from
	order  []*ir.Instr         // the loads that are meant
}

// solve goes over the blocks until nothing is new.
func (d *dependence) solve(f *ir.Func) {
	d.at = map[*ir.Instr]reads{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpLoad && d.meant(in) {
				d.order = append(d.order, in)
			}
		}
	}
	if len(d.order) == 0 {
		return
	}
	ends := map[*ir.Block]map[*ir.Instr]reads{} // by block and local variable
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			slots := map[*ir.Instr]reads{}
			for _, p := range b.Preds {
				for slot, v := range ends[p] {
					slots[slot] = slots[slot].with(v)
				}
			}
			for _, in := range b.Instrs {
				changed = d.instr(in, slots) || changed
			}
			changed = changed || !sameSlots(slots, ends[b])
			ends[b] = slots
		}
	}
}

func sameSlots(a, b map[*ir.Instr]reads) bool {
	return maps.EqualFunc(a, b, func(x, y reads) bool { return maps.Equal(x, y) })
}

// instr follows one instruction, and reports whether something is new.
func (d *dependence) instr(in *ir.Instr, slots map[*ir.Instr]reads) bool {
	var out reads
	switch in.Op {
	case ir.OpStore:
		v := d.of(in.Args[0])
		d.at[in] = v
		root, ok := ir.Root(in.Args[1]).(*ir.Instr)
		if !ok || root.Op != ir.OpAlloca {
			return false
		}
		if in.Args[1] != ir.Value(root) { // a part of it
			v = v.with(slots[root])
		}
		slots[root] = v
		return false
	case ir.OpLoad:
		out = d.of(in.Args[0])
		if root, ok := ir.Root(in.Args[0]).(*ir.Instr); ok && root.Op == ir.OpAlloca {
			out = out.with(slots[root])
		}
		if d.meant(in) {
			out = out.with(reads{in: true})
		}
	default:
		for _, a := range in.Args {
			out = out.with(d.of(a))
		}
		if in.Op == ir.OpPhi { // of `c ? x : y`
			for _, from := range in.Incoming {
				if len(from.Preds) == 1 && from.Preds[0].Term().Op == ir.OpCondBr {
					out = out.with(d.of(from.Preds[0].Term().Args[0]))
				}
			}
		}
	}
	if len(out) == len(d.values[in]) {
		return false
	}
	d.values[in] = out.with(d.values[in])
	return true
}

func (d *dependence) of(v ir.Value) reads {
	if in, ok := v.(*ir.Instr); ok {
		return d.values[in]
	}
	return nil
}
