package interp

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// memoryModel executes memcpy and its relatives.
func (c *call) memoryModel(m ir.Model) bool {
	switch m {
	case ir.ModelMemcpy, ir.ModelMemmove:
		n, ok := c.count(2)
		if !ok || !c.copyRange(c.args[0], c.args[1], n, m == ir.ModelMemcpy) {
			return true
		}
		c.result(c.args[0])
	case ir.ModelMemset:
		if n, ok := c.count(2); ok && c.memset(n) {
			c.result(c.args[0])
		}
	case ir.ModelMemcmp:
		n, ok := c.count(2)
		for _, p := range c.args[:2] { // C17 7.1.4: arrays of that length, wherever they differ
			if ok && n > 0 {
				_, _, ok = c.reach(p, access{size: n, align: 1})
			}
		}
		if ok {
			c.compareBytes(n, false)
		}
	case ir.ModelMemchr:
		if n, ok := c.count(2); ok {
			c.findByte(c.args[0], n, true)
		}
	default:
		return false
	}
	return true
}

// copyRange copies n bytes with what is known of them; both ranges must be
// valid, and with disjoint they must not overlap unless they are the same.
func (x *Machine) copyRange(dst, src Value, n uint64, disjoint bool) bool {
	if n == 0 {
		return true
	}
	from, fromOff, ok := x.reach(src, access{size: n, align: 1, arg: 1})
	if !ok {
		return false
	}
	to, toOff, ok := x.reach(dst, access{size: n, align: 1, write: true})
	if !ok {
		return false
	}
	if disjoint && from == to && fromOff != toOff && fromOff < toOff+int64(n) && toOff < fromOff+int64(n) {
		x.stopAs(verdict.Overlap, verdict.Memory, "copy of %d bytes between overlapping ranges of %s", n, to)
		return false
	}
	ignored := to.Kind == regionObject && to.Region.Access == ir.AccessVolatile
	if x.fresh(x.Instr, from) {
		if ignored {
			to = nil
		}
		return x.copyUnknown(to, toOff, int64(n))
	}
	if ignored {
		return true
	}
	x.copyBytes(to, toOff, from, fromOff, int64(n))
	x.on.Fill(x.Instr, to, toOff, int64(n))
	return true
}

// copyUnknown writes n bytes of the source's choice at off of o, or nowhere: what a
// volatile object held.
func (x *Machine) copyUnknown(o *Object, off, n int64) bool {
	x.Asked++
	if x.sealed("a volatile object is copied"); x.Outcome != nil {
		return false
	}
	bytes, ok := x.src.Havoc(x.Instr, n)
	if !ok {
		x.EndRun(InputMismatch, "", "no contents for a copy of a volatile object")
		return false
	}
	if o == nil {
		return true
	}
	x.settle(o, off, n, true)
	o.setBytes(off, n, bytes)
	x.on.Fill(x.Instr, o, off, n)
	return true
}

// copyBytes moves n bytes; whole pointers inside the range stay whole.
func (x *Machine) copyBytes(to *Object, toOff int64, from *Object, fromOff, n int64) {
	x.spend(n)
	ps := int64(x.PtrBits / 8)
	whole := map[int64]Value{}
	for at := fromOff - ps + 1; len(from.Pointers) > 0 && at < fromOff+n; at++ {
		if v, ok := from.Pointers[at]; ok {
			if at >= fromOff && at+ps <= fromOff+n {
				whole[at-fromOff] = v
			} else {
				x.putBits(from, at, ps, x.exposed(v, x.PtrBits))
			}
		}
	}
	if from.Fill == FillUnknown {
		x.sealed("unknown bytes are copied")
	}
	data, undef := make([]byte, n), make([]byte, n)
	from.span(fromOff, n, func(p *Page, lo, hi, at int64) {
		from.Read(at/PageSize, p, lo, hi)
		copy(data[at-fromOff:], p.Data[lo:hi])
		copy(undef[at-fromOff:], p.Undef[lo:hi])
	})
	x.settle(to, toOff, n, true)
	to.span(toOff, n, func(p *Page, lo, hi, at int64) {
		p.written(lo, hi)
		copy(p.Data[lo:hi], data[at-toOff:])
		copy(p.Undef[lo:hi], undef[at-toOff:])
	})
	for off, v := range whole {
		if to.Pointers == nil {
			to.Pointers = map[int64]Value{}
		}
		to.Pointers[toOff+off] = v
	}
}

func (c *call) memset(n uint64) bool {
	if n == 0 {
		return true
	}
	o, off, ok := c.reach(c.args[0], access{size: n, align: 1, write: true})
	if !ok {
		return false
	}
	b, undef := byte(c.args[1].Bits.Low64()), byte(c.args[1].Mask().Low64())
	c.settle(o, off, int64(n), true)
	o.span(off, int64(n), func(p *Page, lo, hi, _ int64) {
		p.written(lo, hi)
		for i := lo; i < hi; i++ {
			p.Data[i], p.Undef[i] = b, undef
		}
	})
	c.on.Fill(c.in, o, off, int64(n))
	return true
}
