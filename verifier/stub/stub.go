// Package stub replaces functions of a module by what the user says they do:
//
//	nondet   any result; nothing else changes
//	havoc    any result; every writable object that a pointer argument leads to gets any value
//	fail     a call is a violation
//
// A stub takes the function's body away, or gives a meaning to one that has none.
// Both engines see the replacement, so that they agree. Apply changes the module:
// call it before the module is shared.
package stub

import (
	"fmt"
	"sort"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// The kinds of stub.
const (
	Nondet = "nondet"
	Havoc  = "havoc"
	Fail   = "fail"
)

var kinds = map[string]struct {
	model ir.Model
	means string
}{
	Nondet: {ir.ModelNondet, "any result, no effect"},
	Havoc:  {ir.ModelStubHavoc, "any result, and any value in what its pointer arguments lead to"},
	Fail:   {ir.ModelFail, "a call is a failure"},
}

// UnknownError says that there is no function of a stub's name.
type UnknownError struct{ Func, Nearest string }

// Error names the nearest function.
func (e *UnknownError) Error() string {
	s := fmt.Sprintf("stub %q: there is no such function", e.Func)
	if e.Nearest != "" {
		s += fmt.Sprintf(", did you mean %q?", e.Nearest)
	}
	return s
}

// Apply replaces the functions of m that stubs names (function to kind) and gives
// the assumptions that this makes, in the order of the names. known are further
// functions that may be named although m, a slice of the program, does not hold
// them. The error is an *UnknownError for a name that is nowhere.
func Apply(m *ir.Module, stubs map[string]string, known []string) ([]string, error) {
	names := make([]string, 0, len(stubs))
	for n := range stubs {
		names = append(names, n)
	}
	sort.Strings(names)
	elsewhere := map[string]bool{}
	for _, k := range known {
		elsewhere[k] = true
	}
	var notes []string
	replaced := map[*ir.Func]bool{}
	for _, n := range names {
		k, ok := kinds[stubs[n]]
		if !ok {
			return nil, fmt.Errorf("stub %q: %q is no kind of stub, want nondet or havoc", n, stubs[n])
		}
		f := m.Func(n)
		if f == nil {
			if elsewhere[n] {
				continue
			}
			return nil, &UnknownError{Func: n, Nearest: nearest(m, n, known)}
		}
		if k.model == ir.ModelStubHavoc {
			if why := hidden(f); why != "" {
				return nil, fmt.Errorf("stub %q: havoc cannot reach what %s; write the stub in C, or use nondet", n,
					why)
			}
		}
		f.Model, f.Blocks, f.Vars, f.NumInstr = k.model, nil, nil, 0
		if f.NoReturn { // what comes after a call counts on it
			f.Model, k.means = ir.ModelTrapI, "ends the program"
		}
		replaced[f] = true
		notes = append(notes, fmt.Sprintf("%s is stubbed: %s", n, k.means))
	}
	retarget(m, replaced)
	return notes, nil
}

// retarget gives the direct calls of replaced functions their model.
func retarget(m *ir.Module, replaced map[*ir.Func]bool) {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if k, ok := in.Callee.(*ir.Const); ok && in.Op == ir.OpCall && k.Kind == ir.ConstAddr && k.Off == 0 &&
					replaced[k.Func] {
					in.Model = k.Func.Model
				}
			}
		}
	}
}

// NondetStatic gives the variables that live as long as the program and are not
// constant any value at the start (CBMC: --nondet-static), and the assumption that
// this makes.
func NondetStatic(m *ir.Module) string {
	for _, g := range m.Globals {
		if !g.Const && !g.Extern && g.Unsupported == "" {
			g.Extern, g.Init = true, nil
		}
	}
	return "variables that live as long as the program have any value at the start"
}

// hidden says which parameter holds pointers that the IR does not show as such.
func hidden(f *ir.Func) string {
	for i, p := range f.Params {
		if p.ByVal != nil && pointers(p.ByVal) || !p.T.IsPtr() && p.T.Kind != ir.KindInt && p.T.Kind != ir.KindFloat {
			return fmt.Sprintf("the structure in parameter %d points to", i+1)
		}
	}
	for _, v := range f.Vars {
		if v.Param && v.T != nil && (v.T.Kind == ir.DStruct || v.T.Kind == ir.DUnion) && pointsOn(v.T) {
			return fmt.Sprintf("the structure in parameter %s points to", v.Name)
		}
	}
	return ""
}

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

func pointsOn(t *ir.DType) bool {
	switch t.Kind {
	case ir.DPointer:
		return true
	case ir.DArray:
		return pointsOn(t.Elem)
	case ir.DStruct, ir.DUnion:
		for _, f := range t.Fields {
			if pointsOn(f.T) {
				return true
			}
		}
	}
	return false
}

func nearest(m *ir.Module, name string, known []string) string {
	names := append([]string(nil), known...)
	for _, f := range m.Funcs {
		names = append(names, f.Name)
	}
	sort.Strings(names)
	return verdict.Nearest(name, names)
}
