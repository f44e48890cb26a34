package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// icmp makes a condition.
func (b *builder) icmp(s *state, in *ir.Instr) value {
	l, r := b.value(s, in.Args[0]), b.value(s, in.Args[1])
	t := in.Args[0].Type()
	if t.Kind == ir.KindPtr {
		return value{kind: boolValue, cond: b.comparePointers(s, in.Pred, l, r)}
	}
	if l.kind == boolValue || r.kind == boolValue || t.Kind != ir.KindInt {
		return value{kind: boolValue, cond: b.compareBools(s, in.Pred, l, r)}
	}
	as := signed
	switch in.Pred {
	case ir.UGT, ir.UGE, ir.ULT, ir.ULE:
		as = unsigned
	case ir.EQ, ir.NE:
		if l.kind == intValue && r.kind == intValue {
			as = l.rep
			if as == anyRep {
				as = r.rep
			}
			if as == anyRep {
				as = signed
			}
		}
	}
	x, ok := b.read(s, l, t.Width, as)
	y, ok2 := b.read(s, r, t.Width, as)
	if !ok || !ok2 {
		return value{kind: boolValue, cond: cond{rel: relAny}}
	}
	return value{kind: boolValue, cond: compare(in.Pred, x, y)}
}

func compare(p ir.Pred, x, y exact.Lin) cond {
	switch p {
	case ir.EQ:
		return cond{relEQ, x.Sub(y)}
	case ir.NE:
		return cond{relNE, x.Sub(y)}
	case ir.UGE, ir.SGE:
		return cond{relGE, x.Sub(y)}
	case ir.UGT, ir.SGT:
		return cond{relGE, x.Sub(y).AddInt(-1)}
	case ir.ULE, ir.SLE:
		return cond{relGE, y.Sub(x)}
	}
	return cond{relGE, y.Sub(x).AddInt(-1)}
}

// compareBools compares an i1 with a constant; anything else is not followed.
func (b *builder) compareBools(s *state, p ir.Pred, l, r value) cond {
	if l.kind != boolValue || r.kind != boolValue {
		return cond{rel: relAny}
	}
	h, known := b.decide(s, r.cond)
	c := l.cond
	if !known {
		h, known = b.decide(s, l.cond)
		c = r.cond
	}
	switch {
	case known && p == ir.EQ && h || known && p == ir.NE && !h:
		return c
	case known && (p == ir.EQ || p == ir.NE):
		return c.not()
	}
	return cond{rel: relAny}
}

// comparePointers compares the offsets of pointers into one object, an object with null by whether it is there,
// and else the addresses.
func (b *builder) comparePointers(s *state, p ir.Pred, l, r value) cond {
	if l.kind == ptrValue && r.kind == ptrValue && l.obj == r.obj && l.last == r.last {
		if b.opts.Leave && p != ir.EQ && p != ir.NE && !(b.upToEnd(s, l) && b.upToEnd(s, r)) {
			return cond{rel: relAny}
		}
		return compare(p, l.lin, r.lin) // offsets are kept in [0, size]
	}
	if c, ok := b.nullCheck(s, p, l, r); ok {
		return c
	}
	if l.kind == funcValue && r.kind == funcValue && (p == ir.EQ || p == ir.NE) {
		return truth((l.fn == r.fn) == (p == ir.EQ))
	}
	if l.kind == ptrValue && r.kind == ptrValue && s.block(l.obj) && s.block(r.obj) &&
		(p == ir.EQ || p == ir.NE) && b.inside(s, l) && b.inside(s, r) && !s.objs[l.obj].ended &&
		!s.objs[r.obj].ended {
		return truth(p == ir.NE)
	}
	if l.kind != intValue || r.kind != intValue {
		return cond{rel: relAny}
	}
	return compare(p, l.lin, r.lin)
}

// nullCheck compares an object's or a function's address with null.
func (b *builder) nullCheck(s *state, p ir.Pred, l, r value) (cond, bool) {
	if l.kind == intValue {
		l, r = r, l
	}
	if r.kind != intValue || len(r.lin.Terms) > 0 || !r.lin.Const.IsZero() || p != ir.EQ && p != ir.NE {
		return cond{}, false
	}
	switch {
	case l.kind == ptrValue && s.block(l.obj) && !b.maybeNull(s.object(l.obj)), l.kind == funcValue && !l.fn.Weak:
		return truth(p == ir.NE), true
	}
	return cond{}, false
}

// maybeNull reports whether the object's address can be null: that of a weak symbol, which can be missing.
func (b *builder) maybeNull(o *object) bool {
	return o.global != nil && o.global.Weak && o.global.Extern || b.opts.AddressZero
}

// upToEnd reports that the pointer is known to be to a byte of its object or to its end.
func (b *builder) upToEnd(s *state, v value) bool {
	o := s.object(v.obj)
	return o != nil && o.list == nil && b.ask.proves(s.know, v.lin) && b.ask.proves(s.know, o.size.Sub(v.lin))
}

// inside reports that the pointer is known to be to a byte of its object.
func (b *builder) inside(s *state, v value) bool {
	o := s.object(v.obj)
	return b.ask.proves(s.know, v.lin) && b.ask.proves(s.know, o.size.Sub(v.lin).AddInt(-1))
}
