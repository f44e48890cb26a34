package weave

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A pointer to a function leads to
//
//	those that the program stores in that very member or variable, or passes for that parameter, and all whose
//	address is taken if objects of the kind may be written as something else than they are (bytes, words);
//	if it stores another's value there, or nothing: those of the same type whose address is taken, if the
//	type is one of the program's own (a structure of it is among the parameters);
//	else, or where a candidate takes a void pointer for something: any function, which gives any result and
//	changes what its pointers to numbers lead to from there on, and behind a void pointer at most as many
//	bytes as a size_t behind it says
//
// Any function returns, and calls none of the program.

// AnyFunction starts the names of the functions that pointers of generated harnesses lead to where the program
// does not say. One is called as another type where its own is not known.
const AnyFunction = "firmproof.function."

// maxFuncs bounds the functions that one pointer may lead to.
const maxFuncs = 6

// function returns a pointer to a function of type t, shown under a name. known is what the program stores there.
func (h *harness) function(name string, t *ir.DType, known *held) ir.Value {
	candidates, how := h.candidates(t, known)
	if len(candidates) == 0 {
		f := h.anyFunction(name, t)
		return h.made(h.note(name, verdict.Calls, verdict.Chosen, "%s leads to any function: it gives any result and "+
			"changes what its pointers to numbers lead to from there on", name), h.addrOfFunc(f))
	}
	names := make([]string, len(candidates))
	var out ir.Value
	for i, f := range candidates {
		names[i] = f.CName
		f.Addr = true
		if out == nil {
			out = h.addrOfFunc(f)
			continue
		}
		out = h.emit(&ir.Instr{Op: ir.OpSelect, T: h.ptr(), Args: []ir.Value{
			h.any(name+" is "+f.CName, ir.Int(1)), h.addrOfFunc(f), out}})
	}
	return h.made(h.note(name, verdict.Calls, verdict.Observed, "%s leads to %s, %s", name, strings.Join(names, " or "),
		how), out)
}

// candidates lists the functions that a pointer to a t may lead to; none: it may be any.
func (h *harness) candidates(t *ir.DType, known *held) (list []*ir.Func, how string) {
	sig := h.p.places.sigs[t.Name]
	fits := h.p.fits(t)
	switch {
	case known != nil && len(known.funcs) > 0 && !known.others && known.passed:
		list, how = known.funcs, "which the program passes"
	case known != nil && known.any:
		list, how = slices.Clone(known.funcs), "which the program may store there"
		for _, f := range h.p.m.Funcs {
			if f.Addr && !f.IsDecl() && !f.Made && fits(f) && (compatible(f, t) || !h.p.takesFor(f)) {
				list = withFunc(list, f)
			}
		}
	case known != nil && len(known.funcs) > 0 && !known.others:
		list, how = slices.Clone(known.funcs), "which the program stores there"
		for _, f := range h.p.mayStray(fits) {
			list = withFunc(list, f)
		}
	case ownType(t):
		for _, f := range h.p.m.Funcs {
			if f.Addr && !f.IsDecl() && sig != nil && fits(f) && sameParams(f, t) {
				list = append(list, f)
			}
		}
		how = "whose address is taken and whose type it has"
	}
	if len(list) > maxFuncs || slices.ContainsFunc(list, func(f *ir.Func) bool { return !fits(f) || h.p.takesFor(f) }) {
		return nil, ""
	}
	return list, how
}

// fits returns a function that reports whether a function can be called through a pointer to a t.
func (p *Program) fits(t *ir.DType) func(*ir.Func) bool {
	sig := p.places.sigs[t.Name]
	return func(f *ir.Func) bool {
		return (sig == nil || f.Sig().Equal(sig)) && (!f.IsDecl() || f.Model != ir.ModelNone)
	}
}

// ownType reports whether a type of function names a structure of the program.
func ownType(t *ir.DType) bool {
	return slices.ContainsFunc(t.Params, func(a *ir.DType) bool {
		return a != nil && a.Kind == ir.DPointer && isStruct(a.Elem)
	})
}

// sameParams reports whether the parameters of f have the names of types that those of t have.
func sameParams(f *ir.Func, t *ir.DType) bool {
	vars := paramVars(f)
	if len(vars) != len(t.Params) {
		return false
	}
	for i, v := range vars {
		if v == nil || v.T == nil || t.Params[i] == nil || v.T.Name != t.Params[i].Name {
			return false
		}
	}
	return true
}

// compatible reports whether the parameters of f are of the kinds that those of t are.
func compatible(f *ir.Func, t *ir.DType) bool {
	vars := paramVars(f)
	if len(vars) != len(t.Params) {
		return false
	}
	for i, v := range vars {
		a := t.Params[i]
		if v == nil || v.T == nil || a == nil {
			continue
		}
		if v.T.Kind != a.Kind || a.Kind == ir.DPointer && (isVoid(v.T.Elem) != isVoid(a.Elem) ||
			!isVoid(a.Elem) && v.T.Elem.Kind != a.Elem.Kind) {
			return false
		}
	}
	return true
}

// takesFor reports whether f takes a pointer for more than its type says: a void pointer for a structure, or a
// structure for a part of a larger one. What that is, only who stores both pointers knows.
func (p *Program) takesFor(f *ir.Func) bool {
	if f.IsDecl() {
		return false
	}
	vars, uses := paramVars(f), p.usesOf(f)
	for i, v := range vars {
		switch {
		case v == nil || v.T == nil || v.T.Kind != ir.DPointer:
		case isVoid(v.T.Elem) && (uses[i].as != nil || uses[i].need > 0 || uses[i].varies):
			return true
		case isStruct(v.T.Elem) && uses[i].need > sizeOf(v.T.Elem):
			return true
		}
	}
	return false
}

