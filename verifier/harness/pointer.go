package harness

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// pointer makes argument i, a pointer, and the length that goes with it.
func (h *harness) pointer(i int, name string, args []ir.Value) {
	elem := h.elemOf(i)
	if ir.IsStruct(elem) {
		h.out.Structs = append(h.out.Structs, name)
	}
	if h.takesFew(elem) {
		h.guess(name, elem)
		args[i] = h.anyBlock(name, h.Int(h.Word(), ir.SizeInC(elem)))
		h.holdsElements(elem)
		return
	}
	if h.takesAnything(elem) {
		args[i] = h.anywhere(name, elem)
		return
	}
	if g := h.given(name); g.size(ir.SizeInC(elem)) > 0 {
		left := policy.HarnessFields
		args[i] = h.sized(g, name, elem, 1, &left)
		h.aligned(i, name, args[i])
		return
	}
	if pool, by := h.pool(i); pool != nil {
		args[i] = h.inPool(name, pool, by)
		return
	}
	if n := h.leftOf(i); n >= 0 {
		args[i] = h.left(i, n, args)
		return
	}
	e := h.extentOf(i, name)
	if h.p.isFew(elem) && (e.count >= 0 || e.ends != nil || e.text) {
		args[i] = h.aFew(name, elem)
		return
	}
	if e.guess || h.uses[i].Before {
		h.guess(name, elem)
	}
	h.out.Warnings = append(h.out.Warnings, e.warns...)
	if len(e.tables) > 0 {
		args[i] = h.table(name, e.tables)
		return
	}
	number := ""
	if e.count >= 0 {
		number = h.countName(e.count)
	}
	var id string
	if e.text && !e.guess {
		id = h.note(name, verdict.Limit, e.origin, "%s", e.note)
	} else {
		id = h.noteCounted(name, number, e.origin, e.note)
	}
	defer func() {
		brings(id, args[i])
		h.aligned(i, name, args[i])
	}()
	switch {
	case e.count >= 0:
		args[i] = h.elements(name, e, args)
	case e.ends != nil:
		args[i] = h.flexible(name, e.elem, e.ends)
	case e.text:
		args[i] = h.stringOf(name, id, e.least, e.bytes)
		h.holdsElements(e.elem)
		h.out.Blocks[len(h.out.Blocks)-1].text = true
	default:
		args[i] = h.blockOf(name, e.elem, h.Int(h.Word(), e.bytes))
		if e.guess && ir.IsVoid(e.elem) {
			h.opaque(name, e.bytes)
		}
		left := policy.HarnessFields
		for k := int64(1); k < e.filled; k++ {
			h.fill(fmt.Sprintf("%s[%d]", name, k), e.elem, args[i], places.Place{}, k*ir.SizeInC(e.elem), 1, &left)
		}
	}
}

// aFew makes a block of a few elements, whatever code says of their number.
func (h *harness) aFew(name string, elem *ir.DType) ir.Value {
	size, left := ir.SizeInC(elem), policy.HarnessFields
	h.guess(name, elem)
	p := h.blockOf(name, elem, h.Int(h.Word(), policy.PairFew*size))
	brings(h.note(name, verdict.Limit, verdict.Chosen, "%s leads to %d elements", name, policy.PairFew), p)
	for k := int64(1); k < policy.PairFew; k++ {
		h.fill(fmt.Sprintf("%s[%d]", name, k), elem, p, places.Place{}, k*size, 1, &left)
	}
	return p
}

// stringOf makes a block that ends in a zero, of any size from least to most bytes: a caller's may end with the string. id
// is the assumption about its length.
func (h *harness) stringOf(name, id string, least, most int64) *ir.Instr {
	last := h.any("length of "+name, h.Word())
	within := []ir.Value{h.Assume(h.Compare(ir.ULT, last, h.Int(h.Word(), most)))}
	if least > 1 {
		within = append(within, h.Assume(h.Compare(ir.UGE, last, h.Int(h.Word(), least-1))))
	}
	p := h.anyBlock(name, h.Binary(ir.OpAdd, last, h.Int(h.Word(), 1)))
	brings(id, append(within, h.Store(h.Int(ir.Int(8), 0), h.Gep(p, 0, last, 1), 1))...)
	return p
}

// aligned notes of a pointer whose type does not say how what it leads to is aligned (C17 6.3.2.3p7) that it is as the
// function accesses it: of a void pointer, or one behind a header.
func (h *harness) aligned(i int, name string, made ir.Value) {
	if align := h.needs(i); align > 0 && !h.saysAlignment(i) && h.given(name).Align == 0 {
		if block, _ := h.madeFor(i, made); block != nil {
			block.Align = 0
		}
		id := h.note(name, verdict.Meaning, verdict.Chosen, "%s is aligned to %d bytes, more than its type is", name, align)
		h.noted(id).Line = fmt.Sprintf("aligned to %d bytes", align)
		brings(id, made)
	}
}

