package interp

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/interp/ieee"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// other executes comparisons, select, freeze, calls and the special instructions.
func (x *Machine) other(in *ir.Instr) {
	switch in.Op {
	case ir.OpIcmp, ir.OpFcmp:
		a, b := x.Eval(in.Args[0]), x.Eval(in.Args[1])
		if in.T.Kind != ir.KindVector {
			if x.Options.Differ != nil && a.Object == nil && b.Object == nil && a.Defined() && b.Defined() && a.Bits != b.Bits {
				x.Options.Differ(a.Bits, b.Bits)
			}
			x.set(in, x.compare(in, a, b))
			return
		}
		out := Value{Elems: make([]Value, len(a.Elems))}
		for i := range out.Elems {
			out.Elems[i] = x.compare(in, a.Elems[i], b.Elems[i])
		}
		x.set(in, out)
	case ir.OpSelect:
		x.set(in, x.selected(in))
	case ir.OpFreeze:
		x.set(in, frozen(x.Eval(in.Args[0])))
	case ir.OpCall:
		x.call(in)
	case ir.OpTrap:
		if in.Check == verdict.Race {
			x.raced(in)
			return
		}
		x.trapped(in)
	case ir.OpAsm:
		x.asm(in)
	case ir.OpVaArg:
		x.vaArg(in)
	case ir.OpUnsupported:
		x.EndRun(Unsupported, "", in.What)
	}
}

func frozen(v Value) Value {
	v.Undef = bits.Vec{}
	if v.Elems != nil {
		elems := make([]Value, len(v.Elems))
		for i, e := range v.Elems {
			elems[i] = frozen(e)
		}
		v.Elems = elems
	}
	return v
}

func (x *Machine) selected(in *ir.Instr) Value {
	c, a, b := x.Eval(in.Args[0]), x.Eval(in.Args[1]), x.Eval(in.Args[2])
	if c.Elems == nil {
		return pick(c, a, b)
	}
	out := Value{Elems: make([]Value, len(a.Elems))}
	for i := range out.Elems {
		out.Elems[i] = pick(c.Elems[i], a.Elems[i], b.Elems[i])
	}
	return out
}

// pick is a or b by c; an indeterminate c makes the result so.
func pick(c, a, b Value) Value {
	out := b
	if c.Bits.IsOne() {
		out = a
	}
	if !c.Defined() {
		return tainted(out)
	}
	return out
}

func tainted(v Value) Value {
	if v.Elems == nil {
		v.Undef = bits.Ones(v.Bits.Width())
		return v
	}
	elems := make([]Value, len(v.Elems))
	for i, e := range v.Elems {
		elems[i] = tainted(e)
	}
	v.Elems = elems
	return v
}

// linked reports two symbols that the program declares and the linker provides: they may be the ends of one object.
func linked(a, b *Object) bool {
	return a != nil && b != nil && a.Global != nil && b.Global != nil && a.Global.Extern && b.Global.Extern
}

// lies reports whether a, an address made from a number, is in the object of b or just behind it: such a pointer is
// compared as one of that object.
func (x *Machine) lies(a, b Value) bool {
	o := b.Object
	if a.Object != nil || !b.toObject() || o.Dead != "" || o.Func != nil || o.Block != nil ||
		a.Bits.IsZero() && !x.Options.AddressZero {
		return false
	}
	return a.Bits.Low64()-x.baseOf(o) <= uint64(o.Size)
}

func (x *Machine) compare(in *ir.Instr, a, b Value) Value {
	if in.Op == ir.OpFcmp && a.Bits.Width() == ieee.X87Width {
		return x.x87Ordered(in.Pred, a, b)
	}
	if in.Op == ir.OpFcmp {
		return Scalar(bits.Bool(ieee.Compare(in.Pred, a.Bits, b.Bits))).withMask(all(1, a, b))
	}
	order := in.Pred != ir.EQ && in.Pred != ir.NE
	if in.Args[0].Type().IsPtr() && order && a.Object != b.Object && (a.toObject() || b.toObject()) &&
		!linked(a.Object, b.Object) && !x.lies(a, b) && !x.lies(b, a) {
		if x.violateAs(verdict.ApartCompared, in.OrderCheck(), "pointers to different objects ordered: %s and %s",
			target(a), target(b)) {
			return Scalar(bits.Bool(false))
		}
	}
	if a.Object != nil && a.Object == b.Object && in.Args[0].Type().IsPtr() {
		return Scalar(bits.Bool(intCompare(in.Pred, a.Bits, b.Bits))).withMask(all(1, a, b))
	}
	if in.Args[0].Type().IsPtr() && !order {
		same := x.equal(a, b)
		return Scalar(bits.Bool(same == (in.Pred == ir.EQ))).withMask(all(1, a, b))
	}
	if in.Args[0].Type().IsPtr() {
		p, q := x.ToInt(a, x.PtrBits).Bits, x.ToInt(b, x.PtrBits).Bits
		return Scalar(bits.Bool(intCompare(in.Pred, p, q))).withMask(all(1, a, b))
	}
	return Scalar(bits.Bool(intCompare(in.Pred, a.Bits, b.Bits))).withMask(compareMask(in.Pred, a, b))
}

