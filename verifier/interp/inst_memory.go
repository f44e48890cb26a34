package interp

import (
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp/ieee"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// memory executes allocation, access and address arithmetic.
func (x *Machine) memory(in *ir.Instr) {
	switch in.Op {
	case ir.OpAlloca:
		x.alloca(in)
	case ir.OpLoad:
		p := x.Eval(in.Args[0])
		x.set(in, x.load(in, p))
	case ir.OpStore:
		v, p := x.Eval(in.Args[0]), x.Eval(in.Args[1])
		if x.decideShown(in, []Value{v}) && x.decideResult(in, v) {
			x.store(in, p, v)
		}
	case ir.OpGep:
		x.set(in, x.gep(in))
	case ir.OpCmpXchg:
		p, want, v := x.Eval(in.Args[0]), x.Eval(in.Args[1]), x.Eval(in.Args[2])
		old := x.load(in, p)
		same := x.equal(old, want)
		if x.decide(old, "compared value"); same && x.Outcome == nil && in.Flags.Has(ir.Weak) {
			same = x.input(input.Unspecified, 1).IsZero()
		}
		if same && x.Outcome == nil {
			x.store(in, p, v)
		}
		x.set(in, pair(old, same))
	case ir.OpAtomicRMW:
		p, v := x.Eval(in.Args[0]), x.Eval(in.Args[1])
		old := x.load(in, p)
		if x.Outcome == nil {
			x.store(in, p, x.rmw(in, old, v))
		}
		x.set(in, old)
	}
}

func (x *Machine) alloca(in *ir.Instr) {
	n := x.Eval(in.Args[0])
	if !x.decide(n, "array length") {
		return
	}
	count, ok := n.Bits.Uint64()
	size := x.Layout.SizeOf(in.Access)
	if !ok || size > 0 && count > uint64(bits.Ones(x.PtrBits).Low64()>>1)/uint64(size) {
		x.stop(verdict.VLA, "array of %s elements is too large", n.Bits.Unsigned())
		return
	}
	o := x.newObject(StackObject, size*int64(count), int64(in.Align), in)
	o.Variable, o.Frame = x.Slots[in], len(x.Frames)
	if x.isScoped(in) { // it comes to life where its scope begins
		o.Dead = afterScope
	}
	x.hold(o)
	x.set(in, Value{Bits: x.zero, Object: o})
	if o.Dead == "" {
		x.on.Local(in, o)
	}
}

// hold lets o die with the frame. It takes the place of an earlier turn's object of the same local that is dead
// already, so that a loop that ran often is no other state than one that ran once.
func (x *Machine) hold(o *Object) {
	if o.Dead != "" && o.Born.Block.Index > 0 {
		for i := len(x.Frame.Objects) - 1; i >= 0; i-- {
			if old := x.Frame.Objects[i]; old.Born == o.Born && old.Dead != "" {
				old.earlier, old.Pages, old.Pointers = true, nil, nil
				x.Objects[old.Number], x.Frame.Objects[i] = nil, o
				return
			}
		}
	}
	x.Frame.Objects = append(x.Frame.Objects, o)
}

func (x *Machine) accessOf(in *ir.Instr, write bool) access {
	a := access{size: uint64(x.Layout.StoreSize(in.Access)), align: int64(in.Align), write: write}
	if write {
		a.arg = 1
	}
	return a
}

func (x *Machine) load(in *ir.Instr, p Value) Value {
	o, off, ok := x.reach(p, x.accessOf(in, false))
	if !ok || x.misuses(in, o, off, nil) {
		return x.zeroOf(in.Access)
	}
	if x.fresh(in, o) {
		v := x.inputs(input.VolatileRead, in.Access)
		x.on.Fresh(in, o, off, v)
		return v
	}
	v := x.Get(o, off, in.Access)
	x.on.Load(in, o, off, v)
	return v
}

// fresh reports a read whose value the environment decides (LL-122).
func (x *Machine) fresh(in *ir.Instr, o *Object) bool {
	if o.Kind == regionObject && o.Region.Access == ir.AccessVolatile {
		return true
	}
	if !x.Options.Fresh(in) {
		return false
	}
	if o.Kind != StackObject || o.Born == nil || o.Born.Op != ir.OpAlloca {
		return true
	}
	return x.escapesOf(o.Born)
}

func (x *Machine) store(in *ir.Instr, p, v Value) {
	o, off, ok := x.reach(p, x.accessOf(in, true))
	if !ok || x.misuses(in, o, off, &v) {
		return
	}
	if in.Flags.Has(ir.Volatile) {
		x.handOut(in, v)
	}
	if o.Kind == regionObject && o.Region.Access == ir.AccessVolatile {
		return
	}
	x.on.Storing(in, o, off)
	x.Put(o, off, in.Access, v)
	x.on.Store(in, o, off)
}

// misuses is the check `register`: it ends the run where the registers at offset off of a volatile region are not made for
// the access, or for what it writes, if it writes.
func (x *Machine) misuses(in *ir.Instr, o *Object, off int64, written *Value) bool {
	if o.Kind != regionObject || o.Region.Access != ir.AccessVolatile || !x.Options.Checks.Has(verdict.Register) {
		return false
	}
	at, size := o.Region.Base+uint64(off), uint64(x.Layout.StoreSize(in.Access))
	text := x.Options.Misuse(o.Region.Name, at, size, written != nil)
	if text == "" && (written == nil || !x.Options.HasFields(at, size)) {
		return false
	}
	calls := x.callsHere()
	if !in.AtRegister(calls) {
		return false
	}
	if text != "" {
		return x.violate(verdict.Register, "%s", text)
	}
	if written == nil || written.Object != nil || len(written.Elems) > 0 {
		return false
	}
	n, _ := written.Bits.Uint64()
	for _, m := range x.Options.Misfits(in, calls, o.Region.Name, at, size) {
		if k, ok := m.Fits(n); !ok {
			return x.violate(verdict.Register, "%s", strings.ReplaceAll(m.Text, "%s", strconv.FormatUint(k, 10)))
		}
	}
	return false
}

// callsHere lists the calls that led to the function that runs, the last one first.
func (x *Machine) callsHere() []*ir.Instr {
	var out []*ir.Instr
	for i := len(x.Frames) - 1; i >= 0; i-- {
		if call := x.Frames[i].Call; call != nil {
			out = append(out, call)
		}
	}
	return out
}

// gep computes an address; inbounds it must stay in the object (check pointer-overflow). Where null matters
// (ir.Semantics.TellsNull), what leaves it points behind the null object until it comes back.
func (x *Machine) gep(in *ir.Instr) Value {
	base := x.Eval(in.Args[0])
	null := x.Options.TellsNull(x.Options.Checks) && (base.Object == nil && base.Bits.IsZero() || base.IsBehindNull())
	off := bits.NewInt(x.PtrBits, in.Off)
	undef := base.Mask()
	for i, a := range in.Args[1:] {
		v := x.Eval(a)
		n := signedTo(v.Bits, x.PtrBits)
		off = bits.Add(off, bits.Mul(n, bits.NewInt(x.PtrBits, in.Scales[i])))
		if !v.Defined() {
			undef = bits.Or(undef, smear(signedTo(v.Undef, x.PtrBits)))
		}
	}
	out := Value{Bits: bits.Add(base.Bits, off), Object: base.Object}
	if !undef.IsZero() {
		out.Undef = smear(undef)
	}
	if in.Flags.Has(ir.InBounds) {
		x.inBounds(base, off, out, in.Flags.Has(ir.NUW))
	}
	if null {
		if out.Object = nil; !out.Bits.IsZero() {
			out.Object = x.nowhere()
		}
	}
	return out
}

func signedTo(b bits.Vec, w int) bits.Vec {
	if b.Width() >= w {
		return Resize(b, w)
	}
	return bits.Sext(b, w)
}

// inBounds is the check pointer-overflow: the result lies inside the object or
// just behind it. An address without object must not wrap around, nor leave null
// where the memory map has something behind it. What an unsigned index adds is not below zero.
func (x *Machine) inBounds(base Value, off bits.Vec, out Value, unsigned bool) {
	if unsigned && off.Sign() {
		x.violateAs(verdict.WrapsAround, verdict.PointerOverflow, "an unsigned index wraps around")
		return
	}
	if out.Object == nil && !off.IsZero() {
		switch {
		case off.Sign() && bits.Ult(base.Bits, bits.Neg(off)), !off.Sign() && bits.UaddOverflow(base.Bits, off):
			x.violateAs(verdict.WrapsAround, verdict.PointerOverflow, "address arithmetic wraps around")
		case base.Bits.IsZero() && x.Options.NearNull():
			x.violateAs(verdict.NullArithmetic, verdict.PointerOverflow, "arithmetic on a null pointer")
		}
		return
	}
	if o := out.Object; o != nil && out.Bits.Low64() > uint64(o.Size) {
		x.violateAs(verdict.OutOfBounds, verdict.PointerOverflow, "pointer to offset %s of %s (%d %s)", out.Bits.Signed(),
			o, o.Size, Plural(uint64(o.Size), "byte"))
	}
}

// rmw is the new value of atomicrmw (LangRef: atomicrmw).
func (x *Machine) rmw(in *ir.Instr, old, v Value) Value {
	a, b := old.Bits, v.Bits
	pick := func(first bool) Value {
		if first {
			return Scalar(a)
		}
		return Scalar(b)
	}
	var out Value
	switch in.RMW {
	case "xchg":
		return v
	case "add":
		out = Scalar(bits.Add(a, b))
	case "sub":
		out = Scalar(bits.Sub(a, b))
	case "and":
		out = Scalar(bits.And(a, b))
	case "nand":
		out = Scalar(bits.Not(bits.And(a, b)))
	case "or":
		out = Scalar(bits.Or(a, b))
	case "xor":
		out = Scalar(bits.Xor(a, b))
	case "max":
		out = pick(bits.Slt(b, a))
	case "min":
		out = pick(bits.Slt(a, b))
	case "umax":
		out = pick(bits.Ult(b, a))
	case "umin":
		out = pick(bits.Ult(a, b))
	case "fadd":
		out = Scalar(ieee.Binary(ir.OpFadd, a, b))
	case "fsub":
		out = Scalar(ieee.Binary(ir.OpFsub, a, b))
	default:
		x.EndRun(Unsupported, "", "atomicrmw "+in.RMW)
	}
	if out.Bits.Width() == 0 {
		out = old
	}
	return out.withMask(all(out.Bits.Width(), old, v))
}
