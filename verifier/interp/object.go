package interp

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

type objectKind uint8

const (
	globalObject objectKind = iota + 1
	stackObject
	heapObject
	funcObject
	labelObject
	regionObject
	nullObject // without bytes, at address 0: members and elements of what a null pointer leads to
)

// object is a piece of memory (docs/SEMANTICS.md, Memory).
type object struct {
	num      int
	leapt    int // objects that skipped turns would have made before it: the source counts them
	kind     objectKind
	size     int64
	align    int64
	owner    ir.Owner     // of a heap block
	dead     string       // why it is no longer alive; "" while it is
	ended    *verdict.Pos // where its scope ended last, or nil
	earlier  bool         // a later turn of a loop has another object of the same local
	absent   bool         // a weak symbol that is not there
	readOnly bool
	base     uint64
	hasBase  bool

	global   *ir.Global
	fn       *ir.Func
	block    *ir.Block
	region   *ir.Region
	born     *ir.Instr // alloca, call
	frame    int       // of a local: how many calls were running when it was made, its own among them
	variable *ir.Var   // C variable, or nil
	guessed  *ir.DType // C type of a heap block, by the first typed pointer to it; only for traces

	fill  filling
	init  func(off int64) byte // bytes before the first write, nil for zeros
	pages map[int64]*page
	ptrs  map[int64]value // whole pointers in memory, by offset; also integers with an object
}

// Why a local is dead.
const (
	afterReturn = "its function returned"
	afterScope  = "the end of its scope" // or before its begin
)

// gone reports an object that is dead for good.
func (o *object) gone() bool {
	return o.dead != "" && (o.kind == heapObject || o.dead == afterReturn || o.earlier)
}

// death words why and where o died.
func (o *object) death() string {
	if o.dead != afterScope || o.ended == nil || o.ended.Line == 0 {
		return o.dead
	}
	return fmt.Sprintf("%s at line %d", o.dead, o.ended.Line)
}

// filling says what bytes nobody wrote are.
type filling uint8

const (
	fillZero          filling = iota // zero
	fillUnknown                      // from the source
	fillIndeterminate                // from the source, and using them is a mistake
)

func (x *Machine) newObject(k objectKind, size, align int64, born *ir.Instr) *object {
	o := &object{num: len(x.objects), kind: k, size: size, align: max(1, align), born: born, fill: fillIndeterminate,
		leapt: x.skipped}
	o.init = x.src.ObjectBytes(o.num+o.leapt, born)
	x.objects = append(x.objects, o)
	return o
}

