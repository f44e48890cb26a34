package certify

import (
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
)

// part is a list or tree of the target, and what a pointer to its first or last block is in the source.
type part struct {
	id    int
	start Value
	last  bool
}

// heap compares the contents of all objects that pointers lead to.
func (k *check) heap() error {
	for len(k.pending) > 0 || len(k.later) > 0 {
		for len(k.pending) > 0 {
			id := k.pending[len(k.pending)-1]
			k.pending = k.pending[:len(k.pending)-1]
			if err := k.contents(id); err != nil {
				return err
			}
		}
		waiting := k.later
		k.later = nil
		for _, w := range waiting {
			if err := k.bind(w.id, w.start, w.last); err != nil {
				return err
			}
		}
		if len(waiting) > 0 && len(k.later) == len(waiting) && len(k.pending) == 0 {
			if err := k.unaided(); err != nil {
				return err
			}
		}
	}
	return nil
}

// unaided makes the image of a list that waits for its end without that.
func (k *check) unaided() error {
	for n, w := range k.later {
		if k.e.To.Objects[w.id].List.Kids == nil {
			k.later = slices.Delete(k.later, n, n+1)
			return k.image(w.id, w.start, w.last)
		}
	}
	for _, w := range k.later {
		last, known := k.lasts[w.id]
		l := k.e.To.Objects[w.id].List
		if known && !w.last && l.Kids != nil && l.End.Kind == Pointer && k.awaits(l.End) {
			return k.choose(w.id, w.start, last)
		}
	}
	for _, w := range k.later {
		if l := k.e.To.Objects[w.id].List; w.last && l.Doubly && !k.awaits(l.Before) && !k.awaits(l.End) {
			return k.climb(w.id, w.start)
		}
	}
	return errors.New("a tree with an end that nothing else leads to")
}

// bind makes what start points to the image of the target's object id, if it may be that; last tells that start is for
// a pointer to the last block of a list.
func (k *check) bind(id int, start Value, last bool) error {
	o := k.e.To.Objects[id]
	if im, ok := k.images[id]; ok {
		return k.isStart(o, im, start, last)
	}
	if o.List != nil && o.List.Kids != nil {
		_, known := k.lasts[id]
		if last && !known {
			k.lasts[id] = start
		}
		if last || !known && k.endsWithNull(o.List) && k.leadsToLast(id) {
			k.later = append(k.later, part{id, start, last})
			return nil
		}
	}
	if o.List != nil && k.awaits(o.List.from(last).End) {
		if _, given := k.instance(o.List.Length); o.List.Kids != nil || !given {
			k.later = append(k.later, part{id, start, last})
			return nil
		}
	}
	return k.image(id, start, last)
}

// image makes what start points to the image of the target's object id, which has none, if it may be that.
func (k *check) image(id int, start Value, last bool) error {
	o := k.e.To.Objects[id]
	im := image{start: start, blocks: []int{start.Object}, back: last}
	var err error
	switch {
	case o.List == nil && k.e.From.Objects[start.Object].List != nil:
		err = errors.New("a list in place of a block")
	case o.List == nil:
	case o.List.Kids != nil:
		im, err = k.walkTree(id, o, start)
	default:
		im, err = k.walk(o, start, last)
	}
	if err != nil {
		return err
	}
	for _, b := range im.blocks {
		if _, twice := k.usedBy[b]; twice {
			return fmt.Errorf("one block is part of two objects, one of them %s", o.Name)
		}
		k.usedBy[b] = id
	}
	k.images[id] = im
	k.pending = append(k.pending, id)
	return nil
}

// hasWritten reports that every byte which has a value in o has one in b.
func (b *Object) hasWritten(o *Object) bool {
	if b.AllWritten {
		return true
	}
	for _, w := range o.Written {
		within := false
		for _, v := range b.Written {
			within = within || v.Lo <= w.Lo && w.Hi <= v.Hi
		}
		if !within {
			return false
		}
	}
	return !o.AllWritten
}

// divides reports that every multiple of n is one of d; 0 has only itself.
func divides(d, n int64) bool { return n == 0 || d != 0 && n%d == 0 }

func isNull(v Value) bool { return v.Kind == Number && v.Lin.Equal(exact.Lin{}) }

