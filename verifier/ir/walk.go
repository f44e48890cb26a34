package ir

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Root returns the pointer that an address is computed from.
func Root(v Value) Value {
	for {
		in, ok := v.(*Instr)
		if !ok || in.Op != OpGep && in.Op != OpBitcast && in.Op != OpFreeze {
			return v
		}
		v = in.Args[0]
	}
}

// VariableAt returns the variable that an address is computed from; nil: it is none.
func VariableAt(v Value) *Global {
	if c, ok := Root(v).(*Const); ok {
		return c.Global
	}
	return nil
}

// ParamVars are f's parameters as C variables: at -O0 a parameter is stored to its
// variable first. nil where there is none.
func ParamVars(f *Func) []*Var {
	slots := map[Value]*Var{}
	out := make([]*Var, len(f.Params))
	for _, v := range f.Vars {
		if p, ok := v.Slot.(*Param); ok {
			out[p.Index] = v
		} else if v.Slot != nil {
			slots[v.Slot] = v
		}
	}
	for _, i := range f.Blocks[0].Instrs {
		if i.Op != OpStore {
			continue
		}
		if p, ok := i.Args[0].(*Param); ok && slots[i.Args[1]] != nil {
			out[p.Index] = slots[i.Args[1]]
		}
	}
	return out
}

// CalledFunc is the function that in calls directly, or nil.
func CalledFunc(in *Instr) *Func {
	if k, ok := in.Callee.(*Const); ok && in.Op == OpCall && k.Kind == ConstAddr && k.Off == 0 {
		return k.Func
	}
	return nil
}

// MayCall lists the functions with a body that a call may lead to: the one it names, or through a pointer each whose
// address is taken.
func (m *Module) MayCall(in *Instr) []*Func {
	if in.Op != OpCall {
		return nil
	}
	list, named := m.Funcs, CalledFunc(in)
	if named != nil {
		list = []*Func{named}
	}
	var out []*Func
	for _, f := range list {
		if !f.IsDecl() && (named != nil || f.Addr) {
			out = append(out, f)
		}
	}
	return out
}

// NameOf is the name of a variable in C, where it has one.
func NameOf(g *Global) string {
	if g.Var != nil {
		return g.Var.Name
	}
	return g.Name
}

// IsVoid reports void, which a type of a debugger also is where it is missing.
func IsVoid(t *DType) bool { return t == nil || t.Kind == DVoid }

// IsStruct reports a structure.
func IsStruct(t *DType) bool { return t != nil && t.Kind == DStruct }

// IsNumber reports an integer, enumerations and truth values left out.
func IsNumber(t *DType) bool {
	return t != nil && (t.Kind == DInt || t.Kind == DChar)
}

// SizeInC is the size of an object of type t in bytes; 0: not known.
func SizeInC(t *DType) int64 {
	if t == nil {
		return 0
	}
	return int64(t.Bits+7) / 8
}

// TruthRead returns the load of a truth value that the branch at the end of b tests for being 0 or 1; nil if there is
// none.
func TruthRead(b *Block) *Instr {
	branch := b.Term()
	if branch.Op != OpCondBr {
		return nil
	}
	tested := false
	for _, t := range branch.Targets {
		trap := TrapOf(t)
		tested = tested || trap != nil && trap.Check == verdict.Bool
	}
	test, ok := branch.Args[0].(*Instr)
	if !tested || !ok || test.Op != OpIcmp {
		return nil
	}
	read, ok := test.Args[0].(*Instr)
	if !ok || read.Op != OpLoad || read.Block != b || read.T.Width != 8 {
		return nil
	}
	return read
}

// IsAggregate reports a structure or union.
func IsAggregate(t *DType) bool { return t != nil && (t.Kind == DStruct || t.Kind == DUnion) }

// ConstantAddress is the number that an address is.
func ConstantAddress(v Value) (int64, bool) {
	switch v := v.(type) {
	case *Const:
		if v.Kind == ConstInt {
			u, ok := v.Bits.Uint64()
			return int64(u), ok
		}
	case *Instr:
		switch {
		case v.Op == OpIntToPtr || v.Op == OpBitcast || v.Op == OpFreeze || v.Op == OpZext:
			return ConstantAddress(v.Args[0])
		case v.Op == OpGep && len(v.Args) == 1:
			a, ok := ConstantAddress(v.Args[0])
			return a + v.Off, ok
		}
	}
	return 0, false
}

// HoldsPointer reports whether a value of type t has a pointer in it.
func HoldsPointer(t *DType) bool {
	switch {
	case t == nil:
		return false
	case t.Kind == DPointer:
		return true
	case t.Kind == DArray:
		return HoldsPointer(t.Elem)
	}
	return slices.ContainsFunc(t.Fields, func(f DField) bool { return HoldsPointer(f.T) })
}

// NamesSymbol reports whether an initialiser holds the address of a variable or function.
func NamesSymbol(k *Const) bool {
	if k.Global != nil || k.Func != nil {
		return true
	}
	for _, e := range k.Elems {
		if NamesSymbol(e) {
			return true
		}
	}
	return false
}

// GuardsTrap reports whether a block ends in a check that the compiler put there.
func GuardsTrap(b *Block) bool {
	return slices.ContainsFunc(b.Succs(), func(to *Block) bool { return to.Instrs[0].Op == OpTrap })
}

// Asserts reports whether a block ends in the test of an assertion.
func Asserts(b *Block) bool {
	return slices.ContainsFunc(b.Succs(), func(to *Block) bool { return AssertFails(to) != nil })
}

// IsConst reports whether v is the constant n, of a type without sign.
func IsConst(v Value, n uint64) bool {
	c, ok := v.(*Const)
	return ok && c.Kind == ConstInt && c.Bits.Width() <= 64 && c.Bits.Low64() == n
}

// EachType visits the types of variables and results of m, and those that they are made of or lead to.
func EachType(m *Module, see func(t *DType)) {
	seen := map[*DType]bool{}
	var visit func(t *DType)
	visit = func(t *DType) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		see(t)
		visit(t.Elem)
		for i := range t.Fields {
			visit(t.Fields[i].T)
		}
	}
	for _, g := range m.Globals {
		if g.Var != nil {
			visit(g.Var.T)
		}
	}
	for _, f := range m.Funcs {
		visit(f.DRet)
		for _, v := range f.Vars {
			visit(v.T)
		}
	}
}
