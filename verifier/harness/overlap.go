package harness

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// overlapPrefix starts the names of the functions that Overlapping makes.
const overlapPrefix = "firmproof.overlap."

// Overlapping adds a harness of f in which pointers may lead to one place, or each to its own, wherever that can be made:
//
//	two objects of one type     both pointers lead to the first
//	a part of the other         the pointer leads into the object, or to its own
//	a part of a variable        likewise
//	several numbers             together.go
//
// What is left (strings, bytes over a second structure, blocks that pointers in memory lead to) is kept apart, as the
// answer says. nil where that is all there is.
func (p *Program) Overlapping(f *ir.Func) *Harnessed {
	var made *harness
	h, err := p.callOf(f, overlapPrefix, func(h *harness) { made, h.variant, h.overlap, h.anyState = h, "overlap.", true, true })
	if err != nil || !made.met {
		return nil
	}
	return h
}

// meet has one of two pointers lead into what the other leads to, too. It reports whether that is all there is.
func (h *harness) meet(p, q *ground, args []ir.Value) bool {
	if p.text || q.text || !h.overlap && h.aliased(p.name, q.name) < 0 {
		return false
	}
	if h.same[[2]ir.Value{p.at, q.at}] || h.into(p, q, args) || h.into(q, p, args) {
		h.met = true
		return true
	}
	return false
}

// into has the parameter of q lead anywhere in p where it can, or where it did. It reports whether p cannot lie in q, nor
// in part: then nothing was done.
func (h *harness) into(p, q *ground, args []ir.Value) bool {
	number := ir.IsNumber(q.t) || ir.IsVoid(q.t)
	single := h.one(q)
	switch {
	case !q.moves() || q.variable != nil || single == 0 && !number:
		return false
	case p.variable != nil || h.one(p) > 0 && (single > 0 && single <= h.one(p) || !isBytes(q.t)):
	case number && single > 0 && (ir.IsNumber(p.t) || ir.IsVoid(p.t)) && h.width(p) == single: // an array of these
	default:
		return false
	}
	rows, whole := partsLike(p.t, q.t)
	if isBytes(q.t) {
		rows, whole = []row{{0, 1, max(ir.SizeInC(p.t), 1)}}, true
	}
	if len(rows) == 0 || !whole {
		return false
	}
	for _, r := range rows {
		here := h.any(q.name+" leads into "+p.name, ir.Int(1))
		end := ir.Value(h.Int(h.Word(), r.size*r.count))
		if p.variable == nil && h.one(p) == 0 {
			end = p.size
		}
		at := h.Gep(p.at, r.off, nil, 0)
		if r.count > 1 || single == 0 || end == p.size {
			n := h.any(q.name+" in "+p.name, h.Word())
			within := h.And(h.Compare(ir.ULT, n, end), h.Compare(ir.ULE, h.Binary(ir.OpAdd, h.scaled(n, r.size), q.size), end))
			h.Assume(h.Or(h.not(here), within))
			at = h.Gep(p.at, r.off, n, r.size)
		}
		h.lead(q, h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{here, at, h.leads(q, args)}}), args)
	}
	return true
}

// orSame returns a pointer to a structure that a member holds, or to one of its type that was made before.
func (h *harness) orSame(name string, t *ir.DType, block *ir.Instr) ir.Value {
	if !h.overlap && h.aliased(name) < 0 || !ir.IsStruct(t) {
		return block
	}
	out := ir.Value(block)
	for _, b := range h.out.Blocks {
		if b.At == block {
			break
		}
		if g := (&ground{t: b.T, size: b.Size}); b.pointer == "" || !alike(b.T, t) || h.one(g) == 0 ||
			!h.overlap && h.aliased(name, b.pointer) < 0 {
			continue
		}
		out = h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{h.any(name+" is "+b.pointer, ir.Int(1)), b.At,
			out}})
		h.same[[2]ir.Value{b.At, block}], h.same[[2]ir.Value{block, b.At}] = true, true
	}
	return out
}

// width is the size of the elements of a ground.
func (h *harness) width(g *ground) int64 { return max(ir.SizeInC(g.t), 1) }

// scaled is n elements in bytes.
func (h *harness) scaled(n ir.Value, size int64) ir.Value {
	if size == 1 {
		return n
	}
	return h.Binary(ir.OpMul, n, h.Int(h.Word(), size))
}

// one returns the size of a ground that is a single object; 0: it is more, or how much is not known.
func (h *harness) one(g *ground) int64 {
	size := ir.SizeInC(g.t)
	if ir.IsVoid(g.t) {
		size = 1
	}
	if c, ok := g.size.(*ir.Const); ok && c.Kind == ir.ConstInt {
		if n, _ := c.Bits.Int64(); n == size {
			return size
		}
	}
	return 0
}
