package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// memory executes allocation, access and address arithmetic.
func (x *Machine) memory(in *ir.Instr) {
	switch in.Op {
	case ir.OpAlloca:
		x.alloca(in)
	case ir.OpLoad:
		p := x.eval(in.Args[0])
		x.set(in, x.load(in, p))
	case ir.OpStore:
		v, p := x.eval(in.Args[0]), x.eval(in.Args[1])
		if x.decideShown(in, []value{v}) && x.decideResult(in, v) {
			x.store(in, p, v)
		}
	case ir.OpGep:
		x.set(in, x.gep(in))
	case ir.OpCmpXchg:
		p, want, v := x.eval(in.Args[0]), x.eval(in.Args[1]), x.eval(in.Args[2])
		old := x.load(in, p)
		same := x.equal(old, want)
		if x.decide(old, "compared value"); same && x.out == nil && in.Flags.Has(ir.Weak) {
			same = x.input(input.Unspecified, 1).IsZero()
		}
		if same && x.out == nil {
			x.store(in, p, v)
		}
		x.set(in, pair(old, same))
	case ir.OpAtomicRMW:
		p, v := x.eval(in.Args[0]), x.eval(in.Args[1])
		old := x.load(in, p)
		if x.out == nil {
			x.store(in, p, x.rmw(in, old, v))
		}
		x.set(in, old)
	}
}

func (x *Machine) alloca(in *ir.Instr) {
	n := x.eval(in.Args[0])
	if !x.decide(n, "array length") {
		return
	}
	count, ok := n.bits.Uint64()
	size := x.l.SizeOf(in.Access)
	if !ok || size > 0 && count > uint64(bits.Ones(x.pw).Low64()>>1)/uint64(size) {
		x.stop(verdict.VLA, "array of %s elements is too large", n.bits.Unsigned())
		return
	}
	o := x.newObject(stackObject, size*int64(count), int64(in.Align), in)
	o.variable, o.frame = x.slots[in], len(x.frames)
	f := in.Block.Func
	if x.scoped[f] == nil {
		x.scoped[f] = ir.Scoped(f)
	}
	if x.scoped[f][in] { // it comes to life where its scope begins
		o.dead = afterScope
	}
	x.hold(o)
	x.set(in, value{bits: x.zero, obj: o})
	if o.dead == "" {
		x.on.Local(in, o)
	}
}

// hold lets o die with the frame. It takes the place of an earlier turn's object of the same local that is dead already,
// so that a loop that ran often is no other state than one that ran once.
func (x *Machine) hold(o *object) {
	if o.dead != "" && o.born.Block.Index > 0 {
		for i := len(x.fr.objs) - 1; i >= 0; i-- {
			if old := x.fr.objs[i]; old.born == o.born && old.dead != "" {
				old.earlier, old.pages, old.ptrs = true, nil, nil
				x.objects[old.num], x.fr.objs[i] = nil, o
				return
			}
		}
	}
	x.fr.objs = append(x.fr.objs, o)
}

func (x *Machine) accessOf(in *ir.Instr, write bool) access {
	a := access{size: uint64(x.l.StoreSize(in.Access)), align: int64(in.Align), write: write}
	if write {
		a.arg = 1
	}
	return a
}

func (x *Machine) load(in *ir.Instr, p value) value {
	o, off, ok := x.reach(p, x.accessOf(in, false))
	if !ok {
		return x.zeroOf(in.Access)
	}
	if x.fresh(in, o) {
		v := x.inputs(input.VolatileRead, in.Access)
		x.on.Fresh(in, o, off, v)
		return v
	}
	v := x.get(o, off, in.Access)
	x.on.Load(in, o, off, v)
	return v
}

// fresh reports a read whose value the environment decides (LL-122).
func (x *Machine) fresh(in *ir.Instr, o *object) bool {
	if o.kind == regionObject && o.region.Access == ir.AccessVolatile {
		return true
	}
	if !x.o.Fresh(in) {
		return false
	}
	if o.kind != stackObject || o.born == nil || o.born.Op != ir.OpAlloca {
		return true
	}
	f := o.born.Block.Func
	if x.escapes[f] == nil {
		x.escapes[f] = ir.Escapes(f)
	}
	return x.escapes[f][o.born]
}

