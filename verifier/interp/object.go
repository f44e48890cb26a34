package interp

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// ObjectKind says where an object comes from.
type ObjectKind uint8

const (
	GlobalObject ObjectKind = iota + 1
	StackObject
	HeapObject
	funcObject
	labelObject
	regionObject
	nullObject // without bytes, at address 0: members and elements of what a null pointer leads to
)

// Object is a piece of memory (docs/SEMANTICS.md, Memory).
type Object struct {
	Number   int
	leapt    int // objects that skipped turns would have made before it: the source counts them
	Kind     ObjectKind
	Size     int64
	align    int64
	Owner    ir.Owner     // of a heap block
	Dead     string       // why it is no longer alive; "" while it is
	ended    *verdict.Pos // where its scope ended last, or nil
	earlier  bool         // a later turn of a loop has another object of the same local
	further  bool         // it holds what a generated harness passes without a name
	absent   bool         // a weak symbol that is not there
	readOnly bool
	numbered bool // the program has its address as a number, or had it
	handed   bool // code that is not known got a pointer to it (ir.LeakCalled)
	Base     uint64
	HasBase  bool

	Global   *ir.Global
	Func     *ir.Func
	Block    *ir.Block
	Region   *ir.Region
	Born     *ir.Instr // alloca, call
	Frame    int       // of a local: how many calls were running when it was made, its own among them
	Variable *ir.Var   // C variable, or nil
	Guessed  *ir.DType // C type of a heap block, by the first typed pointer to it; only for traces

	Fill     Filling
	Source   func(off int64) byte // bytes before the first write, nil for zeros
	Pages    map[int64]*Page
	Pointers map[int64]Value // whole pointers in memory, by offset; also integers with an object
}

// Why a local is dead.
const (
	afterReturn = "its function returned"
	afterScope  = "the end of its scope" // or before its begin
)

// gone reports an object that is dead for good.
func (o *Object) gone() bool {
	return o.Dead != "" && (o.Kind == HeapObject || o.Dead == afterReturn || o.earlier)
}

// death words why and where o died.
func (o *Object) death() string {
	if o.Dead != afterScope || o.ended == nil || o.ended.Line == 0 {
		return o.Dead
	}
	return fmt.Sprintf("%s at line %d", o.Dead, o.ended.Line)
}

// Filling says what bytes nobody wrote are.
type Filling uint8

const (
	fillZero          Filling = iota // zero
	FillUnknown                      // from the source
	fillIndeterminate                // from the source, and using them is a mistake
)

func (x *Machine) newObject(k ObjectKind, size, align int64, born *ir.Instr) *Object {
	o := &Object{Number: len(x.Objects), Kind: k, Size: size, align: max(1, align), Born: born, Fill: fillIndeterminate,
		leapt: x.skipped}
	o.Source = x.src.ObjectBytes(o.Number+o.leapt, born)
	x.Objects = append(x.Objects, o)
	return o
}

// global is g's object, made when first touched.
func (x *Machine) global(g *ir.Global) *Object {
	n := x.globNum[g]
	if o := x.Objects[n]; o != nil {
		return o
	}
	o := &Object{Number: n, Kind: GlobalObject, Size: x.Layout.SizeOf(g.T), align: int64(g.Align), readOnly: g.Const,
		Global: g, Variable: g.Var}
	x.Objects[n] = o
	switch {
	case g.Unsupported != "":
		x.EndRun(Unsupported, "", fmt.Sprintf("initialiser of %s: %s", g.Name, g.Unsupported))
	case g.Extern:
		x.sealed("a variable of another program is used")
		o.Fill, o.Source = FillUnknown, x.src.ObjectBytes(n, nil)
		if g.Weak {
			b, ok := x.src.Base(n)
			o.absent = !ok || b.IsZero()
		}
	default:
		x.writeConst(o, 0, g.Init)
	}
	return o
}

// writeConst puts an initialiser into memory.
func (x *Machine) writeConst(o *Object, off int64, c *ir.Const) {
	switch c.Kind {
	case ir.ConstZero, ir.ConstNull:
	case ir.ConstUndef, ir.ConstPoison: // padding and the like: zero at run time
	case ir.ConstBytes:
		for i, b := range c.Bytes {
			o.SetByte(off+int64(i), b, 0)
		}
	case ir.ConstAgg:
		for i, e := range c.Elems {
			x.writeConst(o, off+x.Layout.FieldOffset(c.T, i), e)
		}
	default:
		x.Put(o, off, c.T, x.constant(c))
	}
}

// function is f's object: it has an address and no contents.
func (x *Machine) function(f *ir.Func) *Object {
	n := x.FuncNum[f]
	if x.funcs[n] == nil {
		o := &Object{Number: -1 - n, Kind: funcObject, Size: 4, align: 4, readOnly: true, Func: f}
		if f.Weak && f.IsDecl() {
			x.sealed("a weak symbol is used")
			b, ok := x.src.Base(o.Number)
			o.absent = !ok || b.IsZero()
		}
		x.funcs[n] = o
	}
	return x.funcs[n]
}

func (x *Machine) label(b *ir.Block) *Object {
	if x.labels[b] == nil {
		x.labels[b] = &Object{Kind: labelObject, Size: 4, align: 4, readOnly: true, Block: b, Number: -1 << 30}
	}
	return x.labels[b]
}

// nowhere is the object that pointers computed from null point behind.
func (x *Machine) nowhere() *Object {
	if x.null == nil {
		x.null = &Object{Kind: nullObject, align: 1, readOnly: true, HasBase: true, Number: -1 << 31}
	}
	return x.null
}

