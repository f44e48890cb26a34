package certify

import (
	"errors"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
)

// branch is a pointer onwards in a tree of the source.
type branch struct {
	at    Value
	from  Value // what leads to the block that holds it
	solid bool  // there is a block above, and not only trees
	loose bool  // from is not what a pointer to the last block of what is above is, if the tree there is empty
}

// leadsToLast reports that the target has a pointer to the last block of list id.
func (k *check) leadsToLast(id int) bool {
	is := func(v Value) bool { return v.Kind == Pointer && v.Object == id && v.Last }
	for _, f := range k.e.To.Frames {
		for _, v := range f.Values {
			if is(v) {
				return true
			}
		}
	}
	for _, o := range k.e.To.Objects {
		if slices.ContainsFunc(o.Cells, func(c Cell) bool { return is(c.Value) }) ||
			o.List != nil && (is(o.List.End) || is(o.List.Before)) {
			return true
		}
	}
	return false
}

// walkTree collects the blocks and trees from start on that are the tree o, the target's object id. One edge of it is
// o's end; if that is null and nothing leads to the block there, all are null.
func (k *check) walkTree(id int, o *Object, start Value) (image, error) {
	im := image{start: start, end: Value{Kind: Number}}
	named := k.leadsToLast(id)
	l, count, ended := o.List, exact.Lin{}, isNull(o.List.End) && !named
	work := []branch{{at: start}}
	for len(work) > 0 {
		w := work[len(work)-1]
		work = work[:len(work)-1]
		if !ended && k.endsTree(id, w) {
			im.end, ended, im.framed = w.at, true, named && !w.solid
			if !w.loose {
				im.other = w.from
			}
			continue
		}
		if w.at.Kind == Number && k.equal(k.k, w.at.Lin, exact.Lin{}) {
			continue
		}
		b := k.e.From.Objects[w.at.Object]
		if w.at.Kind != Pointer || w.at.Last || b == nil || !k.k.plain(w.at.Lin).Equal(exact.Lin{}) ||
			slices.Contains(im.blocks, w.at.Object) || !k.partOf(o, w.at.Object) {
			return im, errors.New("no tree")
		}
		loose, err := k.leadsUp(l, b, w, &im)
		if err != nil {
			return im, err
		}
		if err := k.part(w.at.Object, l, &im); err != nil {
			return im, err
		}
		next := branch{from: Value{Kind: Pointer, Object: w.at.Object, Last: b.List != nil},
			solid: w.solid || b.List == nil, loose: loose}
		if b.List != nil {
			if !slices.Equal(b.List.Kids, l.Kids) {
				return im, errors.New("a tree with a list in it")
			}
			count, next.at = count.Add(b.List.Length), b.List.End
			work = append(work, next)
			continue
		}
		count = count.AddInt(1)
		for _, off := range l.Kids {
			at, known := k.read(b, exact.C(off), int64(k.e.PointerBits/8), true)
			if !known {
				return im, errors.New("a tree with a block whose successor is not known")
			}
			next.at = at
			work = append(work, next)
		}
	}
	if !ended || !k.same(l.Length, count) {
		return im, errors.New("a tree with another number of blocks")
	}
	return im, nil
}

// endsTree: w is where tree id ends. If that is null, it is where the block is to which the first pointer to the last
// block leads that was met.
func (k *check) endsTree(id int, w branch) bool {
	l := k.e.To.Objects[id].List
	if !k.endsWithNull(l) {
		return k.isEnd(l.End, w.at)
	}
	last, known := k.lasts[id]
	return w.at.Kind == Number && k.equal(k.k, w.at.Lin, exact.Lin{}) &&
		(w.from.Kind != Pointer || known && k.samePointer(w.from, last) || !k.leadsToLast(id))
}

// endsWithNull: the end of list l is null, or an empty tree in place of that.
func (k *check) endsWithNull(l *List) bool {
	im, ok := k.images[l.End.Object]
	return isNull(l.End) || l.End.Kind == Pointer && ok && im.start.Kind == Number &&
		k.equal(k.k, im.start.Lin, exact.Lin{})
}

