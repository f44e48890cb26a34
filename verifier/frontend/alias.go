package frontend

import (
	"slices"

	"github.com/llir/llvm/ir/enum"

	llir "github.com/llir/llvm/ir"

	"github.com/firmproof/firmproof/verifier/ir"
)

// alias resolves an alias to an address; nil if it is none (a cycle, an expression over integers).
func (t *translator) alias(a *llir.Alias) *ir.Const {
	if c, ok := t.aliases[a]; ok {
		return c
	}
	if t.busy[a] {
		return nil
	}
	t.busy[a] = true
	c, _ := t.fold(a.Aliasee, true)
	if c != nil && c.Kind != ir.ConstAddr {
		c = nil
	}
	t.aliases[a] = c
	return c
}

// replaceable returns the function that a call of a weak alias is of, which another file may define instead: it passes on
// to the one that the alias stands for. Nil: the alias is not weak, or passing on is not all there is to it. Its address is
// that of the other one.
func (t *translator) replaceable(a *llir.Alias) *ir.Func {
	if f, ok := t.passOn[a]; ok || a.Linkage != enum.LinkageWeak {
		return f
	}
	to := t.alias(a)
	if to == nil || to.Func == nil || to.Off != 0 || to.Func.IsDecl() || to.Func.Variadic {
		return nil
	}
	f := &ir.Func{Name: a.Name(), CName: a.Name(), Ret: to.Func.Ret, Weak: true, Replaceable: true, NoReturn: to.Func.NoReturn}
	for _, p := range to.Func.Params {
		own := *p
		f.Params = append(f.Params, &own)
	}
	t.passOn[a] = f
	return f
}

// addReplaceable adds these functions to the module, in the order of the aliases.
func (t *translator) addReplaceable(src *llir.Module) {
	for _, a := range src.Aliases {
		f := t.passOn[a]
		if f == nil {
			continue
		}
		to := t.alias(a)
		f.Pos, f.DRet = to.Func.Pos, to.Func.DRet
		pos := f.Pos
		b := &ir.Block{Func: f, Name: "entry"}
		call := &ir.Instr{Op: ir.OpCall, T: f.Ret, Callee: to, Sig: to.Func.Sig(), Block: b, Pos: &pos}
		for _, p := range f.Params {
			call.Args = append(call.Args, p)
		}
		ret := &ir.Instr{Op: ir.OpRet, T: t.void, Block: b, Pos: &pos}
		if !f.Ret.IsVoid() {
			ret.Args = []ir.Value{call}
		}
		b.Instrs, f.Blocks = []*ir.Instr{call, ret}, []*ir.Block{b}
		ir.Number(f)
		ir.SetPreds(f)
		t.m.Funcs = append(t.m.Funcs, f)
		t.m.Aliases = slices.DeleteFunc(t.m.Aliases, func(b ir.Alias) bool { return b.Name == a.Name() })
	}
}
