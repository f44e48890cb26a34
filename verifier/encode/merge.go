package encode

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// state holds what one control point knows: the path condition, memory, and the
// registers that outlive the loop they were computed in. Copying it is a fork.
type state struct {
	pc  *path
	mem memory
	loc trie[val] // by instruction id
}

// memory holds what objects contain, by their ids; globals that were never written are not in it. Since the lives
// of objects are kept, when an object was alive is a map of its own: it holds no contents.
type memory struct {
	contents trie[content]
	alive    trie[ilr.Term]
}

// set gives the memory with the content c, which may be nil, of the object id.
func (m memory) set(id int64, c *content) memory {
	m.contents = m.contents.set(id, c)
	was := m.alive.get(id)
	switch {
	case c == nil:
		m.alive = m.alive.set(id, nil)
	case was == nil || *was != c.live:
		live := c.live
		m.alive = m.alive.set(id, &live)
	}
	return m
}

// get is the content of o, or nil when it is not alive on any path here.
func (st *state) get(o *object) *content {
	if c := st.mem.contents.get(int64(o.id)); c != nil {
		return c
	}
	return o.init
}

func (st *state) put(o *object, c *content) { st.mem = st.mem.set(int64(o.id), c) }

// mergeStates is the state after a or b, whose path conditions exclude each
// other, and the selector of a.
func (e *encoder) mergeStates(a, b *state) (*state, ilr.Term) {
	pc, sel := e.join(a.pc, b.pc)
	out := &state{pc: pc, mem: a.mem, loc: a.loc}
	diff(a.mem.contents, b.mem.contents, func(k int64, x, y *content) {
		o := e.objs[k]
		if x == nil {
			x = o.init
		}
		if y == nil {
			y = o.init
		}
		out.mem = out.mem.set(k, e.mergeContents(o, sel, x, y))
	})
	diff(a.loc, b.loc, func(k int64, x, y *val) {
		switch {
		case x == nil:
			out.loc = out.loc.set(k, y)
		case y != nil:
			v := e.pick(sel, *x, *y)
			out.loc = out.loc.set(k, &v)
		}
	})
	return out, sel
}

// mergeContents is x where sel holds and y elsewhere. Where one side is nil the
// object was not made on those paths, so nothing there points to it.
func (e *encoder) mergeContents(o *object, sel ilr.Term, x, y *content) *content {
	switch {
	case x == nil:
		return y
	case y == nil || x == y || e.s.IsTrue(sel):
		return x
	}
	out := *x
	out.live = e.s.Ite(sel, x.live, y.live)
	if x.base != y.base || x.arr != y.arr && (x.arr == nil || y.arr == nil || x.arr.t != y.arr.t ||
		x.arr.u != y.arr.u) {
		return e.mergeBases(o, sel, x, y, &out)
	}
	next := int64(0)
	diff(x.cells, y.cells, func(k int64, p, q *cell) {
		if k >= next && (k&63 != 0 || e.ctx.Err() == nil) {
			next = e.mergeCell(o, sel, x, y, &out, k, p, q)
		}
	})
	return &out
}

// mergeCell joins the bytes from k on that belong to one cell and answers where they end.
func (e *encoder) mergeCell(o *object, sel ilr.Term, x, y, out *content, k int64, p, q *cell) int64 {
	// what the sides know apart is forgotten
	if p != nil && q != nil && (p.of != nil || q.of != nil) && p.root() == q.root() {
		n := min(covered(x.cells, p, k, p.off+p.n-k), covered(y.cells, q, k, q.off+q.n-k))
		out.cells = out.cells.fill(k, n, p.root())
		return k + n
	}
	n := int64(1)
	for _, s := range []struct {
		c *cell
		t trie[cell]
	}{{p, x.cells}, {q, y.cells}} {
		if s.c != nil {
			n = max(n, covered(s.t, s.c, k, s.c.off+s.c.n-k))
			if n > 1 {
				break
			}
		}
	}
	if n > 64 {
		n = 1 // a long fill against something else: byte by byte
	}
	if p != nil && q != nil && p.fill && q.fill && p.off == q.off && p.n == q.n && k == p.off &&
		covered(x.cells, p, k, p.n) == p.n && covered(y.cells, q, k, q.n) == q.n {
		n = p.n
		out.cells = out.cells.fill(k, n, &cell{off: k, n: n, fill: true, v: e.pick(sel, p.v, q.v)})
		return k + n
	}
	v := e.pick(sel, e.readRaw(o, x, k, n), e.readRaw(o, y, k, n))
	out.cells = out.cells.fill(k, n, &cell{off: k, n: n, v: v})
	return k + n
}