// settle writes out the bytes of whole pointers that overlap [off, off+n).
// Before a write they stop being whole.
func (x *Machine) settle(o *Object, off, n int64, write bool) {
	if len(o.Pointers) == 0 {
		return
	}
	ps := int64(x.PtrBits / 8)
	for at := off - ps + 1; at < off+n; at++ {
		v, ok := o.Pointers[at]
		if !ok {
			continue
		}
		if write {
			delete(o.Pointers, at)
			if at >= off && at+ps <= off+n {
				continue
			}
		}
		x.putBits(o, at, ps, x.exposed(v, x.PtrBits))
	}
}

// putBits writes an integer of n bytes in the target's byte order.
func (x *Machine) putBits(o *Object, off, n int64, v Value) {
	w := int(n * 8)
	b, u := v.Bits, v.Mask()
	if b.Width() < w {
		b, u = bits.Zext(b, w), bits.Zext(u, w)
	}
	for i := int64(0); i < n; i++ {
		at := off + i
		if x.Layout.BigEndian {
			at = off + n - 1 - i
		}
		o.SetByte(at, b.Byte(int(i)), u.Byte(int(i)))
	}
}

// GetBits reads n bytes as an integer of width w.
func (x *Machine) GetBits(o *Object, off, n int64, w int) Value {
	if n <= 8 {
		var b, u uint64
		for i := int64(0); i < n; i++ {
			at := off + i
			if !x.Layout.BigEndian {
				at = off + n - 1 - i
			}
			d, m := o.ByteAt(at)
			b, u = b<<8|uint64(d), u<<8|uint64(m)
		}
		return Scalar(bits.New(w, b)).withMask(bits.New(w, u))
	}
	b, u := make([]byte, n), make([]byte, n)
	for i := range b {
		at := off + int64(i)
		if x.Layout.BigEndian {
			at = off + n - 1 - int64(i)
		}
		b[i], u[i] = o.ByteAt(at)
	}
	return Scalar(bits.FromBytes(w, b)).withMask(bits.FromBytes(w, u))
}

// Put writes a value of type t; the range must be inside the object.
func (x *Machine) Put(o *Object, off int64, t *ir.Type, v Value) {
	switch t.Kind {
	case ir.KindInt, ir.KindFloat, ir.KindPtr:
		n := x.Layout.StoreSize(t)
		x.settle(o, off, n, true)
		if v.Object != nil && n == int64(x.PtrBits/8) {
			if o.Pointers == nil {
				o.Pointers = map[int64]Value{}
			}
			for i := int64(0); i < n; i++ {
				o.SetByte(off+i, 0, 0)
			}
			if t.IsInt() {
				v.Bits = bits.Sub(v.Bits, bits.New(x.PtrBits, x.baseOf(v.Object))) // kept as object and offset
			}
			o.Pointers[off] = v
			return
		}
		if t.IsPtr() {
			v = x.exposed(v, x.PtrBits)
		}
		x.putBits(o, off, n, v)
	default:
		if packedBits(t) {
			x.putBits(o, off, x.Layout.StoreSize(t), x.pack(t, v))
			return
		}
		for i := range v.Elems {
			x.Put(o, off+x.Layout.FieldOffset(t, i), t.ElemAt(i), v.Elems[i])
		}
	}
}

// Get reads a value of type t; the range must be inside the object.
func (x *Machine) Get(o *Object, off int64, t *ir.Type) Value {
	switch t.Kind {
	case ir.KindInt, ir.KindFloat, ir.KindPtr:
		n := x.Layout.StoreSize(t)
		if v, ok := o.Pointers[off]; ok && n == int64(x.PtrBits/8) && (t.IsPtr() || t.Width == x.PtrBits) {
			if t.IsInt() {
				return x.exposed(v, x.PtrBits)
			}
			if t.IsPtr() {
				return v
			}
		}
		x.settle(o, off, n, false)
		v := x.GetBits(o, off, n, t.Width)
		if !v.Defined() || o.Fill == FillUnknown {
			x.sealed("unknown bytes are read")
		}
		return v
	}
	if packedBits(t) {
		return x.unpack(t, x.GetBits(o, off, x.Layout.StoreSize(t), int(t.Len)*t.Elem.Width))
	}
	v := Value{Elems: x.elements(t.NumElems())}
	for i := range v.Elems {
		v.Elems[i] = x.Get(o, off+x.Layout.FieldOffset(t, i), t.ElemAt(i))
	}
	return v
}

// packedBits reports a vector whose elements are not whole bytes: it is stored as one integer.
func packedBits(t *ir.Type) bool {
	return t.Kind == ir.KindVector && t.Elem.Width%8 != 0
}

// pack makes one integer of a vector, element 0 lowest (highest on big-endian targets).
func (x *Machine) pack(t *ir.Type, v Value) Value {
	var b, u bits.Vec
	for i := range v.Elems {
		e := v.Elems[i]
		if x.Layout.BigEndian {
			e = v.Elems[len(v.Elems)-1-i]
		}
		e = x.exposed(e, e.Bits.Width())
		if i == 0 {
			b, u = e.Bits, e.Mask()
		} else {
			b, u = bits.Concat(e.Bits, b), bits.Concat(e.Mask(), u)
		}
	}
	return Scalar(b).withMask(u)
}

// unpack is the inverse of pack.
func (x *Machine) unpack(t *ir.Type, v Value) Value {
	w, n := t.Elem.Width, int(t.Len)
	out := Value{Elems: make([]Value, n)}
	for i := 0; i < n; i++ {
		at := i
		if x.Layout.BigEndian {
			at = n - 1 - i
		}
		out.Elems[at] = Scalar(bits.Extract(v.Bits, (i+1)*w-1, i*w)).withMask(bits.Extract(v.Mask(), (i+1)*w-1, i*w))
	}
	return out
}
