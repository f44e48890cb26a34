package harness

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// cursors are pointers among the members of a structure into one block: those that move, and one to its end.
type cursors struct {
	end   int
	moves []int // at most end
	elem  *ir.DType
}

// ends are names of members, or their last parts, that lead to the end of a block.
var ends = []string{"end", "limit", "stop"}

func isEnd(name string) bool {
	name = strings.ToLower(strings.Trim(name, "_"))
	return slices.ContainsFunc(ends, func(e string) bool { return strings.HasSuffix(name, e) })
}

// isStart reports names of what leads to the start of a block.
func isStart(name string) bool {
	name = strings.ToLower(strings.Trim(name, "_"))
	return slices.ContainsFunc([]string{"start", "begin", "base", "first", "from", "buf", "buffer", "head"}, func(s string) bool {
		return strings.HasPrefix(name, s) || strings.HasSuffix(name, s)
	})
}

// cursorsIn returns the cursors of a structure, nil where it has no end or several.
func cursorsIn(t *ir.DType) *cursors {
	c := &cursors{end: -1}
	for i := range t.Fields {
		f := &t.Fields[i]
		p := pointerOf(f.T)
		switch {
		case f.IsBits || p == nil || !ir.IsNumber(p.Elem):
		case isEnd(f.Name) && f.T == p && c.end >= 0:
			return nil
		case isEnd(f.Name) && f.T == p:
			c.end, c.elem = i, p.Elem
		default:
			c.moves = append(c.moves, i)
		}
	}
	if c.end < 0 || len(c.moves) == 0 {
		return nil
	}
	for _, i := range c.moves {
		if ir.SizeInC(pointerOf(t.Fields[i].T).Elem) != ir.SizeInC(c.elem) {
			return nil
		}
	}
	return c
}

// pointerOf returns the pointer that a member is, or that its union holds first; nil where there is none.
func pointerOf(t *ir.DType) *ir.DType {
	switch {
	case t == nil:
	case t.Kind == ir.DPointer:
		return t
	case t.Kind == ir.DUnion:
		if i := pointerIn(t); i >= 0 {
			return t.Fields[i].T
		}
	}
	return nil
}

// pointerIn returns the first member of a union that is a pointer, -1 where there is none.
func pointerIn(t *ir.DType) int {
	return slices.IndexFunc(t.Fields, func(f ir.DField) bool { return f.T != nil && f.T.Kind == ir.DPointer })
}

// inUse returns the member of a union that a harness fills: the first that is a pointer, else the first structure that
// holds one; -1 where there is none.
func inUse(t *ir.DType) int {
	if i := pointerIn(t); i >= 0 {
		return i
	}
	return slices.IndexFunc(t.Fields, func(f ir.DField) bool {
		return ir.IsStruct(f.T) && pointerIn(f.T) >= 0
	})
}

// number returns the address that a pointer holds.
func (h *harness) number(p ir.Value) ir.Value {
	return h.Emit(&ir.Instr{Op: ir.OpPtrToInt, T: h.Word(), Args: []ir.Value{p}})
}

// cursors makes the cursors of the structure at p+off. It returns the members that it made.
func (h *harness) cursors(name string, t *ir.DType, p ir.Value, off int64) map[int]bool {
	c := cursorsIn(t)
	if c == nil || h.given(name+"."+t.Fields[c.end].Name).size(1) > 0 {
		return nil
	}
	e := ended{end: name + "." + t.Fields[c.end].Name, elem: c.elem}
	place := func(i int) places.Place { return places.Place{Of: places.LayoutOf(t), Off: t.Fields[i].BitOff / 8} }
	for _, i := range c.moves {
		e.parts = append(e.parts, name+"."+t.Fields[i].Name)
		e.known = append(e.known, h.p.places.Ordered(place(c.end), place(i)))
	}
	at := func(i int) ir.Value { return h.Gep(p, off+t.Fields[i].BitOff/8, nil, 0) }
	block, total, to := h.ended(&e)
	from := ir.Value(block)
	done := map[int]bool{c.end: true}
	for k, i := range c.moves {
		member := h.memberOfOrNull(e.parts[k], t, i, to[k])
		h.Store(member, at(i), 1)
		if done[i] = true; len(c.moves) == 1 {
			from = member
		}
	}
	last := h.behind(from, total)
	if h.keepsAddresses() {
		low := h.note(e.end, verdict.Contents, verdict.Chosen,
			"the block that %s is the end of lies in the lower half of the addresses", e.end)
		brings(low, h.Assume(h.Compare(ir.SGE, h.number(block), h.Int(h.Word(), 0))),
			h.Assume(h.Compare(ir.SGE, h.number(last), h.Int(h.Word(), 0))))
	}
	h.Store(last, at(c.end), 1)
	return done
}

// keepsAddresses reports whether code that the function reaches does more with the number of an address than to take it
// from another.
func (h *harness) keepsAddresses() bool {
	for f := range h.reached.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpSub && slices.ContainsFunc(in.Args, func(v ir.Value) bool {
					x, ok := v.(*ir.Instr)
					return ok && x.Op == ir.OpPtrToInt
				}) {
					return true
				}
			}
		}
	}
	return false
}

// cursors writes the cursors among the members of a structure, and returns these.
func (w *harnessText) cursors(to string, t *ir.DType, c *cursors) map[int]bool {
	end := &t.Fields[c.end]
	block, count := w.ended(to+end.Name, c.elem)
	w.line("firmproof_assume((size_t)(%s + %s) <= (size_t)-1 / 2);", block, count)
	w.line("%s = %s + %s;", assignable(to+end.Name, end.T), block, count)
	made := map[int]bool{c.end: true}
	var starts []string
	for _, i := range c.moves {
		f := &t.Fields[i]
		name, at := to+f.Name, block
		if f.T.Kind == ir.DUnion {
			name += "." + f.T.Fields[pointerIn(f.T)].Name
		}
		if len(c.moves) > 1 {
			at, starts = w.somewhere(block, count, i, starts)
		}
		w.line("%s = %s;", assignable(name, pointerOf(f.T)), at)
		made[i] = true
	}
	w.oneStarts(starts)
	return made
}
