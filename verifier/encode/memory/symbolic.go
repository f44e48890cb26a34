package memory

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// places lists the offsets at which n bytes at off can lie in o: first, first+step, ...
type places struct{ first, step, count int64 }

// PlacesOf gives the places of an access that is known to be valid; ok is false
// when there are too many or the size is unknown.
func (e *Space) PlacesOf(o *Object, c *Content, off ilr.Term, n int64, write bool) (places, bool) {
	if o.CSize < 0 || o.CSize < n || c.Array != nil {
		return places{}, false
	}
	r, z := e.residue(off)
	p := places{first: int64(r), step: 1 << uint(z)}
	if int64(r) > o.CSize-n {
		return p, true // no place: the access is never valid
	}
	p.count = (o.CSize-n-p.first)/p.step + 1
	limit := int64(policy.AccessCells)
	if !write && o.ReadOnly && c.Base.Kind == BaseTable || e.HoldsPointers(o) {
		limit = policy.LiteralCells
	}
	return p, p.count <= limit
}

// HoldsPointers reports whether o was declared with a pointer inside.
func (e *Space) HoldsPointers(o *Object) bool {
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
	return o.Elem != nil && has(o.Elem)
}

// number is the running number of the place that off is, in as few bits as needed.
func (e *Space) number(off ilr.Term, p places) ilr.Term {
	rel := e.s.Sub(off, e.s.Int(e.w, p.first))
	i := rel
	if z := Log2(p.step); z > 0 {
		i = e.divPow2(rel, min(z, e.w-1))
	}
	return e.Low(i, max(1, min(e.s.Width(i), mbits.Len64(uint64(p.count-1)))))
}

// OutOf reports that n bytes at offset k of o are surely outside: no object is
// larger than half of the address space.
func (e *Space) OutOf(o *Object, k uint64, n int64) bool {
	if o.CSize >= 0 {
		return n > o.CSize || k > uint64(o.CSize-n)
	}
	return k >= 1<<uint(e.w-1) || n >= 1<<uint(min(e.w-1, 62))
}

// ReadAt is n bytes of c at off; the access is valid.
func (e *Space) ReadAt(o *Object, c *Content, off ilr.Term, n int64) Val {
	if k, ok := e.ConstOf(off); ok {
		if e.OutOf(o, k, n) {
			return Val{Term: e.s.Int(int(8*n), 0)} // only where nothing goes
		}
		return e.ReadRaw(o, c, int64(k), n)
	}
	p, ok := e.PlacesOf(o, c, off, n, false)
	switch {
	case ok && p.count == 0:
		return Val{Term: e.s.Int(int(8*n), 0)}
	case ok:
		return e.multiplex(e.number(off, p), 0, p.count, func(i int64) Val {
			return e.ReadRaw(o, c, p.first+i*p.step,
				n)
		})
	}
	if c.Array == nil && c.Cells.Root == nil {
		return e.arrayRead(e.BaseArray(c.Base, o, n), off, n)
	}
	return e.arrayRead(e.ArrayOf(o, c, n).Array, off, n)
}

// multiplex is value(i) for the number i, among those from lo on, count of them.
func (e *Space) multiplex(i ilr.Term, lo, count int64, value func(int64) Val) Val {
	if count == 1 {
		return value(lo)
	}
	half := int64(1) << uint(mbits.Len64(uint64(count-1))-1)
	b := mbits.Len64(uint64(count-1)) - 1
	c := e.Bit(e.s.Extract(i, b, b))
	return e.Pick(c, e.multiplex(i, lo+half, count-half, value), e.multiplex(i, lo, half, value))
}

// WriteAt is c with n bytes at off replaced by v; the access is valid.
func (e *Space) WriteAt(o *Object, c *Content, off ilr.Term, n int64, v Val) *Content {
	if k, ok := e.ConstOf(off); ok {
		if e.OutOf(o, k, n) {
			return c
		}
		return e.WriteRaw(c, int64(k), n, v)
	}
	if p, ok := e.PlacesOf(o, c, off, n, true); ok {
		if p.count == 0 {
			return c
		}
		i := e.number(off, p)
		for k := int64(0); k < p.count; k++ {
			at := p.first + k*p.step
			hit := e.Eq(i, e.s.Int(e.s.Width(i), k))
			c = e.WriteRaw(c, at, n, e.Pick(hit, v, e.ReadRaw(o, c, at, n)))
		}
		return c
	}
	d := *e.ArrayOf(o, c, n)
	d.Array = e.arrayWrite(*d.Array, off, n, v)
	return &d
}
