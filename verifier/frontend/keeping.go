package frontend

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// keeping finds out which code keeps addresses.
type keeping struct {
	m      *ir.Module
	params map[*ir.Param]*flow

	of    *ir.Func           // the function that slots and live are of
	slots map[*ir.Instr]bool // its plain variables
	live  map[*ir.Block]map[*ir.Instr]bool
}

// flow is where an address goes in a function.
type flow struct {
	regs  map[ir.Value]bool  // that may hold it, or an address made of it
	slots map[*ir.Instr]bool // plain variables that may
	kept  bool               // anything else may
	given bool               // the function may return it
}

// outlives reports whether an address of the local may be used in a later turn: it is kept somewhere, or it is
// in a variable or a register that is read behind the begin of that turn.
func (k *keeping) outlives(u *turn) bool {
	f := u.start.Block.Func
	if k.of != f {
		k.of, k.slots = f, k.m.Layout.Slots(f, ir.Escapes(f))
		k.live = ir.LiveSlots(f, k.slots)
	}
	w := k.follow(f, u.local, k.slots)
	if w.kept || u.place == nil && len(w.slots) > 0 {
		return true
	}
	for _, v := range ir.LiveAfter(u.start) {
		if w.regs[v] && !names(v, u.local) {
			return true
		}
	}
	at := slices.Index(u.start.Block.Instrs, u.start)
	for s := range ir.LiveSlotsFrom(u.start.Block, at+1, k.slots, k.live) {
		if w.slots[s] {
			return true
		}
	}
	return false
}

// names reports whether v is a local's address, or a place in it that is always the same: other words for the local.
func names(v ir.Value, local *ir.Instr) bool {
	in, ok := v.(*ir.Instr)
	for ok && in != local && (in.Op == ir.OpBitcast || in.Op == ir.OpGep && len(in.Scales) == 0) {
		in, ok = in.Args[0].(*ir.Instr)
	}
	return ok && in == local
}

// follow finds out where an address goes in f.
func (k *keeping) follow(f *ir.Func, root ir.Value, slots map[*ir.Instr]bool) *flow {
	w := &flow{regs: map[ir.Value]bool{root: true}, slots: map[*ir.Instr]bool{}}
	for size := -1; size != len(w.regs)+len(w.slots) && !w.kept; {
		size = len(w.regs) + len(w.slots)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if s, ok := in.Callee.(*ir.Instr); ok && w.regs[s] {
					w.kept = true
				}
				for n, a := range in.Args {
					if w.regs[a] {
						k.use(w, in, n, slots)
					} else if s, ok := a.(*ir.Instr); ok && in.Op == ir.OpLoad && w.slots[s] {
						w.regs[in] = true
					}
				}
			}
		}
	}
	return w
}

// use follows an address through operand n of in.
func (k *keeping) use(w *flow, in *ir.Instr, n int, slots map[*ir.Instr]bool) {
	switch in.Op {
	case ir.OpGep, ir.OpBitcast, ir.OpPhi, ir.OpSelect, ir.OpFreeze:
		w.regs[in] = true
		w.kept = w.kept || !in.T.IsPtr()
	case ir.OpLoad, ir.OpVaArg, ir.OpIcmp:
	case ir.OpStore:
		if s, ok := in.Args[1].(*ir.Instr); n == 0 && ok && slots[s] {
			w.slots[s] = true
		} else if n == 0 {
			w.kept = true
		}
	case ir.OpCmpXchg, ir.OpAtomicRMW:
		w.kept = w.kept || n > 0
	case ir.OpRet:
		w.given = true
	case ir.OpPtrToInt:
		w.kept = w.kept || !onlyCompared(in)
	case ir.OpCall:
		k.passed(w, in, n)
	default:
		w.kept = true
	}
}

// onlyCompared reports whether an address that became a number is only subtracted from another or compared with one.
func onlyCompared(number *ir.Instr) bool {
	for _, b := range number.Block.Func.Blocks {
		for _, in := range b.Instrs {
			if slices.Contains(in.Args, ir.Value(number)) && in.Op != ir.OpIcmp &&
				(in.Op != ir.OpSub || !in.Flags.Has(ir.PtrDiff)) {
				return false
			}
		}
	}
	return true
}

// passed follows an address that is argument n of a call. Functions that the engines model, and those without a body,
// of which a call is unknown or does what a stub says, keep none, but may return it.
func (k *keeping) passed(w *flow, in *ir.Instr, n int) {
	c, direct := in.Callee.(*ir.Const)
	switch {
	case direct && c.Func != nil && in.Model == ir.ModelNone && !c.Func.IsDecl():
		k.into(w, in, c.Func, n)
	case direct && c.Func != nil:
		w.regs[in] = w.regs[in] || in.T.IsPtr()
	default:
		for _, f := range k.m.MayCall(in) {
			k.into(w, in, f, n)
		}
		w.regs[in] = w.regs[in] || in.T.IsPtr()
	}
}

// into follows argument n of a call into f.
func (k *keeping) into(w *flow, in *ir.Instr, f *ir.Func, n int) {
	if n >= len(f.Params) {
		w.kept = w.kept || f.Variadic
		return
	}
	p := f.Params[n]
	if p.ByVal != nil || !p.T.IsPtr() {
		return
	}
	callee := k.params[p]
	if callee == nil {
		k.params[p] = &flow{kept: true} // of a call of f by itself
		callee = k.follow(f, p, k.m.Layout.Slots(f, ir.Escapes(f)))
		k.params[p] = callee
	}
	w.kept = w.kept || callee.kept
	if callee.given {
		w.regs[in] = true
	}
}
