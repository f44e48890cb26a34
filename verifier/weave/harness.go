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
//	pointer          to a block of its own with any contents. How large, the first of these says:
//	                 a parameter that the function compares its index with, or hands to memcpy;
//	                 a parameter behind it with the name of a length (n, len, size, count, max...);
//	                 for char that is only read: a string of at most maxString-1 characters;
//	                 what the function reaches at constant offsets, and one element at least;
//	                 if it goes on from there: the smallest object that a call in the program
//	                 passes, or else maxCount elements, which is a guess
//	null             too, if the function asks for it or a call in the program passes it
//	pointer inside   of what a pointer leads to: to a block of its own, maxDepth levels deep, then null;
//	                 next to a member with the name of a length: of that many elements, which is a guess
//	                 beside further numbers; a single number otherwise, which is a guess, too
//	to a function    see harness_function.go
//
// Blocks come from malloc, so that the function may free them. What this leaves out
// (aliases, other lengths) is said in the assumptions of the answer.

// Limits of what is made for a pointer.
const (
	maxCount  = 64 // elements behind a pointer with a length
	maxString = 16 // bytes of a string
	maxDepth  = 2  // levels of pointers in what a pointer leads to
	maxFields = 64 // pointers in one block that lead to blocks of their own
	// elements of an array that get pointers and truth values of their own
	maxElements = 256
	maxFilled   = 4 // elements that hold pointers or truth values, behind a pointer with a length
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

// indices are parts of the names of members that say a place in the buffer beside them.
var indices = []string{"head", "tail", "pos", "idx", "index", "offset", "start", "r_ptr", "w_ptr", "rptr", "wptr",
	"read", "write", "rd", "wr", "cursor", "in", "out", "front", "rear", "first", "last"}

func isIndex(name string) bool {
	name = strings.ToLower(strings.Trim(name, "_"))
	for _, x := range indices {
		if name == x || len(x) > 2 && (strings.HasPrefix(name, x) || strings.HasSuffix(name, x)) {
			return true
		}
	}
	return false
}

// Harnessed is a function that calls another with any arguments, and what that takes for granted.
type Harnessed struct {
	Entry       *ir.Func
	Assumptions []string
	Warnings    []string // calls in the program that do not keep to the assumptions
	// names of pointers for which nothing says how much is behind them: what goes past that much is no finding
	Guesses []string
	About   map[string]string // by assumption: the pointer or number that it is about
	Places  map[string]bool   // pointers and numbers that a Given can be about
	// how often which function compares a member with null that is not null here: by NAME|FUNCTION
	Tests map[string]int
}

// Harness adds to the program a function that calls f with any arguments. The error says
// which parameter nothing can be made for; the program is then as it was.
func (p *Program) Harness(f *ir.Func) (*Harnessed, error) {
	if f.IsDecl() {
		return nil, fmt.Errorf("%s has no body", f.Name)
	}
	if f.Variadic {
		return nil, fmt.Errorf("%s takes a variable number of arguments", f.Name)
	}
	h := &harness{builder: newFunction(p.m, harnessPrefix+f.Name, ir.Void(), f.Pos), p: p, of: f, vars: paramVars(f),
		uses: p.usesOf(f), reached: Reached(p.m, f),
		out: Harnessed{About: map[string]string{}, Places: map[string]bool{}, Tests: map[string]int{}}}
	h.f.CName = f.CName
	args := make([]ir.Value, len(f.Params))
	for i := range f.Params {
		if args[i] != nil {
			continue // the length of a pointer before it
		}
		if err := h.param(i, args); err != nil {
			return nil, err
		}
	}
	h.globals()
	h.preconditions(args)
	h.call(f, args...)
	h.letHandlersRun()
	h.ret(nil)
	h.out.Assumptions = append([]string{fmt.Sprintf(
		"%s is called with any arguments, and variables of the program have their initial values", f.CName)},
		h.out.Assumptions...)
	h.finishFunctions()
	h.out.Entry = h.done()
	return &h.out, nil
}

// harness writes one harness.
type harness struct {
	*builder
	p    *Program
	of   *ir.Func
	vars []*ir.Var // its parameters in C
	uses []use     // of its parameters in its code
	out  Harnessed

	reached   Reach      // from the function
	functions []*builder // that pointers of its arguments lead to
	further   ir.Value   // the block that pointers lead to of which there are too many
}

// finishFunctions adds to the program what pointers of the arguments lead to.
func (h *harness) finishFunctions() {
	for _, b := range h.functions {
		b.done()
	}
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
		var c *ir.DType
		if v != nil && p.ByVal != nil && isStruct(v.T) {
			c = v.T
		}
		args[i] = h.blockOf(name, c, h.int(h.word(), h.m.Layout.SizeOf(t)))
		return nil
	case !p.T.IsPtr():
		args[i] = h.any(name, p.T)
		if p.T.IsInt() {
			h.within(name, args[i], v != nil && v.T != nil && v.T.Signed)
		}
		return nil
	case v == nil || v.T == nil || v.T.Kind != ir.DPointer:
		return fmt.Errorf("parameter %s: what it points to is not known", name)
	}
	if isFunction(v.T) {
		args[i] = h.function(name, v.T.Elem, h.passed(i))
	} else if err := h.pointer(i, name, v.T.Elem, args); err != nil {
		return err
	}
	if null := h.given(name).Null; null != nil && *null || null == nil && !p.NonNull && h.mayBeNull(i) {
		args[i] = h.orNull(name, args[i])
	}
	return nil
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

// blockOf allocates size bytes with any contents; where t is known, pointers and
// truth values in it get values of their kind.
func (h *harness) blockOf(name string, t *ir.DType, size ir.Value) ir.Value {
	p := h.anyBlock(name, size)
	if t != nil {
		left := maxFields
		h.fill(name, t, p, place{}, 0, 1, &left)
	}
	return p
}

// anyBlock allocates size bytes with any contents. Reports name it by the pointer that leads to it.
func (h *harness) anyBlock(name string, size ir.Value) ir.Value {
	p := h.model(ir.ModelMalloc, "malloc", h.ptr(), size)
	p.Name = ir.BehindPointer + name
	h.assume(h.compare(ir.NE, p, h.null()))
	h.model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), p, size)
	return p
}

