package harness

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// length returns the parameter that says how much pointer i leads to, -1 if none does: by what the function
// does with both, or by its name. plus is how many elements more that are.
func (h *harness) length(i int) (n int, bytes bool, plus int64) {
	if h.namedAfter(i, i+1) {
		return i + 1, false, 0
	}
	u := &h.uses[i]
	if u.Text && isText(h.vars[i].T.Elem) && !u.Writes {
		return -1, false, 0 // its zero says how long it is
	}
	if u.Param >= 0 && u.Param != i && h.isCount(i, u.Param) {
		if v := h.vars[u.Param]; v != nil && isLength(v.Name) && !strings.EqualFold(v.Name, "max") {
			return u.Param, u.Bytes, 0 // the name says it; what goes further is what is to be found
		}
		return u.Param, u.Bytes, u.Plus
	} else if (u.Need > 0 && !u.Kept && !h.isMessage(i) || ir.IsStruct(h.elemOf(i))) && !u.Varies {
		return -1, false, 0 // one element
	} else if isHandle(h.vars[i].T) {
		return -1, false, 0 // bytes that a length counts are behind a plain pointer
	}
	for n := i + 1; n < len(h.of.Params); n++ {
		v := h.vars[n]
		switch {
		case h.reachesFar(i) && h.countsOther(i, n): // `key[k & 31]` in front of the length of something else
			return -1, false, 0
		case n > i+1 && ir.IsStruct(h.vars[i].T.Elem):
			return -1, false, 0 // a length further on is another's
		case v == nil || v.T == nil:
			return -1, false, 0
		case h.of.Params[n].T.IsInt():
			if !isLength(v.Name) {
				return -1, false, 0
			}
			return n, strings.Contains(strings.ToLower(v.Name), "bytes"), 0
		case v.T.Kind != ir.DPointer || ir.IsStruct(v.T.Elem) || !u.Varies, isText(h.elemOf(i)) && !u.Writes && u.Ends:
			return -1, false, 0 // pointers to numbers may share one length
		}
	}
	return -1, false, 0
}

// reachesFar reports whether the code bounds how far it accesses what pointer i leads to, by itself.
func (h *harness) reachesFar(i int) bool {
	u := &h.uses[i]
	return u.Varies && !u.Loose && u.Far <= policy.HarnessFar && !ir.IsVoid(h.elemOf(i))
}

// countsOther reports whether the code says that parameter n counts what another pointer than i leads to.
func (h *harness) countsOther(i, n int) bool {
	for k := range h.uses {
		if k != i && h.uses[k].Param == n && h.of.Params[k].T.IsPtr() {
			return true
		}
	}
	return false
}

// isMessage reports whether pointer i, which is accessed at fixed places, leads to numbers that the length behind it counts:
// to more than one, or to bytes that are only read (`if (len < 8) return; id = msg[7]`). A number that is never
// compared counts no text, which has its end, and nothing that is written: it may be what is written there.
func (h *harness) isMessage(i int) bool {
	t, n := h.vars[i].T.Elem, i+1
	if n >= len(h.vars) || h.vars[n] == nil || !h.of.Params[n].T.IsInt() || !isLength(h.nameOf(n)) ||
		!ir.IsNumber(t) && !ir.IsVoid(t) {
		return false
	}
	one := max(ir.SizeInC(t), 1)
	if (h.uses[i].Writes || isText(t)) && !h.uses[n].Compared {
		return false
	}
	return h.uses[i].Need > one || one == 1 && strings.HasPrefix(t.Name, "const ")
}

// isHandle reports a type with a name of its own for pointers to what only its library knows (typedef void *timer_t).
func isHandle(t *ir.DType) bool {
	return t.Kind == ir.DPointer && ir.IsVoid(t.Elem) && !strings.Contains(t.Name, "*")
}

// namedAfter reports whether parameter n is a length that is named after pointer i, to bytes: `bufsz` behind `buf`.
func (h *harness) namedAfter(i, n int) bool {
	if n >= len(h.vars) || h.vars[n] == nil || !h.of.Params[n].T.IsInt() || ir.SizeInC(h.elemOf(i)) > 1 {
		return false
	}
	return isLength(h.nameOf(n)) && isNamedAfter(h.nameOf(n), h.nameOf(i))
}

// namedAfterOther reports whether parameter n is a length that is named after another pointer than i: `in_len` says how
// much `in` leads to, and at least how much `out`.
func (h *harness) namedAfterOther(i, n int) bool {
	names := func(k int) bool { return isNamedAfter(h.nameOf(n), h.nameOf(k)) }
	for k, v := range h.vars {
		if k != i && k != n && v != nil && v.T != nil && v.T.Kind == ir.DPointer && names(k) {
			return !names(i)
		}
	}
	return false
}
