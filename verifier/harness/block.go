package harness

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// blockOf allocates size bytes with any contents; where t is known, pointers and
// truth values in it get values of their kind.
func (h *harness) blockOf(name string, t *ir.DType, size ir.Value) ir.Value {
	p := h.anyBlock(name, size)
	h.holdsElements(t)
	if t != nil {
		left := policy.HarnessFields
		h.fill(name, t, p, places.Place{}, 0, 1, &left)
	}
	return p
}

// anyBlock allocates size bytes with any contents. Reports name it by the pointer that leads to it.
func (h *harness) anyBlock(name string, size ir.Value) *ir.Instr {
	p := h.Model(ir.ModelMalloc, "malloc", h.Ptr(), size)
	p.Name = ir.BehindPointer + h.prefix + name
	h.Assume(h.Compare(ir.NE, p, h.Null()))
	fill := h.Model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), p, size)
	h.out.Open = verdict.AddAssumptions(h.out.Open, order)
	h.out.Blocks = append(h.out.Blocks, Block{Name: h.prefix + name, At: p, Size: size, pointer: name, fill: fill})
	return p
}

// copied is the block of an object that is passed by value, or a result's: nothing else leads there.
func (h *harness) copied(name string, t *ir.DType, size ir.Value) ir.Value {
	n := len(h.out.Blocks)
	p := h.blockOf(name, t, size)
	h.out.Blocks[n].pointer = ""
	return p
}

// holdsElements notes that the block made last holds objects of type t, and stands where one can.
func (h *harness) holdsElements(t *ir.DType) {
	b := &h.out.Blocks[len(h.out.Blocks)-1]
	b.T = t
	h.standsAs(b.At, t)
}

// standsAs has a block stand where an object of type t can; nothing says where what void leads to does.
func (h *harness) standsAs(block *ir.Instr, t *ir.DType) {
	if !ir.IsVoid(t) {
		block.Align = int(h.alignOf(t))
	}
}

// opaque notes that nothing says what the block made last holds, nor how much: an address that is computed from that is
// the harness's, and an assertion about it says what callers keep to.
func (h *harness) opaque(name string, bytes int64) {
	brings(h.open(name, verdict.Extent, fmt.Sprintf("%d bytes", bytes)).ID, h.out.Blocks[len(h.out.Blocks)-1].fill)
	h.out.Structs = append(h.out.Structs, name)
}

// order is of the blocks that a harness makes: a failure by it is no finding.
var order = verdict.Assume("", verdict.Order, verdict.Chosen, "blocks that pointers lead to stand in memory in any order")

// fill gives the pointers and truth values of an object of type t at p+off values. member is where in a
// structure it stands.
func (h *harness) fill(name string, t *ir.DType, p ir.Value, member places.Place, off int64, depth int, left *int) {
	at := func() ir.Value {
		return h.Gep(p, off, nil, 0)
	}
	switch t.Kind {
	case ir.DBool:
		if h.filling && depth == 1 {
			return
		}
		b := h.any(name, ir.Int(1))
		set := h.Store(h.Resize(b, ir.Int(max(8, t.Bits))), at(), 1)
		if h.p.spans.Wild[member.Of] {
			brings(h.note(name, verdict.Interval, verdict.Chosen, "%s is 0 or 1, where the program copies bytes", name), set)
		}
	case ir.DPointer:
		if *left--; *left < 0 {
			h.Store(h.tooMany(), at(), 1)
			return
		}
		h.Store(h.inside(name, t, member, depth, left), at(), 1)
	case ir.DStruct:
		if off == 0 && member == (places.Place{}) {
			h.holds(name, t, p)
		}
		skip := h.buffers(name, t, p, off)
		if len(skip) == 0 {
			skip = h.cursors(name, t, p, off)
		}
		for i := range t.Fields {
			fd := &t.Fields[i]
			if fd.T == nil {
				continue
			}
			if fd.IsBits {
				if !h.filling || depth > 1 {
					h.hint(fd.Of(name), t, fd, p, off)
				}
				continue
			}
			if !skip[i] {
				h.fill(fd.Of(name), fd.T, p, places.Place{Of: places.LayoutOf(t), Off: fd.BitOff / 8}, off+fd.BitOff/8, depth,
					left)
			}
			if h.filling && depth == 1 {
				if !skip[i] {
					h.begun(fd.Of(name), t, fd, p, off)
				}
				continue
			}
			h.numberAt(fd.Of(name), fd.T, p, off+fd.BitOff/8)
			if !skip[i] {
				h.inRange(fd.Of(name), t, fd, p, off)
				h.enumeratedAt(fd.Of(name), t, fd, p, off)
			}
		}
	case ir.DUnion:
		i := inUse(t)
		if i < 0 {
			h.truthsIn(name, t, p, off, 0)
		} else {
			f := &t.Fields[i]
			h.under(h.note(name, verdict.Contents, verdict.Chosen, "of the union %s, the member %s is in use", name,
				f.Name), func() { h.fill(f.Of(name), f.T, p, places.Place{}, off, depth, left) })
		}
	case ir.DArray:
		if size := ir.SizeInC(t.Elem); t.Elem != nil && size > 0 && needsFill(t.Elem, 0) {
			for k := int64(0); k < min(t.Count, policy.HarnessElements); k++ {
				h.fill(fmt.Sprintf("%s[%d]", name, k), t.Elem, p, member, off+k*size, depth, left)
			}
		}
	}
}

