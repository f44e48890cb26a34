package trace

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// blocks holds the pointers to heap blocks that a trace has seen, and the names found from them.
type blocks struct {
	holders map[place]*holder
	of      map[*interp.Object][]*holder // by block
	untyped []untypedWrite
	names   map[*interp.Object]*interp.BlockName // at the end of the run
}

// place says where a pointer is: in a variable, by its name (any call's), or in a heap block, whose type may be found
// later.
type place struct {
	name string
	in   *interp.Object
	off  int64
}

// holder is a place of a pointer to the start of a block.
type holder struct {
	in     *interp.Object // where it was first
	off    int64
	name   string // "" in a heap block
	block  *interp.Object
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

// noteHolder notes that v was stored to o at off, or given to a parameter. The type of the place says what a block
// holds.
func (x *tracer) noteHolder(o *interp.Object, off int64, v interp.Value) {
	if v.Object == nil || o.Variable == nil && o.Kind == interp.StackObject {
		return
	}
	name, t := x.PlaceName(o, off, int64(x.PtrBits/8), nil)
	if v.Bits.IsZero() {
		guess(v.Object, t, x.writes[v.Object] != nil)
	}
	at := place{name: name}
	if o.Kind == interp.HeapObject {
		at = place{in: o, off: off}
	}
	b := &x.blocks
	if h := b.holders[at]; h != nil {
		h.shared = h.shared || h.block != v.Object || !v.Bits.IsZero()
		return
	}
	if b.holders == nil {
		b.holders, b.of = map[place]*holder{}, map[*interp.Object][]*holder{}
	}
	h := &holder{in: o, off: off, name: at.name, block: v.Object, t: t, depth: len(x.Frames),
		step:   x.dropped + len(x.steps),
		shared: v.Object.Kind != interp.HeapObject || !v.Bits.IsZero()}
	if o.Kind == interp.GlobalObject {
		h.depth = -1
	}
	b.holders[at] = h
	if !h.shared {
		b.of[v.Object] = append(b.of[v.Object], h)
	}
}

// notePointers notes the pointers among n bytes that were copied to o.
func (x *tracer) notePointers(o *interp.Object, off, n int64) {
	for at := off; at < off+n && len(o.Pointers) > 0; at++ {
		if v, whole := o.Pointers[at]; whole {
			x.noteHolder(o, at, v)
		}
	}
}

// showLater keeps n bytes that the last step wrote to o: if o gets a type, the step is shown by it.
func (x *tracer) showLater(o *interp.Object, off, n int64, show func(*interp.Object, *verdict.Step)) {
	if o.Kind != interp.HeapObject || o.Guessed != nil || n > policy.KeptWrite || len(x.steps) == 0 {
		return
	}
	then := &interp.Object{Number: o.Number, Kind: o.Kind, Size: o.Size, Born: o.Born, Owner: o.Owner}
	for at := off; at < off+n; at++ {
		b, undef := o.ByteAt(at)
		then.SetByte(at, b, undef)
		if v, whole := o.Pointers[at]; whole {
			if then.Pointers == nil {
				then.Pointers = map[int64]interp.Value{}
			}
			then.Pointers[at] = v
		}
	}
	b := &x.blocks
	b.untyped = append(b.untyped, untypedWrite{x.dropped + len(x.steps) - 1, func(s *verdict.Step) {
		if then.Guessed = o.Guessed; then.Guessed != nil {
			show(then, s)
		}
	}})
}

// nameHeld replaces the marks of blocks in all that the run has to say.
func (x *tracer) nameHeld() {
	x.guessLate()
	for _, u := range x.blocks.untyped {
		if i := u.step - x.dropped; i >= 0 && i < len(x.steps) {
			u.show(&x.steps[i])
		}
	}
	x.findBlockNames()
	names := x.blocks.names
	for i := range x.steps {
		s, at := &x.steps[i], x.dropped+i
		place := x.Unmark(s.What, at, "", names)
		s.What, s.Value = place, x.Unmark(s.Value, at, place, names)
	}
	x.UnmarkEnd(x.dropped+len(x.steps), names)
}

// findBlockNames finds the names of all blocks.
func (x *tracer) findBlockNames() {
	x.blocks.names = x.BlockNames()
	for _, o := range x.Objects {
		if x.blocks.names[o] != nil {
			x.findHolder(o)
		}
	}
}

// guessLate gives types to blocks by pointers in blocks whose own type was found after the pointer was stored.
func (x *tracer) guessLate() {
	b := &x.blocks
	changed := true
	for pass := 0; changed && pass < policy.TypePasses; pass++ {
		changed = false
		for _, o := range x.Objects {
			for _, h := range b.of[o] {
				if h.name != "" || h.t != nil {
					continue
				}
				if _, h.t = x.PlaceName(h.in, h.off, int64(x.PtrBits/8), nil); h.t != nil {
					guess(o, h.t, o.Guessed != nil)
					changed = true
				}
			}
		}
	}
}

// findHolder finds the expression that holds o: rather one with the type by which o is shown, rather a variable than
// what a block holds, rather of an outer call.
func (x *tracer) findHolder(o *interp.Object) *interp.BlockName {
	b := &x.blocks
	name := b.names[o]
	if name.Busy || name.Done {
		return name
	}
	name.Busy = true
	defer func() { name.Busy, name.Done = false, true }()
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
		if !h.leadsTo(o.Guessed) {
			r += 1 << 18
		}
		if best == nil || r < rank {
			best, rank = h, r
			name.Held, name.Since = text, h.step
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
	if n.Held == "" || n.Busy || strings.Count(n.Held, "->") >= policy.HoldersShown || h.in.Guessed == nil {
		return ""
	}
	text, _ := x.PlaceName(h.in, h.off, int64(x.PtrBits/8), nil)
	return interp.Part(n.Held, h.in, strings.TrimPrefix(text, interp.BlockMark(h.in)))
}
