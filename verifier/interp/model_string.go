package interp

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// byteOf reads byte i behind p with all checks; used is what makes it decide something.
func (c *call) byteOf(p Value, i int64) (byte, bool) {
	p.Bits = bits.Add(p.Bits, bits.NewInt(c.PtrBits, i))
	o, off, ok := c.reach(p, access{size: 1, align: 1})
	if !ok {
		return 0, false
	}
	c.settle(o, off, 1, false)
	b, undef := o.ByteAt(off)
	if undef != 0 && !c.decide(Scalar(bits.New(8, uint64(b))).withMask(bits.New(8, uint64(undef))),
		"byte read by "+c.name) {
		return 0, false
	}
	return b, true
}

// strlen counts the bytes before the terminator.
func (c *call) strlen(p Value) (int64, bool) {
	for i := int64(0); ; i++ {
		b, ok := c.byteOf(p, i)
		if !ok || b == 0 {
			return i, ok
		}
	}
}

// compareBytes compares up to n bytes of arguments 0 and 1; with str a
// terminator ends the comparison. The result is 0, or any value of the sign of the first difference (C17 7.24.4).
func (c *call) compareBytes(n uint64, str bool) {
	for i := uint64(0); i < n; i++ {
		a, ok := c.byteOf(c.args[0], int64(i))
		if !ok {
			return
		}
		b, ok := c.byteOf(c.args[1], int64(i))
		if !ok {
			return
		}
		if a != b {
			c.unequal(a < b)
			return
		}
		if str && a == 0 {
			break
		}
	}
	c.number(0)
}

// unequal makes the result negative or positive, whatever its amount.
func (c *call) unequal(negative bool) {
	if !c.in.T.IsInt() {
		return
	}
	w := c.in.T.Width
	if c.name == "bcmp" {
		c.result(c.nonZero())
		return
	}
	v := c.input(input.Unspecified, w)
	switch {
	case negative && !v.Sign():
		v = bits.NewInt(w, -1)
	case !negative && (v.Sign() || v.IsZero()):
		v = bits.New(w, 1)
	}
	c.result(Scalar(v))
}

// nonZero is any value of the call's type but 0.
func (c *call) nonZero() Value {
	v := c.input(input.Unspecified, c.in.T.Width)
	if v.IsZero() {
		v = bits.New(c.in.T.Width, 1)
	}
	return Scalar(v)
}

// findByte looks for argument 1 in the first n bytes behind p; strings end at
// their terminator, which can be found too.
func (c *call) findByte(p Value, n uint64, raw bool) {
	want := byte(c.args[1].Bits.Low64())
	for i := uint64(0); i < n; i++ {
		b, ok := c.byteOf(p, int64(i))
		if !ok {
			return
		}
		if b == want {
			p.Bits = bits.Add(p.Bits, bits.NewInt(c.PtrBits, int64(i)))
			c.result(p)
			return
		}
		if b == 0 && !raw {
			break
		}
	}
	c.result(Scalar(c.zero))
}

const unlimited = ^uint64(0)

// stringModel executes string.h, stdlib's abs and ctype.h.
func (c *call) stringModel(m ir.Model) bool {
	switch m {
	case ir.ModelStrlen:
		if n, ok := c.strlen(c.args[0]); ok {
			c.number(n)
		}
	case ir.ModelStrnlen:
		c.strnlen()
	case ir.ModelStrcmp:
		c.compareBytes(unlimited, true)
	case ir.ModelStrncmp:
		if n, ok := c.count(2); ok {
			c.compareBytes(n, true)
		}
	case ir.ModelStrchr:
		c.findByte(c.args[0], unlimited, false)
	case ir.ModelStrrchr:
		c.findLast()
	case ir.ModelStrstr:
		c.strstr()
	case ir.ModelStrcpy, ir.ModelStrncpy, ir.ModelStrcat, ir.ModelStrncat:
		c.stringCopy(m)
	case ir.ModelAbs:
		c.abs()
	case ir.ModelCtype:
		c.ctype()
	case ir.ModelTruth:
		v := c.args[0]
		if !v.Bits.IsZero() {
			v = c.nonZero().withMask(v.Mask())
		}
		c.result(v.withMask(all(c.in.T.Width, v)))
	default:
		return false
	}
	return true
}

