package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// contents says what a block holds beside its links.
type contents struct {
	members []member
	owns    []int // objects that only its members lead to
	cursor  bool  // what only a member and variables lead to is no member
}

// contentsOf returns what block id holds at other places than its links. path are the blocks that own it.
func (b *builder) contentsOf(s *state, id int, links []int64, path []int) contents {
	var out contents
	o := s.objs[id]
	for _, c := range o.cells {
		off, ok := c.off.Const.Int64()
		if !ok || !c.off.IsConst() || slices.Contains(links, off) {
			continue
		}
		v := s.plain(c.val)
		h := held{kind: v.kind}
		switch v.kind {
		case funcValue:
			h.fn = v.fn
		case intValue:
			i := s.know.interval(v.lin)
			if !i.hasLo || !i.hasHi {
				continue
			}
			if h = heldNumber(i, v.rep); !h.useful(int(c.size) * 8) {
				continue
			}
		case ptrValue:
			at, fits := v.lin.Const.Int64()
			if h.at = at; !v.lin.IsConst() || !fits {
				continue
			}
			if to := s.objs[v.obj]; to != nil {
				h.global = to.global
			}
			if v.obj != id && h.global == nil {
				m := b.ownedBy(s, id, off, v, path)
				out.cursor = out.cursor || m.cursor
				if h.own, h.at = m.own, 0; h.own == nil {
					continue
				}
				out.owns = append(out.owns, m.ids...)
			}
		default:
			continue
		}
		out.members = append(out.members, member{off, c.size, []held{h}})
	}
	slices.SortFunc(out.members, func(x, y member) int { return int(x.off - y.off) })
	return out
}

// property is memory that a member leads to; own is nil if others lead there too, or it is no list.
type property struct {
	own    *owned
	ids    []int
	cursor bool // of others, only variables lead there
}

// ownedBy looks for what v, the member at off of block id, leads to and nothing else does.
func (b *builder) ownedBy(s *state, id int, off int64, v value, path []int) property {
	x, ok := s.heapNode(v)
	path = append(path[:len(path):len(path)], id)
	if !ok || len(path) > policy.OwnedDepth || slices.Contains(path, x) || s.objs[x].base >= 0 || !s.objs[id].heap {
		return property{}
	}
	out := b.propertyAt(s, id, v, path)
	if out.own == nil || !out.own.heap || out.own.depth() > policy.OwnedDepth {
		return property{cursor: out.cursor}
	}
	for _, f := range s.frames {
		for _, w := range f.vals {
			out.cursor = out.cursor || slices.ContainsFunc(out.ids, w.pointsTo)
		}
	}
	for _, y := range s.order {
		o := s.objs[y]
		if slices.Contains(out.ids, y) {
			continue
		}
		leads := o.list != nil && slices.ContainsFunc(out.ids, o.pointsTo)
		for _, c := range o.cells {
			self := y == id && c.off.IsConst() && c.off.Const.Equal(exact.I(off))
			leads = leads || !self && slices.ContainsFunc(out.ids, c.val.pointsTo)
		}
		switch {
		case leads && o.dynamic:
			return property{}
		case leads:
			out.cursor = true
		}
	}
	if out.cursor {
		out.own = nil
	}
	return out
}

// propertyAt is the tree, the chain or the block that v leads to.
func (b *builder) propertyAt(s *state, id int, v value, path []int) property {
	o := s.objs[v.obj]
	if br, ok := b.breed(o.size, o.of); ok && b.trees[br] != nil && v.lin.Const.IsZero() {
		if t, ok := b.treeFrom(s, v.obj, endless, path...); ok && isNull(t.end) {
			return b.treeProperty(s, &t, id)
		}
	}
	var nexts []int64
	if o.chained() {
		nexts = append(nexts, o.list.from(v.last).next)
	}
	for _, c := range o.cells {
		to := s.plain(c.val)
		off, ok := c.off.Const.Int64()
		linked := c.off.Equal(v.lin) && !v.lin.Const.IsZero() // likely the link of a chain of one block
		same := s.heapAt(to, v.lin.Const) && to.obj != v.obj && s.objs[to.obj].kin(o)
		if ok && c.off.IsConst() && (linked || same) {
			nexts = append(nexts, off)
		}
	}
	stop := func(w value) stopping { return stopping{before: slices.Contains(path, w.obj)} }
	for _, n := range nexts {
		if ch, ok := b.follow(s, v, n, stop, path...); ok && (len(ch.ids) > 1 || o.list != nil || ch.at != 0) {
			if p := b.chainProperty(s, &ch, id); p.own != nil {
				return p
			}
		}
	}
	size, ok := o.size.Const.Int64()
	if o.list != nil || !ok || !o.size.IsConst() || !v.lin.Const.IsZero() {
		return property{}
	}
	in := b.contentsOf(s, v.obj, nil, path)
	return property{own: &owned{size: size, of: o.of, align: o.align, heap: o.heap, written: o.written, next: oneBlock,
		least: 1, exactly: true, members: in.members}, ids: append(in.owns, v.obj), cursor: in.cursor}
}

// endless lets a chain go on.
func endless(value) stopping { return stopping{} }

// treeProperty is the tree as what a member of block id leads to.
func (b *builder) treeProperty(s *state, t *chain, id int) property {
	p := b.chainProperty(s, t, id)
	if p.own != nil {
		p.own.kids, p.own.next = t.kids, 0
	}
	return p
}

// chainProperty is the chain as what a member of block id leads to.
func (b *builder) chainProperty(s *state, c *chain, id int) property {
	held := func(v value) (held, bool) {
		at, ok := v.lin.Const.Int64()
		switch {
		case isNull(v):
			return heldNull(), true
		case v.kind == ptrValue && v.obj == id && ok && v.lin.IsConst():
			return held{kind: ptrValue, at: at}, true
		}
		return held{kind: opaqueValue}, false
	}
	end, ok := held(c.end)
	size, isConst := c.size.Const.Int64()
	n := s.know.interval(c.length)
	if least, fits := n.lo.Int64(); ok && isConst && c.size.IsConst() && fits {
		own := &owned{size: size, of: c.of, align: c.align, heap: c.heap, written: c.written, next: c.next, at: c.at,
			doubly: c.doubly, prev: c.prev, backAt: c.backAt, end: end, members: c.members, scalars: c.scalars}
		switch {
		case n.hasLo && least > 0:
			own.least = least
		case b.ask.proves(s.know, c.length.AddInt(-1)):
			own.least = 1
		}
		own.exactly = n.hasLo && n.hasHi && n.hi.Equal(exact.I(own.least))
		if c.doubly {
			own.before, _ = held(s.plain(c.before))
		}
		return property{own: own, ids: slices.Concat(c.ids, c.owns), cursor: c.cursor}
	}
	return property{cursor: c.cursor}
}
