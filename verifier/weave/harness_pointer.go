package weave

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// pointer makes argument i, a pointer to elem, and the length that goes with it.
func (h *harness) pointer(i int, name string, elem *ir.DType, args []ir.Value) error {
	u := &h.uses[i]
	if isVoid(elem) && u.as != nil && u.as.Kind == ir.DStruct {
		elem = u.as
	}
	size := sizeOf(elem)
	if g := h.given(name); g.size(size) > 0 {
		left := maxFields
		args[i] = h.sized(g, name, elem, 1, &left)
		return nil
	}
	if size == 0 && !isVoid(elem) { // it is only handed on
		h.out.Guesses = append(h.out.Guesses, name)
		h.note(name, "what %s leads to is not known", name)
		args[i] = h.anyBlock(name, h.int(h.word(), 1))
		return nil
	}
	if n, bytes, plus := h.length(i); n >= 0 {
		args[i] = h.counted(i, n, bytes, plus, args)
		return nil
	}
	if isText(elem) && !u.writes && u.need <= maxString {
		args[i] = h.blockOf(name, nil, h.int(h.word(), maxString))
		h.store(h.int(ir.Int(8), 0), h.gep(args[i], maxString-1, nil, 0), 1)
		h.note(name, "%s leads to a string of at most %d characters", name, maxString-1)
		return nil
	}
	h.fixed(i, name, elem, args)
	return nil
}

func isVoid(t *ir.DType) bool { return t == nil || t.Kind == ir.DVoid }

func isText(t *ir.DType) bool {
	return t != nil && t.Kind == ir.DChar && (t.Name == "char" || t.Name == "const char")
}

// fixed makes argument i, a pointer to a block whose size no parameter says.
func (h *harness) fixed(i int, name string, elem *ir.DType, args []ir.Value) {
	u, one := &h.uses[i], sizeOf(elem)
	bytes := max(u.need, one)
	if isStruct(elem) {
		bytes = (bytes + one - 1) / one * one
	}
	passed, at := h.smallest(i)
	switch {
	case u.varies && passed >= bytes && passed > one:
		bytes = passed
		h.out.Guesses = append(h.out.Guesses, name)
		h.note(name, "%s leads to %d bytes, as in the call at %s", name, bytes, at)
	case u.varies && !isStruct(elem) || bytes == 0:
		bytes = max(bytes, maxCount*max(one, 1))
		h.out.Guesses = append(h.out.Guesses, name)
		h.note(name, "%s leads to %d bytes: a guess, since nothing says how many", name, bytes)
	case bytes > one:
		h.note(name, "%s leads to %d bytes, which the function accesses", name, bytes)
	default:
		h.note(name, "%s leads to one %s of its own", name, elem.Name)
	}
	// it may be an array, or a part of something, or have an array without a length at its end, or the function only
	// keeps it for others
	if isStruct(elem) || u.need == 0 {
		h.out.Guesses = append(h.out.Guesses, name)
	}
	if at != nil && passed < bytes {
		h.out.Warnings = append(h.out.Warnings,
			fmt.Sprintf("called with a shorter buffer at %s: %s leads to %d bytes there, %d are assumed",
				at, name, passed, bytes))
	}
	args[i] = h.blockOf(name, elem, h.int(h.word(), bytes))
	left := maxFields
	for k := int64(1); one > 0 && needsFill(elem, 0) && k < min(bytes/one, maxFilled); k++ {
		h.fill(fmt.Sprintf("%s[%d]", name, k), elem, args[i], place{}, k*one, 1, &left)
	}
}

func isStruct(t *ir.DType) bool { return t != nil && t.Kind == ir.DStruct }

// length returns the parameter that says how much pointer i leads to, -1 if none does: by what the function
// does with both, or by its name. plus is how many elements more that are.
func (h *harness) length(i int) (n int, bytes bool, plus int64) {
	if u := &h.uses[i]; u.param >= 0 && u.param != i && h.of.Params[u.param].T.IsInt() {
		return u.param, u.bytes, u.plus
	} else if u.need > 0 && !u.varies {
		return -1, false, 0 // one element
	}
	for n := i + 1; n < len(h.of.Params); n++ {
		v := h.vars[n]
		switch {
		case n > i+1 && isStruct(h.vars[i].T.Elem):
			return -1, false, 0 // a length further on is another's
		case v == nil || v.T == nil:
			return -1, false, 0
		case h.of.Params[n].T.IsInt():
			if !isLength(v.Name) {
				return -1, false, 0
			}
			return n, strings.Contains(strings.ToLower(v.Name), "bytes"), 0
		case v.T.Kind != ir.DPointer || isStruct(v.T.Elem) || !h.uses[i].varies:
			return -1, false, 0 // pointers to numbers may share one length
		}
	}
	return -1, false, 0
}

