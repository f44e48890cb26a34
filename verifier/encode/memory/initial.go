package memory

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// initialBase is the contents that initialiser c gives o (LL-125): a literal
// table, with cells for addresses. An all-zero one costs nothing.
func (e *Space) initialBase(o *Object, c *ir.Const) *Base {
	b := e.ZeroBase(o)
	if !plainZero(c) {
		b.Data = make([]byte, o.CSize)
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
func (e *Space) place(b *Base, off int64, c *ir.Const) {
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
			b.Data[off+at] = v
		}
	case ir.ConstBytes:
		copy(b.Data[off:], c.Bytes)
	case ir.ConstAgg:
		for i, x := range c.Elems {
			e.place(b, off+e.lay.FieldOffset(c.T, i), x)
		}
	case ir.ConstAddr, ir.ConstAddrInt:
		n := e.lay.StoreSize(c.T)
		v := e.ToRaw(e.Constant(nil, nil, c), c.T)
		b.Cells = b.Cells.Fill(off, n, &Cell{Off: off, N: n, V: v})
	}
}
