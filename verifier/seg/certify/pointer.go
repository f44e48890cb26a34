package certify

import (
	"errors"
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
)

// pointer proves that t, a pointer of the target, is s.
func (k *check) pointer(t, s Value) error {
	o := k.e.To.Objects[t.Object]
	if o == nil {
		return errors.New("a pointer to an object that is gone")
	}
	start := s
	if o.List == nil {
		if s.Kind != Pointer || k.e.From.Objects[s.Object] == nil {
			return fmt.Errorf("no pointer to %s", o.Name)
		}
		start.Lin = exact.Lin{}
		if err := k.bind(t.Object, start, false); err != nil {
			return err
		}
		if !k.same(t.Lin, s.Lin) {
			return fmt.Errorf("another place in %s", o.Name)
		}
		return nil
	}
	if t.Last && !o.List.Doubly && o.List.Kids == nil {
		return errors.New("a pointer to the last block of a list that does not lead back")
	}
	d := exact.C(o.List.from(t.Last).At).Sub(k.e.To.Know.plain(t.Lin))
	if !d.IsConst() || !d.Const.IsZero() && s.Kind != Pointer {
		return errors.New("a pointer into a list")
	}
	start.Lin = s.Lin.Add(d)
	return k.bind(t.Object, start, t.Last)
}

// isStart: a pointer to an object that has its image already is the same in the source as the first.
func (k *check) isStart(o *Object, im image, s Value, last bool) error {
	if o.List != nil && len(im.blocks) == 0 { // without blocks it is its end
		if k.samePointer(s, im.start) && last == im.back {
			return nil
		}
		return k.match(o.List.from(last).End, s, k.e.PointerBits)
	}
	is := im.start
	if last != im.back {
		is = im.other
	}
	if !k.samePointer(s, is) {
		return fmt.Errorf("two pointers to %s that differ in the path", o.Name)
	}
	return nil
}

// samePointer proves that two pointers of the source are the same.
func (k *check) samePointer(x, y Value) bool {
	if !k.sameEdge(x, y) {
		x, y = k.settled(x), k.settled(y)
	}
	return k.sameEdge(x, y)
}

// sameEdge proves that two pointers of the source lead to the same place of an object, or from the same edge of a list.
func (k *check) sameEdge(x, y Value) bool {
	return x.Kind == Pointer && y.Kind == Pointer && x.Object == y.Object && x.Last == y.Last && k.equal(k.k, x.Lin, y.Lin)
}

// settled returns what pointer v of the source is where lists have no block: as far behind their end as it is behind
// the byte that is linked.
func (k *check) settled(v Value) Value {
	for range k.e.From.Objects {
		o := k.e.From.Objects[v.Object]
		if v.Kind != Pointer || o == nil || o.List == nil || v.Last && !o.List.Doubly && o.List.Kids == nil ||
			!k.equal(k.k, o.List.Length, exact.Lin{}) {
			break
		}
		l, behind := o.List.from(v.Last), v.Lin
		v = l.End
		v.Lin = v.Lin.Add(behind).AddInt(-l.At)
	}
	return v
}