func (x *Machine) store(in *ir.Instr, p, v value) {
	o, off, ok := x.reach(p, x.accessOf(in, true))
	if !ok {
		return
	}
	if o.kind == regionObject && o.region.Access == ir.AccessVolatile {
		return
	}
	x.on.Storing(in, o, off)
	x.put(o, off, in.Access, v)
	x.on.Store(in, o, off)
}

// gep computes an address; inbounds it must stay in the object (check pointer-overflow). Where null matters
// (ir.Semantics.TellsNull), what leaves it points behind the null object until it comes back.
func (x *Machine) gep(in *ir.Instr) value {
	base := x.eval(in.Args[0])
	null := x.o.TellsNull(x.o.Checks) && (base.obj == nil && base.bits.IsZero() || base.isBehindNull())
	off := bits.NewInt(x.pw, in.Off)
	undef := base.mask()
	for i, a := range in.Args[1:] {
		v := x.eval(a)
		n := signedTo(v.bits, x.pw)
		off = bits.Add(off, bits.Mul(n, bits.NewInt(x.pw, in.Scales[i])))
		if !v.defined() {
			undef = bits.Or(undef, smear(signedTo(v.undef, x.pw)))
		}
	}
	out := value{bits: bits.Add(base.bits, off), obj: base.obj}
	if !undef.IsZero() {
		out.undef = smear(undef)
	}
	if in.Flags.Has(ir.InBounds) {
		x.inBounds(base, off, out, in.Flags.Has(ir.NUW))
	}
	if null {
		if out.obj = nil; !out.bits.IsZero() {
			out.obj = x.nowhere()
		}
	}
	return out
}

func signedTo(b bits.Vec, w int) bits.Vec {
	if b.Width() >= w {
		return resize(b, w)
	}
	return bits.Sext(b, w)
}

// inBounds is the check pointer-overflow: the result lies inside the object or
// just behind it. An address without object must not wrap around, nor leave null
// where the memory map has something behind it. What an unsigned index adds is not below zero.
func (x *Machine) inBounds(base value, off bits.Vec, out value, unsigned bool) {
	if unsigned && off.Sign() {
		x.violateAs(verdict.WrapsAround, verdict.PointerOverflow, "an unsigned index wraps around")
		return
	}
	if out.obj == nil && !off.IsZero() {
		switch {
		case off.Sign() && bits.Ult(base.bits, bits.Neg(off)), !off.Sign() && bits.UaddOverflow(base.bits, off):
			x.violateAs(verdict.WrapsAround, verdict.PointerOverflow, "address arithmetic wraps around")
		case base.bits.IsZero() && x.o.NearNull():
			x.violateAs(verdict.NullArithmetic, verdict.PointerOverflow, "arithmetic on a null pointer")
		}
		return
	}
	if o := out.obj; o != nil && out.bits.Low64() > uint64(o.size) {
		x.violateAs(verdict.OutOfBounds, verdict.PointerOverflow, "pointer to offset %s of %s (%d %s)", out.bits.Signed(),
			o, o.size, plural(uint64(o.size), "byte"))
	}
}

// rmw is the new value of atomicrmw (LangRef: atomicrmw).
func (x *Machine) rmw(in *ir.Instr, old, v value) value {
	a, b := old.bits, v.bits
	pick := func(first bool) value {
		if first {
			return scalar(a)
		}
		return scalar(b)
	}
	var out value
	switch in.RMW {
	case "xchg":
		return v
	case "add":
		out = scalar(bits.Add(a, b))
	case "sub":
		out = scalar(bits.Sub(a, b))
	case "and":
		out = scalar(bits.And(a, b))
	case "nand":
		out = scalar(bits.Not(bits.And(a, b)))
	case "or":
		out = scalar(bits.Or(a, b))
	case "xor":
		out = scalar(bits.Xor(a, b))
	case "max":
		out = pick(bits.Slt(b, a))
	case "min":
		out = pick(bits.Slt(a, b))
	case "umax":
		out = pick(bits.Ult(b, a))
	case "umin":
		out = pick(bits.Ult(a, b))
	case "fadd":
		out = scalar(floatBinary(ir.OpFadd, a, b))
	case "fsub":
		out = scalar(floatBinary(ir.OpFsub, a, b))
	default:
		x.end(Unsupported, "", "atomicrmw "+in.RMW)
	}
	if out.bits.Width() == 0 {
		out = old
	}
	return out.withMask(all(out.bits.Width(), old, v))
}
