package leap

import (
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// cell is a scalar in memory.
type cell struct {
	o     *interp.Object
	off   int64
	t     *ir.Type
	read  bool // before it was written
	vals  [4]interp.Value
	start form
	now   form // in the pass
	met   bool // in the pass
}

// peek returns what c holds, if that says nothing about the addresses of objects.
func (l *leaper) peek(c *cell) (interp.Value, bool) {
	n := l.x.Layout.StoreSize(c.t)
	if c.o.Dead != "" {
		return interp.Value{}, false
	}
	v, whole := c.o.Pointers[c.off]
	if whole {
		return v, c.t.IsPtr()
	}
	for at := range c.o.Pointers {
		if at < c.off+n && at+int64(l.x.PtrBits/8) > c.off {
			return interp.Value{}, false
		}
	}
	return l.x.GetBits(c.o, c.off, n, c.t.Width), true
}

// note notes the cell that in accesses, and what it holds before the first pass writes it.
func (l *leaper) note(a *attempt, in *ir.Instr) {
	if in.Op != ir.OpLoad && in.Op != ir.OpStore {
		return
	}
	p, ok := l.known(addressed(in))
	if !ok {
		l.fail(true)
		return
	}
	if p.Object != nil && p.Object.Number >= a.objects {
		return
	}
	n := len(a.cells)
	c := l.cellAt(&a.cells, p, in.Access)
	switch {
	case c == nil:
		l.fail(true)
	case len(a.cells) > n && in.Op == ir.OpLoad:
		v, ok := l.peek(c)
		if c.read, c.vals[0] = true, v; !ok {
			l.fail(true)
		}
	}
}

// addressed is the address of a load or store.
func addressed(in *ir.Instr) ir.Value {
	if in.Op == ir.OpStore {
		return in.AddressOf(1)
	}
	return in.AddressOf(0)
}

// cellAt is the cell of type t at p, added to cells if it is none of them; nil if it overlaps another one, or is no
// cell.
func (l *leaper) cellAt(cells *[]*cell, p interp.Value, t *ir.Type) *cell {
	if t.Kind != ir.KindInt && t.Kind != ir.KindFloat && t.Kind != ir.KindPtr {
		return nil
	}
	o, off, n := p.Object, int64(p.Bits.Low64()), l.x.Layout.StoreSize(t)
	if o == nil || !p.Defined() || o.Dead != "" || o.Region != nil || o.Func != nil || o.Block != nil || off < 0 ||
		off+n > o.Size || int64(t.Width) != 8*n {
		return nil
	}
	for _, c := range *cells {
		if c.o != o || c.off+l.x.Layout.StoreSize(c.t) <= off || off+n <= c.off {
			continue
		}
		if c.off != off || c.t.Kind != t.Kind || c.t.Width != t.Width {
			return nil
		}
		return c
	}
	if len(*cells) == policy.LeapCells {
		return nil
	}
	c := &cell{o: o, off: off, t: t}
	*cells = append(*cells, c)
	return c
}

// marks notes that the local o begins or ends: it holds nothing that was written before.
func (p *pass) marks(m ir.Model, o *interp.Object) bool {
	if o == nil || o.Kind != interp.StackObject {
		return false
	}
	if _, known := p.marked[o]; !known {
		p.marked[o] = o.Dead
	}
	for _, c := range *p.cellsOf(o) {
		if c.o == o && c.read {
			return false
		}
		if c.o == o && m == ir.ModelLifetimeStart {
			c.met, c.now = false, nil
		}
	}
	return true
}

// cellsOf holds the cells of o among others.
func (p *pass) cellsOf(o *interp.Object) *[]*cell {
	if o.Number >= p.a.objects {
		return &p.young
	}
	return &p.a.cells
}

// accesses follows a load or store of a scalar whose address is the same in every turn.
func (p *pass) accesses(in *ir.Instr) bool {
	store := in.Op == ir.OpStore
	to := addressed(in)
	at, ok := p.known(to)
	if !ok || p.formOf(to) != nil || at.Object == nil {
		return false
	}
	cells := p.cellsOf(at.Object)
	c := p.cellAt(cells, at, in.Access)
	if c == nil {
		return false
	}
	if store {
		c.met, c.now = true, p.formOf(in.Args[0])
		return true
	}
	if !c.met {
		_, marked := p.marked[c.o]
		v, ok := p.peek(c)
		if !ok || cells == &p.young || marked {
			return false // it would hold what nobody wrote
		}
		if !c.read {
			c.read, c.start, c.vals[3] = true, nil, v
		}
		c.met, c.now = true, c.start
	}
	if v, ok := p.peek(c); !ok || c.now != nil && (v.Object != nil || !v.Defined() || v.Bits != c.now[0]) {
		return false
	}
	p.set(in, c.now)
	return true
}
