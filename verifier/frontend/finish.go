package frontend

import (
	"sort"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// structors are the functions of llvm.global_ctors or llvm.global_dtors by rising priority.
func (t *translator) structors(g *ir.Global) []*ir.Func {
	if g.Init == nil {
		return nil
	}
	entries := append([]*ir.Const(nil), g.Init.Elems...)
	sort.SliceStable(entries, func(i, j int) bool {
		return bits.Ult(entries[i].Elems[0].Bits,
			entries[j].Elems[0].Bits)
	})
	var out []*ir.Func
	for _, e := range entries {
		if f := e.Elems[1].Func; f != nil {
			out = append(out, f)
		}
	}
	return out
}

// runAtExit is the library's function that calls what atexit registered.
const runAtExit = "firmproof_run_atexit"

// finish makes Module.Finish, if the end of the program calls anything, and gives
// `exit` a body that calls it (C17 7.22.4.4): registered functions first, then the
// destructors, highest priority first (LangRef: llvm.global_dtors).
func (t *translator) finish(dtors []*ir.Func) {
	var calls []*ir.Func
	if f := t.m.Func(runAtExit); f != nil && !f.IsDecl() {
		calls = append(calls, f)
	}
	for i := len(dtors) - 1; i >= 0; i-- {
		calls = append(calls, dtors[i])
	}
	if len(calls) == 0 {
		return
	}
	fin := &ir.Func{Name: "firmproof.finish", CName: "firmproof.finish", Ret: t.void}
	t.bodyOf(fin, calls, &ir.Instr{Op: ir.OpRet, T: t.void})
	t.m.Funcs = append(t.m.Funcs, fin)
	t.m.Finish = fin
	exit := t.m.Func("exit")
	if exit == nil || !exit.IsDecl() {
		return
	}
	end := &ir.Func{Name: "_Exit", CName: "_Exit", Ret: t.void, Model: ir.ModelExit, NoReturn: true}
	exit.Model, exit.CName = ir.ModelNone, "exit"
	t.bodyOf(exit, []*ir.Func{fin, end}, &ir.Instr{Op: ir.OpUnreachable, T: t.void})
	t.m.Funcs = append(t.m.Funcs, end)
	for _, f := range t.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if k, ok := in.Callee.(*ir.Const); ok && in.Op == ir.OpCall && k.Func == exit {
					in.Model = ir.ModelNone
				}
			}
		}
	}
}

// bodyOf gives f a body of calls and a last instruction.
func (t *translator) bodyOf(f *ir.Func, calls []*ir.Func, last *ir.Instr) {
	b := &ir.Block{Func: f, Name: "entry"}
	for _, g := range calls {
		b.Instrs = append(b.Instrs, &ir.Instr{Op: ir.OpCall, T: g.Ret, Sig: g.Sig(), Model: g.Model,
			Callee: &ir.Const{T: t.ptr, Kind: ir.ConstAddr, Func: g}})
	}
	b.Instrs = append(b.Instrs, last)
	for i, in := range b.Instrs {
		in.ID, in.Block, in.Pos = i, b, &verdict.Pos{File: f.Pos.File, Line: f.Pos.Line, Function: f.CName}
	}
	f.Blocks, f.NumInstr = []*ir.Block{b}, len(b.Instrs)
}