// fill gives the pointers and truth values of an object of type t at p+off values. member is where in a
// structure it stands.
func (h *harness) fill(name string, t *ir.DType, p ir.Value, member place, off int64, depth int, left *int) {
	at := func() ir.Value {
		return h.gep(p, off, nil, 0)
	}
	switch t.Kind {
	case ir.DBool:
		b := h.any(name, ir.Int(1))
		h.store(h.resize(b, ir.Int(max(8, t.Bits))), at(), 1)
	case ir.DPointer:
		if *left--; *left < 0 {
			h.store(h.tooMany(), at(), 1)
			return
		}
		h.store(h.inside(name, t, member, depth, left), at(), 1)
	case ir.DStruct:
		skip := h.buffers(name, t, p, off)
		for i := range t.Fields {
			fd := &t.Fields[i]
			if fd.IsBits || fd.T == nil {
				continue
			}
			if !skip[i] {
				h.fill(name+"."+fd.Name, fd.T, p, place{of: layoutOf(t), off: fd.BitOff / 8}, off+fd.BitOff/8, depth,
					left)
			}
			h.numberAt(name+"."+fd.Name, fd.T, p, off+fd.BitOff/8)
		}
	case ir.DArray:
		if size := sizeOf(t.Elem); t.Elem != nil && size > 0 && needsFill(t.Elem, 0) {
			for k := int64(0); k < min(t.Count, maxElements); k++ {
				h.fill(fmt.Sprintf("%s[%d]", name, k), t.Elem, p, member, off+k*size, depth, left)
			}
		}
	}
}

// tooMany is a pointer of which nothing is known, since there are too many in a block.
func (h *harness) tooMany() ir.Value {
	name := fmt.Sprintf("pointers beyond the first %d", maxFields)
	if h.further == nil {
		h.out.Guesses = append(h.out.Guesses, name)
		h.note(name, "what %s in one block lead to is not known", name)
		h.further = h.anyBlock(name, h.int(h.word(), 1))
	}
	return h.further
}

// inside makes a pointer in an object: what it leads to, or null.
func (h *harness) inside(name string, t *ir.DType, member place, depth int, left *int) ir.Value {
	known := h.p.places.at[member]
	if known == nil {
		known = &held{}
	}
	if isFunction(t) {
		f := h.function(name, t.Elem, known)
		if h.tested(known) {
			return h.orNull(name, f)
		}
		return f
	}
	elem := t.Elem
	if isVoid(elem) && known.as != nil {
		elem = known.as
	}
	size, g := sizeOf(elem), h.given(name)
	switch {
	case g.size(size) > 0:
		to := h.sized(g, name, elem, depth+1, left)
		if g.Null != nil && *g.Null {
			return h.orNull(name, to)
		}
		return to
	case (size == 0 || depth >= maxDepth) && h.tested(known):
		h.note(name, "%s is null", name)
		return h.null()
	case size == 0 || depth >= maxDepth:
		h.out.Guesses = append(h.out.Guesses, name)
		h.note(name, "what %s leads to is not known", name)
		return h.anyBlock(name, h.int(h.word(), 1))
	}
	to := h.anyBlock(name, h.int(h.word(), size))
	h.note(name, "%s leads to one %s of its own", name, elem.Name)
	h.out.Guesses = append(h.out.Guesses, name) // it may be an array, or a part of something, as well
	h.fill("*"+name, elem, to, place{}, 0, depth+1, left)
	h.noteTests(name, known)
	if g.Null != nil && *g.Null {
		return h.orNull(name, to)
	}
	return to
}

// noteTests notes who compares a member with null.
func (h *harness) noteTests(name string, known *held) {
	for _, f := range known.null {
		if h.reached.Funcs[f] && h.out.Tests != nil {
			h.out.Tests[name+"|"+f.CName]++
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

// note adds an assumption about a pointer or number; empty: about the call.
func (h *harness) note(about, format string, args ...any) {
	n := fmt.Sprintf(format, args...)
	if about != "" && h.out.About != nil {
		h.out.About[n] = about
	}
	if !slices.Contains(h.out.Assumptions, n) {
		h.out.Assumptions = append(h.out.Assumptions, n)
	}
}

func sizeOf(t *ir.DType) int64 {
	if t == nil {
		return 0
	}
	return int64(t.Bits+7) / 8
}
