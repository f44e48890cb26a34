package harness

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// lengths are names of parameters that say how much the pointer before them leads to.
var lengths = []string{"n", "len", "length", "size", "sz", "count", "cnt", "num", "max", "bytes", "capacity", "cap",
	"nbytes", "nmemb", "elements"}

// wholeLengths are names that say so only where nothing else is in them: nb, and not nbits.
var wholeLengths = []string{"nb", "nr", "quantity", "qty", "words", "depth"}

func isLength(name string) bool {
	name = strings.ToLower(strings.TrimRight(name, "_"))
	if slices.Contains(wholeLengths, name) {
		return true
	}
	if w := strings.ReplaceAll(name, "_", ""); strings.HasSuffix(w, "refcount") || strings.HasSuffix(w, "refcnt") {
		return false // how many lead here
	}
	for _, l := range lengths {
		if name == l || len(l) > 1 && (strings.HasSuffix(name, l) || strings.HasPrefix(name, l)) {
			return true
		}
	}
	return false
}

// isRest reports names of what says how much is left behind a pointer that moves on.
func isRest(name string) bool {
	name = strings.ToLower(strings.Trim(name, "_"))
	return slices.ContainsFunc([]string{"left", "rem", "remain", "remaining", "avail", "available", "rest", "room", "space"},
		func(r string) bool { return strings.HasSuffix(name, r) })
}

// countsFor reports whether nothing in the name of a length says that it is that of something else than the pointer
// leads to: `size`, `buf_len` of `buf`, and not `block_size` of `tmp`.
func countsFor(length, pointer string) bool {
	for word := range strings.SplitSeq(strings.ToLower(strings.Trim(length, "_")), "_") {
		if !isLength(word) && !strings.Contains(strings.ToLower(pointer), word) &&
			!slices.Contains([]string{"buf", "buffer", "data", "total", "used", "alloc", "allocated"}, word) {
			return false
		}
	}
	return true
}

// isNamedAfter reports whether the name of a length has that of a pointer in it: `bufsz` of `buf`, `a_len` and `aLen` of `a`.
func isNamedAfter(length, pointer string) bool {
	if p := strings.ToLower(pointer); len(p) != 1 {
		return p != "" && strings.Contains(strings.ToLower(length), p)
	}
	return slices.Contains(strings.Split(strings.ToLower(length), "_"), strings.ToLower(pointer)) ||
		len(length) > 1 && length[:1] == pointer && 'A' <= length[1] && length[1] <= 'Z'
}

// saysBytes reports whether the name of a length is one of bytes where the pointer beside it is void: `len`, `data_size`,
// and not `count`, which is of what the pointer is taken for.
func saysBytes(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"byte", "len", "size", "sz", "cap"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}

// indices are parts of the names of members that say a place in the buffer beside them.
var indices = []string{"head", "tail", "pos", "idx", "index", "offset", "start", "r_ptr", "w_ptr", "rptr", "wptr",
	"read", "write", "rd", "wr", "r", "w", "cursor", "in", "out", "front", "rear", "first", "last"}

func isIndex(name string) bool {
	name = strings.ToLower(strings.Trim(name, "_"))
	for _, x := range indices {
		if name == x || len(x) > 2 && (strings.HasPrefix(name, x) || strings.HasSuffix(name, x)) {
			return true
		}
	}
	return false
}

func isText(t *ir.DType) bool {
	return t != nil && t.Kind == ir.DChar && (t.Name == "char" || t.Name == "const char")
}

// needsFill reports whether an object of the type holds pointers or truth values.
func needsFill(t *ir.DType, depth int) bool {
	switch {
	case t == nil || depth > 8:
		return false
	case t.Kind == ir.DBool || t.Kind == ir.DPointer:
		return true
	case t.Kind == ir.DUnion:
		return inUse(t) >= 0
	case t.Kind == ir.DArray:
		return needsFill(t.Elem, depth+1)
	case t.Kind == ir.DStruct:
		for i := range t.Fields {
			if needsFill(t.Fields[i].T, depth+1) {
				return true
			}
		}
	}
	return false
}
