package encode

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// initialBase is the contents that initialiser c gives o (LL-125): a literal
// table, with cells for addresses. An all-zero one costs nothing.
func (e *encoder) initialBase(o *object, c *ir.Const) *base {
	b := e.zeroBase(o)
	if !plainZero(c) {
		b.data = make([]byte, o.csize)
		e.place(b, 0, c)
	}
	return b
}

func plainZero(c *ir.Const) bool {
	switch c.Kind {
	case ir.ConstZero, ir.ConstNull, ir.ConstUndef, ir.ConstPoison: // padding: zero at run time
		return true
	case ir.ConstInt:
		return c.Bits.IsZero()
	case ir.ConstAgg:
		for _, x := range c.Elems {
			if !plainZero(x) {
				return false
			}
		}
		return true
	}
	return false
}

// place writes initialiser c at offset off.
func (e *encoder) place(b *base, off int64, c *ir.Const) {
	switch c.Kind {
	case ir.ConstInt:
		n := e.lay.StoreSize(c.T)
		for i := int64(0); i < n; i++ {
			at := i
			if e.lay.BigEndian {
				at = n - 1 - i
			}
			var v byte
			for k := 0; k < 8; k++ {
				if c.Bits.Bit(int(8*i) + k) {
					v |= 1 << k
				}
			}
			b.data[off+at] = v
		}
	case ir.ConstBytes:
		copy(b.data[off:], c.Bytes)
	case ir.ConstAgg:
		for i, x := range c.Elems {
			e.place(b, off+e.lay.FieldOffset(c.T, i), x)
		}
	case ir.ConstAddr, ir.ConstAddrInt:
		n := e.lay.StoreSize(c.T)
		v := e.toRaw(e.constant(nil, nil, c), c.T)
		b.cells = b.cells.fill(off, n, &cell{off: off, n: n, v: v})
	}
}
