package harness

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// A pointer to a function leads to
//
//	those that the program stores in that very member or variable, or passes for that parameter, and all whose
//	address is taken if objects of the kind may be written as something else than they are (bytes, words);
//	if it stores another's value there, or nothing: those of the same type whose address is taken, if the
//	type is one of the program's own (a structure of it is among the parameters);
//	else, or where a candidate takes a void pointer for something: any function, which gives any result and
//	changes what its pointers to numbers lead to from there on, and behind a void pointer at most as many
//	bytes as a size_t behind it says; one of the form of fgets reads a text (function_reads.go)
//
// Any function returns, and calls none of the program.

// AnyFunction starts the names of the functions that pointers of generated harnesses lead to where the program
// does not say. One is called as another type where its own is not known.
const AnyFunction = "firmproof.function."

// function returns a pointer to a function of type t, shown under a name. known is what the program stores there.
func (h *harness) function(name string, t *ir.DType, known *places.Held) ir.Value {
	candidates, how := h.candidates(t, known)
	if len(candidates) == 0 {
		f := h.anyFunction(name, t)
		return h.made(h.callsAny(name, t), h.asBefore(name, t, f))
	}
	names := make([]string, len(candidates))
	var out ir.Value
	for i, f := range candidates {
		names[i] = f.CName
		f.Addr = true
		if out == nil {
			out = h.AddrOfFunc(f)
			continue
		}
		out = h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{
			h.any(name+" is "+f.CName, ir.Int(1)), h.AddrOfFunc(f), out}})
	}
	return h.made(h.note(name, verdict.Calls, verdict.Observed, "%s leads to %s, %s", name, strings.Join(names, " or "),
		how), out)
}

// asBefore returns the address of f, a function of type t, or in calls in any order of the one that a pointer of the type
// led to first: who registers a function hands it over again to take it out.
func (h *harness) asBefore(name string, t *ir.DType, f *ir.Func) ir.Value {
	own := h.AddrOfFunc(f)
	if h.calls == nil {
		return own
	}
	first := h.calls.first[t.Name]
	if first == nil {
		h.calls.first[t.Name] = f
		return own
	}
	return h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{
		h.any(name+" is as before", ir.Int(1)), h.AddrOfFunc(first), own}})
}

// candidates lists the functions that a pointer to a t may lead to; none: it may be any.
func (h *harness) candidates(t *ir.DType, known *places.Held) (list []*ir.Func, how string) {
	sig := h.p.places.Sigs[t.Name]
	fits := h.p.fits(t)
	switch {
	case known != nil && len(known.Funcs) > 0 && !known.Others && known.Passed:
		list, how = known.Funcs, "which the program passes"
	case known != nil && known.Any:
		list, how = slices.Clone(known.Funcs), "which the program may store there"
		for _, f := range h.p.m.Funcs {
			if f.Addr && !f.IsDecl() && !f.Made && fits(f) && (compatible(f, t) || !h.p.takesFor(f)) {
				list = places.WithFunc(list, f)
			}
		}
	case known != nil && len(known.Funcs) > 0 && !known.Others:
		list, how = slices.Clone(known.Funcs), "which the program stores there"
		for _, f := range h.p.mayStray(fits) {
			list = places.WithFunc(list, f)
		}
	case ownType(t):
		for _, f := range h.p.m.Funcs {
			if f.Addr && !f.IsDecl() && sig != nil && fits(f) && sameParams(f, t) {
				list = append(list, f)
			}
		}
		how = "whose address is taken and whose type it has"
	}
	wrong := func(f *ir.Func) bool { return !fits(f) || h.p.takesFor(f) }
	if len(list) > policy.HarnessFunctions || slices.ContainsFunc(list, wrong) {
		return nil, ""
	}
	return list, how
}

// fits returns a function that reports whether a function can be called through a pointer to a t.
func (p *Program) fits(t *ir.DType) func(*ir.Func) bool {
	sig := p.places.Sigs[t.Name]
	return func(f *ir.Func) bool {
		return (sig == nil || f.Sig().Equal(sig)) && (!f.IsDecl() || f.Model != ir.ModelNone)
	}
}

// ownType reports whether a type of function names a structure of the program.
func ownType(t *ir.DType) bool {
	return slices.ContainsFunc(t.Params, func(a *ir.DType) bool {
		return a != nil && a.Kind == ir.DPointer && ir.IsStruct(a.Elem)
	})
}

