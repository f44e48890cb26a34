package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
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
	end := name + "." + t.Fields[c.end].Name
	size := h.Int(h.Word(), max(ir.SizeInC(c.elem), 1))
	count, most := h.any(end+" - block", h.Word()), h.room(policy.HarnessCount, policy.WideCount)
	of := h.note(end, verdict.Extent, verdict.Chosen,
		"pointers beside %s lead into one block of at most %d elements that it is the end of", end, most)
	brings(of, h.Assume(h.Compare(ir.ULE, count, h.Int(h.Word(), most))))
	total := h.Binary(ir.OpMul, count, size)
	block := h.anyBlock(end, total)
	brings(of, block)
	done := map[int]bool{c.end: true}
	at := func(i int) ir.Value { return h.Gep(p, off+t.Fields[i].BitOff/8, nil, 0) }
	last := h.Gep(block, 0, total, 1)
	low := h.note(end, verdict.Contents, verdict.Chosen,
		"the block that %s is the end of lies in the lower half of the addresses", end)
	brings(low, h.Assume(h.Compare(ir.SGE, h.number(block), h.Int(h.Word(), 0))),
		h.Assume(h.Compare(ir.SGE, h.number(last), h.Int(h.Word(), 0))))
	h.Store(last, at(c.end), 1)
	for _, i := range c.moves {
		member := name + "." + t.Fields[i].Name
		k := h.any(member+" - block", h.Word())
		in := h.Assume(h.Compare(ir.ULE, k, count))
		to := h.Gep(block, 0, h.Binary(ir.OpMul, k, size), 1)
		h.Store(h.memberOfOrNull(member, t, i, to), at(i), 1)
		brings(h.note(member, verdict.Extent, verdict.Chosen,
			"%s leads into the block of at most %d elements that %s is the end of", member, most, end), in)
		done[i] = true
	}
	return done
}

// cursors writes the cursors among the members of a structure, and returns these.
func (w *harnessText) cursors(to string, t *ir.DType, c *cursors) map[int]bool {
	w.blocks++
	block, count := fmt.Sprintf("block%d", w.blocks), fmt.Sprintf("count%d", w.blocks)
	number := func(name, limit string) {
		w.line("size_t %s;", name)
		w.line("firmproof_havoc(&%s, sizeof %s);", name, name)
		w.line("firmproof_assume(%s <= %s);", name, limit)
	}
	end := &t.Fields[c.end]
	w.line("/* pointers into one block of at most %d elements, %s to its end */", policy.HarnessCount, to+end.Name)
	number(count, fmt.Sprint(policy.HarnessCount))
	w.block(strings.TrimPrefix(c.elem.Name, "const ")+" *"+block, block, count+" * sizeof *"+block)
	w.line("firmproof_assume((size_t)(%s + %s) <= (size_t)-1 / 2);", block, count)
	w.line("%s = %s + %s;", assignable(to+end.Name, end.T), block, count)
	made := map[int]bool{c.end: true}
	for _, i := range c.moves {
		f := &t.Fields[i]
		name := to + f.Name
		if f.T.Kind == ir.DUnion {
			name += "." + f.T.Fields[pointerIn(f.T)].Name
		}
		at := fmt.Sprintf("%s_%d", count, i)
		number(at, count)
		w.line("%s = %s + %s;", assignable(name, pointerOf(f.T)), block, at)
		made[i] = true
	}
	return made
}
