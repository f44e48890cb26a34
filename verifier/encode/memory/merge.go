package memory

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// State holds what one control point knows: the path condition, memory, and the
// registers that outlive the loop they were computed in. Copying it is a fork.
type State struct {
	PC     *Path
	Mem    Memory
	Regs   Trie[Val]    // by instruction id
	Unmade Trie[Object] // by id, objects that the environment did not make on any path here: nothing leads to them
}

// Memory holds what objects contain, by their ids; globals that were never written are not in it. Since the lives
// of objects are kept, when an object was alive is a map of its own: it holds no contents.
type Memory struct {
	Contents Trie[Content]
	Alive    Trie[ilr.Term]
}

// set gives the memory with the content c, which may be nil, of the object id.
func (m Memory) set(id int64, c *Content) Memory {
	m.Contents = m.Contents.Set(id, c)
	was := m.Alive.Get(id)
	switch {
	case c == nil:
		m.Alive = m.Alive.Set(id, nil)
	case was == nil || *was != c.Live:
		live := c.Live
		m.Alive = m.Alive.Set(id, &live)
	}
	return m
}

// Get is the content of o, or nil when it is not alive on any path here.
func (st *State) Get(o *Object) *Content {
	if c := st.Mem.Contents.Get(int64(o.ID)); c != nil {
		return c
	}
	return o.Init
}

func (st *State) Put(o *Object, c *Content) { st.Mem = st.Mem.set(int64(o.ID), c) }

// MergeStates is the state after a or b, whose path conditions exclude each
// other, and the selector of a.
func (e *Space) MergeStates(a, b *State) (*State, ilr.Term) {
	pc, sel := e.join(a.PC, b.PC)
	out := &State{PC: pc, Mem: a.Mem, Regs: a.Regs, Unmade: a.Unmade}
	Diff(a.Unmade, b.Unmade, func(k int64, _, _ *Object) { out.Unmade = out.Unmade.Set(k, nil) })
	Diff(a.Mem.Contents, b.Mem.Contents, func(k int64, x, y *Content) {
		o := e.Objects[k]
		if x == nil {
			x = o.Init
		}
		if y == nil {
			y = o.Init
		}
		switch {
		case a.Unmade.Get(k) != nil:
			x = nil
		case b.Unmade.Get(k) != nil:
			y = nil
		}
		out.Mem = out.Mem.set(k, e.MergeContents(o, sel, x, y))
	})
	Diff(a.Regs, b.Regs, func(k int64, x, y *Val) {
		switch {
		case x == nil:
			out.Regs = out.Regs.Set(k, y)
		case y != nil:
			v := e.Pick(sel, *x, *y)
			out.Regs = out.Regs.Set(k, &v)
		}
	})
	return out, sel
}

// MergeContents is x where sel holds and y elsewhere. Where one side is nil the
// object was not made on those paths, so nothing there points to it.
func (e *Space) MergeContents(o *Object, sel ilr.Term, x, y *Content) *Content {
	switch {
	case x == nil:
		return y
	case y == nil || x == y || e.s.IsTrue(sel):
		return x
	}
	out := *x
	out.Live = e.s.Ite(sel, x.Live, y.Live)
	if x.Base != y.Base || x.Array != y.Array && (x.Array == nil || y.Array == nil || x.Array.Term != y.Array.Term ||
		x.Array.Undef != y.Array.Undef) {
		return e.mergeBases(o, sel, x, y, &out)
	}
	next := int64(0)
	Diff(x.Cells, y.Cells, func(k int64, p, q *Cell) {
		if k >= next && !e.over(k) {
			next = e.mergeCell(o, sel, x, y, &out, k, p, q)
		}
	})
	return &out
}

