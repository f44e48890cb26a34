package harness

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/flow/ranges"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// members writes values for the pointers and truth values among the members of a structure: to is what stands in
// front of their names, depth how many pointers lead to it.
func (w *harnessText) members(to string, t *ir.DType, depth int) {
	made, buffers := map[int]bool{}, buffersIn(t)
	for _, b := range buffers {
		w.buffer(to, t, b)
		maps.Copy(made, b.members())
	}
	if len(buffers) == 0 && w.depth == 1 { // in a loop the block would have no name to be freed by
		for _, c := range cursorsIn(t) {
			maps.Copy(made, w.cursors(to, t, c))
		}
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		switch {
		case made[i] || f.IsBits || f.T == nil:
		case f.Name != "":
			if low, high, ok := w.h.p.kept(t, f); ok {
				w.line("firmproof_assume(%d <= %s && %s <= %d);", low, to+f.Name, to+f.Name, high)
			}
			if runs := w.h.p.memberRuns(t, f); runs != nil {
				w.line("firmproof_assume(%s);", ranges.EnumText(to+f.Name, runs))
			}
			w.object(to+f.Name, f.T, depth)
		case ir.IsStruct(f.T): // its members are named as those of the structure around it
			w.members(to, f.T, depth)
		}
	}
}

// inRanges reports whether members of a structure are in ranges that harnesses assume.
func (p *Program) inRanges(t *ir.DType) bool {
	return ir.IsStruct(t) && slices.ContainsFunc(t.Fields, func(f ir.DField) bool {
		_, _, kept := p.kept(t, &f)
		return kept || p.memberRuns(t, &f) != nil || p.inRanges(f.T)
	})
}

// object writes values for the pointers and truth values of an object.
func (w *harnessText) object(name string, t *ir.DType, depth int) {
	switch {
	case t.Kind == ir.DBool:
		w.line("%s = firmproof_nondet_bool();", name)
	case ir.IsStruct(t):
		w.members(name+".", t, depth)
	case t.Kind == ir.DArray && needsFill(t.Elem, 0):
		w.each(name, fmt.Sprint(min(t.Count, policy.HarnessElements)), t.Elem, depth)
	case t.Kind != ir.DPointer:
	case places.IsFunction(t):
		w.line("%s = 0; /* a function to be called */", assignable(name, t))
	case len(w.h.p.tables(t.Elem)) > 0:
		w.line("%s = %s;", assignable(name, t), w.oneOf(w.h.p.tables(t.Elem)))
	case ir.SizeInC(t.Elem) == 0 || depth >= policy.HarnessDepth:
		w.line("%s = 0; /* or what it leads to */", assignable(name, t))
	default:
		w.block(assignable(name, t), name, "sizeof *"+name)
		w.target(withoutConst(name, t.Elem), t.Elem, depth+1)
	}
}

// target writes values for what one element behind a pointer holds.
func (w *harnessText) target(name string, elem *ir.DType, depth int) {
	switch {
	case ir.IsStruct(elem):
		w.members(name+"->", elem, depth)
	case needsFill(elem, 0):
		w.object("*"+name, elem, depth)
	}
}

// withoutConst writes a pointer through which elem may be written, whatever the pointer is declared as.
func withoutConst(name string, elem *ir.DType) string {
	if t, is := strings.CutPrefix(elem.Name, "const "); is {
		return fmt.Sprintf("((%s *)%s)", t, name)
	}
	return name
}

// assignable writes a pointer as what may be assigned to: one that is const itself by its address.
func assignable(name string, t *ir.DType) string {
	if strings.HasSuffix(t.Name, "const") {
		return "*(void **)&" + name
	}
	return name
}

// each writes values for the elements of an array.
func (w *harnessText) each(name, count string, elem *ir.DType, depth int) {
	k := fmt.Sprintf("k%d", w.depth)
	loop := fmt.Sprintf("for (int %s = 0; %s < %s; %s++) {", k, k, count, k)
	outer := w.frees
	w.frees = nil
	w.line("%s", loop)
	w.depth++
	w.object(fmt.Sprintf("%s[%s]", name, k), elem, depth)
	w.depth--
	w.line("}")
	if inner := w.frees; len(inner) > 0 {
		slices.Reverse(inner)
		outer = append(outer, loop+" "+strings.Join(inner, " ")+" }")
	}
	w.frees = outer
}

// buffer writes a buffer among the members of a structure.
func (w *harnessText) buffer(to string, t *ir.DType, b *buffer) {
	below := func(i int, limit string) {
		name := to + t.Fields[i].Name
		if t.Fields[i].T.Signed {
			limit = fmt.Sprintf("%s && 0 <= %s", limit, name)
		}
		w.line("firmproof_assume(%s %s);", name, limit)
	}
	capacity := to + t.Fields[b.capacity].Name
	below(b.capacity, fmt.Sprintf("<= %d", policy.HarnessCount))
	for _, i := range b.lengths {
		below(i, "<= "+capacity)
	}
	for _, i := range b.indices {
		below(i, "< "+capacity)
	}
	f := &t.Fields[b.pointer]
	size := capacity
	if ir.SizeInC(f.T.Elem) > 1 {
		size += " * sizeof *" + to + f.Name
	}
	w.block(assignable(to+f.Name, f.T), to+f.Name, size)
	for _, i := range b.cursors {
		w.blocks++
		at := fmt.Sprintf("count%d", w.blocks)
		w.sizeWithin(at, "< "+capacity)
		w.line("%s = %s + %s;", assignable(to+t.Fields[i].Name, t.Fields[i].T), to+f.Name, at)
	}
}
