package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Value holds what an instruction computes.
//
//	integer, float   bits; obj is set if the integer is the address of a place in obj (ptrtoint of it, nothing else)
//	pointer          obj and the offset in bits; without obj bits are an address
//	others           elems
//
// undef has a one for each bit of bits that is indeterminate (never written);
// width 0 stands for none.
type Value struct {
	Bits   bits.Vec
	Undef  bits.Vec
	Object *Object
	Elems  []Value
}

// Scalar is an integer, a number in floating point or an address without an object.
func Scalar(b bits.Vec) Value { return Value{Bits: b} }

// IsBehindNull reports a pointer that was computed from null.
func (v Value) IsBehindNull() bool { return v.Object != nil && v.Object.Kind == nullObject }

// toObject reports a pointer into an object of the program.
func (v Value) toObject() bool { return v.Object != nil && v.Object.Kind != nullObject }

// Defined reports whether no bit of v is indeterminate.
func (v Value) Defined() bool { return v.Undef.Width() == 0 }

// Mask is the bits of v that are indeterminate, at v's width.
func (v Value) Mask() bits.Vec {
	if v.Defined() {
		return bits.New(v.Bits.Width(), 0)
	}
	return v.Undef
}

// withMask is v with indeterminate bits u.
func (v Value) withMask(u bits.Vec) Value {
	v.Undef = bits.Vec{}
	if u.Width() > 0 && !u.IsZero() {
		v.Undef = u
	}
	return v
}

// smear marks everything from the lowest indeterminate bit upwards: how far a carry can spread.
func smear(u bits.Vec) bits.Vec { return bits.Or(u, bits.Neg(u)) }

// all marks every bit of width w if any operand has an indeterminate bit.
func all(w int, vs ...Value) bits.Vec {
	for _, v := range vs {
		if !v.Defined() {
			return bits.Ones(w)
		}
	}
	return bits.Vec{}
}

// Eval is the value of an operand in the current frame.
func (x *Machine) Eval(v ir.Value) Value {
	switch v := v.(type) {
	case *ir.Instr:
		return x.Frame.Values[v.ID]
	case *ir.Param:
		return x.Frame.Params[v.Index]
	case *ir.Const:
		return x.constant(v)
	}
	panic("interp: operand is neither instruction nor parameter nor constant")
}

// constant is the value of c; undef asks the source for each scalar.
func (x *Machine) constant(c *ir.Const) Value {
	switch c.Kind {
	case ir.ConstInt:
		return Scalar(c.Bits)
	case ir.ConstNull:
		return Scalar(x.zero)
	case ir.ConstZero:
		return x.zeroOf(c.T)
	case ir.ConstUndef, ir.ConstPoison:
		return x.inputs(input.Undef, c.T)
	case ir.ConstBytes:
		v := Value{Elems: make([]Value, len(c.Bytes))}
		for i, b := range c.Bytes {
			v.Elems[i] = Scalar(bits.New(8, uint64(b)))
		}
		return v
	case ir.ConstAgg:
		v := Value{Elems: make([]Value, len(c.Elems))}
		for i, e := range c.Elems {
			v.Elems[i] = x.constant(e)
		}
		return v
	case ir.ConstAddr, ir.ConstAddrInt:
		return x.symbol(c)
	}
	panic("interp: constant " + c.String())
}

func (x *Machine) symbol(c *ir.Const) Value {
	var o *Object
	switch {
	case c.Global != nil:
		o = x.global(c.Global)
	case c.Label != nil:
		o = x.label(c.Label)
	default:
		o = x.function(c.Func)
	}
	if o.absent {
		o = nil
	}
	v := Value{Bits: bits.NewInt(x.PtrBits, c.Off), Object: o}
	if c.Kind == ir.ConstAddrInt {
		return x.exposed(v, c.T.Width)
	}
	return v
}

// zeroOf is zero of any type.
func (x *Machine) zeroOf(t *ir.Type) Value {
	switch t.Kind {
	case ir.KindInt, ir.KindFloat:
		return Scalar(bits.New(t.Width, 0))
	case ir.KindPtr:
		return Scalar(x.zero)
	}
	v := Value{Elems: x.elements(t.NumElems())}
	for i := range v.Elems {
		v.Elems[i] = x.zeroOf(t.ElemAt(i))
	}
	return v
}

// inputs asks the source for every scalar of type t; undef ones are indeterminate.
func (x *Machine) inputs(kind input.Kind, t *ir.Type) Value {
	switch t.Kind {
	case ir.KindInt, ir.KindFloat, ir.KindPtr:
		w := t.Width
		v := Scalar(x.input(kind, w))
		if kind == input.Undef {
			v.Undef = bits.Ones(w)
		}
		return v
	case ir.KindVoid:
		return Value{}
	}
	v := Value{Elems: x.elements(t.NumElems())}
	for i := range v.Elems {
		v.Elems[i] = x.inputs(kind, t.ElemAt(i))
	}
	return v
}

// sealed ends a run that must not depend on the environment (Options.Sealed).
func (x *Machine) sealed(why string) {
	if x.Options.Sealed {
		x.EndRun(InputMismatch, "", why)
	}
}

// input asks the source for one scalar.
func (x *Machine) input(kind input.Kind, w int) bits.Vec {
	if x.Outcome != nil {
		return bits.New(w, 0)
	}
	x.Asked++
	if x.sealed("an input is read"); x.Outcome != nil {
		return bits.New(w, 0)
	}
	b, ok := x.src.Next(kind, x.Instr, w)
	if !ok || b.Width() != w {
		msg := "no " + kind.String() + " input"
		if e, is := x.src.(interface{ Err() error }); is && e.Err() != nil {
			msg = e.Err().Error()
		}
		x.EndRun(InputMismatch, "", msg)
		return bits.New(w, 0)
	}
	return b
}
