package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// value holds what an instruction computes.
//
//	integer, float   bits; obj is set if the integer is the address of a place in obj (ptrtoint of it, nothing else)
//	pointer          obj and the offset in bits; without obj bits are an address
//	others           elems
//
// undef has a one for each bit of bits that is indeterminate (never written);
// width 0 stands for none.
type value struct {
	bits  bits.Vec
	undef bits.Vec
	obj   *object
	elems []value
}

func scalar(b bits.Vec) value { return value{bits: b} }

// isBehindNull reports a pointer that was computed from null.
func (v value) isBehindNull() bool { return v.obj != nil && v.obj.kind == nullObject }

// toObject reports a pointer into an object of the program.
func (v value) toObject() bool { return v.obj != nil && v.obj.kind != nullObject }

// defined reports whether no bit of v is indeterminate.
func (v value) defined() bool { return v.undef.Width() == 0 }

// mask is the bits of v that are indeterminate, at v's width.
func (v value) mask() bits.Vec {
	if v.defined() {
		return bits.New(v.bits.Width(), 0)
	}
	return v.undef
}

// withMask is v with indeterminate bits u.
func (v value) withMask(u bits.Vec) value {
	v.undef = bits.Vec{}
	if u.Width() > 0 && !u.IsZero() {
		v.undef = u
	}
	return v
}

// smear marks everything from the lowest indeterminate bit upwards: how far a carry can spread.
func smear(u bits.Vec) bits.Vec { return bits.Or(u, bits.Neg(u)) }

// all marks every bit of width w if any operand has an indeterminate bit.
func all(w int, vs ...value) bits.Vec {
	for _, v := range vs {
		if !v.defined() {
			return bits.Ones(w)
		}
	}
	return bits.Vec{}
}

// eval is the value of an operand in the current frame.
func (x *Machine) eval(v ir.Value) value {
	switch v := v.(type) {
	case *ir.Instr:
		return x.fr.vals[v.ID]
	case *ir.Param:
		return x.fr.params[v.Index]
	case *ir.Const:
		return x.constant(v)
	}
	panic("interp: operand is neither instruction nor parameter nor constant")
}

// constant is the value of c; undef asks the source for each scalar.
func (x *Machine) constant(c *ir.Const) value {
	switch c.Kind {
	case ir.ConstInt:
		return scalar(c.Bits)
	case ir.ConstNull:
		return scalar(x.zero)
	case ir.ConstZero:
		return x.zeroOf(c.T)
	case ir.ConstUndef, ir.ConstPoison:
		return x.inputs(input.Undef, c.T)
	case ir.ConstBytes:
		v := value{elems: make([]value, len(c.Bytes))}
		for i, b := range c.Bytes {
			v.elems[i] = scalar(bits.New(8, uint64(b)))
		}
		return v
	case ir.ConstAgg:
		v := value{elems: make([]value, len(c.Elems))}
		for i, e := range c.Elems {
			v.elems[i] = x.constant(e)
		}
		return v
	case ir.ConstAddr, ir.ConstAddrInt:
		return x.symbol(c)
	}
	panic("interp: constant " + c.String())
}

func (x *Machine) symbol(c *ir.Const) value {
	var o *object
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
	v := value{bits: bits.NewInt(x.pw, c.Off), obj: o}
	if c.Kind == ir.ConstAddrInt {
		return x.toInt(v, c.T.Width)
	}
	return v
}

// zeroOf is zero of any type.
func (x *Machine) zeroOf(t *ir.Type) value {
	switch t.Kind {
	case ir.KindInt, ir.KindFloat:
		return scalar(bits.New(t.Width, 0))
	case ir.KindPtr:
		return scalar(x.zero)
	}
	v := value{elems: x.elements(t.NumElems())}
	for i := range v.elems {
		v.elems[i] = x.zeroOf(t.ElemAt(i))
	}
	return v
}

// inputs asks the source for every scalar of type t; undef ones are indeterminate.
func (x *Machine) inputs(kind input.Kind, t *ir.Type) value {
	switch t.Kind {
	case ir.KindInt, ir.KindFloat, ir.KindPtr:
		w := t.Width
		v := scalar(x.input(kind, w))
		if kind == input.Undef {
			v.undef = bits.Ones(w)
		}
		return v
	case ir.KindVoid:
		return value{}
	}
	v := value{elems: x.elements(t.NumElems())}
	for i := range v.elems {
		v.elems[i] = x.inputs(kind, t.ElemAt(i))
	}
	return v
}

// sealed ends a run that must not depend on the environment (Options.Sealed).
func (x *Machine) sealed(why string) {
	if x.o.Sealed {
		x.end(InputMismatch, "", why)
	}
}

// input asks the source for one scalar.
func (x *Machine) input(kind input.Kind, w int) bits.Vec {
	if x.out != nil {
		return bits.New(w, 0)
	}
	x.asked++
	if x.sealed("an input is read"); x.out != nil {
		return bits.New(w, 0)
	}
	b, ok := x.src.Next(kind, x.cur, w)
	if !ok || b.Width() != w {
		msg := "no " + kind.String() + " input"
		if e, is := x.src.(interface{ Err() error }); is && e.Err() != nil {
			msg = e.Err().Error()
		}
		x.end(InputMismatch, "", msg)
		return bits.New(w, 0)
	}
	return b
}