// choose binds the end of tree id, to which nothing else leads, to what the block holds to which last leads: with which
// the tree from start on has as many blocks as it should.
func (k *check) choose(id int, start, last Value) error {
	l, b := k.e.To.Objects[id].List, k.e.From.Objects[last.Object]
	length, given := k.instance(l.Length)
	if last.Kind != Pointer || b == nil || !given {
		return errors.New("a tree whose last block is not known")
	}
	var ends []Value
	if b.List != nil {
		ends = append(ends, b.List.End)
	} else {
		for _, off := range l.Kids {
			if v, known := k.read(b, exact.C(off), int64(k.e.PointerBits/8), true); known {
				ends = append(ends, v)
			}
		}
	}
	for _, end := range ends {
		if n, ok := k.blocksTo(l, start, end); ok && k.equal(k.k, length, n) {
			return k.bind(l.End.Object, end, l.End.Last)
		}
	}
	return errors.New("a tree with another number of blocks")
}

// blocksTo counts the blocks of the source's tree from start on that are not behind end.
func (k *check) blocksTo(l *List, start, end Value) (exact.Lin, bool) {
	count, work := exact.Lin{}, []Value{start}
	for n := 0; len(work) > 0; n++ {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		b := k.e.From.Objects[at.Object]
		switch {
		case k.sameEdge(at, end) || at.Kind == Number && k.equal(k.k, at.Lin, exact.Lin{}):
		case at.Kind != Pointer || b == nil || n > len(l.Kids)*len(k.e.From.Objects):
			return count, false
		case b.List != nil:
			count, work = count.Add(b.List.Length), append(work, b.List.End)
		default:
			count = count.AddInt(1)
			for _, off := range l.Kids {
				v, _ := k.read(b, exact.C(off), int64(k.e.PointerBits/8), true)
				work = append(work, v)
			}
		}
	}
	return count, true
}

// leadsUp: part b of a doubly linked tree leads back to the part above. It notes what is above the first part, and
// returns whether a pointer to the last block of b is not known if that is a tree without blocks.
func (k *check) leadsUp(l *List, b *Object, w branch, im *image) (bool, error) {
	up := Value{Kind: Opaque}
	if b.List != nil {
		if l.Doubly && (!b.List.Doubly || b.List.Prev != l.Prev) {
			return false, errors.New("a doubly linked tree with another kind of tree in it")
		}
		up = b.List.Before
	} else if l.Doubly {
		if v, known := k.read(b, exact.C(l.Prev), int64(k.e.PointerBits/8), true); known {
			up = v
		}
	}
	if len(im.blocks) == 0 {
		im.before = up
		return false, nil
	}
	if k.samePointer(up, w.from) {
		return b.List != nil && w.loose, nil
	}
	if l.Doubly {
		return false, errors.New("a doubly linked tree with a block that does not lead back")
	}
	return b.List != nil, nil
}

// climb binds tree id to the tree of which last leads to the last block: upwards to what is in front of it.
func (k *check) climb(id int, last Value) error {
	o := k.e.To.Objects[id]
	if k.isEnd(o.List.Before, last) { // it has no block
		if !k.same(o.List.Length, exact.Lin{}) {
			return errors.New("a tree with another number of blocks")
		}
		k.images[id] = image{start: last, end: last, back: true}
		k.pending = append(k.pending, id)
		return nil
	}
	at := last
	for range k.e.From.Objects {
		b := k.e.From.Objects[at.Object]
		if at.Kind != Pointer || b == nil {
			break
		}
		var up Value
		if b.List != nil {
			up = b.List.Before
		} else {
			up, _ = k.read(b, exact.C(o.List.Prev), int64(k.e.PointerBits/8), true)
		}
		if k.isEnd(o.List.Before, up) {
			return k.bind(id, Value{Kind: Pointer, Object: at.Object}, false)
		}
		at = up
	}
	return errors.New("a tree whose first block is not known")
}
