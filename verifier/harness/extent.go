package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// extent describes the memory that a pointer parameter leads to, for harnesses in the program and those in C alike: a
// number of bytes, or as many elements as another parameter says.
type extent struct {
	elem   *ir.DType      // what it leads to one or more of; nil: not known
	text   bool           // a string, whose end is the last byte
	bytes  int64          // where no parameter counts; of a string at most
	least  int64          // bytes of a string, with its end
	count  int            // the parameter that counts, -1 if none does
	unit   int64          // bytes of each that is counted
	plus   int64          // how many more than count says
	most   int64          // that count says
	below  bool           // count may be less than 0, and there is nothing then
	filled int64          // first elements whose pointers and truth values get values of their kind, at most
	guess  bool           // nothing says how much it is
	ends   *flexible      // a member of it says; then bytes is without that
	tables []*ir.Global   // constants of the program that it leads to one of; then the rest does not count
	note   string         // the assumption
	origin verdict.Origin // of it
	limit  string         // the assumption that count says at most so many
	warns  []string       // calls that pass less
}

// extentOf returns how much pointer parameter i leads to.
func (h *harness) extentOf(i int, name string) *extent {
	u, elem := &h.uses[i], h.elemOf(i)
	if by := h.given(name).Count; by.Parameter != "" {
		e := h.countedBy(name, elem, h.parameter(by.Parameter), by.Bytes, 0)
		e.origin = verdict.Declared
		return e
	}
	n, bytes, plus := -1, false, int64(0)
	if ir.SizeInC(elem) > 0 || ir.IsVoid(elem) {
		n, bytes, plus = h.length(i)
	}
	tables := h.p.tables(elem)
	other, otherBytes, known := h.countOfOther(i, name)
	own := n >= 0
	if known && !own {
		n, bytes, plus = other, otherBytes, 0
	}
	switch {
	case len(tables) > 0 && !u.Writes && !u.Varies:
		return &extent{elem: elem, count: -1, tables: tables}
	case ir.SizeInC(elem) == 0 && !ir.IsVoid(elem): // it is only handed on
		return &extent{count: -1, bytes: 1, guess: true, origin: verdict.Chosen,
			note: fmt.Sprintf("what %s leads to is not known", name)}
	case n >= 0:
		e := h.counted(i, n, bytes, plus)
		if known && n == other && bytes == otherBytes && (e.guess || !own) {
			e.guess, e.origin = false, verdict.Observed
			e.note += ", as in the other commit of the change"
		}
		if plus == 0 && (known || u.Param == n) {
			h.counts(name, Count{Parameter: h.nameOf(n), Bytes: bytes})
		}
		return e
	case isText(elem) && !u.Writes && u.Need <= policy.HarnessString:
		size := h.limit(policy.HarnessString, policy.WideString)
		e := &extent{elem: elem, text: true, count: -1, bytes: size, origin: verdict.Chosen, guess: u.Param >= 0, // it may count, too
			note: fmt.Sprintf("%s leads to a string of at most %d characters", name, size-1)}
		if u.Need > 1 && !u.Varies && !u.Text { // characters at fixed places, which need be no string
			e.least = u.Need
			e.note = fmt.Sprintf("%s leads to a string of %d to %d characters", name, e.least-1, size-1)
		}
		return e
	}
	return h.fixed(i, name, elem)
}

// elemOf returns the type that pointer parameter i leads to: for a void pointer, the structure that the function
// takes it for; for one to a structure, the larger one that begins with it and the function takes it for.
func (h *harness) elemOf(i int) *ir.DType {
	elem := h.vars[i].T.Elem
	if larger := h.uses[i].Larger; larger != nil {
		return larger
	}
	if as := h.uses[i].As; ir.IsVoid(elem) && ir.IsStruct(as) {
		return as
	}
	return elem
}