// needs returns the bytes to which the function accesses what parameter i leads to aligned; 0: not more than its type is.
func (h *harness) needs(i int) int64 {
	if align := h.uses[i].Align; align > h.alignOf(h.elemOf(i)) {
		return align
	}
	return 0
}

// saysAlignment reports whether the type of parameter i says how what it leads to is aligned: that of a structure which the
// function takes for the beginning of several larger ones does not.
func (h *harness) saysAlignment(i int) bool {
	elem, u := h.elemOf(i), &h.uses[i]
	return !ir.IsVoid(elem) && !u.Before && (!ir.IsStruct(elem) || u.Need <= ir.SizeInC(elem))
}

// unplaced notes the guesses of which nothing says how what they lead to is aligned, either.
func (h *harness) unplaced() {
	for _, b := range h.out.Blocks {
		if b.At.Align == 0 && slices.Contains(h.out.Guesses, b.Name) {
			h.out.Unplaced = append(h.out.Unplaced, b.Name)
		}
	}
}

// guess notes that nothing says how much a pointer to elem leads to.
func (h *harness) guess(name string, elem *ir.DType) {
	h.out.Guesses = append(h.out.Guesses, name)
	if isText(elem) {
		h.out.Texts = append(h.out.Texts, name)
	}
}

// elements makes a block of as many elements as a parameter says, and that parameter.
func (h *harness) elements(name string, e *extent, args []ir.Value) ir.Value {
	t, addr, size := h.countType(e.count), h.Word(), ir.SizeInC(e.elem)
	count, below := h.count(e.count, args), ir.ULE
	if e.below {
		below = ir.SLE
	}
	brings(h.note(h.countName(e.count), verdict.Limit, verdict.Chosen, "%s", e.limit),
		h.Assume(h.Compare(below, count, h.Int(t, e.most))))
	if e.below {
		none := h.Int(t, 0)
		count = h.Emit(&ir.Instr{Op: ir.OpSelect, T: t, Args: []ir.Value{h.Compare(ir.SLT, count, none), none, count}})
	}
	total := h.Resize(count, addr)
	if e.plus > 0 {
		total = h.Binary(ir.OpAdd, total, h.Int(addr, e.plus))
	}
	switch one := h.Int(addr, max(size, 1)); {
	case e.unit > 1:
		total = h.Emit(&ir.Instr{Op: ir.OpMul, T: addr, Args: []ir.Value{total, one}})
	case size > 1: // bytes are counted, and there are whole elements
		total = h.Binary(ir.OpMul, h.Binary(ir.OpUdiv, h.Binary(ir.OpAdd, total, h.Int(addr, size-1)), one), one)
	}
	p := h.anyBlock(name, total)
	h.holdsElements(e.elem)
	if e.filled > 0 {
		h.fillCounted(name, e.elem, p, h.Binary(ir.OpUdiv, total, h.Int(addr, max(size, 1))))
	}
	return p
}

// count makes argument n, a number or a pointer to one, if it is not there yet, and returns the number.
func (h *harness) count(n int, args []ir.Value) ir.Value {
	name, v, t := h.nameOf(n), h.vars[n], h.of.Params[n].T
	made := args[n] != nil
	if t.IsPtr() {
		if !made {
			h.pointer(n, name, args)
		}
		number := h.Load(h.countType(n), args[n])
		if !made {
			args[n] = h.perhapsNull(n, name, args[n])
		}
		return number
	}
	if !made {
		args[n] = h.any(name, t)
		h.within(name, args[n], v != nil && v.T != nil && v.T.Signed)
	}
	return args[n]
}

// fillCounted gives the pointers and truth values of the first n elements at p values; those that are not there are
// filled elsewhere.
func (h *harness) fillCounted(name string, elem *ir.DType, p, n ir.Value) {
	size, left := ir.SizeInC(elem), policy.HarnessFields
	spare := h.Model(ir.ModelMalloc, "malloc", h.Ptr(), h.Int(h.Word(), size))
	h.Assume(h.Compare(ir.NE, spare, h.Null()))
	h.Model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), spare, h.Int(h.Word(), size)) // it is read as the elements are
	for k := int64(0); k < policy.HarnessFilled; k++ {
		there := h.Compare(ir.ULT, h.Int(h.Word(), k), n)
		at := h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{there, h.Gep(p, k*size, nil, 0), spare}})
		h.fill(fmt.Sprintf("%s[%d]", name, k), elem, at, places.Place{}, 0, 1, &left)
	}
}