// passed returns the functions that the program passes for parameter i of the function.
func (h *harness) passed(i int) *held {
	out := &held{passed: true}
	for _, c := range h.p.calls[h.of] {
		if i < len(c.Args) {
			out.stored(c.Args[i])
		}
	}
	return out
}

// anyFunction adds to the program a function of type t that gives any result.
func (h *harness) anyFunction(name string, t *ir.DType) *ir.Func {
	sig := h.p.places.sigs[t.Name]
	if sig == nil { // that nothing calls, or not as what it is
		sig = &ir.Type{Kind: ir.KindFunc, Ret: ir.Void()}
	}
	b := newFunction(h.m, AnyFunction+h.unique()+"."+name, sig.Ret, h.of.Pos)
	b.f.CName, b.f.Addr, b.f.Variadic, b.f.Made = name, true, sig.Variadic, true
	s := &harness{builder: b, p: h.p, of: h.of, reached: h.reached, wide: h.wide}
	for i, t := range sig.Fields {
		b.f.Params = append(b.f.Params, &ir.Param{Index: i, T: t, Name: "argument"})
	}
	h.bodies = append(h.bodies, func() {
		typed := len(t.Params) == len(sig.Fields)
		for i, p := range b.f.Params {
			if !p.T.IsPtr() {
				continue
			}
			var elem *ir.DType
			if typed && t.Params[i] != nil && t.Params[i].Kind == ir.DPointer {
				elem = t.Params[i].Elem
			}
			var most ir.Value
			if typed && i+1 < len(t.Params) && isVoid(elem) && isSize(t.Params[i+1]) {
				most = s.resize(b.f.Params[i+1], s.word())
			}
			s.changes(i, p, most, elem, h)
		}
		var result *ir.Instr
		if !sig.Ret.IsVoid() {
			result = s.anyResult(name, sig, t)
		}
		b.ret(result)
		h.out.Guesses = append(h.out.Guesses, s.out.Guesses...)
		h.bodies = append(h.bodies, s.bodies...)
		b.done()
	})
	return b.f
}

// isSize reports whether t is size_t: behind a pointer, the number of bytes that it leads to.
func isSize(t *ir.DType) bool { return t != nil && t.Name == "size_t" }

// changes writes what any function does with what parameter i, a pointer to elem, leads to: it changes at most as many
// bytes as most says, where that is not nil.
func (s *harness) changes(i int, p *ir.Param, most ir.Value, elem *ir.DType, h *harness) {
	switch {
	case elem != nil && strings.HasPrefix(elem.Name, "const "):
	case elem != nil && elem.Kind == ir.DPointer:
		s.unsupported("what " + s.f.CName + " stores in a pointer that it is passed")
	case isVoid(elem) && (i+1 >= len(s.f.Params) || !s.f.Params[i+1].T.IsInt()):
		// without a length behind it: what goes with the function, not a buffer
	case isVoid(elem) || elem.Kind != ir.DFunc && !needsFill(elem, 0):
		s.havoc(p, most, elem, h)
	}
}

// anyResult is the result of any function: a block or null for a pointer, any value otherwise.
func (s *harness) anyResult(name string, sig *ir.Type, t *ir.DType) *ir.Instr {
	if !sig.Ret.IsPtr() {
		return s.nondet(name, sig.Ret)
	}
	var elem *ir.DType
	if t.Elem != nil && t.Elem.Kind == ir.DPointer {
		elem = t.Elem.Elem
	}
	if size := s.allocates(elem); size != nil {
		block := s.model(ir.ModelMalloc, "malloc", s.ptr(), size)
		return s.emit(&ir.Instr{Op: ir.OpSelect, T: s.ptr(), Args: []ir.Value{s.nondet(name+" fails", ir.Int(1)),
			s.null(), block}})
	}
	size := max(sizeOf(elem), 1)
	block := s.blockOf(name+"()", elem, s.int(s.word(), size))
	if !isStruct(elem) {
		s.out.Guesses = append(s.out.Guesses, name+"()")
	}
	return s.emit(&ir.Instr{Op: ir.OpSelect, T: s.ptr(), Args: []ir.Value{s.nondet(name+ir.IsNull, ir.Int(1)),
		s.null(), block}})
}

// allocates returns how many bytes a function allocates that returns void * and takes one or two numbers;
// nil: it is another one.
func (s *harness) allocates(elem *ir.DType) ir.Value {
	if !isVoid(elem) {
		return nil
	}
	var size ir.Value
	for _, p := range s.f.Params {
		switch {
		case !p.T.IsInt():
		case size == nil:
			size = s.resize(p, s.word())
		default:
			size = s.binary(ir.OpMul, size, s.resize(p, s.word()))
		}
	}
	return size
}

// reaches reports whether the harness calls one of the functions.
func (h *harness) reaches(list []*ir.Func) bool {
	return slices.ContainsFunc(list, func(f *ir.Func) bool { return h.reached.Funcs[f] })
}

// orNull returns v or null.
func (h *harness) orNull(name string, v ir.Value) ir.Value {
	h.note(name, verdict.Nullness, verdict.Read, "%s"+MayBeNull, name)
	return h.emit(&ir.Instr{Op: ir.OpSelect, T: h.ptr(), Args: []ir.Value{h.any(name+ir.IsNull, ir.Int(1)), h.null(),
		v}})
}