// fixed is the extent of a pointer parameter to elem whose size no parameter says.
func (h *harness) fixed(i int, name string, elem *ir.DType) *extent {
	u, one := &h.uses[i], ir.SizeInC(elem)
	need, varies := u.Need, u.Varies
	bounded := h.reachesFar(i)
	if bounded {
		need, varies = max(need, u.Far), false
	}
	e := &extent{elem: elem, count: -1, bytes: max(need, one), origin: verdict.Chosen}
	if ir.IsStruct(elem) {
		e.bytes = (e.bytes + one - 1) / one * one
	}
	if x := h.flexibleOf(elem); x != nil {
		e.bytes, e.ends, e.note = one, x, x.note(name, elem)
		return e
	}
	passed, at := h.smallest(i)
	copied := ir.IsStruct(elem) && u.Block == one && e.bytes == one && !u.Varies
	if (bounded && !u.Ends || copied) && !u.Kept && !u.Handed {
		h.noteNeed(name, e.bytes)
	}
	less := h.lessInOther(name, e, u.Loose, passed)
	switch {
	case less:
	case varies && passed >= e.bytes && passed > one:
		e.bytes, e.guess, e.origin = passed, true, verdict.Observed
		e.note = fmt.Sprintf("%s leads to %d bytes, as in the call at %s", name, e.bytes, at)
	case varies && !ir.IsStruct(elem) || e.bytes == 0:
		e.bytes, e.guess = max(e.bytes, policy.HarnessCount*max(one, 1)), true
		e.note = guessText(name, e.bytes)
	case e.bytes > one:
		e.note = fmt.Sprintf("%s leads to %d bytes, which the function accesses", name, e.bytes)
	case h.sizedInput(i):
		e.note = fmt.Sprintf("%s leads to one whole %s, whatever %s says", name, elem.Name, h.nameOf(i+1))
	case u.Larger != nil:
		e.note = fmt.Sprintf("%s leads to one %s, which the function takes it for", name, elem.Name)
	default:
		e.note, e.origin = fmt.Sprintf("%s leads to one %s", name, elem.Name), verdict.Read
	}
	whole := less || h.isWhole(i, e)
	if whole && hasText(elem, 0) {
		h.out.Unended = append(h.out.Unended, name)
	}
	// a structure may be the first of an array, or a part of something, or have an array without a length at its end, and
	// the function may only keep it for others
	e.guess = e.guess || u.Kept || (ir.IsStruct(elem) || need == 0) && !whole
	if h.wide && e.guess && (varies || !ir.IsStruct(elem)) {
		e.bytes, e.origin = h.room(e.bytes, wideElements(elem)*max(one, 1)), verdict.Chosen
		e.note = guessText(name, e.bytes)
	}
	if at != nil && passed < e.bytes {
		e.warns = append(e.warns, shorterCall(at, name, passed, e.bytes))
	}
	if one > 0 && needsFill(elem, 0) {
		e.filled = max(min(e.bytes/one, policy.HarnessFilled), 1)
	}
	return e
}

// isWhole reports whether the function takes what pointer i leads to for one structure: it gets at members alone, and what
// varies are indices of arrays among them. An array of one element at the end may stand for more.
func (h *harness) isWhole(i int, e *extent) bool {
	u := &h.uses[i]
	if !ir.IsStruct(e.elem) || e.bytes != ir.SizeInC(e.elem) || u.Varies || u.Handed || len(e.elem.Fields) == 0 {
		return false
	}
	last := e.elem.Fields[len(e.elem.Fields)-1].T
	return last != nil && (last.Kind != ir.DArray || last.Count > 1)
}

// hasText reports whether a structure has an array of plain characters in it.
func hasText(t *ir.DType, depth int) bool {
	switch {
	case t == nil || depth > policy.HeldDepth:
		return false
	case t.Kind == ir.DArray:
		return isText(t.Elem) || hasText(t.Elem, depth+1)
	}
	return ir.IsAggregate(t) && slices.ContainsFunc(t.Fields, func(f ir.DField) bool { return hasText(f.T, depth+1) })
}

// sizedInput reports whether a length in bytes stands right behind pointer i to a structure that is only read: it may say how
// many bytes of it are there.
func (h *harness) sizedInput(i int) bool {
	if t := h.vars[i].T.Elem; !ir.IsStruct(t) || !strings.HasPrefix(t.Name, "const ") || i+1 >= len(h.vars) {
		return false
	}
	v := h.vars[i+1]
	return v != nil && h.of.Params[i+1].T.IsInt() && isLength(v.Name) && saysBytes(v.Name)
}