// mergeBases joins contents whose bases or arrays differ: cell by cell when the
// object is small, else as arrays.
func (e *encoder) mergeBases(o *object, sel ilr.Term, x, y, out *content) *content {
	if x.arr == nil && y.arr == nil && o.csize >= 0 && o.csize <= 512 {
		for k := int64(0); k < o.csize; {
			n := e.granule(o, x, y, k)
			v := e.pick(sel, e.readRaw(o, x, k, n), e.readRaw(o, y, k, n))
			out.cells = out.cells.fill(k, n, &cell{off: k, n: n, v: v})
			k += n
		}
		return out
	}
	a, b := e.arrayOf(o, x, 1), e.arrayOf(o, y, 1)
	if a.arr.word != b.arr.word {
		a, b = e.toBytes(o, a), e.toBytes(o, b)
	}
	m := *a.arr
	m.t = e.s.Ite(sel, a.arr.t, b.arr.t)
	if a.arr.u != b.arr.u {
		none := e.s.ArrConst(m.idx, e.s.Int(int(8*m.word), 0))
		u, v := a.arr.u, b.arr.u
		if u == 0 {
			u = none
		}
		if v == 0 {
			v = none
		}
		m.u = e.s.Ite(sel, u, v)
	}
	out.arr, out.cells = &m, trie[cell]{}
	return out
}

// granule is how many bytes from k on to join at once: a cell of either side,
// or the scalar that the object's declaration has there.
func (e *encoder) granule(o *object, x, y *content, k int64) int64 {
	for _, t := range []trie[cell]{x.cells, y.cells, x.base.cells, y.base.cells} {
		if c := t.get(k); c != nil && c.off == k && !c.fill && covered(t, c, k, c.n) == c.n {
			return c.n
		}
	}
	if o.elem != nil && e.lay.SizeOf(o.elem) == o.csize {
		if at, n := e.leaf(o.elem, k); at == k && k+n <= o.csize {
			return n
		}
	}
	return 1
}

// leaf is the scalar of t that holds byte k: its offset and size; size 1 for padding.
func (e *encoder) leaf(t *ir.Type, k int64) (at, n int64) {
	base := int64(0)
	for {
		switch t.Kind {
		case ir.KindArray, ir.KindVector:
			size := e.lay.SizeOf(t.Elem)
			if size == 0 || t.Kind == ir.KindVector && t.Elem.Width%8 != 0 {
				return k, 1
			}
			base += (k - base) / size * size
			t = t.Elem
		case ir.KindStruct:
			in := false
			for i, f := range t.Fields {
				if fo := base + e.lay.FieldOffset(t, i); k >= fo && k < fo+e.lay.SizeOf(f) {
					base, t, in = fo, f, true
					break
				}
			}
			if !in {
				return k, 1
			}
		default:
			if n := e.lay.StoreSize(t); k < base+n {
				return base, n
			}
			return k, 1
		}
	}
}

// toBytes is c, an array of words, as an array of bytes.
func (e *encoder) toBytes(o *object, c *content) *content {
	if c.arr.word == 1 {
		return c
	}
	d := *c
	a := &array{word: 1, idx: e.w}
	if !e.ranges {
		a.idx = max(1, mbits.Len64(uint64(o.csize)))
	}
	a.t = e.s.ArrConst(a.idx, e.s.Int(8, 0))
	for k := int64(0); k < o.csize; k++ {
		e.arrayPut(a, e.s.Int(a.idx, k), e.readRaw(o, c, k, 1))
	}
	d.arr, d.cells = a, trie[cell]{}
	return &d
}
