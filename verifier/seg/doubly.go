package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// pair is two bytes of the blocks of a doubly linked list: where the pointers to the one and to the other neighbour
// are. At bytes at and backAt of the neighbours is where they lead. Which blocks are such lists is learned, as trees
// are: builder.pairs has them by kind.
type pair struct{ next, at, prev, backAt int64 }

// turned returns the pair for who goes the other way.
func (p pair) turned() pair { return pair{p.prev, p.backAt, p.next, p.at} }

// partner returns the pair of the blocks of o, if their pointers at byte next, which lead to byte at, are half of
// it.
func (b *builder) partner(o *object, next, at int64) (pair, bool) {
	br, ok := b.breed(o.size, o.of)
	p, known := b.pairs[br]
	switch {
	case !ok || !known:
	case p.next == next && p.at == at:
		return p, true
	case p.prev == next && p.backAt == at:
		return p.turned(), true
	}
	return pair{}, false
}

// learnPair notes that a block of the chain leads to one that leads back, or to a head that leads back twice.
func (b *builder) learnPair(s *state, ch chain) {
	br, ok := b.breed(ch.size, ch.of)
	if _, known := b.pairs[br]; known || !ok || b.unpaired[br] || len(b.pairs) >= policy.DoublyLinked {
		return
	}
	for _, id := range append([]int{ch.from}, ch.ids...) {
		o := s.objs[id]
		if o == nil || o.list != nil || !o.dynamic || !ch.takes(o) {
			continue
		}
		v, _ := b.successor(o, ch.next, false)
		v = s.plain(v)
		to := s.objs[v.obj]
		if v.kind != ptrValue || to == nil || to == o || to.list != nil {
			continue
		}
		back := s.leadsTo(to, o.id)
		switch {
		case s.heapAt(v, exact.I(ch.at)) && ch.takes(to):
		case len(back) == 2 && back[0].at == ch.at && back[1].at == ch.at:
			back = s.leadsTo(o, v.obj)
			for n := range back {
				back[n].at = ch.at
			}
		default:
			continue
		}
		for _, w := range back {
			if w.next == ch.next {
				continue
			}
			b.setPair(br, pair{ch.next, ch.at, w.next, w.at})
			return
		}
	}
}

// setPair notes that blocks of a kind are those of a doubly linked list.
func (b *builder) setPair(br breed, p pair) {
	if p.prev < p.next {
		p = p.turned()
	}
	b.pairs[br], b.chains[br], b.reshaped = p, true, true
	delete(b.trees, br)
}

// leadsTo returns the places in o with pointers into object id, and where in that they point to.
func (s *state) leadsTo(o *object, id int) []pair {
	var out []pair
	for _, c := range o.cells {
		v := s.plain(c.val)
		off, ok := c.off.Const.Int64()
		at, fits := v.lin.Const.Int64()
		if v.kind == ptrValue && v.obj == id && ok && c.off.IsConst() && fits && v.lin.IsConst() {
			out = append(out, pair{next: off, at: at})
		}
	}
	return out
}

// noPair notes that blocks of a kind are in no doubly linked lists after all. They may be trees that lead up.
func (b *builder) noPair(s *state, br breed) {
	p := b.pairs[br]
	for _, id := range s.order {
		for _, c := range s.objs[id].cells {
			off, ok := c.off.Const.Int64()
			if ok && c.off.IsConst() && s.objs[id].is(br) && off != p.next && off != p.prev &&
				b.learnUp(s, br, p, off) {
				return
			}
		}
	}
	delete(b.pairs, br)
	delete(b.chains, br)
	b.unpaired[br], b.reshaped = true, true
}

// joins reports whether what v points to may be the next part of chain c: where the blocks are those of a doubly linked
// list, it has to lead back to the part before.
func (b *builder) joins(s *state, c *chain, v value) bool {
	o := s.objs[v.obj]
	if len(c.ids) == 0 {
		var p pair
		p, c.doubly = b.partner(o, c.next, c.at)
		c.prev, c.backAt = p.prev, p.backAt
	}
	if o.list != nil && o.list.from(v.last).at != c.at {
		return false
	}
	if !c.doubly {
		return o.list == nil || !o.list.doubly
	}
	var back value
	if o.list != nil {
		l := o.list.from(v.last)
		if !l.doubly || l.prev != c.prev || l.backAt != c.backAt {
			return false
		}
		back = l.before
	} else {
		back, _ = b.successor(o, c.prev, false)
	}
	back = s.plain(back)
	if len(c.ids) == 0 {
		if c.before = back; back.kind != ptrValue && back.kind != intValue {
			c.before = opaque()
		}
		return true
	}
	n := len(c.ids) - 1
	from := value{kind: ptrValue, obj: c.ids[n], lin: exact.C(c.backAt)}
	if s.objs[c.ids[n]].list != nil {
		from.last = !c.lasts[n]
		if back.obj == from.obj && single(s, from.obj) {
			back.last = from.last
		}
	}
	if !back.points(from) && !emptyAs(s, from.obj, from.last, back) {
		if !c.inside {
			br, _ := b.breed(c.size, c.of)
			b.noPair(s, br)
		}
		return false
	}
	return true
}

// points reports that v and w are the same pointer to a block or list.
func (v value) points(w value) bool {
	return v.kind == ptrValue && w.kind == ptrValue && v.obj == w.obj && v.last == w.last && v.lin.Equal(w.lin)
}

// dropEmpty takes out doubly linked lists that have no block: what is beside them points to each other then.
func (s *state) dropEmpty() {
	for _, id := range slices.Clone(s.order) {
		l := s.objs[id].list
		if l == nil || !l.doubly || !s.know.plain(l.length).Equal(exact.Lin{}) {
			continue
		}
		s.redirect(id, l.empty)
		s.drop(id)
	}
}
