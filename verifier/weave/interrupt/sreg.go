package interrupt

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// The AVR's status register lies in memory: SREG = s restores the interrupt mask.

// isAVR reports whether the mask lies in memory.
func (w *interrupts) isAVR() bool { return w.processor != nil && w.processor.sreg != 0 }

// sreg follows an instruction that reads or writes memory.
func (w *interrupts) sreg(in *ir.Instr) {
	if w.mask == nil {
		return
	}
	if in.Op == ir.OpLoad {
		if a, ok := ir.ConstantAddress(in.Args[0]); ok && a == w.processor.sreg && in.T.IsInt() && in.T.Width == 8 {
			w.readsMask(in, maskRead{bit: 7, inverted: true})
		}
		return
	}
	for _, a := range w.touch.Accesses(in) {
		if a.Writes {
			w.sregStore(in, a.Addr)
		}
	}
}

// sregStore is a write through addr.
func (w *interrupts) sregStore(in *ir.Instr, addr ir.Value) {
	if !w.mayWriteSREG(in, addr) {
		return
	}
	at, constant := ir.ConstantAddress(addr)
	sreg := w.processor.sreg
	size, known := w.sizeWritten(in)
	switch {
	case constant && in.Op == ir.OpStore && in.Args[0].Type().IsInt():
		w.apply(maskEffect{kind: maskIsNotBit, value: in.Args[0], bit: int(sreg-at)*8 + 7})
	case constant:
		w.apply(maskEffect{kind: maskCleared})
	default:
		// any store may be meant: it takes the mask away where the address is that one
		word := w.Word()
		off := w.Binary(ir.OpSub, w.Int(word, sreg), w.Emit(&ir.Instr{Op: ir.OpPtrToInt, T: word,
			Args: []ir.Value{addr}}))
		limit := w.Int(word, size)
		if !known {
			limit = w.Int(word, sreg+1)
		}
		outside := w.Resize(w.Compare(ir.UGE, off, limit), w.mask.T)
		to := w.AddrOfGlobal(w.mask)
		w.Store(w.And(w.Load(w.mask.T, to), outside), to, 1)
	}
}

// mayWriteSREG reports whether a write of in through addr may be one of the status register.
func (w *interrupts) mayWriteSREG(in *ir.Instr, addr ir.Value) bool {
	switch r := ir.Root(addr).(type) {
	case *ir.Const:
		if r.Global != nil && !r.Global.Extern {
			return false
		}
	case *ir.Instr:
		if r.Op == ir.OpAlloca {
			return false
		}
	}
	at, constant := ir.ConstantAddress(addr)
	size, known := w.sizeWritten(in)
	if !constant {
		return w.sregEscapes
	}
	return !known || at <= w.processor.sreg && w.processor.sreg < at+size
}

// sizeWritten is how many bytes in writes, if that is a constant.
func (w *interrupts) sizeWritten(in *ir.Instr) (int64, bool) {
	if in.Access != nil {
		return w.Module.Layout.StoreSize(in.Access), true
	}
	switch in.Model {
	case ir.ModelMemcpy, ir.ModelMemmove, ir.ModelMemset:
		if k, ok := in.Args[2].(*ir.Const); ok && k.Kind == ir.ConstInt {
			return k.Bits.Int64()
		}
	}
	return 0, false
}

// sregEscapes reports whether the program makes pointers out of numbers other than to
// access a constant address at once: then any pointer may lead to the status register.
func sregEscapes(m *ir.Module) bool {
	types := punned{}
	for _, g := range m.Globals {
		if g.Init != nil && holdsNumberAsPointer(g.Init) || g.Var != nil && types.in(g.Var.T) {
			return true
		}
	}
	for _, f := range m.Funcs {
		for _, v := range f.Vars {
			if types.in(v.T) {
				return true
			}
		}
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if _, constant := ir.ConstantAddress(in); in.Op == ir.OpIntToPtr && !constant {
					return true
				}
				for i, a := range in.Args {
					_, constant := ir.ConstantAddress(a)
					if !constant || !a.Type().IsPtr() {
						continue
					}
					direct := in.Op == ir.OpLoad || in.Op == ir.OpStore && i == 1 || in.Op == ir.OpIcmp
					if _, again := ir.ConstantAddress(in); !direct && !again {
						return true
					}
				}
			}
		}
	}
	return false
}

// punned finds unions of a pointer and something else. It holds the types that were looked at.
type punned map[*ir.DType]bool

func (p punned) in(t *ir.DType) bool {
	if t == nil || p[t] {
		return false
	}
	p[t] = true
	pointers := 0
	for i := range t.Fields {
		if p.in(t.Fields[i].T) {
			return true
		}
		if ir.HoldsPointer(t.Fields[i].T) {
			pointers++
		}
	}
	return t.Kind == ir.DUnion && pointers > 0 && pointers < len(t.Fields) || p.in(t.Elem)
}

func holdsNumberAsPointer(k *ir.Const) bool {
	if k.Kind == ir.ConstInt && k.T.IsPtr() {
		return true
	}
	for _, e := range k.Elems {
		if holdsNumberAsPointer(e) {
			return true
		}
	}
	return false
}
