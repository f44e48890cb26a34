package interrupt

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// The machine makes a wide access in several steps, and handlers run between them: an
// access is torn. In front of each that handlers could notice, the program chooses
//
//	if (Tears()) { the parts, with points between them } else { the access as it is }
//
// where Tears is any truth value, and false where no handler can run. All handlers
// together run Turns times, so parts fall into at most Turns+1 phases with a point
// between each two; which part belongs to which phase is open, in no order, for up to
// policy.TearParts parts in a phase table of policy.TearTable. Larger copies go through memory
// upwards or downwards, and a phase ends at any byte.

// Tears reports, in C, whether an access is torn here.
const Tears = irbuild.PointPrefix + "tears"

// byteByByte are models that go through memory byte by byte, which are not torn: where
// handlers can notice, they are not supported.
var byteByByte = map[ir.Model]bool{
	ir.ModelMemcmp: true, ir.ModelMemchr: true, ir.ModelStrlen: true, ir.ModelStrnlen: true, ir.ModelStrcpy: true,
	ir.ModelStrncpy: true, ir.ModelStrcat: true, ir.ModelStrncat: true, ir.ModelStrcmp: true, ir.ModelStrncmp: true,
	ir.ModelStrchr: true, ir.ModelStrrchr: true, ir.ModelStrstr: true, ir.ModelStrdup: true, ir.ModelRealloc: true,
	ir.ModelPrintf: true,
}

// AtomicBytes is the widest access of a program that is one step.
func AtomicBytes(m *ir.Module) int64 {
	if p := processorOf(m.Triple, m.CPUs); p != nil && p.sreg != 0 { // an AVR
		return 1
	}
	return int64(m.Layout.PtrBits / 8)
}

// unit is the size of the parts of n bytes, of which align is known.
func (w *interrupts) unit(n, align int64) int64 {
	u := AtomicBytes(w.Module)
	if w.processor != &x86 && w.processor != &aarch64 { // those access unaligned memory in one step
		u = min(u, align)
	}
	switch {
	case n < u && n&(n-1) == 0:
		return n
	case n%u != 0:
		return 1
	}
	return u
}

// step adds in, which handlers can notice, torn if the machine may tear it.
func (w *interrupts) step(in *ir.Instr) {
	switch {
	case in.Flags.Has(ir.Atomic):
	case in.Op == ir.OpLoad || in.Op == ir.OpStore:
		addr := addressOf(in)
		n := w.Module.Layout.StoreSize(in.Access)
		if a, ok := ir.ConstantAddress(addr); n <= w.unit(n, int64(in.Align)) || ok && w.isAVR() && a < 0x100 {
			break
		}
		w.choose(in, func() ir.Value { return w.tornScalar(in, addr, n) })
		return
	case in.Model == ir.ModelMemcpy, in.Model == ir.ModelMemmove, in.Model == ir.ModelMemset:
		if n, ok := w.sizeWritten(in); ok && n <= w.copyUnit(in, n) {
			break
		}
		w.choose(in, func() ir.Value { w.tornCopy(in); return in.Args[0] })
		return
	case in.Op == ir.OpCall && byteByByte[in.Model]:
		w.choose(in, func() ir.Value {
			w.Unsupported(fmt.Sprintf("%s of memory that an interrupt handler uses", in.Model))
			return &ir.Const{T: in.T, Kind: ir.ConstUndef}
		})
		return
	case in.Op == ir.OpCall:
		w.copyArguments(in)
	}
	w.Keep(in)
}

func addressOf(in *ir.Instr) ir.Value {
	if in.Op == ir.OpStore {
		return in.Args[1]
	}
	return in.Args[0]
}

// choose adds in beside its torn form, which gives the value that in has there.
func (w *interrupts) choose(in *ir.Instr, torn func() ir.Value) {
	name := w.Block.Name
	parts, whole, after := w.NewBlock(name+".torn"), w.NewBlock(name+".whole"), w.NewBlock(name+".done")
	w.Branch(w.Call(w.tears), parts, whole)
	w.At(parts)
	w.beginTorn(in)
	v := torn()
	w.endTorn()
	parts = w.Block
	w.Jump(after)
	w.At(whole)
	w.Keep(in)
	w.Jump(after)
	w.At(after)
	if !in.T.IsVoid() {
		w.replace[in] = w.Emit(&ir.Instr{Op: ir.OpPhi, T: in.T, Args: []ir.Value{v, in},
			Incoming: []*ir.Block{parts, whole}})
	}
}

// part is a piece of a torn access, and in which phases it may be made.
type part struct {
	off, len int64
	in       []ir.Value // by phase: whether this is its phase
}

// parts are those of n bytes, each with an open phase.
func (w *interrupts) parts(n, unit int64) []part {
	var out []part
	for off := int64(0); off < n; off += unit {
		out = append(out, part{off: off, len: min(unit, n-off)})
	}
	phases := min(len(out), w.turns+1)
	for i := range out {
		var left ir.Value = w.Int(ir.Int(1), 1)
		for j := range phases {
			here := left
			if j < phases-1 {
				c := w.Nondet(irbuild.PointPrefix+"part", ir.Int(1))
				here = w.And(left, c)
				left = w.And(left, w.Xor(c, w.Int(ir.Int(1), 1)))
			}
			out[i].in = append(out[i].in, here)
		}
	}
	return out
}

// phases runs a phase for each, with a point between each two; between says whether parts are made on both sides of the
// point in front of phase j.
func (w *interrupts) phases(n int, between func(j int) ir.Value, phase func(j int)) {
	for j := range n {
		if j > 0 {
			w.letInto(func() ir.Value { return between(j) })
		}
		phase(j)
	}
}