// global is g's object, made when first touched.
func (x *Machine) global(g *ir.Global) *object {
	n := x.globNum[g]
	if o := x.objects[n]; o != nil {
		return o
	}
	o := &object{num: n, kind: globalObject, size: x.l.SizeOf(g.T), align: int64(g.Align), readOnly: g.Const,
		global: g, variable: g.Var}
	x.objects[n] = o
	switch {
	case g.Unsupported != "":
		x.end(Unsupported, "", fmt.Sprintf("initialiser of %s: %s", g.Name, g.Unsupported))
	case g.Extern:
		x.sealed("a variable of another program is used")
		o.fill, o.init = fillUnknown, x.src.ObjectBytes(n, nil)
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
func (x *Machine) writeConst(o *object, off int64, c *ir.Const) {
	switch c.Kind {
	case ir.ConstZero, ir.ConstNull:
	case ir.ConstUndef, ir.ConstPoison: // padding and the like: zero at run time
	case ir.ConstBytes:
		for i, b := range c.Bytes {
			o.setByte(off+int64(i), b, 0)
		}
	case ir.ConstAgg:
		for i, e := range c.Elems {
			x.writeConst(o, off+x.l.FieldOffset(c.T, i), e)
		}
	default:
		x.put(o, off, c.T, x.constant(c))
	}
}

// function is f's object: it has an address and no contents.
func (x *Machine) function(f *ir.Func) *object {
	n := x.funcNum[f]
	if x.funcs[n] == nil {
		o := &object{num: -1 - n, kind: funcObject, size: 4, align: 4, readOnly: true, fn: f}
		if f.Weak && f.IsDecl() {
			x.sealed("a weak symbol is used")
			b, ok := x.src.Base(o.num)
			o.absent = !ok || b.IsZero()
		}
		x.funcs[n] = o
	}
	return x.funcs[n]
}

func (x *Machine) label(b *ir.Block) *object {
	if x.labels[b] == nil {
		x.labels[b] = &object{kind: labelObject, size: 4, align: 4, readOnly: true, block: b, num: -1 << 30}
	}
	return x.labels[b]
}

// nowhere is the object that pointers computed from null point behind.
func (x *Machine) nowhere() *object {
	if x.null == nil {
		x.null = &object{kind: nullObject, align: 1, readOnly: true, hasBase: true, num: -1 << 31}
	}
	return x.null
}

// settle writes out the bytes of whole pointers that overlap [off, off+n).
// Before a write they stop being whole.
func (x *Machine) settle(o *object, off, n int64, write bool) {
	if len(o.ptrs) == 0 {
		return
	}
	ps := int64(x.pw / 8)
	for at := off - ps + 1; at < off+n; at++ {
		v, ok := o.ptrs[at]
		if !ok {
			continue
		}
		if write {
			delete(o.ptrs, at)
			if at >= off && at+ps <= off+n {
				continue
			}
		}
		x.putBits(o, at, ps, x.toInt(v, x.pw))
	}
}

// putBits writes an integer of n bytes in the target's byte order.
func (x *Machine) putBits(o *object, off, n int64, v value) {
	w := int(n * 8)
	b, u := v.bits, v.mask()
	if b.Width() < w {
		b, u = bits.Zext(b, w), bits.Zext(u, w)
	}
	for i := int64(0); i < n; i++ {
		at := off + i
		if x.l.BigEndian {
			at = off + n - 1 - i
		}
		o.setByte(at, b.Byte(int(i)), u.Byte(int(i)))
	}
}

// getBits reads n bytes as an integer of width w.
func (x *Machine) getBits(o *object, off, n int64, w int) value {
	if n <= 8 {
		var b, u uint64
		for i := int64(0); i < n; i++ {
			at := off + i
			if !x.l.BigEndian {
				at = off + n - 1 - i
			}
			d, m := o.byteAt(at)
			b, u = b<<8|uint64(d), u<<8|uint64(m)
		}
		return scalar(bits.New(w, b)).withMask(bits.New(w, u))
	}
	b, u := make([]byte, n), make([]byte, n)
	for i := range b {
		at := off + int64(i)
		if x.l.BigEndian {
			at = off + n - 1 - int64(i)
		}
		b[i], u[i] = o.byteAt(at)
	}
	return scalar(bits.FromBytes(w, b)).withMask(bits.FromBytes(w, u))
}

// put writes a value of type t; the range must be inside the object.
func (x *Machine) put(o *object, off int64, t *ir.Type, v value) {
	switch t.Kind {
	case ir.KindInt, ir.KindFloat, ir.KindPtr:
		n := x.l.StoreSize(t)
		x.settle(o, off, n, true)
		if v.obj != nil && n == int64(x.pw/8) {
			if o.ptrs == nil {
				o.ptrs = map[int64]value{}
			}
			for i := int64(0); i < n; i++ {
				o.setByte(off+i, 0, 0)
			}
			if t.IsInt() {
				v.bits = bits.Sub(v.bits, bits.New(x.pw, x.baseOf(v.obj))) // kept as object and offset
			}
			o.ptrs[off] = v
			return
		}
		if t.IsPtr() {
			v = x.toInt(v, x.pw)
		}
		x.putBits(o, off, n, v)
	default:
		if packedBits(t) {
			x.putBits(o, off, x.l.StoreSize(t), x.pack(t, v))
			return
		}
		for i := range v.elems {
			x.put(o, off+x.l.FieldOffset(t, i), t.ElemAt(i), v.elems[i])
		}
	}
}

// get reads a value of type t; the range must be inside the object.
func (x *Machine) get(o *object, off int64, t *ir.Type) value {
	switch t.Kind {
	case ir.KindInt, ir.KindFloat, ir.KindPtr:
		n := x.l.StoreSize(t)
		if v, ok := o.ptrs[off]; ok && n == int64(x.pw/8) && (t.IsPtr() || t.Width == x.pw) {
			if t.IsInt() {
				return x.toInt(v, x.pw)
			}
			if t.IsPtr() {
				return v
			}
		}
		x.settle(o, off, n, false)
		v := x.getBits(o, off, n, t.Width)
		if !v.defined() || o.fill == fillUnknown {
			x.sealed("unknown bytes are read")
		}
		return v
	}
	if packedBits(t) {
		return x.unpack(t, x.getBits(o, off, x.l.StoreSize(t), int(t.Len)*t.Elem.Width))
	}
	v := value{elems: x.elements(t.NumElems())}
	for i := range v.elems {
		v.elems[i] = x.get(o, off+x.l.FieldOffset(t, i), t.ElemAt(i))
	}
	return v
}

// packedBits reports a vector whose elements are not whole bytes: it is stored as one integer.
func packedBits(t *ir.Type) bool {
	return t.Kind == ir.KindVector && t.Elem.Width%8 != 0
}

// pack makes one integer of a vector, element 0 lowest (highest on big-endian targets).
func (x *Machine) pack(t *ir.Type, v value) value {
	var b, u bits.Vec
	for i := range v.elems {
		e := v.elems[i]
		if x.l.BigEndian {
			e = v.elems[len(v.elems)-1-i]
		}
		e = x.toInt(e, e.bits.Width())
		if i == 0 {
			b, u = e.bits, e.mask()
		} else {
			b, u = bits.Concat(e.bits, b), bits.Concat(e.mask(), u)
		}
	}
	return scalar(b).withMask(u)
}

// unpack is the inverse of pack.
func (x *Machine) unpack(t *ir.Type, v value) value {
	w, n := t.Elem.Width, int(t.Len)
	out := value{elems: make([]value, n)}
	for i := 0; i < n; i++ {
		at := i
		if x.l.BigEndian {
			at = n - 1 - i
		}
		out.elems[at] = scalar(bits.Extract(v.bits, (i+1)*w-1, i*w)).withMask(bits.Extract(v.mask(), (i+1)*w-1, i*w))
	}
	return out
}
