package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// match makes the structure that the generalised state c and the arriving state
// s have in common, with the numbers of c written in it and those of s beside
// them. c is nil the first time. lost tells that c had more.
func (b *builder) match(c *cutPoint, s *state) *matcher {
	var old *state
	lost := false
	if c != nil {
		var from *state
		old, from, lost = b.shape(c.st.clone(), s, c.merges)
		*s = *from
	}
	j := s.clone()
	j.know, j.approx, j.cost = newKnow(), "", 0
	m := &matcher{b: b, c: c, old: old, s: s, j: j, lost: lost, havoc: map[exact.Var]bool{}}
	var before map[int][]cell
	if old != nil {
		before = old.numbers()
		old.keepConstantPlaces()
	}
	now := s.numbers()
	s.keepConstantPlaces()
	j.keepConstantPlaces()
	m.objects()
	for n, f := range j.frames {
		m.frame(n, f)
	}
	m.track(before, now)
	return m
}

type matcher struct {
	b      *builder
	c      *cutPoint
	old, s *state
	j      *state
	places []*place
	lost   bool

	tracked []tracked
	havoc   map[exact.Var]bool // stand for what the arriving state does not know
}

func (m *matcher) objects() {
	for _, id := range append([]int(nil), m.j.order...) {
		if m.old != nil && m.old.objs[id] == nil {
			m.j.drop(id)
		}
	}
	if m.old != nil {
		for _, id := range m.old.order {
			m.lost = m.lost || m.j.objs[id] == nil
		}
	}
	for n, f := range m.j.frames {
		if m.old != nil {
			for _, id := range m.old.frames[n].objs {
				if !slices.Contains(f.objs, id) {
					f.objs = append(f.objs, id)
				}
			}
		}
		kept := f.objs[:0]
		for _, id := range f.objs {
			if m.j.objs[id] != nil {
				kept = append(kept, id)
			}
		}
		f.objs = kept
	}
	for _, id := range m.j.order {
		m.object(m.j.own(id))
	}
}

func (m *matcher) object(o *object) {
	var old *object
	if m.old != nil {
		old = m.old.objs[o.id]
	}
	if old != nil {
		o.ended = o.ended || old.ended
		o.align = common(o.align, old.align)
		o.written = o.written.and(old.written)
		m.lost = m.lost || o.ended != old.ended || o.align != old.align || !o.written.equal(old.written)
	}
	if old != nil && o.list == nil {
		old = m.align(o)
	}
	size := o.size
	if old == nil && !size.IsConst() || old != nil && !(old.size.IsConst() && old.size.Equal(size)) {
		was := size
		if old != nil {
			was = old.size
		}
		o.size = exact.V(placeholder(len(m.places)))
		m.lost = m.lost || old != nil && old.size.IsConst()
		m.places = append(m.places, &place{slot: slot{key: sizeKey(o.key), name: "size of " + o.name, isSize: true},
			was: was, other: size})
	}
	if o.base >= 0 && (old == nil || old.base >= 0) {
		e := exact.V(o.base)
		was := e
		if old != nil {
			was = exact.V(old.base)
		}
		o.base = placeholder(len(m.places))
		m.places = append(m.places, &place{slot: slot{key: "base " + o.key, name: "base of " + o.name}, was: was,
			other: e})
	} else {
		m.lost = m.lost || old != nil && old.base >= 0
		o.base = -1
	}
	if o.list != nil {
		m.list(o, old)
		return
	}
	kept := o.cells[:0]
	for n := range o.cells {
		x := &o.cells[n]
		var was *value
		if old != nil {
			was = &old.cells[n].val
		}
		v, ok := m.value(x.val, was, int(x.size)*8, "cell "+o.key+"@"+x.off.Const.String(),
			m.b.cellName(o, x.off.Const, x.size))
		if !ok {
			o.rest = unknownBytes
			continue
		}
		x.val, x.read = v, false
		kept = append(kept, *x)
	}
	o.cells = kept
}

// common is the greatest common divisor of two alignments.
func common(x, y int64) int64 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

