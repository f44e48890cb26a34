package weave

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// The kinds of stub: what the user says a function does. A stub takes the function's
// body away, or gives a meaning to one that has none.
const (
	StubNondet = "nondet" // any result; nothing else changes
	StubHavoc  = "havoc"  // any result; every writable object that a pointer argument leads to gets any value
	StubFail   = "fail"   // a call is a violation
)

var stubKinds = map[string]struct {
	model ir.Model
	means string
}{
	StubNondet: {ir.ModelNondet, "any result, no effect"},
	StubHavoc:  {ir.ModelStubHavoc, "any result, and any value in what its pointer arguments lead to"},
	StubFail:   {ir.ModelFail, "a call is a failure"},
}

// Stubs replaces the functions of m that stubs names (function to kind) and gives
// the assumptions that this makes, in the order of the names. known are further
// functions that may be named although m, a slice of the program, does not hold
// them. The error is an *UnknownError for a name that is nowhere.
func Stubs(m *ir.Module, stubs map[string]string, known []string) (notes []verdict.Assumption, absent []string,
	err error) {
	replaced, ends := map[*ir.Func]bool{}, ir.Endless(m)
	for _, n := range slices.Sorted(maps.Keys(stubs)) {
		k, ok := stubKinds[stubs[n]]
		if !ok {
			return nil, nil, fmt.Errorf("stub %q: %q is no kind of stub, want nondet or havoc", n, stubs[n])
		}
		f := m.Func(n)
		if f == nil {
			if slices.Contains(known, n) {
				continue
			}
			absent = append(absent, (&ir.UnknownError{Kind: "stub", Name: n, Nearest: ir.Nearest(m, n, known)}).Error())
			continue
		}
		if why := ir.NoStub(n); why != "" && k.model != ir.ModelFail && !ends[f] {
			return nil, nil, fmt.Errorf("stub %q: %s, which no stub does; use fail where it is not called", n, why)
		}
		if k.model == ir.ModelStubHavoc {
			if why := hidden(f); why != "" {
				return nil, nil, fmt.Errorf("stub %q: havoc cannot reach what %s; write the stub in C, or use nondet",
					n,
					why)
			}
		}
		noteKept(f)
		f.Model, f.Blocks, f.Vars, f.NumInstr = k.model, nil, nil, 0
		if ends[f] {
			f.Model, k.means = ir.ModelTrapI, "ends the program"
		}
		replaced[f] = true
		notes = append(notes, verdict.Assume(n, verdict.Calls, verdict.Declared, fmt.Sprintf("%s is stubbed: %s", n, k.means)))
	}
	retarget(m, replaced)
	return notes, absent, nil
}

// noteKept notes which parameters of f, if it has a body, are pointers to const.
func noteKept(f *ir.Func) {
	if f.IsDecl() {
		return
	}
	for i, v := range ir.ParamVars(f) {
		f.Params[i].Keeps = v != nil && v.T != nil && v.T.Kind == ir.DPointer && v.T.Elem != nil &&
			strings.HasPrefix(v.T.Elem.Name, "const ")
	}
}

// StubRest gives every function of m without a body and without a model the stub of a kind,
// and returns them, sorted by name. One whose arguments hide pointers, that a stub cannot stand for, or that may have
// functions of the program run, stays as it is.
func StubRest(m *ir.Module, kind string) ([]*ir.Func, error) {
	k, ok := stubKinds[kind]
	if !ok {
		return nil, fmt.Errorf("stubs: %q is no kind of stub, want nondet or havoc", kind)
	}
	var out []*ir.Func
	replaced, ends := map[*ir.Func]bool{}, ir.Endless(m)
	for _, f := range Bodiless(m) {
		if k.model == ir.ModelStubHavoc && hidden(f) != "" || ir.NoStub(f.Name) != "" && !ends[f] || f.Starts {
			continue
		}
		if f.Model = k.model; ends[f] {
			f.Model = ir.ModelTrapI
		}
		replaced[f] = true
		out = append(out, f)
	}
	retarget(m, replaced)
	return out, nil
}

// StubMeans says what a call of a stub of a kind gives.
func StubMeans(kind string) string { return stubKinds[kind].means }

// Bodiless lists the functions of m that have neither a body nor a model: what a call of one
// does is not known. Sorted by name.
func Bodiless(m *ir.Module) []*ir.Func {
	var out []*ir.Func
	for _, f := range m.Funcs {
		if f.IsDecl() && f.Model == ir.ModelNone && !strings.HasPrefix(f.Name, irbuild.Unsupported) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *ir.Func) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// retarget gives the direct calls of replaced functions their model.
func retarget(m *ir.Module, replaced map[*ir.Func]bool) {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if g := ir.CalledFunc(in); replaced[g] {
					in.Model = g.Model
				}
			}
		}
	}
}

// NondetStatic gives the variables that live as long as the program and are not
// constant any value at the start (CBMC: --nondet-static), but for those of our own
// (of contracts), and the assumption that this makes.
func NondetStatic(m *ir.Module) verdict.Assumption {
	for _, g := range m.Globals {
		if !g.Const && !g.Extern && g.Unsupported == "" && !strings.Contains(g.Name, contractPart) {
			g.Extern, g.Init = true, nil
		}
	}
	return verdict.Assume("", verdict.Start, verdict.Declared,
		"variables that live as long as the program have any value at the start")
}

// hidden says which parameter holds pointers that the IR does not show as such.
func hidden(f *ir.Func) string {
	for i, p := range f.Params {
		if p.ByVal != nil && pointers(p.ByVal) || !p.T.IsPtr() && p.T.Kind != ir.KindInt && p.T.Kind != ir.KindFloat {
			return fmt.Sprintf("the structure in parameter %d points to", i+1)
		}
	}
	for _, v := range f.Vars {
		if v.Param && v.T != nil && (v.T.Kind == ir.DStruct || v.T.Kind == ir.DUnion) && ir.HoldsPointer(v.T) {
			return fmt.Sprintf("the structure in parameter %s points to", v.Name)
		}
	}
	return ""
}

// pointers reports whether a value of type t holds pointers.
func pointers(t *ir.Type) bool {
	switch t.Kind {
	case ir.KindPtr:
		return true
	case ir.KindArray, ir.KindVector:
		return pointers(t.Elem)
	case ir.KindStruct:
		for _, f := range t.Fields {
			if pointers(f) {
				return true
			}
		}
	}
	return false
}
