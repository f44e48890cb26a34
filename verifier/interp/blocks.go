package interp

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// maxHolders bounds the pointers that lead from a variable to a block in its name: `list->next->next`.
const maxHolders = 3

// blocks holds the pointers to heap blocks that a trace has seen, and the names found from them.
type blocks struct {
	holders map[place]*holder
	of      map[*object][]*holder // by block
	untyped []untypedWrite
	names   map[*object]*blockName // at the end of the run
}

// place says where a pointer is: in a variable, by its name (any call's), or in a heap block, whose type may be found
// later.
type place struct {
	name string
	in   *object
	off  int64
}

// holder is a place of a pointer to the start of a block.
type holder struct {
	in     *object // where it was first
	off    int64
	name   string // "" in a heap block
	block  *object
	t      *ir.DType // of the pointer
	depth  int       // of the call that stored it; -1 in a global variable
	step   int       // that stored it first, counted from the start of the run
	shared bool      // it held other pointers, too
}

// untypedWrite is a step that wrote to a block whose type was not known yet.
type untypedWrite struct {
	step int // counted from the start of the run
	show func(*verdict.Step)
}

// noteHolder notes that v was stored to o at off, or given to a parameter. The type of the place says what a block holds.
func (x *tracer) noteHolder(o *object, off int64, v value) {
	if v.obj == nil || o.variable == nil && o.kind == stackObject {
		return
	}
	name, t := x.placeName(o, off, int64(x.pw/8), nil)
	if v.bits.IsZero() {
		guess(v.obj, t, x.writes[v.obj] != nil)
	}
	at := place{name: name}
	if o.kind == heapObject {
		at = place{in: o, off: off}
	}
	b := &x.blocks
	if h := b.holders[at]; h != nil {
		h.shared = h.shared || h.block != v.obj || !v.bits.IsZero()
		return
	}
	if b.holders == nil {
		b.holders, b.of = map[place]*holder{}, map[*object][]*holder{}
	}
	h := &holder{in: o, off: off, name: at.name, block: v.obj, t: t, depth: len(x.frames),
		step:   x.dropped + len(x.steps),
		shared: v.obj.kind != heapObject || !v.bits.IsZero()}
	if o.kind == globalObject {
		h.depth = -1
	}
	b.holders[at] = h
	if !h.shared {
		b.of[v.obj] = append(b.of[v.obj], h)
	}
}

// notePointers notes the pointers among n bytes that were copied to o.
func (x *tracer) notePointers(o *object, off, n int64) {
	for at := off; at < off+n && len(o.ptrs) > 0; at++ {
		if v, whole := o.ptrs[at]; whole {
			x.noteHolder(o, at, v)
		}
	}
}

// maxKept bounds the bytes of a write that are kept until the type of their block is known.
const maxKept = 256

// showLater keeps n bytes that the last step wrote to o: if o gets a type, the step is shown by it.
func (x *tracer) showLater(o *object, off, n int64, show func(*object, *verdict.Step)) {
	if o.kind != heapObject || o.guessed != nil || n > maxKept || len(x.steps) == 0 {
		return
	}
	then := &object{num: o.num, kind: o.kind, size: o.size, born: o.born, owner: o.owner}
	for at := off; at < off+n; at++ {
		b, undef := o.byteAt(at)
		then.setByte(at, b, undef)
		if v, whole := o.ptrs[at]; whole {
			if then.ptrs == nil {
				then.ptrs = map[int64]value{}
			}
			then.ptrs[at] = v
		}
	}
	b := &x.blocks
	b.untyped = append(b.untyped, untypedWrite{x.dropped + len(x.steps) - 1, func(s *verdict.Step) {
		if then.guessed = o.guessed; then.guessed != nil {
			show(then, s)
		}
	}})
}

// nameHeld replaces the marks of blocks in all that the run has to say.
func (x *tracer) nameHeld() {
	t := x
	x.guessLate()
	for _, u := range t.blocks.untyped {
		if i := u.step - t.dropped; i >= 0 && i < len(t.steps) {
			u.show(&t.steps[i])
		}
	}
	x.findBlockNames()
	names := t.blocks.names
	for i := range t.steps {
		s, at := &t.steps[i], t.dropped+i
		place := x.unmark(s.What, at, "", names)
		s.What, s.Value = place, x.unmark(s.Value, at, place, names)
	}
	at := t.dropped + len(t.steps)
	x.out.Message = x.unmark(x.out.Message, at, "", names)
	if o := x.out.Object; o != nil {
		o.Name = x.unmark(o.Name, at, "", names)
	}
}

// findBlockNames finds the names of all blocks.
func (x *tracer) findBlockNames() {
	x.blocks.names = x.blockNames()
	for _, o := range x.objects {
		if x.blocks.names[o] != nil {
			x.findHolder(o)
		}
	}
}

// maxPasses bounds how often all blocks are looked at for types.
const maxPasses = 8

// guessLate gives types to blocks by pointers in blocks whose own type was found after the pointer was stored.
func (x *tracer) guessLate() {
	b := &x.blocks
	changed := true
	for pass := 0; changed && pass < maxPasses; pass++ {
		changed = false
		for _, o := range x.objects {
			for _, h := range b.of[o] {
				if h.name != "" || h.t != nil {
					continue
				}
				if _, h.t = x.placeName(h.in, h.off, int64(x.pw/8), nil); h.t != nil {
					guess(o, h.t, o.guessed != nil)
					changed = true
				}
			}
		}
	}
}

// findHolder finds the expression that holds o: rather one with the type by which o is shown, rather a variable than
// what a block holds, rather of an outer call.
func (x *tracer) findHolder(o *object) *blockName {
	b := &x.blocks
	name := b.names[o]
	if name.busy || name.done {
		return name
	}
	name.busy = true
	defer func() { name.busy, name.done = false, true }()
	var best *holder
	rank := 0
	for _, h := range b.of[o] {
		if h.shared {
			continue
		}
		text := x.heldBy(h)
		if text == "" {
			continue
		}
		r := min(h.depth, 1<<16) + 1
		if h.name == "" {
			r += 1 << 17
		}
		if !h.leadsTo(o.guessed) {
			r += 1 << 18
		}
		if best == nil || r < rank {
			best, rank = h, r
			name.held, name.since = text, h.step
		}
	}
	return name
}

// leadsTo reports whether h is a pointer to a value of type t, or to its elements.
func (h *holder) leadsTo(t *ir.DType) bool {
	if h.t == nil || t == nil || h.t.Elem == nil {
		return false
	}
	to := h.t.Elem.String()
	return to == t.String() || t.Kind == ir.DArray && to == t.Elem.String()
}

// heldBy is the place h as an expression of C; "" if it lies in a block that nothing holds.
func (x *tracer) heldBy(h *holder) string {
	if h.name != "" {
		return h.name
	}
	n := x.findHolder(h.in)
	if n.held == "" || n.busy || strings.Count(n.held, "->") >= maxHolders || h.in.guessed == nil {
		return ""
	}
	text, _ := x.placeName(h.in, h.off, int64(x.pw/8), nil)
	return part(n.held, h.in, strings.TrimPrefix(text, blockMark(h.in)))
}
