package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// pointerInt keeps track of what an integer points to through the arithmetic
// that C programs do on addresses: adding, aligning and tagging. As an integer
// the result is base + offset again, only the offset has moved.
func (e *encoder) pointerInt(op ir.Op, a, b memory.Val) (memory.Val, bool) {
	if a.Ptr == nil && b.Ptr == nil {
		return memory.Val{}, false
	}
	if a.Ptr != nil && b.Ptr != nil {
		if op != ir.OpSub {
			return memory.Val{}, false
		}
		return e.pointerDifference(a.Ptr, b.Ptr)
	}
	if b.Ptr != nil {
		if op == ir.OpSub {
			return memory.Val{}, false
		}
		a, b = b, a
	}
	y := e.Num(b)
	if e.s.Width(y) != e.w || !a.Ptr.HasObject() {
		return memory.Val{}, false
	}
	switch op {
	case ir.OpAdd:
		return memory.Val{Ptr: e.movedBy(a.Ptr, y)}, true
	case ir.OpSub:
		return memory.Val{Ptr: e.movedBy(a.Ptr, e.s.Neg(y))}, true
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		if _, ok := e.s.ConstVal(y); !ok {
			return memory.Val{}, false
		}
	default:
		return memory.Val{}, false
	}
	x := e.Num(a)
	r := e.binaryTerm(op, x, y)
	if op == ir.OpAnd && e.clearsHigh(y) {
		return memory.Val{Term: r}, true // the bits below an alignment: no longer an address
	}
	out := &memory.Ptr{Moved: true}
	for _, alt0 := range a.Ptr.Alts {
		ax := e.Address(&memory.Ptr{Alts: []memory.Alt{{Guard: e.s.True(), Object: alt0.Object, Off: alt0.Off}}})
		ar := e.binaryTerm(op, ax, y)
		off := ar
		if alt0.Object != nil {
			off = e.s.Add(alt0.Off, e.lowDelta(op, ax, y))
		}
		out.Alts = append(out.Alts, memory.Alt{Guard: alt0.Guard, Object: alt0.Object, Off: off})
	}
	return memory.Val{Ptr: out, Term: r}, true
}

// movedBy returns p with an address that is d bytes further.
func (e *encoder) movedBy(p *memory.Ptr, d ilr.Term) *memory.Ptr {
	q := e.Shift(p, d)
	if q != p {
		q.Moved = true
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
func (e *encoder) pointerDifference(p, q *memory.Ptr) (memory.Val, bool) {
	t := ilr.Term(0)
	for _, a := range p.Alts {
		for _, b := range q.Alts {
			var d ilr.Term
			if a.Object == b.Object {
				d = e.s.Sub(a.Off, b.Off)
			} else {
				one := func(x memory.Alt) ilr.Term {
					return e.Address(&memory.Ptr{Alts: []memory.Alt{{Guard: e.s.True(), Object: x.Object, Off: x.Off}}})
				}
				g := e.s.And(a.Guard, b.Guard)
				if e.s.IsFalse(g) {
					continue
				}
				d = e.s.Sub(one(a), one(b))
			}
			if t == 0 {
				t = d
			} else {
				t = e.s.Ite(e.s.And(a.Guard, b.Guard), d, t)
			}
		}
	}
	return memory.Val{Term: t}, true
}
