package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
)

// pair is two bytes of the blocks of a doubly linked list: where the pointers to the one and to the other
// neighbour are. Which blocks are such lists is learned, as trees are: builder.pairs has them by size.
type pair struct{ next, prev int64 }

// maxPairs is how many sizes of blocks are those of doubly linked lists.
const maxPairs = 4

// partner returns where the blocks of a size lead back, if their pointers at byte next are half of a pair.
func (b *builder) partner(size exact.Lin, next int64) (int64, bool) {
	n, ok := size.Const.Int64()
	p, known := b.pairs[n]
	switch {
	case !ok || !known || !size.IsConst():
	case p.next == next:
		return p.prev, true
	case p.prev == next:
		return p.next, true
	}
	return 0, false
}

// learnPair notes that a block of the chain leads to one that leads back.
func (b *builder) learnPair(s *state, ch chain) {
	n, ok := ch.size.Const.Int64()
	if _, known := b.pairs[n]; known || !ok || !ch.size.IsConst() || b.unpaired[n] || len(b.pairs) >= maxPairs {
		return
	}
	for _, id := range ch.ids {
		o := s.objs[id]
		if o.list != nil {
			continue
		}
		v, _ := b.successor(o, ch.next, false)
		to, isBlock := s.heapStart(s.plain(v))
		if !isBlock || to == id || !s.objs[to].size.Equal(ch.size) {
			continue
		}
		for _, c := range s.objs[to].cells {
			off, ok := c.off.Const.Int64()
			back, isBlock := s.heapStart(s.plain(c.val))
			if ok && c.off.IsConst() && isBlock && back == id && off != ch.next {
				b.pairs[n], b.chains[n], b.reshaped = pair{min(ch.next, off), max(ch.next, off)}, true, true
				delete(b.trees, n)
				return
			}
		}
	}
}

// noPair notes that blocks of a size are in no doubly linked lists after all.
func (b *builder) noPair(size exact.Lin) {
	n, _ := size.Const.Int64()
	delete(b.pairs, n)
	delete(b.chains, n)
	b.unpaired[n], b.reshaped = true, true
}

// joins reports whether what v points to may be the next part of chain c: where the blocks are those of a doubly linked
// list, it has to lead back to the part before.
func (b *builder) joins(s *state, c *chain, v value) bool {
	o := s.objs[v.obj]
	if len(c.ids) == 0 {
		c.prev, c.doubly = b.partner(o.size, c.next)
	}
	if !c.doubly {
		return o.list == nil || !o.list.doubly
	}
	var back value
	if o.list != nil {
		l := o.list.from(v.last)
		if !l.doubly || l.prev != c.prev {
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
	from := value{kind: ptrValue, obj: c.ids[n]}
	if s.objs[c.ids[n]].list != nil {
		from.last = !c.lasts[n]
	}
	if !back.points(from) {
		if !c.inside {
			b.noPair(o.size)
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
		s.redirect(id, func(v value) value { return l.from(v.last).end.plus(v.lin) })
		s.drop(id)
	}
}
