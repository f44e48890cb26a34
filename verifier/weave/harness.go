package weave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// A harness is an entry for a function that has none: a function without parameters
// that calls it with any arguments a careful caller could pass.
//
//	number           any value
//	pointer          to a block of its own, of the size of what it points to, with any contents
//	pointer, length  to a block of that many elements, at most maxCount, where the parameter behind
//	                 it is an integer with the name of a length (n, len, size, count, max...)
//	char pointer     to a string of at most maxString-1 characters, where no length follows
//	void pointer     to maxCount bytes, where no length follows
//	pointer inside   of what a pointer leads to: to a block of its own, maxDepth levels deep, then null
//
// Blocks come from malloc, so that the function may free them. What this leaves out
// (null, aliases, other lengths) is said in the assumptions of the answer.

// Limits of what is made for a pointer.
const (
	maxCount  = 64 // elements behind a pointer with a length
	maxString = 16 // bytes of a string
	maxDepth  = 2  // levels of pointers in what a pointer leads to
	maxFields = 64 // pointers and truth values in one block
)

// harnessPrefix starts the names of the functions that Harness makes.
const harnessPrefix = "firmproof.call."

// lengths are names of parameters that say how much the pointer before them leads to.
var lengths = []string{"n", "len", "length", "size", "sz", "count", "cnt", "num", "max", "bytes", "capacity", "cap",
	"nbytes", "nmemb", "elements"}

func isLength(name string) bool {
	name = strings.ToLower(strings.TrimRight(name, "_"))
	for _, l := range lengths {
		if name == l || len(l) > 2 && (strings.HasSuffix(name, l) || strings.HasPrefix(name, l)) {
			return true
		}
	}
	return false
}

// Harness adds to m a function that calls f with any arguments and gives it, with
// the assumptions that it makes. The error says which parameter nothing can be made
// for; m is then as it was.
func Harness(m *ir.Module, f *ir.Func) (*ir.Func, []string, error) {
	if f.IsDecl() {
		return nil, nil, fmt.Errorf("%s has no body", f.Name)
	}
	if f.Variadic {
		return nil, nil, fmt.Errorf("%s takes a variable number of arguments", f.Name)
	}
	h := &harness{builder: newFunction(m, harnessPrefix+f.Name, ir.Void(), f.Pos), of: f, vars: paramVars(f)}
	h.f.CName = f.CName
	args := make([]ir.Value, len(f.Params))
	for i := range f.Params {
		if args[i] != nil {
			continue // the length of the pointer before it
		}
		if err := h.param(i, args); err != nil {
			return nil, nil, err
		}
	}
	h.call(f, args...)
	h.letHandlersRun()
	h.ret(nil)
	notes := []string{fmt.Sprintf(
		"%s is called with any arguments, and variables of the program have their initial values", f.CName)}
	return h.done(), append(notes, h.notes...), nil
}

// harness writes one harness.
type harness struct {
	*builder
	of    *ir.Func
	vars  []*ir.Var // its parameters in C
	notes []string
}

// any is an unknown value, shown under a name.
func (h *harness) any(name string, t *ir.Type) ir.Value { return h.nondet(h.of.CName+"."+name, t) }

// param makes argument i, and the length behind it if it has one.
func (h *harness) param(i int, args []ir.Value) error {
	p, v := h.of.Params[i], h.vars[i]
	name := p.Name
	if v != nil {
		name = v.Name
	}
	switch {
	case p.ByVal != nil || p.SRet:
		t := p.ByVal
		if t == nil {
			t = h.result()
			if t == nil {
				return fmt.Errorf("parameter %s: the type of the result is not known", name)
			}
		}
		args[i] = h.blockOf(name, nil, h.int(h.word(), h.m.Layout.SizeOf(t)))
		return nil
	case !p.T.IsPtr():
		args[i] = h.any(name, p.T)
		return nil
	case v == nil || v.T == nil || v.T.Kind != ir.DPointer:
		return fmt.Errorf("parameter %s: what it points to is not known", name)
	}
	return h.pointer(i, name, v.T.Elem, args)
}

func (h *harness) result() *ir.Type {
	for _, b := range h.of.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpAlloca && in.Access != nil && in.Access.Kind == ir.KindStruct && in.Name == "retval" {
				return in.Access
			}
		}
	}
	return nil
}

