package verifier

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// startupName is the function that startup makes.
const startupName = "firmproof.start"

// startup is the program around entry, as a module with one function more: the
// constructors in their order, entry, then what atexit registered and the
// destructors (LangRef: llvm.global_ctors; C17 5.1.2.2.3, 7.22.4.4). A program that
// has none of it stays as it is.
func startup(m *ir.Module, entry *ir.Func) (*ir.Module, *ir.Func) {
	if len(m.Ctors) == 0 && m.Finish == nil {
		return m, entry
	}
	pos := entry.Pos
	f := &ir.Func{Name: startupName, Ret: entry.Ret, CName: startupName, Pos: pos, DRet: entry.DRet}
	b := &ir.Block{Name: "entry", Func: f}
	f.Blocks = []*ir.Block{b}
	add := func(in *ir.Instr) *ir.Instr {
		in.ID, in.Block, in.Pos = f.NumInstr, b, &verdict.Pos{File: pos.File, Line: pos.Line, Column: pos.Column,
			Function: entry.CName}
		f.NumInstr++
		b.Instrs = append(b.Instrs, in)
		return in
	}
	call := func(g *ir.Func, args ...ir.Value) *ir.Instr {
		return add(&ir.Instr{Op: ir.OpCall, T: g.Ret, Args: args, Sig: g.Sig(), Model: g.Model,
			Callee: &ir.Const{T: ir.Ptr(m.Layout.PtrBits), Kind: ir.ConstAddr, Func: g}})
	}
	for _, c := range m.Ctors {
		call(c)
	}
	var args []ir.Value
	for _, p := range entry.Params {
		q := *p
		f.Params = append(f.Params, &q)
		args = append(args, &q)
		if v := paramVariable(entry, p); v != nil {
			f.Vars = append(f.Vars, &ir.Var{Name: v.Name, T: v.T, Pos: v.Pos, Slot: &q, Param: true})
		}
	}
	result := call(entry, args...)
	if m.Finish != nil {
		call(m.Finish)
	}
	ret := &ir.Instr{Op: ir.OpRet, T: ir.Void()}
	if !entry.Ret.IsVoid() {
		ret.Args = []ir.Value{result}
	}
	add(ret)
	out := *m
	out.Funcs = append(slices.Clip(m.Funcs), f)
	return &out, f
}

// paramVariable is the C variable of parameter p; at -O0 it is stored there first.
func paramVariable(f *ir.Func, p *ir.Param) *ir.Var {
	slot := ir.Value(p)
	for _, in := range f.Blocks[0].Instrs {
		if in.Op == ir.OpStore && in.Args[0] == ir.Value(p) {
			slot = in.Args[1]
			break
		}
	}
	for _, v := range f.Vars {
		if v.Param && (v.Slot == slot || v.Slot == ir.Value(p)) {
			return v
		}
	}
	return nil
}