// counted makes argument i, a pointer to as many elements as argument n says, and that one.
func (h *harness) counted(i, n int, bytes bool, plus int64, args []ir.Value) ir.Value {
	elem := h.vars[i].T.Elem
	name, count, size := h.vars[i].Name, h.nameOf(n), sizeOf(elem)
	t, addr := h.of.Params[n].T, h.word()
	if args[n] == nil {
		args[n] = h.any(count, t)
		h.within(count, args[n], h.vars[n] != nil && h.vars[n].T != nil && h.vars[n].T.Signed)
	}
	most := int64(maxCount)
	filled := !bytes && needsFill(elem, 0)
	switch {
	case filled:
		most = max(maxFilled-plus, 1)
	case bytes:
		most *= max(size, 1)
	}
	if t.Width < 63 {
		most = min(most, 1<<(t.Width-1)-1)
	}
	h.assume(h.compare(ir.ULE, args[n], h.int(t, most)))
	total := h.resize(args[n], addr)
	if plus > 0 {
		total = h.binary(ir.OpAdd, total, h.int(addr, plus))
	}
	if bytes && size > 1 { // there are whole elements, whatever their number
		one := h.int(addr, size)
		total = h.binary(ir.OpMul, h.binary(ir.OpUdiv, h.binary(ir.OpAdd, total, h.int(addr, size-1)), one), one)
	}
	if size > 1 && !bytes {
		total = h.emit(&ir.Instr{Op: ir.OpMul, T: addr, Args: []ir.Value{total, h.int(addr, size)}})
	}
	unit := "elements"
	if bytes && size > 1 {
		unit = "bytes"
	}
	text := fmt.Sprintf("%s leads to as many %s as %s says, at most %d", name, unit, count, most)
	if plus > 0 {
		text = fmt.Sprintf("%s leads to %d more %s than %s says, which is at most %d", name, plus, unit, count, most)
	}
	h.note(name, "%s", text)
	if bytes {
		size = 1
	}
	h.shorter(i, n, max(size, 1), plus)
	p := h.anyBlock(name, total)
	if filled {
		h.fillCounted(name, elem, p, h.binary(ir.OpUdiv, total, h.int(addr, max(size, 1))))
	}
	return p
}

// fillCounted gives the pointers and truth values of the first n elements at p values; those that are not there are
// filled elsewhere.
func (h *harness) fillCounted(name string, elem *ir.DType, p, n ir.Value) {
	size, left := sizeOf(elem), maxFields
	spare := h.model(ir.ModelMalloc, "malloc", h.ptr(), h.int(h.word(), size))
	h.assume(h.compare(ir.NE, spare, h.null()))
	for k := int64(0); k < maxFilled; k++ {
		there := h.compare(ir.ULT, h.int(h.word(), k), n)
		at := h.emit(&ir.Instr{Op: ir.OpSelect, T: h.ptr(), Args: []ir.Value{there, h.gep(p, k*size, nil, 0), spare}})
		h.fill(fmt.Sprintf("%s[%d]", name, k), elem, at, place{}, 0, 1, &left)
	}
}

func (h *harness) nameOf(i int) string {
	if h.vars[i] != nil {
		return h.vars[i].Name
	}
	return h.of.Params[i].Name
}

// mayBeNull reports whether the function or a call of it takes null for possible.
func (h *harness) mayBeNull(i int) bool {
	if h.uses[i].null {
		return true
	}
	for _, c := range h.p.calls[h.of] {
		if k, ok := c.Args[i].(*ir.Const); ok && k.Kind == ir.ConstNull {
			return true
		}
	}
	return false
}

// smallest returns the size of the smallest object that a call in the program passes for parameter i, as far
// as the calls show it, and where that is.
func (h *harness) smallest(i int) (size int64, at *verdict.Pos) {
	for _, c := range h.p.calls[h.of] {
		if n := h.p.objectSize(c.Args[i]); n >= 0 && (at == nil || n < size) {
			size, at = n, c.Pos
		}
	}
	return size, at
}

// shorter notes calls that pass fewer elements of unit bytes than their length says.
func (h *harness) shorter(i, n int, unit, plus int64) {
	for _, c := range h.p.calls[h.of] {
		size := h.p.objectSize(c.Args[i])
		k, ok := c.Args[n].(*ir.Const)
		if size < 0 || !ok || k.Kind != ir.ConstInt {
			continue
		}
		if want := (k.Bits.Signed().Int64() + plus) * unit; want > size {
			h.out.Warnings = append(h.out.Warnings,
				fmt.Sprintf("called with a shorter buffer at %s: %s leads to %d bytes there, %d are assumed",
					c.Pos, h.nameOf(i), size, want))
		}
	}
}

