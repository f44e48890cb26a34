package certify

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Member says what each block of a list holds at a place: one of a few things.
type Member struct {
	Offset, Size int64
	Cases        []Held
}

// Held is one thing that a member may be: a number from Lo to Hi, a function, the address At bytes into the block
// itself (Pointer) or into a global (Pointer, with Global), or one of memory that only this member leads to (Pointer,
// with Own).
type Held struct {
	Kind    Kind
	Reading Reading
	Lo, Hi  exact.Int
	At      int64
	Func    *ir.Func
	Global  *ir.Global
	Own     *Owned
}

// Owned is memory that one member leads to: at least Least blocks, or just as many if Exactly, that are a list like
// Shape says: a chain, a tree, or if Single one block. A chain ends with End, which is null or an address in the block
// with the member; so is what is in front of a doubly linked one, Before, if that is not Opaque.
type Owned struct {
	Shape       Object // List is not nil, but its Length, End and Before say nothing
	Single      bool
	Least       int64
	Exactly     bool
	End, Before Held
}

// holds: block id of the source holds what the members say. The blocks that it owns go to im.
func (k *check) holds(id int, members []Member, im *image) bool {
	b := k.e.From.Objects[id]
	for _, m := range members {
		v, known := k.read(b, exact.C(m.Offset), m.Size, true)
		if !known || !slices.ContainsFunc(m.Cases, func(h Held) bool { return k.isHeld(id, v, &h, int(m.Size)*8, im) }) {
			return false
		}
	}
	return true
}

// isHeld: v, which block id holds, is h.
func (k *check) isHeld(id int, v Value, h *Held, width int, im *image) bool {
	switch {
	case v.Kind == Number && h.Kind == Number:
		return k.between(v.Lin, h.Lo, h.Hi) && (v.Reading == h.Reading || v.Reading == Either || k.shared(v.Lin, width))
	case v.Kind == Function && h.Kind == Function:
		return v.Func == h.Func
	case h.Kind == Pointer && h.Global != nil:
		return k.isInGlobal(v, h)
	case h.Kind == Pointer && h.Own == nil:
		return k.isInside(id, v, h)
	case h.Own != nil:
		n := len(im.blocks)
		if k.owns(id, v, h.Own, im) {
			return true
		}
		im.blocks = im.blocks[:n]
	}
	return false
}

// isInside: v is the address in block id that h is.
func (k *check) isInside(id int, v Value, h *Held) bool {
	return v.Kind == Pointer && v.Object == id && !v.Last && k.k.plain(v.Lin).Equal(exact.C(h.At))
}

// isInGlobal: v is the address in a global that h is.
func (k *check) isInGlobal(v Value, h *Held) bool {
	o := k.e.From.Objects[v.Object]
	return v.Kind == Pointer && o != nil && o.Global == h.Global && o.List == nil && !v.Last &&
		k.k.plain(v.Lin).Equal(exact.C(h.At))
}

// owns: v, which block id holds, leads to memory like own, of which no block is in im yet; they are put there.
func (k *check) owns(id int, v Value, own *Owned, im *image) bool {
	count, work, l := exact.Lin{}, []branch{{at: v}}, own.Shape.List
	for n := 0; len(work) > 0; n++ {
		at, from := work[len(work)-1].at, work[len(work)-1].from
		work = work[:len(work)-1]
		if k.isHeld(id, at, &own.End, k.e.PointerBits, im) && !(own.Single && n == 0) {
			continue
		}
		b := k.e.From.Objects[at.Object]
		if at.Kind != Pointer || b == nil || !k.k.plain(at.Lin).Equal(exact.C(l.At)) ||
			slices.Contains(im.blocks, at.Object) || !k.partOf(&own.Shape, at.Object) {
			return false
		}
		if !k.linked(b, at, l) {
			return false
		}
		im.blocks = append(im.blocks, at.Object)
		if !k.frontOf(id, at, from, own, n == 0) || b.List == nil && !k.holds(at.Object, l.Members, im) ||
			b.List != nil && !k.says(b.List, l) {
			return false
		}
		next, length, ok := k.after(b, at, own)
		if !ok {
			return false
		}
		from = Value{Kind: Pointer, Object: at.Object, Last: b.List != nil && !at.Last, Lin: exact.C(l.BackAt)}
		for _, v := range next {
			work = append(work, branch{at: v, from: from})
		}
		count = count.Add(length)
	}
	return k.Within(k.k, count, Interval{Lo: exact.I(own.Least), Hi: exact.I(own.Least), HasLo: true, HasHi: own.Exactly})
}

// after returns what block or list b, to which at points, leads to if it is part of own, and how many blocks b has.
func (k *check) after(b *Object, at Value, own *Owned) ([]Value, exact.Lin, bool) {
	l := own.Shape.List
	switch {
	case own.Single:
		return nil, exact.C(1), b.List == nil
	case l.Kids == nil:
		next, n, ok := k.successor(b, at.Last, l.Next)
		return []Value{next}, n, ok && (b.List == nil || b.List.Doubly == l.Doubly)
	case b.List != nil:
		return []Value{b.List.End}, b.List.Length, !at.Last && slices.Equal(b.List.Kids, l.Kids)
	}
	var next []Value
	for _, off := range l.Kids {
		v, known := k.read(b, exact.C(off), int64(k.e.PointerBits/8), true)
		if !known {
			return nil, exact.Lin{}, false
		}
		next = append(next, v)
	}
	return next, exact.C(1), true
}

// frontOf: the part of own to which at points leads back to the part before, which last points to, and the first
// one to what own says, in terms of block id.
func (k *check) frontOf(id int, at, last Value, own *Owned, first bool) bool {
	l := own.Shape.List
	if !l.Doubly {
		return true
	}
	back, b := Value{}, k.e.From.Objects[at.Object]
	if b.List != nil {
		from := b.List.from(at.Last)
		if !from.Doubly || from.Prev != l.Prev {
			return false
		}
		back = from.Before
	} else if v, known := k.read(b, exact.C(l.Prev), int64(k.e.PointerBits/8), true); known {
		back = v
	}
	if !first {
		return k.samePointer(back, last)
	}
	return own.Before.Kind == Opaque || k.isHeld(id, back, &own.Before, k.e.PointerBits, nil)
}
