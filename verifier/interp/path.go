package interp

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/interp/cexpr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// CType is the object's C type, nil if unknown.
func (o *Object) CType() *ir.DType {
	if o.Variable != nil {
		return o.Variable.T
	}
	return o.Guessed
}

// Name is the object as C code would write it; of a heap block, its mark.
func (x *Machine) Name(o *Object) string {
	switch {
	case o.Variable != nil:
		return o.Variable.Name
	case o.IsLiteral():
		return o.Literal()
	case o.Global != nil:
		return o.Global.Name
	case o.Func != nil:
		return o.Func.CName
	case o.Region != nil:
		return o.Region.Name
	case o.Kind == HeapObject:
		return BlockMark(o)
	case o.Born != nil && o.Born.Name != "":
		return o.Born.Name
	}
	return fmt.Sprintf("object_%d", o.Number)
}

// IsLiteral reports whether o is a string of the program's text.
func (o *Object) IsLiteral() bool {
	return o.Global != nil && o.readOnly && (o.Global.Name == ".str" || strings.HasPrefix(o.Global.Name, ".str."))
}

// Literal is a string as C writes it, cut where it is long.
func (o *Object) Literal() string {
	var text []byte
	for at := int64(0); at < o.Size; at++ {
		b, _ := o.ByteAt(at)
		if b == 0 {
			break
		}
		if text = append(text, b); len(text) > policy.LiteralShown {
			break
		}
	}
	return verdict.ShortLiteral(text, policy.LiteralShown)
}

// PlaceName is a byte range of an object as a C expression and its C type, nil if unknown. In a union it is the member
// that an access of type like fits; nil fits all.
func (x *Machine) PlaceName(o *Object, off, size int64, like *ir.Type) (string, *ir.DType) {
	name, t := x.Name(o), o.CType()
	if o.Kind == regionObject && o.Region.Access == ir.AccessVolatile {
		return x.registerName(o.Region, off, size), registerType(size, like)
	}
	if t == nil {
		switch {
		case off == 0 && size == o.Size:
			return name, nil
		case size == 1 || o.Kind == HeapObject || o.Kind == regionObject:
			return fmt.Sprintf("%s[%d]", name, off), nil
		}
		return fmt.Sprintf("%s + %d", name, off), nil
	}
	return cexpr.Place(name, t, off*8, size*8, like)
}

// registerName is a place in a volatile region: its register, where the device's registers are known, else its address.
func (x *Machine) registerName(r *ir.Region, off, size int64) string {
	at := r.Base + uint64(off)
	reg, known := x.Options.RegisterAt(r.Name, at, uint64(size))
	switch {
	case known && reg.At == at:
		return r.Name + "->" + reg.Name
	case known:
		return fmt.Sprintf("%s->%s + %d", r.Name, reg.Name, at-reg.At)
	}
	return fmt.Sprintf("%s at 0x%x", r.Name, at)
}

// registerType is the type of what is read from a register: it holds no numbers below zero.
func registerType(size int64, like *ir.Type) *ir.DType {
	if like == nil || like.Kind != ir.KindInt || size != 1 && size != 2 && size != 4 && size != 8 {
		return nil
	}
	return &ir.DType{Kind: ir.DInt, Bits: int(size) * 8, Name: fmt.Sprintf("uint%d_t", size*8)}
}

// arrayName is an array of count elements of n bytes each at an offset, as a C expression.
func (x *Machine) arrayName(o *Object, off, count, n int64) string {
	if t := o.CType(); t != nil {
		if name := cexpr.FindArray(x.Name(o), t, off*8, count, n*8); name != "" {
			return name
		}
	}
	name, _ := x.PlaceName(o, off, count*n, nil)
	return name
}