func (c *call) strnlen() {
	limit, ok := c.count(1)
	if !ok {
		return
	}
	for i := uint64(0); i < limit; i++ {
		b, ok := c.byteOf(c.args[0], int64(i))
		if !ok {
			return
		}
		if b == 0 {
			c.number(int64(i))
			return
		}
	}
	c.number(int64(limit))
}

func (c *call) findLast() {
	n, ok := c.strlen(c.args[0])
	if !ok {
		return
	}
	want := byte(c.args[1].Bits.Low64())
	for i := n; i >= 0; i-- {
		if b, _ := c.byteOf(c.args[0], i); b == want {
			p := c.args[0]
			p.Bits = bits.Add(p.Bits, bits.NewInt(c.PtrBits, i))
			c.result(p)
			return
		}
	}
	c.result(Scalar(c.zero))
}

// bytesOf is the string at p without its terminator.
func (c *call) bytesOf(p Value) (string, bool) {
	n, ok := c.strlen(p)
	var b strings.Builder
	for i := int64(0); ok && i < n; i++ {
		ch, _ := c.byteOf(p, i)
		b.WriteByte(ch)
	}
	return b.String(), ok
}

func (c *call) strstr() {
	hay, ok1 := c.bytesOf(c.args[0])
	needle, ok2 := c.bytesOf(c.args[1])
	if !ok1 || !ok2 {
		return
	}
	p := Scalar(c.zero)
	if i := strings.Index(hay, needle); i >= 0 {
		p = c.args[0]
		p.Bits = bits.Add(p.Bits, bits.NewInt(c.PtrBits, int64(i)))
	}
	c.result(p)
}

// stringCopy is strcpy, strncpy, strcat and strncat (C11 7.24.2, 7.24.3).
func (c *call) stringCopy(m ir.Model) {
	limit := unlimited
	if m == ir.ModelStrncpy || m == ir.ModelStrncat {
		var ok bool
		if limit, ok = c.count(2); !ok {
			return
		}
	}
	dst, front := c.args[0], int64(0)
	if m == ir.ModelStrcat || m == ir.ModelStrncat {
		var ok bool
		if front, ok = c.strlen(dst); !ok {
			return
		}
		dst.Bits = bits.Add(dst.Bits, bits.NewInt(c.PtrBits, front))
	}
	src, n := c.args[1], int64(0)
	for uint64(n) < limit {
		b, ok := c.byteOf(src, n)
		if !ok {
			return
		}
		if b == 0 {
			break
		}
		n++
	}
	taken := n + 1 // with the terminator
	if uint64(n) == limit {
		taken = n
	}
	whole := front + n + 1 // of the string that the call leaves
	if m == ir.ModelStrncpy {
		whole = int64(limit)
	}
	if !c.disjoint(c.args[0], whole, src, taken) {
		return
	}
	if !c.copyRange(dst, src, uint64(n), true) {
		return
	}
	zeros := int64(1)
	if m == ir.ModelStrncpy {
		zeros = int64(limit) - n
	}
	dst.Bits = bits.Add(dst.Bits, bits.NewInt(c.PtrBits, n))
	saved := c.args
	c.args = []Value{dst, Scalar(bits.New(32, 0))}
	ok := c.memset(uint64(zeros))
	c.args = saved
	if ok {
		c.result(c.args[0])
	}
}

// disjoint reports that n bytes at a and m bytes at b have none in common, and ends the run otherwise.
func (c *call) disjoint(a Value, n int64, b Value, m int64) bool {
	if a.Object != b.Object || a.Object == nil || m == 0 {
		return true
	}
	p, q := int64(a.Bits.Low64()), int64(b.Bits.Low64())
	if p < q+m && q < p+n {
		c.stopAs(verdict.Overlap, verdict.Memory, "%s between overlapping strings of %s", c.name, a.Object)
		return false
	}
	return true
}

func (c *call) abs() {
	a := c.args[0]
	w := a.Bits.Width()
	if a.Bits == bits.MinSigned(w) {
		c.violate(verdict.SignedOverflow, "%s of %s overflows", c.name, a.Bits.Signed())
	}
	r := a.Bits
	if r.Sign() {
		r = bits.Neg(r)
	}
	c.result(Scalar(r).withMask(all(w, a)))
}
