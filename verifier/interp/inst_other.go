package interp

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// other executes comparisons, select, freeze, calls and the special instructions.
func (x *Machine) other(in *ir.Instr) {
	switch in.Op {
	case ir.OpIcmp, ir.OpFcmp:
		a, b := x.eval(in.Args[0]), x.eval(in.Args[1])
		if in.T.Kind != ir.KindVector {
			if x.o.Differ != nil && a.obj == nil && b.obj == nil && a.defined() && b.defined() && a.bits != b.bits {
				x.o.Differ(a.bits, b.bits)
			}
			x.set(in, x.compare(in, a, b))
			return
		}
		out := value{elems: make([]value, len(a.elems))}
		for i := range out.elems {
			out.elems[i] = x.compare(in, a.elems[i], b.elems[i])
		}
		x.set(in, out)
	case ir.OpSelect:
		x.set(in, x.selected(in))
	case ir.OpFreeze:
		x.set(in, frozen(x.eval(in.Args[0])))
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
		x.end(Unsupported, "", in.What)
	}
}

func frozen(v value) value {
	v.undef = bits.Vec{}
	if v.elems != nil {
		elems := make([]value, len(v.elems))
		for i, e := range v.elems {
			elems[i] = frozen(e)
		}
		v.elems = elems
	}
	return v
}

func (x *Machine) selected(in *ir.Instr) value {
	c, a, b := x.eval(in.Args[0]), x.eval(in.Args[1]), x.eval(in.Args[2])
	if c.elems == nil {
		return pick(c, a, b)
	}
	out := value{elems: make([]value, len(a.elems))}
	for i := range out.elems {
		out.elems[i] = pick(c.elems[i], a.elems[i], b.elems[i])
	}
	return out
}

// pick is a or b by c; an indeterminate c makes the result so.
func pick(c, a, b value) value {
	out := b
	if c.bits.IsOne() {
		out = a
	}
	if !c.defined() {
		return tainted(out)
	}
	return out
}

func tainted(v value) value {
	if v.elems == nil {
		v.undef = bits.Ones(v.bits.Width())
		return v
	}
	elems := make([]value, len(v.elems))
	for i, e := range v.elems {
		elems[i] = tainted(e)
	}
	v.elems = elems
	return v
}

// linked reports two symbols that the program declares and the linker provides: they may be the ends of one object.
func linked(a, b *object) bool {
	return a != nil && b != nil && a.global != nil && b.global != nil && a.global.Extern && b.global.Extern
}

// lies reports whether a, an address made from a number, is in the object of b or just behind it: such a pointer is
// compared as one of that object.
func (x *Machine) lies(a, b value) bool {
	o := b.obj
	if a.obj != nil || !b.toObject() || o.dead != "" || o.fn != nil || o.block != nil ||
		a.bits.IsZero() && !x.o.AddressZero {
		return false
	}
	return a.bits.Low64()-x.baseOf(o) <= uint64(o.size)
}

func (x *Machine) compare(in *ir.Instr, a, b value) value {
	if in.Op == ir.OpFcmp && a.bits.Width() == x87Width {
		return x.x87Ordered(in.Pred, a, b)
	}
	if in.Op == ir.OpFcmp {
		return scalar(bits.Bool(floatCompare(in.Pred, a.bits, b.bits))).withMask(all(1, a, b))
	}
	order := in.Pred != ir.EQ && in.Pred != ir.NE
	if in.Args[0].Type().IsPtr() && order && a.obj != b.obj && (a.toObject() || b.toObject()) &&
		!linked(a.obj, b.obj) && !x.lies(a, b) && !x.lies(b, a) {
		if x.violateAs(verdict.ApartCompared, in.OrderCheck(), "pointers to different objects ordered: %s and %s",
			target(a), target(b)) {
			return scalar(bits.Bool(false))
		}
	}
	if a.obj != nil && a.obj == b.obj && in.Args[0].Type().IsPtr() {
		return scalar(bits.Bool(intCompare(in.Pred, a.bits, b.bits))).withMask(all(1, a, b))
	}
	if in.Args[0].Type().IsPtr() && !order {
		same := x.equal(a, b)
		return scalar(bits.Bool(same == (in.Pred == ir.EQ))).withMask(all(1, a, b))
	}
	if in.Args[0].Type().IsPtr() {
		return scalar(bits.Bool(intCompare(in.Pred, x.toInt(a, x.pw).bits, x.toInt(b, x.pw).bits))).withMask(all(1, a,
			b))
	}
	return scalar(bits.Bool(intCompare(in.Pred, a.bits, b.bits))).withMask(compareMask(in.Pred, a, b))
}

// compareMask: an equality of integers is decided by a defined bit that differs; anything
// else with an indeterminate bit is indeterminate.
func compareMask(p ir.Pred, a, b value) bits.Vec {
	if a.defined() && b.defined() {
		return bits.Vec{}
	}
	known := bits.Not(bits.Or(a.mask(), b.mask()))
	if (p == ir.EQ || p == ir.NE) && !bits.And(bits.Xor(a.bits, b.bits), known).IsZero() {
		return bits.Vec{}
	}
	return bits.New(1, 1)
}

func target(v value) any {
	if v.obj == nil {
		return "address 0x" + v.bits.Hex()
	}
	return v.obj
}

// equal compares scalars; pointers to different objects by address.
func (x *Machine) equal(a, b value) bool {
	if a.obj == b.obj {
		return a.bits == b.bits
	}
	if a.obj != nil && b.obj != nil && a.obj.kind != regionObject && b.obj.kind != regionObject && x.within(a) &&
		x.within(b) && a.obj.dead == "" && b.obj.dead == "" {
		return false // both inside live objects, which do not overlap
	}
	for _, p := range [][2]value{{a, b}, {b, a}} { // an object contains no address 0
		if p[0].obj == nil && p[0].bits.IsZero() && p[1].bits.Low64() <= uint64(p[1].obj.size) && !x.o.AddressZero {
			return false
		}
	}
	return x.toInt(a, x.pw).bits == x.toInt(b, x.pw).bits
}

func (x *Machine) within(v value) bool { return v.bits.Low64() < uint64(v.obj.size) }

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
	p := x.eval(in.Callee)
	if !x.decide(p, "called address") {
		return
	}
	if p.obj == nil {
		p = x.toPtr(p)
	}
	if p.obj == nil || p.obj.fn == nil || !p.bits.IsZero() {
		if p.obj != nil || p.bits.IsZero() || !x.goesOn(verdict.Memory, "call") {
			x.stopAs(verdict.NoFunction, verdict.Memory, "call through a pointer to %s", target(p))
		}
		return
	}
	f := p.obj.fn
	_, direct := in.Callee.(*ir.Const)
	if why := ir.Mismatch(f, in, direct); why != "" {
		if direct {
			x.end(Unsupported, "", fmt.Sprintf("call of %s with %s", f.Name, why))
		} else {
			x.stopAs(verdict.OtherType, verdict.Memory, "%s", named{p.obj, ir.CallOfAnotherType(f, why)})
		}
		return
	}
	args := make([]value, len(in.Args))
	for i, a := range in.Args {
		args[i] = x.eval(a)
	}
	if f.IsDecl() {
		if f.Model != ir.ModelNone {
			x.modelled(in, f, f.Model, args)
			return
		}
		x.end(Unsupported, "", ir.NoBody(f.Name))
		return
	}
	x.enter(f, in, args[:len(f.Params)], args[len(f.Params):])
}
