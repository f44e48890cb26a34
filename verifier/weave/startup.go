package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// startName is the name of the function that Startup makes.
const startName = "firmproof.start"

// Startup gives m with a function around entry: the constructors in their order,
// entry, then what atexit registered and the destructors (LangRef:
// llvm.global_ctors; C17 5.1.2.2.3, 7.22.4.4). made is false for a program that has
// none of these; it stays as it is.
func Startup(m *ir.Module, entry *ir.Func) (out *ir.Module, start *ir.Func, made bool) {
	if len(m.Ctors) == 0 && m.Finish == nil {
		return m, entry, false
	}
	with := *m
	with.Funcs = slices.Clip(m.Funcs)
	b := irbuild.Around(&with, startName, entry)
	for _, c := range m.Ctors {
		b.Call(c)
	}
	result := callInside(b, entry)
	if m.Finish != nil {
		b.Call(m.Finish)
	}
	b.LetHandlersRun()
	b.Ret(result)
	return &with, b.Done(), true
}

// callInside calls entry with the parameters of the function that is made around it.
func callInside(b *irbuild.Builder, entry *ir.Func) *ir.Instr {
	var args []ir.Value
	vars := ir.ParamVars(entry)
	for i, p := range entry.Params {
		q := *p
		b.Func.Params = append(b.Func.Params, &q)
		args = append(args, &q)
		if v := vars[i]; v != nil {
			b.Func.Vars = append(b.Func.Vars, &ir.Var{Name: v.Name, T: v.T, Pos: v.Pos, Slot: &q, Param: true})
		}
	}
	return b.Call(entry, args...)
}