// contents compares what corresponding objects are and hold.
func (k *check) contents(id int) error {
	o, im := k.e.To.Objects[id], k.images[id]
	if o.List != nil {
		l := o.List.from(im.back)
		if (l.Doubly || im.framed) && len(im.blocks) > 0 {
			if err := k.match(l.Before, im.before, k.e.PointerBits); err != nil {
				return err
			}
		}
		return k.match(l.End, im.end, k.e.PointerBits)
	}
	s := k.e.From.Objects[im.start.Object]
	if o.Heap != s.Heap || o.Private && !s.Private || o.Global != s.Global || s.Ended && !o.Ended ||
		!divides(o.Align, s.Align) {
		return fmt.Errorf("%s is an object of another kind", o.Name)
	}
	if !s.hasWritten(o) {
		return fmt.Errorf("%s: bytes without a value are taken for written", o.Name)
	}
	if !k.same(o.Size, s.Size) {
		return fmt.Errorf("%s has another size", o.Name)
	}
	if o.HasBase {
		base, given := k.instance(o.Base)
		now, known := k.baseOf(im.start.Object)
		if given && !k.sameBase(base, im.start.Object) || !given && !(known && k.same(o.Base, now)) {
			return fmt.Errorf("%s has another address", o.Name)
		}
	}
	for _, c := range o.Cells {
		if err := k.cell(o, s, c); err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
	}
	return k.rest(o, s)
}

// sameBase proves that x is the address of the source's object id. An object whose address nobody
// asked for has any: then x is a variable that stands for nothing else.
func (k *check) sameBase(x exact.Lin, id int) bool {
	if base, ok := k.baseOf(id); ok {
		return k.equal(k.k, x, base)
	}
	x = k.k.plain(x)
	if len(x.Terms) != 1 || !x.IsVar(x.Terms[0].Var) || k.placed[x.Terms[0].Var] || k.used[x.Terms[0].Var] {
		return false
	}
	k.bases[id], k.used[x.Terms[0].Var] = x, true
	return true
}

func (k *check) baseOf(id int) (exact.Lin, bool) {
	if o := k.e.From.Objects[id]; o.HasBase {
		return o.Base, true
	}
	x, ok := k.bases[id]
	return x, ok
}

// cell proves that the source's object holds what the target's cell says.
func (k *check) cell(o, s *Object, c Cell) error {
	at, ok := k.instance(c.Offset)
	if !ok {
		return errors.New("a cell at a place that the path does not give")
	}
	v, known := k.read(s, at, c.Size, c.Value.Kind == Pointer)
	if !known {
		v = Value{Kind: Opaque}
	}
	return k.match(c.Value, v, int(c.Size)*8)
}

// read returns what size bytes at a place hold, as far as that is known.
func (k *check) read(o *Object, at exact.Lin, size int64, pointer bool) (Value, bool) {
	for _, c := range o.Cells {
		if c.Size == size && k.equal(k.k, c.Offset, at) {
			return c.Value, true
		}
	}
	for _, c := range o.Cells {
		if !k.entails(k.k, at.Sub(c.Offset).AddInt(-c.Size)) && !k.entails(k.k, c.Offset.Sub(at).AddInt(-size)) {
			return Value{}, false
		}
	}
	switch off, isInt := k.k.plain(at).Const.Int64(); {
	case o.Rest == Zero:
		return Value{Kind: Number}, true
	case o.Rest == Initial && k.k.plain(at).IsConst() && isInt:
		return k.e.ReadInitial(o.Global, off, size, pointer)
	}
	return Value{}, false
}

// rest: the bytes that the target's cells do not tell are as it says.
func (k *check) rest(o, s *Object) error {
	if o.Rest == Unknown {
		return nil
	}
	if s.Rest != o.Rest {
		return fmt.Errorf("%s: other bytes", o.Name)
	}
	for _, c := range s.Cells {
		if o.Rest == Zero && c.Value.Kind == Number && k.equal(k.k, c.Value.Lin, exact.Lin{}) {
			continue
		}
		covered := false
		for _, d := range o.Cells {
			at, ok := k.instance(d.Offset)
			covered = covered || ok && d.Size == c.Size && k.equal(k.k, at, c.Offset)
		}
		if !covered {
			return fmt.Errorf("%s: bytes that were written are taken for untouched", o.Name)
		}
	}
	return nil
}
