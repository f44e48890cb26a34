package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
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
	b := around(&with, startName, entry)
	for _, c := range m.Ctors {
		b.call(c)
	}
	result := callInside(b, entry)
	if m.Finish != nil {
		b.call(m.Finish)
	}
	b.letHandlersRun()
	b.ret(result)
	return &with, b.done(), true
}

// callInside calls entry with the parameters of the function that is made around it.
func callInside(b *builder, entry *ir.Func) *ir.Instr {
	var args []ir.Value
	vars := paramVars(entry)
	for i, p := range entry.Params {
		q := *p
		b.f.Params = append(b.f.Params, &q)
		args = append(args, &q)
		if v := vars[i]; v != nil {
			b.f.Vars = append(b.f.Vars, &ir.Var{Name: v.Name, T: v.T, Pos: v.Pos, Slot: &q, Param: true})
		}
	}
	return b.call(entry, args...)
}
