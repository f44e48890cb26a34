package seg

import (
	"errors"
	"math/big"
	"math/rand"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// bytewise executes single instructions on bytes at addresses, as a machine does: a pointer is a number, and memory has
// no cells. It shares nothing with the engines but the program and its layout, and knows what the graph's steps are
// about: numbers and memory.
type bytewise struct {
	m      *ir.Module
	r      *rand.Rand
	blobs  []*blob
	funcs  map[*ir.Func]uint64
	frames []*machineFrame
	fails  verdict.Check // what the last instruction did that is undefined
	ended  bool          // it ended the program
}

// blob is an object: bytes at an address.
type blob struct {
	at       uint64
	bytes    []byte
	set      []bool // the byte has a value
	align    int64
	readOnly bool
	heap     bool
	gone     bool
}

type machineFrame struct {
	fn   *ir.Func
	blk  *ir.Block
	idx  int
	regs map[ir.Value]word
	own  []*blob
	call *ir.Instr
}

// word is a value: a number of some width, or members. set is false of what is indeterminate.
type word struct {
	n     *big.Int
	elems []word
	unset bool
}

var errNoShadow = errors.New("not an instruction of the shadow")

func (x *bytewise) top() *machineFrame { return x.frames[len(x.frames)-1] }

// any is some number of w bits, a small one often.
func (x *bytewise) any(w int) *big.Int {
	n := big.NewInt(x.r.Int63n(12) - 3)
	if x.r.Intn(3) == 0 {
		n = new(big.Int).Rand(x.r, new(big.Int).Lsh(big.NewInt(1), uint(w)))
	}
	return wrapped(n, w)
}

func wrapped(n *big.Int, w int) *big.Int {
	return new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(w)), big.NewInt(1)))
}

func signedOf(n *big.Int, w int) *big.Int {
	if n.Bit(w-1) == 0 {
		return n
	}
	return new(big.Int).Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(w)))
}

// apart is how far from each other objects begin; one of more than half of that has no place.
func (x *bytewise) apart() int64 { return 1 << min(16, x.m.Layout.PtrBits-6) }

// beyond is an address behind those of objects: 0 of functions, 1 of objects that are gone.
func (x *bytewise) beyond(part int) int64 { return int64(2+part) << min(40, x.m.Layout.PtrBits-2) }

// place is a new object of size bytes, apart from the others.
func (x *bytewise) place(size, align int64) *blob {
	b := &blob{bytes: make([]byte, size), set: make([]bool, size), align: max(align, 1)}
	b.at = uint64(len(x.blobs)+1)*uint64(x.apart()) + uint64(x.r.Intn(8))*uint64(b.align)
	for n := range b.bytes {
		b.bytes[n] = byte(x.any(8).Uint64())
	}
	x.blobs = append(x.blobs, b)
	return b
}

// find is the object that has n bytes at an address.
func (x *bytewise) find(at uint64, n int64) (*blob, int64) {
	for _, b := range x.blobs {
		if off := int64(at - b.at); !b.gone && at >= b.at && within(off, len(b.bytes)) && within(off+n, len(b.bytes)) {
			return b, off
		}
	}
	return nil, 0
}

// bytesOf are those of a word of type t in memory; get is the other way round.
func (x *bytewise) bytesOf(t *ir.Type, v word, to []byte) {
	l := &x.m.Layout
	if t.IsAggregate() {
		for i := range t.NumElems() {
			x.bytesOf(t.ElemAt(i), v.elems[i], to[l.FieldOffset(t, i):])
		}
		return
	}
	size := int(l.StoreSize(t))
	for n := range size {
		b := byte(new(big.Int).Rsh(v.n, uint(8*n)).Uint64())
		if l.BigEndian {
			to[size-1-n] = b
		} else {
			to[n] = b
		}
	}
}

func (x *bytewise) get(t *ir.Type, from []byte) word {
	l := &x.m.Layout
	if t.IsAggregate() {
		var v word
		for i := range t.NumElems() {
			v.elems = append(v.elems, x.get(t.ElemAt(i), from[l.FieldOffset(t, i):]))
		}
		return v
	}
	size, n := int(l.StoreSize(t)), new(big.Int)
	for i := range size {
		b := from[size-1-i]
		if l.BigEndian {
			b = from[i]
		}
		n.Or(n.Lsh(n, 8), big.NewInt(int64(b)))
	}
	return word{n: wrapped(n, bitsOf(l, t))}
}

func bitsOf(l *ir.Layout, t *ir.Type) int {
	if t.IsPtr() {
		return l.PtrBits
	}
	return t.Width
}

// image writes an initialiser.
func (x *bytewise) image(t *ir.Type, c *ir.Const, to []byte, at func(*ir.Global) *blob) error {
	l := &x.m.Layout
	switch c.Kind {
	case ir.ConstZero, ir.ConstNull:
		clear(to[:l.SizeOf(t)])
	case ir.ConstBytes:
		copy(to, c.Bytes)
	case ir.ConstAgg:
		for i, e := range c.Elems {
			if err := x.image(t.ElemAt(i), e, to[l.FieldOffset(t, i):], at); err != nil {
				return err
			}
		}
	case ir.ConstUndef:
	default:
		v, err := x.constant(c, at)
		if err != nil {
			return err
		}
		x.bytesOf(t, v, to)
	}
	return nil
}

func (x *bytewise) constant(c *ir.Const, at func(*ir.Global) *blob) (word, error) {
	switch {
	case c.Kind == ir.ConstInt:
		return word{n: c.Bits.Unsigned()}, nil
	case c.Kind == ir.ConstNull, c.Kind == ir.ConstZero && (c.T.IsInt() || c.T.IsPtr()):
		return word{n: new(big.Int)}, nil
	case c.Kind == ir.ConstAddr && c.Func != nil && c.Label == nil && c.Off == 0:
		return word{n: new(big.Int).SetUint64(x.funcs[c.Func])}, nil
	case c.Kind == ir.ConstAddr && c.Global != nil && at != nil && at(c.Global) != nil:
		n := new(big.Int).SetUint64(at(c.Global).at)
		return word{n: wrapped(n.Add(n, big.NewInt(c.Off)), x.m.Layout.PtrBits)}, nil
	}
	return word{}, errNoShadow
}
