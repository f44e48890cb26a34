package harness

import (
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// buffer is a pointer among the members of a structure to as many elements as another member says. Members are
// indices of fields.
type buffer struct {
	pointer  int
	capacity int   // says how many elements there are
	lengths  []int // at most capacity
	indices  []int // below capacity
	cursors  []int // pointers to elements of it
	// there are further numbers, which may have to stay below it, too, or several lengths of other things, or it counts
	// things of which nothing says how large they are
	guess bool
}

// buffersIn returns the buffers of a structure: the one beside its only pointer to numbers, or of several such pointers
// those with a length of their own, which has their name or stands behind them. The latter is a guess.
func buffersIn(t *ir.DType) []*buffer {
	if b := bufferIn(t); b != nil {
		return []*buffer{b}
	}
	var out []*buffer
	isPointer := func(i int) bool {
		f := &t.Fields[i]
		return !f.IsBits && f.T != nil && f.T.Kind == ir.DPointer && ir.IsNumber(f.T.Elem)
	}
	isLengthAt := func(i int) bool {
		f := &t.Fields[i]
		return !f.IsBits && f.T != nil && ir.IsNumber(f.T) && isLength(f.Name)
	}
	named := func(n int) (of int) { // the only pointer that a length is named after, -1: there is none
		of = -1
		for i := range t.Fields {
			if isPointer(i) && isNamedAfter(t.Fields[n].Name, t.Fields[i].Name) {
				if of >= 0 {
					return -1
				}
				of = i
			}
		}
		return of
	}
	for i := range t.Fields {
		if !isPointer(i) || isIndex(t.Fields[i].Name) {
			continue
		}
		b := &buffer{pointer: i, capacity: -1, guess: true}
		for n := range t.Fields {
			if isLengthAt(n) && named(n) == i {
				b.capacity, b.guess = n, b.capacity >= 0
			}
		}
		if n := i + 1; b.capacity < 0 && n < len(t.Fields) && isLengthAt(n) && named(n) < 0 {
			b.capacity = n
		}
		if b.capacity >= 0 {
			out = append(out, b)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// bufferIn returns the buffer of a structure, nil where no length stands beside its only pointer to numbers.
func bufferIn(t *ir.DType) *buffer {
	b := &buffer{}
	var pointers, untyped []int
	for i := range t.Fields {
		f := &t.Fields[i]
		switch {
		case f.IsBits || f.T == nil:
		case f.T.Kind == ir.DPointer && ir.IsVoid(f.T.Elem):
			untyped = append(untyped, i)
		case f.T.Kind == ir.DPointer && ir.IsNumber(f.T.Elem):
			pointers = append(pointers, i)
		case ir.IsNumber(f.T) && isLength(f.Name):
			b.lengths = append(b.lengths, i)
		case ir.IsNumber(f.T) && isIndex(f.Name):
			b.indices = append(b.indices, i)
		default:
			b.guess = b.guess || ir.IsNumber(f.T)
		}
	}
	if len(pointers) == 0 {
		pointers = untyped
	} else if base := slices.DeleteFunc(slices.Clone(pointers), func(i int) bool { return isIndex(t.Fields[i].Name) }); len(base) == 1 {
		b.cursors = slices.DeleteFunc(pointers, func(i int) bool { return i == base[0] })
		pointers = base
		if slices.ContainsFunc(b.cursors, func(i int) bool { return ir.SizeInC(t.Fields[i].T.Elem) != ir.SizeInC(t.Fields[base[0]].T.Elem) }) {
			return nil
		}
	}
	if len(pointers) != 1 || len(b.lengths) == 0 {
		return nil
	}
	k := largest(t, b.lengths)
	b.pointer, b.capacity = pointers[0], b.lengths[k]
	if len(b.cursors) > 0 && !countsFor(t.Fields[b.capacity].Name, t.Fields[b.pointer].Name) {
		return nil
	}
	b.lengths = slices.Delete(b.lengths, k, k+1)
	b.guess = b.guess || len(b.lengths) > 0 && !countsFor(t.Fields[b.capacity].Name, t.Fields[b.pointer].Name) ||
		ir.IsVoid(t.Fields[b.pointer].T.Elem) && !saysBytes(t.Fields[b.capacity].Name)
	return b
}

// members lists the members that belong to a buffer.
func (b *buffer) members() map[int]bool {
	out := map[int]bool{}
	for _, i := range slices.Concat([]int{b.pointer, b.capacity}, b.lengths, b.indices, b.cursors) {
		out[i] = true
	}
	return out
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

// buffers makes the buffers of the structure at p+off. It returns the members that it made.
func (h *harness) buffers(name string, t *ir.DType, p ir.Value, off int64) map[int]bool {
	made := map[int]bool{}
	for _, b := range buffersIn(t) {
		if h.given(name+"."+t.Fields[b.pointer].Name).size(1) == 0 {
			h.buffer(name, t, b, p, off)
			maps.Copy(made, b.members())
		}
	}
	return made
}

// buffer makes b of the structure at p+off.
func (h *harness) buffer(name string, t *ir.DType, b *buffer, p ir.Value, off int64) {
	own := !h.filling && h.p.hasConstructor(t)
	// number makes member i, and returns it as a word, which is the harness's where a constructor decides it.
	number := func(i int, what string) ir.Value {
		f := &t.Fields[i]
		at, member := h.Gep(p, off+f.BitOff/8, nil, 0), ir.Int(f.T.Bits)
		n := h.any(name+"."+what, member)
		if h.Store(n, at, 1); own && h.p.storesNumber(t, f) {
			id := h.open(f.Of(name), verdict.Contents, "").ID
			h.shows(id, h.Load(member, at), f)
			brings(id, n) // the block is as large
		}
		return h.Resize(n, h.Word())
	}
	limit := name + "." + t.Fields[b.capacity].Name
	capacity := number(b.capacity, "capacity")
	pointer := name + "." + t.Fields[b.pointer].Name
	of := h.noteCounted(pointer, limit, verdict.Chosen, pointer+" leads to as many elements as "+limit+" says")
	most := h.limit(policy.HarnessCount, policy.WideCount)
	if c := t.Fields[b.capacity].T; c.Bits < 32 {
		most = min(most, 1<<(c.Bits-1)-1)
	}
	brings(h.note(limit, verdict.Limit, verdict.Chosen, "%s", limitText(limit, most,
		t.Fields[b.capacity].T.Signed)),
		h.Assume(h.Compare(ir.ULE, capacity, h.Int(h.Word(), most))))
	if h.filling {
		h.Assume(h.Compare(ir.NE, capacity, h.Int(h.Word(), 0)))
		b.lengths, b.indices, b.cursors = nil, nil, nil // zero
		h.limits = append(h.limits, limited{h.Gep(p, off+t.Fields[b.capacity].BitOff/8, nil, 0),
			t.Fields[b.capacity].T.Bits, capacity, of})
	}
	for _, i := range b.lengths {
		member := t.Fields[i].Of(name)
		below := h.Assume(h.Compare(ir.ULE, number(i, t.Fields[i].Name), capacity))
		brings(h.note(member, verdict.Interval, verdict.Chosen, "%s is at most %s", member, limit), below)
	}
	for _, i := range b.indices {
		member := t.Fields[i].Of(name)
		below := h.Assume(h.Compare(ir.ULT, number(i, t.Fields[i].Name), capacity))
		brings(h.note(member, verdict.Interval, verdict.Chosen, "%s is below %s", member, limit), below)
	}
	f := &t.Fields[b.pointer]
	member, total := f.Of(name), ir.Value(capacity)
	if size := ir.SizeInC(f.T.Elem); size > 1 {
		total = h.Binary(ir.OpMul, total, h.Int(h.Word(), size))
	}
	block := ir.Value(h.anyBlock(member, total))
	h.holdsElements(f.T.Elem)
	if ir.IsVoid(f.T.Elem) && (b.guess || f.T.Elem == nil) { // not const: the program may keep its own there
		h.opaque(member, most)
		if own { // so is an index that is read there
			brings(h.open(member, verdict.Contents, "").ID, h.out.Blocks[len(h.out.Blocks)-1].fill)
		}
	}
	brings(of, block)
	h.Store(h.memberOfOrNull(member, t, b.pointer, block), h.Gep(p, off+f.BitOff/8, nil, 0), 1)
	for _, i := range b.cursors {
		cursor := t.Fields[i].Of(name)
		k := h.any(cursor+" - block", h.Word())
		in := h.Assume(h.Compare(ir.ULT, k, capacity))
		to := h.Gep(block, 0, h.scaled(k, max(ir.SizeInC(f.T.Elem), 1)), 1)
		h.Store(h.memberOfOrNull(cursor, t, i, to), h.Gep(p, off+t.Fields[i].BitOff/8, nil, 0), 1)
		brings(h.note(cursor, verdict.Extent, verdict.Chosen, "%s leads to an element of what %s leads to", cursor, pointer), in)
	}
	if b.guess {
		h.out.Guesses = append(h.out.Guesses, member)
	}
}
