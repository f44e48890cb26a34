package encode

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// places lists the offsets at which n bytes at off can lie in o: first, first+step, ...
type places struct{ first, step, count int64 }

// placesOf gives the places of an access that is known to be valid; ok is false
// when there are too many or the size is unknown.
func (e *encoder) placesOf(o *object, c *content, off ilr.Term, n int64, write bool) (places, bool) {
	if o.csize < 0 || o.csize < n || c.arr != nil {
		return places{}, false
	}
	r, z := e.residue(off)
	p := places{first: int64(r), step: 1 << uint(z)}
	if int64(r) > o.csize-n {
		return p, true // no place: the access is never valid
	}
	p.count = (o.csize-n-p.first)/p.step + 1
	limit := int64(policy.AccessCells)
	if !write && o.ro && c.base.kind == baseTable || e.holdsPointers(o) {
		limit = policy.LiteralCells
	}
	return p, p.count <= limit
}

// holdsPointers reports whether o was declared with a pointer inside.
func (e *encoder) holdsPointers(o *object) bool {
	var has func(t *ir.Type) bool
	has = func(t *ir.Type) bool {
		switch t.Kind {
		case ir.KindPtr:
			return true
		case ir.KindArray, ir.KindVector:
			return has(t.Elem)
		case ir.KindStruct:
			for _, f := range t.Fields {
				if has(f) {
					return true
				}
			}
		}
		return false
	}
	return o.elem != nil && has(o.elem)
}

// number is the running number of the place that off is, in as few bits as needed.
func (e *encoder) number(off ilr.Term, p places) ilr.Term {
	rel := e.s.Sub(off, e.s.Int(e.w, p.first))
	i := rel
	if z := log2(p.step); z > 0 {
		i = e.divPow2(rel, min(z, e.w-1))
	}
	return e.low(i, max(1, min(e.s.Width(i), mbits.Len64(uint64(p.count-1)))))
}

// outOf reports that n bytes at offset k of o are surely outside: no object is
// larger than half of the address space.
func (e *encoder) outOf(o *object, k uint64, n int64) bool {
	if o.csize >= 0 {
		return n > o.csize || k > uint64(o.csize-n)
	}
	return k >= 1<<uint(e.w-1) || n >= 1<<uint(min(e.w-1, 62))
}

// readAt is n bytes of c at off; the access is valid.
func (e *encoder) readAt(o *object, c *content, off ilr.Term, n int64) val {
	if k, ok := e.constOf(off); ok {
		if e.outOf(o, k, n) {
			return val{t: e.s.Int(int(8*n), 0)} // only where nothing goes
		}
		return e.readRaw(o, c, int64(k), n)
	}
	p, ok := e.placesOf(o, c, off, n, false)
	switch {
	case ok && p.count == 0:
		return val{t: e.s.Int(int(8*n), 0)}
	case ok:
		return e.multiplex(e.number(off, p), 0, p.count, func(i int64) val {
			return e.readRaw(o, c, p.first+i*p.step,
				n)
		})
	}
	if c.arr == nil && c.cells.root == nil {
		return e.arrayRead(e.baseArray(c.base, o, n), off, n)
	}
	return e.arrayRead(e.arrayOf(o, c, n).arr, off, n)
}

// multiplex is value(i) for the number i, among those from lo on, count of them.
func (e *encoder) multiplex(i ilr.Term, lo, count int64, value func(int64) val) val {
	if count == 1 {
		return value(lo)
	}
	half := int64(1) << uint(mbits.Len64(uint64(count-1))-1)
	b := mbits.Len64(uint64(count-1)) - 1
	c := e.bit(e.s.Extract(i, b, b))
	return e.pick(c, e.multiplex(i, lo+half, count-half, value), e.multiplex(i, lo, half, value))
}

// writeAt is c with n bytes at off replaced by v; the access is valid.
func (e *encoder) writeAt(o *object, c *content, off ilr.Term, n int64, v val) *content {
	if k, ok := e.constOf(off); ok {
		if e.outOf(o, k, n) {
			return c
		}
		return e.writeRaw(c, int64(k), n, v)
	}
	if p, ok := e.placesOf(o, c, off, n, true); ok {
		if p.count == 0 {
			return c
		}
		i := e.number(off, p)
		for k := int64(0); k < p.count; k++ {
			at := p.first + k*p.step
			hit := e.eq(i, e.s.Int(e.s.Width(i), k))
			c = e.writeRaw(c, at, n, e.pick(hit, v, e.readRaw(o, c, at, n)))
		}
		return c
	}
	d := *e.arrayOf(o, c, n)
	d.arr = e.arrayWrite(*d.arr, off, n, v)
	return &d
}
