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
	of    string // its name, without what says that it is an end
	moves []int  // at most end
	elem  *ir.DType
}

// ends are names of members, or their last parts, that lead to the end of a block.
var ends = []string{"end", "limit", "stop"}

// endOf returns the name of a member without the part that says that it leads to the end of a block, as `dest` of
// `dest_limit`, `destEnd` and `pend`; `send` is none.
func endOf(name string) (of string, is bool) {
	name = strings.Trim(name, "_")
	for _, e := range ends {
		of, is = strings.CutSuffix(name, e)
		if !is {
			of, is = strings.CutSuffix(name, strings.ToUpper(e[:1])+e[1:])
			is = is && of == strings.TrimRight(of, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		} else {
			is = of == "" || strings.HasSuffix(of, "_") || slices.Contains(beforeEnd, of)
		}
		if is {
			return strings.ToLower(strings.Trim(of, "_")), true
		}
	}
	return "", false
}

// beforeEnd are names that stand in front of `end` without a mark between them.
var beforeEnd = []string{"p", "b", "buf", "buffer", "data", "str", "src", "dst", "in", "out", "mem", "ptr", "text"}

// isEnd reports names of what leads to the end of a block.
func isEnd(name string) bool {
	_, is := endOf(name)
	return is
}

// isLimit reports ends by names that may be of the last element, too: code says which.
func isLimit(name string) bool {
	name = strings.ToLower(strings.Trim(name, "_"))
	return strings.HasSuffix(name, "limit") || strings.HasSuffix(name, "stop")
}

// isStart reports names of what leads to the start of a block.
func isStart(name string) bool {
	name = strings.ToLower(strings.Trim(name, "_"))
	return slices.ContainsFunc([]string{"start", "begin", "base", "first", "from", "buf", "buffer", "head"}, func(s string) bool {
		return strings.HasPrefix(name, s) || strings.HasSuffix(name, s)
	})
}

// endIn is endOf of a member of t: `edest` beside `dest` leads to an end, too.
func endIn(t *ir.DType, name string) (of string, is bool) {
	if of, is = strings.CutPrefix(name, "e"); is && slices.ContainsFunc(t.Fields, func(f ir.DField) bool {
		return f.Name == of && pointerOf(f.T) != nil
	}) {
		return strings.ToLower(of), true
	}
	return endOf(name)
}

// cursorsIn returns the cursors of a structure. All lead to its end if it has one; of several, each to that which is named
// after it: `dest` and `dest_start` to `dest_limit`.
func cursorsIn(t *ir.DType) []*cursors {
	var out []*cursors
	var others []int
	for i := range t.Fields {
		f := &t.Fields[i]
		p := pointerOf(f.T)
		if f.IsBits || p == nil || !ir.IsNumber(p.Elem) {
			continue
		}
		if of, is := endIn(t, f.Name); is && f.T == p {
			out = append(out, &cursors{end: i, of: of, elem: p.Elem})
		} else {
			others = append(others, i)
		}
	}
	for _, i := range others {
		var to *cursors
		for _, c := range out {
			if len(out) == 1 || c.of != "" && strings.HasPrefix(strings.ToLower(t.Fields[i].Name), c.of) &&
				(to == nil || len(c.of) > len(to.of)) {
				to = c
			}
		}
		if to != nil {
			to.moves = append(to.moves, i)
		}
	}
	return slices.DeleteFunc(out, func(c *cursors) bool {
		return len(c.moves) == 0 || slices.ContainsFunc(c.moves, func(i int) bool {
			return ir.SizeInC(pointerOf(t.Fields[i].T).Elem) != ir.SizeInC(c.elem)
		})
	})
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
	done := map[int]bool{}
	for _, c := range cursorsIn(t) {
		if h.given(name+"."+t.Fields[c.end].Name).size(1) == 0 {
			h.cursorsTo(c, name, t, p, off)
			done[c.end] = true
			for _, i := range c.moves {
				done[i] = true
			}
		}
	}
	return done
}

// cursorsTo makes the cursors to one end.
func (h *harness) cursorsTo(c *cursors, name string, t *ir.DType, p ir.Value, off int64) {
	e := ended{end: name + "." + t.Fields[c.end].Name, elem: c.elem}
	place := func(i int) places.Place { return places.Place{Of: places.LayoutOf(t), Off: t.Fields[i].BitOff / 8} }
	for _, i := range c.moves {
		e.parts = append(e.parts, t.Fields[i].Of(name))
		origin := verdict.Chosen
		if h.p.places.Ordered(place(c.end), place(i)) {
			origin = verdict.Read
		}
		e.origins = append(e.origins, origin)
	}
	at := func(i int) ir.Value { return h.Gep(p, off+t.Fields[i].BitOff/8, nil, 0) }
	block, total, to := h.ended(&e)
	from := ir.Value(block)
	for k, i := range c.moves {
		member := h.memberOfOrNull(e.parts[k], t, i, to[k])
		h.Store(member, at(i), 1)
		if len(c.moves) == 1 {
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
	block, count := w.ended(to+end.Name, c.elem, false)
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