// compareMask: an equality of integers is decided by a defined bit that differs; anything
// else with an indeterminate bit is indeterminate.
func compareMask(p ir.Pred, a, b Value) bits.Vec {
	if a.Defined() && b.Defined() {
		return bits.Vec{}
	}
	known := bits.Not(bits.Or(a.Mask(), b.Mask()))
	if (p == ir.EQ || p == ir.NE) && !bits.And(bits.Xor(a.Bits, b.Bits), known).IsZero() {
		return bits.Vec{}
	}
	return bits.New(1, 1)
}

func target(v Value) any {
	if v.Object == nil {
		return "address 0x" + v.Bits.Hex()
	}
	return v.Object
}

// equal compares scalars; pointers to different objects by address.
func (x *Machine) equal(a, b Value) bool {
	if a.Object == b.Object {
		return a.Bits == b.Bits
	}
	if a.Object != nil && b.Object != nil && a.Object.Kind != regionObject && b.Object.Kind != regionObject &&
		x.within(a) && x.within(b) && a.Object.Dead == "" && b.Object.Dead == "" {
		return false // both inside live objects, which do not overlap
	}
	for _, p := range [][2]Value{{a, b}, {b, a}} { // an object contains no address 0
		if p[0].Object == nil && p[0].Bits.IsZero() && p[1].Bits.Low64() <= uint64(p[1].Object.Size) &&
			!x.Options.AddressZero {
			return false
		}
	}
	return x.ToInt(a, x.PtrBits).Bits == x.ToInt(b, x.PtrBits).Bits
}

func (x *Machine) within(v Value) bool { return v.Bits.Low64() < uint64(v.Object.Size) }

func intCompare(p ir.Pred, a, b bits.Vec) bool {
	switch p {
	case ir.EQ:
		return a == b
	case ir.NE:
		return a != b
	case ir.UGT:
		return bits.Ult(b, a)
	case ir.UGE:
		return bits.Ule(b, a)
	case ir.ULT:
		return bits.Ult(a, b)
	case ir.ULE:
		return bits.Ule(a, b)
	case ir.SGT:
		return bits.Slt(b, a)
	case ir.SGE:
		return bits.Sle(b, a)
	case ir.SLT:
		return bits.Slt(a, b)
	}
	return bits.Sle(a, b)
}

// call executes a model or enters a body.
func (x *Machine) call(in *ir.Instr) {
	if in.Model != ir.ModelNone {
		x.model(in)
		return
	}
	p := x.Eval(in.Callee)
	if !x.decide(p, "called address") {
		return
	}
	if p.Object == nil {
		p = x.toPtr(p)
	}
	if p.Object == nil || p.Object.Func == nil || !p.Bits.IsZero() {
		if p.Object != nil || p.Bits.IsZero() || !x.goesOn(verdict.Memory, "call") {
			x.stopAs(verdict.NoFunction, verdict.Memory, "call through a pointer to %s", target(p))
		}
		return
	}
	f := p.Object.Func
	_, direct := in.Callee.(*ir.Const)
	if why := ir.Mismatch(f, in, direct); why != "" {
		if direct {
			x.EndRun(Unsupported, "", fmt.Sprintf("call of %s with %s", f.Name, why))
		} else {
			x.stopAs(verdict.OtherType, verdict.Memory, "%s", named{p.Object, ir.CallOfAnotherType(f, why)})
		}
		return
	}
	args := make([]Value, len(in.Args))
	for i, a := range in.Args {
		args[i] = x.Eval(a)
	}
	if f.IsDecl() {
		if f.Model != ir.ModelNone {
			x.modelled(in, f, f.Model, args)
			return
		}
		x.EndRun(Unsupported, "", ir.NoBody(f.Name))
		return
	}
	x.handOver(in, f, ir.ModelNone, args)
	x.enter(f, in, args[:len(f.Params)], args[len(f.Params):])
}