// pointer makes argument i, a pointer to elem.
func (h *harness) pointer(i int, name string, elem *ir.DType, args []ir.Value) error {
	size := sizeOf(elem)
	if elem != nil && elem.Kind == ir.DFunc {
		return fmt.Errorf("parameter %s points to a function", name)
	}
	addr := h.word()
	if n, bytes := h.length(i); n != "" {
		t := h.of.Params[i+1].T
		count := h.any(n, t)
		limit := int64(maxCount)
		if bytes {
			limit *= max(size, 1)
		}
		if t.Width < 63 {
			limit = min(limit, 1<<(t.Width-1)-1)
		}
		h.assume(h.compare(ir.ULE, count, h.int(t, limit)))
		args[i+1] = count
		total := h.resize(count, addr)
		if size > 1 && !bytes {
			total = h.emit(&ir.Instr{Op: ir.OpMul, T: addr, Args: []ir.Value{total, h.int(addr, size)}})
		}
		args[i] = h.blockOf(name, nil, total)
		h.note("%s leads to as many elements as %s says, at most %d", name, n, maxCount)
		return nil
	}
	switch {
	case elem != nil && elem.Kind == ir.DChar && (elem.Name == "char" || elem.Name == "const char"):
		args[i] = h.blockOf(name, nil, h.int(addr, maxString))
		end := h.gep(args[i], maxString-1, nil, 0)
		h.store(h.int(ir.Int(8), 0), end, 1)
		h.note("%s leads to a string of at most %d characters", name, maxString-1)
	case elem == nil || elem.Kind == ir.DVoid:
		args[i] = h.blockOf(name, nil, h.int(addr, maxCount))
		h.note("%s leads to %d bytes", name, maxCount)
	case size == 0:
		return fmt.Errorf("parameter %s points to a type whose size is not known", name)
	default:
		args[i] = h.blockOf(name, elem, h.int(addr, size))
		h.note("%s leads to one %s of its own", name, elem.Name)
	}
	return nil
}

// length is the name of the length that follows pointer i, or nothing; bytes tells
// that it counts bytes whatever the pointer's type.
func (h *harness) length(i int) (name string, bytes bool) {
	if i+1 >= len(h.of.Params) || !h.of.Params[i+1].T.IsInt() || h.vars[i+1] == nil || !isLength(h.vars[i+1].Name) {
		return "", false
	}
	n := h.vars[i+1].Name
	return n, strings.Contains(strings.ToLower(n), "bytes")
}

// blockOf allocates size bytes with any contents; where t is known, pointers and
// truth values in it get values of their kind.
func (h *harness) blockOf(name string, t *ir.DType, size ir.Value) ir.Value {
	p := h.model(ir.ModelMalloc, "malloc", h.ptr(), size)
	h.assume(h.compare(ir.NE, p, h.null()))
	h.model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), p, size)
	if t != nil {
		left := maxFields
		h.fill(name, t, p, 0, 1, &left)
	}
	return p
}

// fill gives the pointers and truth values of an object of type t at p+off values.
func (h *harness) fill(name string, t *ir.DType, p ir.Value, off int64, depth int, left *int) {
	at := func() ir.Value {
		return h.gep(p, off, nil, 0)
	}
	if *left--; *left < 0 {
		h.note("%s: pointers beyond the first %d in one block have any value", name, maxFields)
		return
	}
	switch t.Kind {
	case ir.DBool:
		b := h.any(name, ir.Int(1))
		h.store(h.resize(b, ir.Int(max(8, t.Bits))), at(), 1)
	case ir.DPointer:
		size := sizeOf(t.Elem)
		if t.Elem == nil || t.Elem.Kind == ir.DFunc || size == 0 || depth >= maxDepth {
			h.store(h.null(), at(), 1)
			h.note("%s is null", name)
			return
		}
		to := h.model(ir.ModelMalloc, "malloc", h.ptr(), h.int(h.word(), size))
		h.assume(h.compare(ir.NE, to, h.null()))
		h.model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), to, h.int(h.word(), size))
		h.note("%s leads to one %s of its own", name, t.Elem.Name)
		h.fill("*"+name, t.Elem, to, 0, depth+1, left)
		h.store(to, at(), 1)
	case ir.DStruct:
		for i := range t.Fields {
			if fd := &t.Fields[i]; !fd.IsBits && fd.T != nil {
				h.fill(name+"."+fd.Name, fd.T, p, off+fd.BitOff/8, depth, left)
			}
		}
	case ir.DArray:
		if size := sizeOf(t.Elem); t.Elem != nil && size > 0 && needsFill(t.Elem, 0) {
			for k := int64(0); k < t.Count && *left > 0; k++ {
				h.fill(fmt.Sprintf("%s[%d]", name, k), t.Elem, p, off+k*size, depth, left)
			}
		}
	}
}

// needsFill reports whether an object of the type holds pointers or truth values.
func needsFill(t *ir.DType, depth int) bool {
	switch {
	case t == nil || depth > 8:
		return false
	case t.Kind == ir.DBool || t.Kind == ir.DPointer:
		return true
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

func (h *harness) note(format string, args ...any) {
	n := fmt.Sprintf(format, args...)
	if !slices.Contains(h.notes, n) {
		h.notes = append(h.notes, n)
	}
}

func sizeOf(t *ir.DType) int64 {
	if t == nil {
		return 0
	}
	return int64(t.Bits+7) / 8
}
