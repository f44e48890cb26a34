package interp

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/interp/cexpr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// outside notes the object of the failed access of in: the bytes [from, to) are those that the access may touch.
func (x *Machine) outside(in *ir.Instr, o *Object, off, width, from, to int64) {
	if x.Outcome == nil || x.Outcome.Object != nil {
		return
	}
	start := max(0, min(off, o.Size)-policy.ObjectShown/2)
	shown := &verdict.Object{Name: x.Name(o), Size: o.Size, From: from, To: to, Offset: off, Width: width, Start: start,
		Before: off < from && ir.MayBeBefore(in)}
	shown.Wraps = off < from && !shown.Before && ir.Indexes(in)
	if t := o.CType(); t != nil {
		shown.Type = t.String()
	}
	x.on.Outside(o, shown)
	x.Outcome.Object = shown
}

// reads notes whether the access of the object that outside noted reads.
func (x *Machine) reads(is bool) {
	if x.Outcome != nil && x.Outcome.Object != nil {
		x.Outcome.Object.Reads = is
	}
}

// PointerAt returns the whole pointer in memory that the byte at off is part of.
func (x *Machine) PointerAt(o *Object, off int64) (Value, bool) {
	for at := off; at > off-int64(x.PtrBits/8); at-- {
		if v, ok := o.Pointers[at]; ok {
			return v, true
		}
	}
	return Value{}, false
}

// wouldBe says in C terms what would be at an offset outside of o, e.g. ", where `rx.buf[10]` would be"; empty where o
// does not end with an array.
func (x *Machine) wouldBe(o *Object, off int64) string {
	name, t, at := x.Name(o), o.CType(), off*8
	for t != nil {
		switch {
		case t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits >= 8 && at >= 0:
			n := int64(t.Elem.Bits)
			if name == x.Name(o) && n == 8 {
				return "" // the offset is the index
			}
			return fmt.Sprintf(", where `%s[%d]` would be", name, at/n)
		case t.Kind == ir.DStruct && len(t.Fields) > 0 && at >= 0:
			last := &t.Fields[len(t.Fields)-1]
			if last.IsBits || last.Name == "" {
				return ""
			}
			name, t, at = last.Of(name), last.T, at-last.BitOff
		default:
			return ""
		}
	}
	return ""
}

// trapped words the failure of the trap in, and notes the array where the trap checks an index.
func (x *Machine) trapped(in *ir.Instr) {
	message := in.What
	index, n, array := x.failedIndex(in)
	if index != nil {
		message = fmt.Sprintf("array index %s out of bounds", x.indexText(index))
		if array != nil {
			i := x.Eval(index)
			off := int64(x.Eval(array.Args[0]).Bits.Low64()) + array.Off
			o, scale := x.Eval(array.Args[0]).Object, array.Scales[0]
			count := int64(n.Low64())
			name := x.arrayName(o, off, count, scale)
			message += fmt.Sprintf(" of `%s` (%d %s)", name, count, Plural(n.Low64(), "element"))
			x.stopAs(verdict.OutOfIndex, in.Check, "%s", message)
			at, _ := signedTo(i.Bits, x.PtrBits).Int64()
			x.outside(in, o, off+at*scale, scale, off, off+count*scale)
			return
		}
		message += fmt.Sprintf(" (%d %s)", n.Low64(), Plural(n.Low64(), "element"))
		x.stopAs(verdict.OutOfIndex, in.Check, "%s", message)
		return
	}
	if o := x.wrapped(in); o != nil {
		x.stopAs(verdict.WrapsAround, in.Check, "%s: arithmetic on the address of %s wraps around to it", message, o)
		return
	}
	x.stop(in.Check, "%s", message)
}

// wrapped returns the object from whose address arithmetic made the pointer that the comparison before a trap found
// null; nil where it is no address computed from one.
func (x *Machine) wrapped(in *ir.Instr) *Object {
	if in.Check != verdict.Nonnull || x.Frame.Prev == nil {
		return nil
	}
	br := x.Frame.Prev.Term()
	if br == nil || br.Op != ir.OpCondBr {
		return nil
	}
	cmp, ok := br.Args[0].(*ir.Instr)
	if !ok || cmp.Op != ir.OpIcmp || !cmp.Args[0].Type().IsPtr() {
		return nil
	}
	return x.Eval(cmp.Args[0]).Object
}

// failedIndex returns the index that the comparison before a trap of an array access found too large, the number of
// elements, and the address computation that the comparison guards, if its array is known.
func (x *Machine) failedIndex(in *ir.Instr) (index *ir.Instr, n bits.Vec, array *ir.Instr) {
	if !in.Flags.Has(ir.OfIndex) || x.Frame.Prev == nil {
		return nil, n, nil
	}
	br := x.Frame.Prev.Term()
	if br == nil || br.Op != ir.OpCondBr {
		return nil, n, nil
	}
	cmp, ok := br.Args[0].(*ir.Instr)
	if !ok || cmp.Op != ir.OpIcmp || cmp.Pred != ir.ULT && cmp.Pred != ir.ULE {
		return nil, n, nil
	}
	bound, known := cmp.Args[1].(*ir.Const)
	index, ok = cmp.Args[0].(*ir.Instr)
	if !ok || !known || bound.Kind != ir.ConstInt {
		return nil, n, nil
	}
	for _, next := range br.Targets[0].Instrs {
		if next.Op != ir.OpGep || len(next.Scales) == 0 {
			continue
		}
		if base, ok := next.Args[0].(*ir.Instr); ok && base.Block == next.Block {
			break // it was not computed yet
		}
		if len(next.Scales) == 1 && sameOrigin(next.Args[1], index) && x.Eval(next.Args[0]).Object != nil {
			array = next
		}
		break
	}
	return index, bound.Bits, array
}

// sameOrigin reports whether two values are widenings of one.
func sameOrigin(a, b ir.Value) bool { return unwidened(a) == unwidened(b) }

func unwidened(v ir.Value) ir.Value {
	for {
		in, ok := v.(*ir.Instr)
		if !ok || in.Op != ir.OpZext && in.Op != ir.OpSext {
			return v
		}
		v = in.Args[0]
	}
}

// indexText is an index in decimal, with the sign that its C type has.
func (x *Machine) indexText(index *ir.Instr) string {
	return cexpr.Decimal(x.Eval(index).Bits, index.Op != ir.OpZext)
}
