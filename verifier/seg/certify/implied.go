package certify

import (
	"slices"
)

// says: each block of list b of the source is as the target's list l says.
func (k *check) says(b, l *List) bool {
	return b.Bare || !l.Bare && k.implied(b.Members, l.Members)
}

// implied: blocks with the members have others too. What they own and the others do not say is lost.
func (k *check) implied(have, others []Member) bool {
	for _, m := range have {
		n := slices.IndexFunc(others, func(o Member) bool { return o.Offset == m.Offset && o.Size == m.Size })
		if n < 0 && slices.ContainsFunc(m.Cases, func(h Held) bool { return h.Own != nil }) {
			k.lost = true
		}
	}
	for _, o := range others {
		n := slices.IndexFunc(have, func(m Member) bool { return o.Offset == m.Offset && o.Size == m.Size })
		if n < 0 {
			return false
		}
		for _, h := range have[n].Cases {
			if !slices.ContainsFunc(o.Cases, func(g Held) bool { return k.impliedBy(&h, &g, int(o.Size)*8) }) {
				return false
			}
		}
	}
	return true
}

// impliedBy: what is h is g.
func (k *check) impliedBy(h, g *Held, width int) bool {
	switch {
	case g.Own != nil && h.Own != nil:
		return k.sameProperty(h.Own, g.Own)
	case g.Own != nil:
		return !g.Own.Single && g.Own.Least == 0 && h.equal(&g.Own.End)
	case h.Own != nil || h.Kind != g.Kind:
		return false
	case h.Kind != Number:
		return h.equal(g)
	}
	_, top := limits(width, Either)
	shared := h.Lo.Sign() >= 0 && h.Hi.Cmp(top) <= 0
	return g.Lo.Cmp(h.Lo) <= 0 && h.Hi.Cmp(g.Hi) <= 0 && (h.Reading == g.Reading || h.Reading == Either || shared)
}

// equal reports that two things that own nothing are the same.
func (h *Held) equal(g *Held) bool {
	return h.Own == nil && g.Own == nil && h.Kind == g.Kind && h.Lo.Equal(g.Lo) && h.Hi.Equal(g.Hi) && h.At == g.At &&
		h.Func == g.Func && h.Global == g.Global
}

// sameProperty: memory like o is like p.
func (k *check) sameProperty(o, p *Owned) bool {
	if o.Single && !p.Single {
		var ok bool
		if o, ok = o.asPartOf(p); !ok {
			return false
		}
	}
	x, y := &o.Shape, &p.Shape
	l, t := x.List, y.List
	return o.Single == p.Single && l.Next == t.Next && slices.Equal(l.Kids, t.Kids) && l.Doubly == t.Doubly &&
		l.Prev == t.Prev && l.At == t.At && l.BackAt == t.BackAt &&
		x.Size.Equal(y.Size) && x.Heap == y.Heap && divides(y.Align, x.Align) && x.hasWritten(y) &&
		o.Least >= p.Least && (!p.Exactly || o.Exactly && o.Least == p.Least) && o.End.equal(&p.End) &&
		(p.Before.Kind == Opaque || o.Before.equal(&p.Before)) && k.implied(l.Members, t.Members)
}

// asPartOf is a single block as a chain or tree like p.
func (o *Owned) asPartOf(p *Owned) (*Owned, bool) {
	if p.Shape.List.At != 0 {
		return nil, false // what leads to o leads to its start
	}
	c := *p
	c.Least, c.Exactly, c.Before = 1, true, Held{Kind: Opaque}
	c.Shape = o.Shape
	l := *p.Shape.List
	c.Shape.List, l.Members = &l, slices.Clone(o.Shape.List.Members)
	take := func(off int64) (Held, bool) {
		n := slices.IndexFunc(l.Members, func(m Member) bool { return m.Offset == off })
		if n < 0 || len(l.Members[n].Cases) != 1 {
			return Held{Kind: Opaque}, false
		}
		h := l.Members[n].Cases[0]
		l.Members = slices.Delete(l.Members, n, n+1)
		return h, true
	}
	ends := func(off int64) bool {
		h, ok := take(off)
		return ok && h.equal(&p.End)
	}
	if l.Kids == nil && !ends(l.Next) || slices.ContainsFunc(l.Kids, func(off int64) bool { return !ends(off) }) {
		return nil, false
	}
	if l.Doubly {
		if h, ok := take(l.Prev); ok && h.Own == nil {
			c.Before = h
		}
	}
	return &c, true
}