// counted is the extent of pointer parameter i where parameter n says how many elements or bytes, less plus.
func (h *harness) counted(i, n int, bytes bool, plus int64) *extent {
	e := h.countedBy(h.nameOf(i), h.vars[i].T.Elem, n, bytes, plus)
	// by its name alone, a length counts what stands right before it
	e.guess = h.uses[i].Param != n && (n != i+1 || h.uses[i].Elsewhere) || h.namedAfterOther(i, n)
	if e.guess {
		e.origin = verdict.Chosen
	}
	e.warns = h.shorter(i, n, e.unit, plus)
	return e
}

// countedBy is the extent of what a pointer leads to, elements of a type, where parameter n says how many elements or
// bytes, less plus.
func (h *harness) countedBy(name string, elem *ir.DType, n int, bytes bool, plus int64) *extent {
	count, size, width := h.countName(n), ir.SizeInC(elem), h.countType(n).Width
	e := &extent{elem: elem, count: n, unit: max(size, 1), plus: plus, origin: verdict.Read,
		most: h.limit(policy.HarnessCount, policy.WideCount)}
	unit := "elements"
	switch {
	case !bytes && needsFill(elem, 0):
		e.most, e.filled = max(policy.HarnessFilled-plus, 1), policy.HarnessFilled
	case bytes:
		e.most *= e.unit
		if e.unit > 1 {
			unit = "bytes"
		}
		e.unit = 1
	}
	if t := h.numberOf(n); t != nil && !t.Signed && width > 1 {
		width++ // no bit is a sign's
	}
	e.most = fitting(e.most, width)
	e.note = fmt.Sprintf("%s leads to as many %s as %s says", name, unit, count)
	number := h.numberOf(n)
	signed := number != nil && number.Signed
	e.below = signed && h.uses[n].Tested
	e.limit = limitText(count, e.most, signed && !e.below)
	if plus > 0 { // read off the access that is to be checked
		e.note = fmt.Sprintf("%s leads to %d more %s than %s says", name, plus, unit, count)
		e.origin = verdict.Chosen
	}
	return e
}

// fitting returns a limit, or the greatest signed number of a width in bits where that is less.
func fitting(most int64, width int) int64 {
	if width < 63 {
		return min(most, 1<<(width-1)-1)
	}
	return most
}

// limitText says that what counts elements is at most a number; whole: and not less than 0.
func limitText(count string, most int64, whole bool) string {
	if whole {
		return fmt.Sprintf("%s is 0..%d", count, most)
	}
	return fmt.Sprintf("%s is at most %d", count, most)
}

func (h *harness) nameOf(i int) string {
	if h.vars[i] != nil {
		return h.vars[i].Name
	}
	return h.of.Params[i].Name
}

// mayBeNull reports whether the function or a call of it takes null for possible.
func (h *harness) mayBeNull(i int) bool {
	if h.uses[i].Null {
		return true
	}
	for _, c := range h.callsWith(i) {
		if k, ok := c.Args[i].(*ir.Const); ok && k.Kind == ir.ConstNull {
			return true
		}
	}
	return false
}

// smallest returns the size of the smallest object that a call in the program passes for parameter i, as far
// as the calls show it, and where that is.
func (h *harness) smallest(i int) (size int64, at *verdict.Pos) {
	for _, c := range h.callsWith(i) {
		if n := h.p.objectSize(c.Args[i]); n >= 0 && (at == nil || n < size) {
			size, at = n, c.Pos
		}
	}
	return size, at
}

// shorter lists the calls that pass for pointer i fewer elements of unit bytes than they say by parameter n.
func (h *harness) shorter(i, n int, unit, plus int64) (out []string) {
	for _, c := range h.callsWith(max(i, n)) {
		size := h.p.objectSize(c.Args[i])
		k, ok := c.Args[n].(*ir.Const)
		if size < 0 || !ok || k.Kind != ir.ConstInt {
			continue
		}
		if want := (k.Bits.Signed().Int64() + plus) * unit; want > size {
			out = append(out, shorterCall(c.Pos, h.nameOf(i), size, want))
		}
	}
	return out
}

func shorterCall(at *verdict.Pos, name string, size, assumed int64) string {
	return fmt.Sprintf("called with a shorter buffer at %s: %s leads to %d bytes there, %d are assumed", at, name, size,
		assumed)
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