// mergeCell joins the bytes from k on that belong to one cell and answers where they end.
func (e *Space) mergeCell(o *Object, sel ilr.Term, x, y, out *Content, k int64, p, q *Cell) int64 {
	// what the sides know apart is forgotten
	if p != nil && q != nil && (p.Of != nil || q.Of != nil) && p.Root() == q.Root() {
		n := min(Covered(x.Cells, p, k, p.Off+p.N-k), Covered(y.Cells, q, k, q.Off+q.N-k))
		out.Cells = out.Cells.Fill(k, n, p.Root())
		return k + n
	}
	n := int64(1)
	for _, s := range []struct {
		c    *Cell
		Term Trie[Cell]
	}{{p, x.Cells}, {q, y.Cells}} {
		if s.c != nil {
			n = max(n, Covered(s.Term, s.c, k, s.c.Off+s.c.N-k))
			if n > 1 {
				break
			}
		}
	}
	if n > 64 {
		n = 1 // a long fill against something else: byte by byte
	}
	if p != nil && q != nil && p.Fill && q.Fill && p.Off == q.Off && p.N == q.N && k == p.Off &&
		Covered(x.Cells, p, k, p.N) == p.N && Covered(y.Cells, q, k, q.N) == q.N {
		n = p.N
		out.Cells = out.Cells.Fill(k, n, &Cell{Off: k, N: n, Fill: true, V: e.Pick(sel, p.V, q.V)})
		return k + n
	}
	v := e.Pick(sel, e.ReadRaw(o, x, k, n), e.ReadRaw(o, y, k, n))
	out.Cells = out.Cells.Fill(k, n, &Cell{Off: k, N: n, V: v})
	return k + n
}

// mergeBases joins contents whose bases or arrays differ: cell by cell when the
// object is small, else as arrays.
func (e *Space) mergeBases(o *Object, sel ilr.Term, x, y, out *Content) *Content {
	if x.Array == nil && y.Array == nil && o.CSize >= 0 && o.CSize <= 512 {
		for k := int64(0); k < o.CSize; {
			n := e.granule(o, x, y, k)
			v := e.Pick(sel, e.ReadRaw(o, x, k, n), e.ReadRaw(o, y, k, n))
			out.Cells = out.Cells.Fill(k, n, &Cell{Off: k, N: n, V: v})
			k += n
		}
		return out
	}
	a, b := e.ArrayOf(o, x, 1), e.ArrayOf(o, y, 1)
	if a.Array.Word != b.Array.Word {
		a, b = e.ToBytes(o, a), e.ToBytes(o, b)
	}
	m := *a.Array
	m.Term = e.s.Ite(sel, a.Array.Term, b.Array.Term)
	if a.Array.Undef != b.Array.Undef {
		none := e.s.ArrConst(m.Index, e.s.Int(int(8*m.Word), 0))
		u, v := a.Array.Undef, b.Array.Undef
		if u == 0 {
			u = none
		}
		if v == 0 {
			v = none
		}
		m.Undef = e.s.Ite(sel, u, v)
	}
	out.Array, out.Cells = &m, Trie[Cell]{}
	return out
}

// granule is how many bytes from k on to join at once: a cell of either side,
// or the scalar that the object's declaration has there.
func (e *Space) granule(o *Object, x, y *Content, k int64) int64 {
	for _, t := range []Trie[Cell]{x.Cells, y.Cells, x.Base.Cells, y.Base.Cells} {
		if c := t.Get(k); c != nil && c.Off == k && !c.Fill && Covered(t, c, k, c.N) == c.N {
			return c.N
		}
	}
	if o.Elem != nil && e.lay.SizeOf(o.Elem) == o.CSize {
		if at, n := e.Leaf(o.Elem, k); at == k && k+n <= o.CSize {
			return n
		}
	}
	return 1
}

// Leaf is the scalar of t that holds byte k: its offset and size; size 1 for padding.
func (e *Space) Leaf(t *ir.Type, k int64) (at, n int64) {
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

// ToBytes is c, an array of words, as an array of bytes. Where the walk is over, or has more terms than it may have, the
// bytes are not all there: it ends before they are read.
func (e *Space) ToBytes(o *Object, c *Content) *Content {
	if c.Array.Word == 1 {
		return c
	}
	d := *c
	a := &array{Word: 1, Index: e.w}
	if !e.Ranges {
		a.Index = max(1, mbits.Len64(uint64(o.CSize)))
	}
	a.Term = e.s.ArrConst(a.Index, e.s.Int(8, 0))
	for k := int64(0); k < o.CSize && !e.over(k); k++ {
		e.arrayPut(a, e.s.Int(a.Index, k), e.ReadRaw(o, c, k, 1))
	}
	d.Array, d.Cells = a, Trie[Cell]{}
	return &d
}

// over reports, at every 64th byte, whether the walk ends here anyway.
func (e *Space) over(k int64) bool {
	return k&63 == 0 && (e.ctx.Err() != nil || e.MaxTerms > 0 && e.s.Len() > e.MaxTerms)
}