// Further starts the name of the pointers in a block of which nothing is known.
const Further = "pointers beyond the first "

// IsFurther reports the name of those pointers, or of what a function takes without a name.
func IsFurther(name string) bool {
	return strings.HasPrefix(name, Further) || name == ir.FurtherArguments
}

// tooMany is a pointer of which nothing is known, since there are too many in a block.
func (h *harness) tooMany() ir.Value {
	name := fmt.Sprintf("%s%d", Further, policy.HarnessFields)
	if h.further == nil {
		h.out.Guesses = append(h.out.Guesses, name)
		h.further = h.anyBlock(name, h.Int(h.Word(), 1))
		brings(h.note(name, verdict.Extent, verdict.Chosen, "what %s in one block lead to is not known", name), h.further)
	}
	return h.further
}

// inside makes a pointer in an object: what it leads to, or null.
func (h *harness) inside(name string, t *ir.DType, member places.Place, depth int, left *int) ir.Value {
	known := h.p.places.At[member]
	if known == nil {
		known = &places.Held{}
	}
	if places.IsFunction(t) {
		f := h.function(name, t.Elem, h.p.places.InKind(member, known))
		if h.reaches(known.Null) || h.reaches(known.Copied) {
			return h.orNull(name, f)
		}
		return h.memberOrNull(name, known, "", f)
	}
	elem := t.Elem
	if ir.IsVoid(elem) && known.As != nil {
		elem = known.As
	}
	if ir.IsStruct(elem) {
		h.out.Structs = append(h.out.Structs, name)
	}
	linked := ""
	if ir.IsStruct(elem) && places.LayoutOf(elem) == member.Of {
		linked = verdict.Linked
	}
	size, g := ir.SizeInC(elem), h.given(name)
	switch {
	case g.size(size) > 0:
		to := h.sized(g, name, elem, depth+1, left)
		if g.Null != nil && *g.Null {
			return h.orNull(name, to)
		}
		return to
	case len(h.p.tables(elem)) > 0 && !h.reaches(known.Null):
		tables := h.p.tables(elem)
		return h.table(name, tables)
	case (size == 0 || depth >= policy.HarnessDepth) && (h.reaches(known.Null) || h.reaches(known.Ends)):
		return h.made(h.note(name, verdict.Nullness, verdict.Chosen, "%s is null", name), h.Null())
	case size == 0 || depth >= policy.HarnessDepth:
		h.guess(name, elem)
		bytes, text := h.room(1, policy.WideCount), "what "+name+" leads to is not known"
		if bytes > 1 {
			text = guessText(name, bytes)
		}
		b := h.anyBlock(name, h.Int(h.Word(), bytes))
		if ir.IsVoid(elem) {
			h.opaque(name, policy.HarnessCount)
		}
		brings(h.note(name, verdict.Extent, verdict.Chosen, "%s", text), b)
		return h.memberOrNull(name, known, linked, b)
	}
	bytes := size
	if !ir.IsStruct(elem) {
		bytes = h.room(size, policy.WideCount*size)
	}
	to := h.anyBlock(name, h.Int(h.Word(), bytes))
	h.holdsElements(elem)
	if bytes > size {
		brings(h.note(name, verdict.Extent, verdict.Chosen, "%s", guessText(name, bytes)), to)
	} else {
		h.note(name, verdict.Extent, verdict.Read, "%s leads to one %s", name, elem.Name)
	}
	h.guess(name, elem) // it may be an array, or a part of something, as well
	h.fill("*"+name, elem, to, places.Place{}, 0, depth+1, left)
	h.noteTests(name, known)
	return h.memberOrNull(name, known, linked, h.orSame(name, elem, to))
}

// guessText says of a block how large it is, where nothing in the program does.
func guessText(name string, bytes int64) string {
	return fmt.Sprintf("%s leads to %d bytes: a guess, since nothing says how many", name, bytes)
}

// noteTests notes who compares a member with null.
func (h *harness) noteTests(name string, known *places.Held) {
	for _, f := range known.Null {
		if h.reached.Funcs[f] && h.out.Tests != nil {
			h.out.Tests[name+"|"+f.CName]++
		}
	}
}
