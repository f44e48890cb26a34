package encode

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// pointerInt keeps track of what an integer points to through the arithmetic
// that C programs do on addresses: adding, aligning and tagging. As an integer
// the result is base + offset again, only the offset has moved.
func (e *encoder) pointerInt(op ir.Op, a, b val) (val, bool) {
	if a.p == nil && b.p == nil {
		return val{}, false
	}
	if a.p != nil && b.p != nil {
		if op != ir.OpSub {
			return val{}, false
		}
		return e.pointerDifference(a.p, b.p)
	}
	if b.p != nil {
		if op == ir.OpSub {
			return val{}, false
		}
		a, b = b, a
	}
	y := e.num(b)
	if e.s.Width(y) != e.w || !a.p.hasObject() {
		return val{}, false
	}
	switch op {
	case ir.OpAdd:
		return val{p: e.movedBy(a.p, y)}, true
	case ir.OpSub:
		return val{p: e.movedBy(a.p, e.s.Neg(y))}, true
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		if _, ok := e.s.ConstVal(y); !ok {
			return val{}, false
		}
	default:
		return val{}, false
	}
	x := e.num(a)
	r := e.binaryTerm(op, x, y)
	if op == ir.OpAnd && e.clearsHigh(y) {
		return val{t: r}, true // the bits below an alignment: no longer an address
	}
	out := &ptr{moved: true}
	for _, alt0 := range a.p.alts {
		ax := e.address(&ptr{alts: []alt{{g: e.s.True(), obj: alt0.obj, off: alt0.off}}})
		ar := e.binaryTerm(op, ax, y)
		off := ar
		if alt0.obj != nil {
			off = e.s.Add(alt0.off, e.lowDelta(op, ax, y))
		}
		out.alts = append(out.alts, alt{g: alt0.g, obj: alt0.obj, off: off})
	}
	return val{p: out, t: r}, true
}

// movedBy returns p with an address that is d bytes further.
func (e *encoder) movedBy(p *ptr, d ilr.Term) *ptr {
	q := e.shift(p, d)
	if q != p {
		q.moved = true
	}
	return q
}

// clearsHigh reports whether the mask y keeps only low bits.
func (e *encoder) clearsHigh(y ilr.Term) bool {
	v, ok := e.s.ConstVal(y)
	return ok && !v.Sign()
}

// lowDelta is op(x, y) - x for a constant y.
func (e *encoder) lowDelta(op ir.Op, x, y ilr.Term) ilr.Term {
	no := e.s.BvNot(y)
	switch op {
	case ir.OpAnd: // clears the bits of not y
		return e.s.Neg(e.s.BvAnd(x, no))
	case ir.OpOr: // sets the bits of y that are clear
		return e.s.BvAnd(e.s.BvNot(x), y)
	}
	return e.s.Sub(e.s.BvXor(x, y), x)
}

// pointerDifference subtracts addresses: offsets inside one object.
func (e *encoder) pointerDifference(p, q *ptr) (val, bool) {
	t := ilr.Term(0)
	for _, a := range p.alts {
		for _, b := range q.alts {
			var d ilr.Term
			if a.obj == b.obj {
				d = e.s.Sub(a.off, b.off)
			} else {
				one := func(x alt) ilr.Term {
					return e.address(&ptr{alts: []alt{{g: e.s.True(), obj: x.obj, off: x.off}}})
				}
				g := e.s.And(a.g, b.g)
				if e.s.IsFalse(g) {
					continue
				}
				d = e.s.Sub(one(a), one(b))
			}
			if t == 0 {
				t = d
			} else {
				t = e.s.Ite(e.s.And(a.g, b.g), d, t)
			}
		}
	}
	return val{t: t}, true
}