// list registers a list's length, and its end.
func (m *matcher) list(o, old *object) {
	l := o.list
	var wasEnd, wasBefore *value
	length := l.length
	if old != nil {
		wasEnd, wasBefore, length = &old.list.end, &old.list.before, old.list.length
		m.members(l, old.list)
	}
	if l.kids == nil || !isNull(l.end) || wasEnd != nil && !isNull(*wasEnd) {
		l.end = m.beside(l.end, wasEnd, "end of ", o)
	}
	if l.kids != nil && !l.doubly {
		m.treeBefore(o, old)
	} else if l.doubly {
		l.before = m.beside(l.before, wasBefore, "before ", o)
	}
	sl := slot{key: "length of " + o.key, name: "length of " + o.name}
	m.places = append(m.places, &place{slot: sl, was: length, other: l.length})
	l.length = exact.V(placeholder(len(m.places) - 1))
}

// treeBefore registers what a pointer to the last block of a tree is if the tree has none, where something leads
// there. A tree that has one may have anything there.
func (m *matcher) treeBefore(o, old *object) {
	l := o.list
	if old == nil {
		if l.before.kind != invalidKind {
			l.before = m.beside(l.before, nil, "before ", o)
		}
		return
	}
	was := old.list.before
	switch {
	case l.before.kind == invalidKind && was.kind == invalidKind:
		return
	case l.before.kind == invalidKind:
		if l.before = was; !m.b.ask.proves(m.s.know, l.length.AddInt(-1)) {
			l.before = opaque()
		}
	case was.kind == invalidKind:
		if was = l.before; !m.b.ask.proves(m.old.know, old.list.length.AddInt(-1)) {
			was = opaque()
		}
	}
	if was.kind == opaqueValue || l.before.kind == opaqueValue {
		m.lost = m.lost || was.kind != opaqueValue
		l.before = opaque()
		return
	}
	l.before = m.beside(l.before, &was, "before ", o)
}

// members joins what the blocks of a list hold with what those of the older one do.
func (m *matcher) members(l, old *list) {
	switch {
	case old.bare:
		m.lost = m.lost || !l.bare
		return
	case l.bare:
		l.members, l.bare = old.members, false
		return
	}
	l.members = joiner{b: m.b, widen: m.c.merges >= policy.MergesByNew}.members(old.members, l.members)
	m.lost = m.lost || !sameMembers(l.members, old.members)
}

// beside joins what a list ends with, or what is in front of it, with what it was.
func (m *matcher) beside(v value, was *value, what string, o *object) value {
	if was == nil || was.kind != opaqueValue {
		if x, ok := m.value(v, was, m.b.m.Layout.PtrBits, what+o.key, what+o.name); ok {
			return x
		}
	}
	return opaque()
}

// align makes the cells of o and of its older self correspond, reading what only one of them
// has from what is known of the other's rest.
func (m *matcher) align(o *object) *object {
	old := m.old.own(o.id)
	had := 0
	for _, c := range old.cells {
		if !m.c.tracks(o.key, c) {
			had++
		}
	}
	for _, c := range o.cells {
		m.b.materialise(m.old, old.id, c)
	}
	sj := m.s // values of the arriving state live in its knowledge
	for _, c := range old.cells {
		m.b.materialise(sj, o.id, c)
	}
	o.cells = append([]cell(nil), sj.objs[o.id].cells...)
	var left, right []cell
	rest := o.rest
	if old.rest != rest {
		rest = unknownBytes
	}
	m.lost = m.lost || rest != old.rest
	for _, x := range o.cells {
		for _, y := range old.cells {
			if x.size == y.size && x.off.IsConst() && x.off.Equal(y.off) {
				left, right = append(left, x), append(right, y)
			}
		}
	}
	if len(left) < len(o.cells) || len(right) < len(old.cells) {
		rest = unknownBytes
	}
	m.lost = m.lost || rest != old.rest
	for _, y := range right {
		if m.c.tracks(o.key, y) {
			had++ // kept anyhow
		}
	}
	m.lost = m.lost || len(right) != had
	o.cells, old.cells, o.rest = left, right, rest
	return old
}

// materialise reads a cell like c in s, so that s has it if it can be known.
func (b *builder) materialise(s *state, id int, c cell) {
	o := s.objs[id]
	for _, x := range o.cells {
		if !b.apart(s, x.off, x.size, c.off, c.size) {
			return
		}
	}
	if o.rest == unknownBytes || !c.off.IsConst() {
		return
	}
	t := ir.Int(int(c.size) * 8)
	if c.val.kind != intValue {
		if c.val.kind != ptrValue || int(c.size)*8 != b.m.Layout.PtrBits {
			return
		}
		t = ir.Ptr(b.m.Layout.PtrBits)
	}
	approx := s.approx
	b.readCell(s, id, c.off, c.size, t, b.cellName(o, c.off.Const, c.size), c.val.rep)
	s.approx = approx
}