// onBothSides is whether some parts are made before phase j, and some in it or later.
func (w *interrupts) onBothSides(parts []part, j int) ir.Value {
	var before, after ir.Value = w.Int(ir.Int(1), 0), w.Int(ir.Int(1), 0)
	for _, p := range parts {
		for k, in := range p.in {
			if k < j {
				before = w.Or(before, in)
			} else {
				after = w.Or(after, in)
			}
		}
	}
	return w.And(before, after)
}

func (w *interrupts) choice(c, yes, no ir.Value) ir.Value {
	return w.Emit(&ir.Instr{Op: ir.OpSelect, T: yes.Type(), Args: []ir.Value{c, yes, no}})
}

// local is a new local variable of n bytes, of the alignment of a large one.
func (w *interrupts) local(t *ir.Type, n int64) ir.Value {
	a := &ir.Instr{Op: ir.OpAlloca, Name: irbuild.PointPrefix + "part", T: w.Ptr(), Access: t, Align: 16,
		Args: []ir.Value{w.Int(ir.Int(32), n)}, Pos: w.Pos, Block: w.Func.Blocks[0]}
	w.locals = append(w.locals, a)
	return a
}

// tornScalar is a load or store of n bytes in parts; it gives the value of a load.
func (w *interrupts) tornScalar(in *ir.Instr, addr ir.Value, n int64) ir.Value {
	t := in.Access
	plain := t.IsPtr() || t.IsInt() && int64(t.Width) == 8*n || t.Kind == ir.KindFloat && int64(t.Width) == 8*n
	unit := w.unit(n, int64(in.Align))
	switch {
	case plain && in.Op == ir.OpLoad:
		return w.tornLoad(in, addr, n, unit)
	case plain:
		w.tornStore(in, addr, n, unit)
		return nil
	}
	tmp := w.local(t, 1)
	if in.Op == ir.OpLoad {
		w.copyParts(n, unit, w.bytesCopy(tmp, addr), tmp)
		return w.Load(t, tmp)
	}
	w.Store(in.Args[0], tmp, 1)
	w.copyParts(n, unit, w.bytesCopy(addr, tmp), addr)
	return nil
}

// tornLoad reads the whole in each phase, and takes each part from its phase.
func (w *interrupts) tornLoad(in *ir.Instr, addr ir.Value, n, unit int64) ir.Value {
	t := ir.Int(int(8 * n))
	parts := w.parts(n, unit)
	phases := len(parts[0].in)
	whole, seen := make([]ir.Value, phases), make([]ir.Value, phases)
	w.phases(phases, func(j int) ir.Value { return w.onBothSides(parts, j) }, func(j int) {
		c := *in
		whole[j] = w.Emit(&c)
		seen[j] = w.asInteger(whole[j], t)
	})
	var sum ir.Value = w.Int(t, 0)
	for _, p := range parts {
		shift := w.Int(t, w.shift(p, n))
		v := w.Binary(ir.OpLshr, seen[phases-1], shift)
		for j := phases - 2; j >= 0; j-- {
			v = w.choice(p.in[j], w.Binary(ir.OpLshr, seen[j], shift), v).(*ir.Instr)
		}
		piece := w.Resize(w.Resize(v, ir.Int(int(8*p.len))), t)
		sum = w.Or(sum, w.Binary(ir.OpShl, piece, shift))
	}
	switch {
	case in.T.IsPtr():
		var out ir.Value = w.Emit(&ir.Instr{Op: ir.OpIntToPtr, T: in.T, Args: []ir.Value{sum}})
		for j := range phases { // a pointer that was not torn keeps its object
			out = w.choice(w.Compare(ir.EQ, sum, seen[j]), whole[j], out)
		}
		return out
	case in.T.IsInt():
		return sum
	}
	return w.Emit(&ir.Instr{Op: ir.OpBitcast, T: in.T, Args: []ir.Value{sum}})
}

// asInteger is the representation of a number or pointer.
func (w *interrupts) asInteger(v ir.Value, t *ir.Type) ir.Value {
	switch {
	case v.Type().IsPtr():
		return w.Emit(&ir.Instr{Op: ir.OpPtrToInt, T: t, Args: []ir.Value{v}})
	case v.Type().IsInt():
		return v
	}
	return w.Emit(&ir.Instr{Op: ir.OpBitcast, T: t, Args: []ir.Value{v}})
}

// shift is by how many bits part p of n bytes stands left in the number.
func (w *interrupts) shift(p part, n int64) int64 {
	if w.Module.Layout.BigEndian {
		return 8 * (n - p.off - p.len)
	}
	return 8 * p.off
}

// tornStore writes each part in its phase; in the others it goes to a local.
func (w *interrupts) tornStore(in *ir.Instr, addr ir.Value, n, unit int64) {
	t := ir.Int(int(8 * n))
	elsewhere := w.local(ir.Int(8), n)
	v := w.asInteger(in.Args[0], t)
	parts := w.parts(n, unit)
	w.phases(len(parts[0].in), func(j int) ir.Value { return w.onBothSides(parts, j) }, func(j int) {
		for _, p := range parts {
			piece := w.Resize(w.Binary(ir.OpLshr, v, w.Int(t, w.shift(p, n))), ir.Int(int(8*p.len)))
			w.Store(piece, w.choice(p.in[j], w.Gep(addr, p.off, nil, 0), w.Gep(elsewhere, p.off, nil, 0)), 1)
		}
	})
	if in.Args[0].Type().IsPtr() { // what no handler changed is the pointer, with its object
		same := w.Emit(&ir.Instr{Op: ir.OpFreeze, T: ir.Int(1), Args: []ir.Value{w.Compare(ir.EQ, w.Load(t, addr), v)}})
		w.Store(in.Args[0], w.choice(same, addr, elsewhere), 1)
	}
}