// objectSize returns how many bytes are left of the variable that v points into, -1 if the call does not show it.
func (p *Program) objectSize(v ir.Value) int64 {
	off := int64(0)
	for in, ok := v.(*ir.Instr); ok && in.Op == ir.OpGep; in, ok = v.(*ir.Instr) {
		if len(in.Args) > 1 {
			return -1
		}
		off, v = off+in.Off, in.Args[0]
	}
	switch v := v.(type) {
	case *ir.Instr:
		if k, ok := v.Args, v.Op == ir.OpAlloca; ok {
			if n, ok := k[0].(*ir.Const); ok && n.Kind == ir.ConstInt {
				return p.m.Layout.SizeOf(v.Access)*n.Bits.Signed().Int64() - off
			}
		}
	case *ir.Const:
		if v.Kind == ir.ConstAddr && v.Global != nil && !v.Global.Extern {
			return p.m.Layout.SizeOf(v.Global.T) - v.Off - off
		}
	}
	return -1
}

// buffers makes those members of a struct that are a pointer to numbers beside a length. It returns the
// indices of the members that it made. Beside further numbers (head and tail, say) the size is a guess: they
// may have to stay below the length, and nothing says so.
func (h *harness) buffers(name string, t *ir.DType, p ir.Value, off int64) map[int]bool {
	var pointers, untyped, lengths, indices []int
	further := false
	for i := range t.Fields {
		f := &t.Fields[i]
		switch {
		case f.IsBits || f.T == nil:
		case f.T.Kind == ir.DPointer && isVoid(f.T.Elem):
			untyped = append(untyped, i)
		case f.T.Kind == ir.DPointer && isNumber(f.T.Elem):
			pointers = append(pointers, i)
		case isNumber(f.T) && isLength(f.Name):
			lengths = append(lengths, i)
		case isNumber(f.T) && isIndex(f.Name):
			indices = append(indices, i)
		default:
			further = further || isNumber(f.T)
		}
	}
	if len(pointers) == 0 {
		pointers = untyped
	}
	done := map[int]bool{}
	if len(pointers) != 1 || len(lengths) == 0 || h.given(name+"."+t.Fields[pointers[0]].Name).size(1) > 0 {
		return done
	}
	at := func(i int) ir.Value { return h.gep(p, off+t.Fields[i].BitOff/8, nil, 0) }
	capacity := h.any(name+".capacity", h.word())
	h.assume(h.compare(ir.ULE, capacity, h.int(h.word(), maxCount)))
	for k, i := range lengths {
		f := &t.Fields[i]
		n := ir.Value(capacity)
		if k != largest(t, lengths) {
			n = h.any(name+"."+f.Name, h.word())
			h.assume(h.compare(ir.ULE, n, capacity))
		}
		h.store(h.resize(n, ir.Int(f.T.Bits)), at(i), 1)
		done[i] = true
	}
	for _, i := range indices {
		f := &t.Fields[i]
		n := h.any(name+"."+f.Name, h.word())
		h.assume(h.compare(ir.ULT, n, capacity))
		h.store(h.resize(n, ir.Int(f.T.Bits)), at(i), 1)
		h.note(name+"."+f.Name, "%s.%s is below %s.%s", name, f.Name, name, t.Fields[lengths[largest(t, lengths)]].Name)
		done[i] = true
	}
	i := pointers[0]
	f := &t.Fields[i]
	total := ir.Value(capacity)
	if size := sizeOf(f.T.Elem); size > 1 {
		total = h.binary(ir.OpMul, total, h.int(h.word(), size))
	}
	block := h.anyBlock(name+"."+f.Name, total)
	if known := h.p.places.at[place{of: layoutOf(t), off: f.BitOff / 8}]; known != nil {
		h.noteTests(name+"."+f.Name, known)
	}
	if null := h.given(name + "." + f.Name).Null; null != nil && *null {
		block = h.orNull(name+"."+f.Name, block)
	}
	h.store(block, at(i), 1)
	done[i] = true
	if further {
		h.out.Guesses = append(h.out.Guesses, name+"."+f.Name)
	}
	h.note(name+"."+f.Name, "%s.%s leads to as many elements as %s.%s says, at most %d", name, f.Name, name,
		t.Fields[lengths[largest(t, lengths)]].Name, maxCount)
	return done
}

func isNumber(t *ir.DType) bool {
	return t != nil && (t.Kind == ir.DInt || t.Kind == ir.DChar)
}

// largest picks of several lengths of a struct the one that the others stay below: index into list.
func largest(t *ir.DType, list []int) int {
	for _, word := range []string{"cap", "size", "sz", "max", "alloc"} {
		for k, i := range list {
			if strings.Contains(strings.ToLower(t.Fields[i].Name), word) {
				return k
			}
		}
	}
	return 0
}
