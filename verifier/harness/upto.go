package harness

import (
	"cmp"
	"slices"

	"github.com/firmproof/firmproof/verifier/harness/uses"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Pointers that the code compares lead into one object (C17 6.5.6p9, 6.5.8p5). Where one of them leads to its end
// (`parse(p, end)`, `next(&p, end)`, `find(from, p, end)`), there are as many elements as lie before that. Where the code goes
// on when it has come there, it is the last element (`while (p <= last)`), unless its name says that it is the end.

// upTo is a block that parameters lead into, one of them to its end.
type upTo struct {
	end   int        // the parameter
	last  bool       // it leads to the last element, and not behind that
	parts []upToPart // the others
}

// upToPart is a parameter that leads into such a block: itself, or where it leads to.
type upToPart struct {
	arg   int
	inner bool
}

// upTo returns the block that parameter i, or what it leads to, lies in with another; nil: none.
func (h *harness) upTo(i int) *upTo {
	if !h.of.Params[i].T.IsPtr() {
		return nil
	}
	for _, named := range []bool{true, false} {
		for e := range h.vars {
			if h.vars[e] == nil || isEnd(h.nameOf(e)) != named {
				continue
			}
			if g := h.endedBy(e); g != nil && (e == i || slices.ContainsFunc(g.parts, func(p upToPart) bool { return p.arg == i })) {
				return g
			}
		}
	}
	return nil
}

// endedBy returns the block that parameter e leads to the end of, with those that are compared with it, and with these;
// nil: none.
func (h *harness) endedBy(e int) *upTo {
	g := &upTo{end: e}
	for n := -1; n < len(g.parts); {
		n = len(g.parts)
		for k := range h.vars {
			for _, inner := range []bool{false, true} {
				p := upToPart{k, inner}
				if k == e || slices.Contains(g.parts, p) {
					continue
				}
				if ends, last := h.endsAt(p, e); ends || h.orderedWith(p, g.parts) {
					g.parts, g.last = append(g.parts, p), g.last || ends && last
				}
			}
		}
	}
	sized := func(p upToPart) bool { return h.given(h.partName(p)).size(1) > 0 }
	if len(g.parts) == 0 || h.given(h.nameOf(e)).size(1) > 0 || len(g.parts) > 1 && slices.ContainsFunc(g.parts, sized) {
		return nil
	}
	slices.SortFunc(g.parts, func(p, q upToPart) int { return cmp.Compare(p.arg, q.arg) })
	return g
}

// partName returns the name of a part, as assumptions and `assume` have it.
func (h *harness) partName(p upToPart) string {
	if p.inner {
		return "*" + h.nameOf(p.arg)
	}
	return h.nameOf(p.arg)
}

// metBy lists the parameters that the addresses of p are compared with.
func (h *harness) metBy(p upToPart) uses.Met {
	if p.inner {
		return h.uses[p.arg].Inner
	}
	return h.uses[p.arg].With
}

// orderedWith reports whether the code orders p and one of these.
func (h *harness) orderedWith(p upToPart, list []upToPart) bool {
	return h.elementOf(p) != nil && h.given(h.partName(p)).Count == (Count{}) && slices.ContainsFunc(list, func(q upToPart) bool {
		return !q.inner && h.metBy(p)[q.arg]&uses.Ordered != 0 || !p.inner && h.metBy(q)[p.arg]&uses.Ordered != 0
	})
}

// endsAt reports whether parameter e leads to the end of what p leads to, or to its last element: the two are compared, and
// its name says it, or that it is nothing but compared, with one that moves on; or another version says it.
func (h *harness) endsAt(p upToPart, e int) (ends, last bool) {
	end := h.elementOf(upToPart{e, false})
	if end == nil || h.elementOf(p) == nil {
		return false, false
	}
	switch g := h.given(h.partName(p)); {
	case g.UpTo != "":
		return g.UpTo == h.nameOf(e), false
	case g.Count != (Count{}):
		return false, false
	}
	if max(ir.SizeInC(h.elementOf(p)), 1) != max(ir.SizeInC(end), 1) {
		return false, false
	}
	if c := h.p.counts[h.of.CName+"."+h.partName(p)]; c.End {
		return c.Parameter == h.nameOf(e), false
	}
	how, met := h.metBy(p)[e]
	u, to := &h.uses[p.arg], &h.uses[e]
	last = how&(uses.Includes|uses.Excludes) == uses.Includes
	switch {
	case !met, !p.inner && (u.Text || u.Param >= 0):
		return false, false
	case isEnd(h.nameOf(e)) && !(last && isLimit(h.nameOf(e))):
		return p.inner || !isEnd(h.nameOf(p.arg)), false
	case isStart(h.nameOf(e)), to.Need > 0 || to.Varies || to.Text || to.Param >= 0 || to.Kept: // more than compared
		return false, false
	case how&uses.Ordered == 0: // `for (; p != e; p++)`
		return !p.inner && p.arg < e && u.Varies, false
	}
	return p.inner || p.arg < e && (u.Need > 0 || u.Varies), last
}

// elementOf returns the number, structure or void that p leads to; nil: it is no such pointer, or is made otherwise.
func (h *harness) elementOf(p upToPart) *ir.DType {
	param, v := h.of.Params[p.arg], h.vars[p.arg]
	if v == nil || v.T == nil || v.T.Kind != ir.DPointer || !param.T.IsPtr() || param.SRet != nil || param.ByVal != nil ||
		h.pieces[param].of != nil || h.handle(p.arg) != nil {
		return nil
	}
	t := v.T.Elem
	if p.inner {
		if t == nil || t.Kind != ir.DPointer || h.given(h.nameOf(p.arg)).size(1) > 0 {
			return nil
		}
		t = t.Elem
	}
	switch {
	case ir.IsVoid(t) && !p.inner && ir.IsStruct(h.elemOf(p.arg)):
	case ir.IsVoid(t), ir.IsNumber(t), ir.IsStruct(t) && ir.SizeInC(t) > 0 && len(h.p.tables(t)) == 0:
		return t
	}
	return nil
}

// makeUpTo makes the block of g and the arguments that lead into it.
func (h *harness) makeUpTo(g *upTo, args []ir.Value) {
	e := ended{end: h.nameOf(g.end), last: g.last, elem: h.elementOf(g.parts[0])}
	for _, p := range g.parts {
		e.parts = append(e.parts, h.partName(p))
		origin := verdict.Read // by the code, or its name and a comparison
		switch {
		case h.given(h.partName(p)).UpTo != "":
			origin = verdict.Declared
		case g.last:
			origin = verdict.Chosen
		default:
			h.counts(h.partName(p), Count{Parameter: e.end, End: true})
		}
		e.origins = append(e.origins, origin)
	}
	from, total, at := h.ended(&e)
	for i, p := range g.parts {
		to := at[i] // where there are several, all or none of them are null
		if p.inner {
			inner := h.notNull(h.partName(p), verdict.Chosen, h.partName(p)+" is not null", to)
			if to = h.holder(p.arg, inner); len(g.parts) == 1 {
				from = inner
			}
		}
		if args[p.arg] = to; len(g.parts) == 1 || p.inner || h.mayBeNull(p.arg) {
			args[p.arg] = h.perhapsNull(p.arg, h.nameOf(p.arg), to)
		}
	}
	if g.last {
		total = h.Binary(ir.OpSub, total, h.Int(h.Word(), max(ir.SizeInC(e.elem), 1)))
	}
	h.ends = append(h.ends, endAt{g, from, total})
}

// holder makes what parameter i leads to: a pointer.
func (h *harness) holder(i int, to ir.Value) ir.Value {
	p := h.anyBlock(h.nameOf(i), h.Int(h.Word(), int64(h.Word().Width/8)))
	h.holdsElements(h.vars[i].T.Elem)
	h.Store(to, p, 1)
	if block, ok := ir.Root(to).(*ir.Instr); ok {
		if h.holders == nil {
			h.holders = map[*ir.Instr]ir.Value{}
		}
		h.holders[block] = p
	}
	return p
}

// leftOf returns the parameter that counts what the pointer behind parameter i leads to (`next(&p, &left)`); -1: none. A
// number that is passed itself counts an array of pointers, unless the function moves the first one on; one that is only
// written counts nothing.
func (h *harness) leftOf(i int) int {
	n := i + 1
	if h.elementOf(upToPart{i, true}) == nil {
		return -1
	}
	if by := h.given("*" + h.nameOf(i)).Count; by.Parameter != "" {
		return h.parameter(by.Parameter)
	}
	if n >= len(h.vars) || h.vars[n] == nil || h.uses[i].Varies ||
		!isLength(h.nameOf(n)) && !isRest(h.nameOf(n)) || !h.isCount(i, n) || h.of.Params[n].T.IsInt() && !h.uses[i].Writes ||
		h.of.Params[n].T.IsPtr() && !h.uses[n].Reads {
		return -1
	}
	return n
}

// left makes parameter i, which leads to a pointer to as many elements as parameter n says, and that.
func (h *harness) left(i, n int, args []ir.Value) ir.Value {
	name := "*" + h.nameOf(i)
	e := h.countedBy(name, h.elementOf(upToPart{i, true}), n, h.given(name).Count.Bytes, 0)
	if h.given(name).Count.Parameter != "" {
		e.origin = verdict.Declared
	}
	block := h.elements(name, e, args)
	brings(h.noteCounted(name, h.countName(n), e.origin, e.note), block)
	return h.holder(i, h.notNull(name, verdict.Chosen, name+" is not null", block))
}

// ended is a block of elements that pointers lead into: end to its end, the parts anywhere, one of them to its start.
type ended struct {
	end     string
	last    bool // to its last element
	parts   []string
	origins []verdict.Origin // of each part: that it leads into the block
	elem    *ir.DType
}

// ended makes a block of e, total bytes from base on, and an address in it for each part.
func (h *harness) ended(e *ended) (base, total ir.Value, at []ir.Value) {
	one, word, first := max(ir.SizeInC(e.elem), 1), h.Word(), e.parts[0]
	if given := h.given(first); len(e.parts) == 1 && given.size(one) > 0 {
		total = h.Int(word, given.size(one))
		h.asGiven(first, given)
	} else {
		most := h.limit(policy.HarnessCount, policy.WideCount)
		if needsFill(e.elem, 0) {
			most = policy.HarnessFilled
		}
		count := h.any(e.end+" - "+first, word)
		brings(h.note(e.end, verdict.Limit, verdict.Chosen, "%s is at most %d elements behind %s", e.end, most, first),
			h.Assume(h.Compare(ir.ULE, count, h.Int(word, most))))
		if e.last {
			h.Assume(h.Compare(ir.NE, count, h.Int(word, 0)))
		}
		total = h.scaled(count, one)
	}
	block := h.anyBlock(first, total)
	h.holdsElements(e.elem)
	if needsFill(e.elem, 0) {
		h.fillCounted(first, e.elem, block, h.Binary(ir.OpUdiv, total, h.Int(word, one)))
	}
	is := "the end"
	if e.last {
		is = "the last element"
	}
	brings(h.note(first, verdict.Extent, e.origins[0], "%s is %s of what %s leads to", e.end, is, first), block)
	if len(e.parts) == 1 {
		return block, total, []ir.Value{block}
	}
	starts := ir.Value(h.Int(ir.Int(1), 0))
	base = h.notNull(first, verdict.Chosen, first+" is not null", block)
	for i, name := range e.parts {
		k := h.any(name+" - block", word)
		in := h.Assume(h.Compare(ir.ULE, k, h.Binary(ir.OpUdiv, total, h.Int(word, one))))
		if i > 0 {
			brings(h.note(name, verdict.Extent, e.origins[i], "%s leads into the block that %s is the end of", name, e.end), in)
		}
		starts = h.Or(starts, h.Compare(ir.EQ, k, h.Int(word, 0)))
		at = append(at, h.Gep(base, 0, k, one))
	}
	h.Assume(starts)
	return base, total, at
}

// endAt is the end of a block, or its last element, that is not passed yet: total bytes behind from, or where a parameter leads
// by then.
type endAt struct {
	*upTo
	from, total ir.Value
}

// passEnds makes the arguments that lead to ends.
func (h *harness) passEnds(args []ir.Value) {
	for _, e := range h.ends {
		from := e.from
		switch p := e.parts[0]; {
		case len(e.parts) > 1:
		case p.inner:
			from = h.Load(h.Ptr(), h.holders[ir.Root(from).(*ir.Instr)])
		default:
			from = args[p.arg]
		}
		args[e.end] = h.behind(from, e.total)
	}
	h.ends = nil
}

// behind is the address size bytes behind p; null where p is.
func (h *harness) behind(p, size ir.Value) ir.Value {
	if in, ok := p.(*ir.Instr); ok && in.Op == ir.OpSelect {
		null, none := h.Compare(ir.EQ, p, h.Null()), h.Int(h.Word(), 0)
		size = h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Word(), Args: []ir.Value{null, none, size}})
	}
	return h.Gep(p, 0, size, 1)
}