// sameParams reports whether the parameters of f have the names of types that those of t have.
func sameParams(f *ir.Func, t *ir.DType) bool {
	vars := ir.ParamVars(f)
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
	vars := ir.ParamVars(f)
	if len(vars) != len(t.Params) {
		return false
	}
	for i, v := range vars {
		a := t.Params[i]
		if v == nil || v.T == nil || a == nil {
			continue
		}
		if v.T.Kind != a.Kind || a.Kind == ir.DPointer && (ir.IsVoid(v.T.Elem) != ir.IsVoid(a.Elem) ||
			!ir.IsVoid(a.Elem) && v.T.Elem.Kind != a.Elem.Kind) {
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
	vars, uses := ir.ParamVars(f), p.code.Of(f)
	for i, v := range vars {
		switch {
		case v == nil || v.T == nil || v.T.Kind != ir.DPointer:
		case ir.IsVoid(v.T.Elem) && (uses[i].As != nil || uses[i].Need > 0 || uses[i].Varies):
			return true
		case ir.IsStruct(v.T.Elem) && uses[i].Need > ir.SizeInC(v.T.Elem):
			return true
		}
	}
	return false
}

// passed returns the functions that the program passes for parameter i of the function.
func (h *harness) passed(i int) *places.Held {
	out := &places.Held{Passed: true}
	for _, c := range h.callsWith(i) {
		out.Stored(c.Args[i])
	}
	return out
}

// callsWith lists the calls of the function in the program that pass something for parameter i: those under another
// declaration may pass less.
func (h *harness) callsWith(i int) []*ir.Instr {
	return slices.DeleteFunc(slices.Clone(h.p.calls[h.of]), func(c *ir.Instr) bool { return i >= len(c.Args) })
}

// anyFunction adds to the program a function of type t that gives any result.
func (h *harness) anyFunction(name string, t *ir.DType) *ir.Func {
	sig := h.p.places.Sigs[t.Name]
	if sig == nil { // that nothing calls, or not as what it is
		sig = &ir.Type{Kind: ir.KindFunc, Ret: ir.Void()}
	}
	b := irbuild.Function(h.Module, AnyFunction+h.unique()+"."+name, sig.Ret, h.of.Pos)
	b.Func.CName, b.Func.Addr, b.Func.Variadic, b.Func.Made = name, true, sig.Variadic, true
	s := &harness{Builder: b, p: h.p, of: h.of, reached: h.reached, wide: h.wide}
	for i, t := range sig.Fields {
		b.Func.Params = append(b.Func.Params, &ir.Param{Index: i, T: t, Name: "argument"})
	}
	h.bodies = append(h.bodies, func() {
		typed := len(t.Params) == len(sig.Fields)
		reads := readsText(t, sig)
		for i, p := range b.Func.Params {
			if !p.T.IsPtr() || reads && i == 0 {
				continue
			}
			var elem *ir.DType
			if typed && t.Params[i] != nil && t.Params[i].Kind == ir.DPointer {
				elem = t.Params[i].Elem
			}
			var most ir.Value
			if typed && i+1 < len(t.Params) && ir.IsVoid(elem) && isSize(t.Params[i+1]) {
				most = s.Resize(b.Func.Params[i+1], s.Word())
			}
			s.changes(i, p, most, elem, h)
		}
		var result *ir.Instr
		switch {
		case reads:
			result = s.text(t, h)
		case !sig.Ret.IsVoid():
			result = s.anyResult(name, sig, t)
		}
		b.Ret(result)
		h.out.Guesses = append(h.out.Guesses, s.out.Guesses...)
		h.bodies = append(h.bodies, s.bodies...)
		b.Done()
	})
	return b.Func
}

// isSize reports whether t is size_t: behind a pointer, the number of bytes that it leads to.
func isSize(t *ir.DType) bool { return t != nil && t.Name == "size_t" }

// changes writes what any function does with what parameter i, a pointer to elem, leads to: it changes at most as many
// bytes as most says, where that is not nil.
func (s *harness) changes(i int, p *ir.Param, most ir.Value, elem *ir.DType, h *harness) {
	switch {
	case elem != nil && strings.HasPrefix(elem.Name, "const "):
	case elem != nil && elem.Kind == ir.DPointer:
		s.Unsupported("what " + s.Func.CName + " stores in a pointer that it is passed")
	case ir.IsVoid(elem) && (i+1 >= len(s.Func.Params) || !s.Func.Params[i+1].T.IsInt()):
		// without a length behind it: what goes with the function, not a buffer
	case ir.IsVoid(elem) || elem.Kind != ir.DFunc && !needsFill(elem, 0):
		s.havoc(p, most, elem, h)
	}
}

// anyResult is the result of any function: a block or null for a pointer, any value otherwise.
func (s *harness) anyResult(name string, sig *ir.Type, t *ir.DType) *ir.Instr {
	if !sig.Ret.IsPtr() {
		return s.Nondet(name, sig.Ret)
	}
	var elem *ir.DType
	if t.Elem != nil && t.Elem.Kind == ir.DPointer {
		elem = t.Elem.Elem
	}
	if size := s.allocates(elem); size != nil {
		block := s.Model(ir.ModelMalloc, "malloc", s.Ptr(), size)
		return s.Emit(&ir.Instr{Op: ir.OpSelect, T: s.Ptr(), Args: []ir.Value{s.Nondet(name+" fails", ir.Int(1)),
			s.Null(), block}})
	}
	size := max(ir.SizeInC(elem), 1)
	block := s.blockOf(name+"()", elem, s.Int(s.Word(), size))
	if !ir.IsStruct(elem) {
		s.out.Guesses = append(s.out.Guesses, name+"()")
	}
	return s.Emit(&ir.Instr{Op: ir.OpSelect, T: s.Ptr(), Args: []ir.Value{s.Nondet(name+ir.IsNull, ir.Int(1)),
		s.Null(), block}})
}

// allocates returns how many bytes a function allocates that returns void * and takes one or two numbers;
// nil: it is another one.
func (s *harness) allocates(elem *ir.DType) ir.Value {
	if !ir.IsVoid(elem) {
		return nil
	}
	var size ir.Value
	for _, p := range s.Func.Params {
		switch {
		case !p.T.IsInt():
		case size == nil:
			size = s.Resize(p, s.Word())
		default:
			size = s.Binary(ir.OpMul, size, s.Resize(p, s.Word()))
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
	return h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{h.any(name+ir.IsNull, ir.Int(1)), h.Null(),
		v}})
}
