package certify

import (
	"errors"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
)

// walk collects the blocks and lists from start on that are the list o, from its first block on or from its last.
func (k *check) walk(o *Object, start Value, last bool) (image, error) {
	im := image{start: start, back: last}
	l := o.List.from(last)
	count, at := exact.Lin{}, start
	for {
		if k.ends(l, count, at) {
			if !k.same(l.Length, count) {
				return im, errors.New("a list of another length")
			}
			im.end = at
			return im, nil
		}
		b := k.e.From.Objects[at.Object]
		if at.Kind != Pointer || b == nil || !k.k.plain(at.Lin).Equal(exact.C(l.At)) ||
			slices.Contains(im.blocks, at.Object) {
			return im, errors.New("a list of another length")
		}
		if !k.partOf(o, at.Object) || !k.linked(b, at, l) {
			return im, errors.New("a list with a block of another kind")
		}
		next, n, ok := k.successor(b, at.Last, l.Next)
		if !ok {
			return im, errors.New("a list with a block whose successor is not known")
		}
		if err := k.leadsBack(l, b, at, &im); err != nil {
			return im, err
		}
		if err := k.part(at.Object, l, &im); err != nil {
			return im, err
		}
		im.other = Value{Kind: Pointer, Object: at.Object, Last: b.List != nil && !at.Last, Lin: exact.C(l.BackAt)}
		count, at = count.Add(n), next
	}
}

// linked: the links of part b, to which at points, lead to the same bytes as those of l, if b is a list.
func (k *check) linked(b *Object, at Value, l *List) bool {
	if b.List == nil {
		return true
	}
	from := b.List.from(at.Last)
	return from.At == l.At && (!l.Doubly || from.BackAt == l.BackAt)
}

// leadsBack: the part b of a doubly linked list, to which at points, leads back to the part before.
func (k *check) leadsBack(l *List, b *Object, at Value, im *image) error {
	if !l.Doubly {
		return nil
	}
	back := Value{Kind: Opaque}
	if b.List != nil {
		from := b.List.from(at.Last)
		if !from.Doubly || from.Prev != l.Prev {
			return errors.New("a doubly linked list with another kind of list in it")
		}
		back = from.Before
	} else if v, known := k.read(b, exact.C(l.Prev), int64(k.e.PointerBits/8), true); known {
		back = v
	}
	if len(im.blocks) == 0 {
		im.before = back
		return nil
	}
	if !k.samePointer(back, im.other) {
		return errors.New("a doubly linked list with a block that does not lead back")
	}
	return nil
}

// part adds block or list id of the source to im, if it is as list l says of each block.
func (k *check) part(id int, l *List, im *image) error {
	im.blocks = append(im.blocks, id)
	b := k.e.From.Objects[id]
	if b.List != nil && k.says(b.List, l) || b.List == nil && !l.Bare && k.holds(id, l.Members, im) {
		return nil
	}
	return errors.New("a list with a block that holds something else")
}

// partOf: object id of the source may be a block of the list o, and is part of nothing else.
func (k *check) partOf(o *Object, id int) bool {
	b := k.e.From.Objects[id]
	_, used := k.usedBy[id]
	return !used && b.Heap == o.Heap && !b.Private && b.Global == nil && b.Size.Equal(o.Size) &&
		divides(o.Align, b.Align) && (!b.Ended || o.Ended) && b.hasWritten(o)
}

// successor returns what follows a block or list, seen from its last block or its first, and how many blocks that
// is further on.
func (k *check) successor(o *Object, last bool, next int64) (Value, exact.Lin, bool) {
	if o.List != nil {
		l := o.List.from(last)
		return l.End, l.Length, l.Next == next && l.Kids == nil && (!last || l.Doubly)
	}
	v, known := k.read(o, exact.C(next), int64(k.e.PointerBits/8), true)
	return v, exact.C(1), known
}

// ends: list l can end after count blocks, before what at points to.
func (k *check) ends(l *List, count exact.Lin, at Value) bool {
	e, ok := k.instance(l.Length)
	if !ok {
		return k.isEnd(l.End, at)
	}
	if !k.equal(k.k, e, count) {
		return false
	}
	o := k.e.From.Objects[at.Object]
	more := at.Kind == Pointer && o != nil && o.List != nil && k.equal(k.k, o.List.Length, exact.Lin{})
	return !more || k.isEnd(l.End, at)
}

// awaits reports that v of the target leads to an object that has no image yet.
func (k *check) awaits(v Value) bool {
	_, ok := k.images[v.Object]
	return v.Kind == Pointer && !ok
}

// isEnd: at is what the end of a list is without doubt.
func (k *check) isEnd(end, at Value) bool {
	if end.Kind == Pointer && at.Kind == Pointer {
		im, ok := k.images[end.Object]
		is := im.start
		if im.back != end.Last {
			is = im.other
		}
		return ok && is.Kind == Pointer && is.Object == at.Object && is.Last == at.Last
	}
	return end.Kind == Number && at.Kind == Number
}
