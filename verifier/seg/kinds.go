package seg

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// cutKey names the generalised state that s arrives at: pointers that are null in one state and lead to the heap in
// another say different things of the rest, as the two ends of a queue do (Options.ByNull). So do those that lead to
// different links, as one that goes from the variable for a list's head to the members of its blocks.
func (b *builder) cutKey(s *state, pos string) string {
	if !b.opts.ByNull {
		return pos
	}
	var kinds strings.Builder
	for _, r := range s.roots() {
		switch v := r.get(s); {
		case b.isLink(s, r, v):
			fmt.Fprintf(&kinds, "l%s", v.lin.Const)
			if o := s.objs[v.obj]; !o.dynamic {
				kinds.WriteString(o.key)
			}
		case v.kind == ptrValue && s.objs[v.obj] != nil && s.objs[v.obj].heap:
			kinds.WriteByte('p')
		case v.kind == intValue && v.lin.IsConst() && v.lin.Const.IsZero() && b.isPointer(s, r):
			kinds.WriteByte('0')
		default:
			kinds.WriteByte('-')
		}
	}
	key := pos + " " + kinds.String()
	if b.cuts[key] != nil {
		return key
	}
	if b.kinds[pos]++; b.kinds[pos] > policy.StateKinds {
		return pos
	}
	return key
}

// isPointer reports whether the place holds a pointer, by its type.
func (b *builder) isPointer(s *state, r root) bool {
	if r.val != nil {
		return r.val.Type().IsPtr()
	}
	for _, c := range s.objs[r.obj].cells {
		if c.off.IsConst() && c.off.Const.Equal(r.off) {
			return int(c.size)*8 == b.m.Layout.PtrBits
		}
	}
	return false
}

// isLink reports that v, which the place holds, leads to a pointer in a variable or inside of a heap block, which leads to
// the heap or is null.
func (b *builder) isLink(s *state, r root, v value) bool {
	o := s.objs[v.obj]
	if v.kind != ptrValue || o == nil || o.list != nil || !v.lin.IsConst() || o.dynamic && v.lin.Const.IsZero() {
		return false
	}
	if in, ok := r.val.(*ir.Instr); ok && in.Op == ir.OpAlloca {
		return false // always leads there
	}
	if _, isNode := s.heapNode(v); isNode {
		return false
	}
	to := root{obj: v.obj, off: v.lin.Const}
	w := to.get(s)
	return b.isPointer(s, to) && (isNull(w) || w.kind == ptrValue && s.objs[w.obj] != nil && s.objs[w.obj].dynamic)
}
