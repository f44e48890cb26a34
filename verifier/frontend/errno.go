package frontend

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// maySetErrno are the models of functions of the library that set errno in some cases (C17 7.12.1, POSIX malloc):
//
//	malloc and relatives   where they fail: it stays, or becomes any number but 0
//	sqrt, fmod             where the result is not defined: it stays, or becomes EDOM
var maySetErrno = map[ir.Model]bool{ir.ModelMalloc: true, ir.ModelCalloc: true, ir.ModelRealloc: true,
	ir.ModelAligned: true, ir.ModelStrdup: true, ir.ModelSqrt: true, ir.ModelFmod: true}

// edom is EDOM of glibc, musl, newlib and avr-libc.
const edom int64 = 33

// setsErrno adds what the call before did to errno, in a program that looks at it.
func (x *fn) setsErrno(call *ir.Instr) {
	k, ok := call.Callee.(*ir.Const)
	if !x.errno || !ok || k.Func == nil || !maySetErrno[call.Model] || strings.HasPrefix(k.Func.Name, "llvm.") {
		return
	}
	failed, width := x.failed(call), 32
	if x.ptr.Width == 16 {
		width = 16
	}
	t := x.intType(width)
	place := x.errnoPlace()
	if place == nil {
		return
	}
	old := x.emit(&ir.Instr{Op: ir.OpLoad, T: t, Access: t, Align: int(x.m.Layout.AlignOf(t)), Args: []ir.Value{place}})
	// any number but 0 where it failed: the lowest bit decides whether errno stays
	f := x.helper(fmt.Sprintf("%s.i%d", ir.ModelTruth, width), t, t)
	some := x.emit(&ir.Instr{Op: ir.OpCall, T: t, Callee: &ir.Const{T: x.ptr, Kind: ir.ConstAddr, Func: f},
		Model: ir.ModelTruth, Sig: signatureOf(f),
		Args: []ir.Value{x.emit(&ir.Instr{Op: ir.OpZext, T: t, Args: []ir.Value{failed}})}})
	bit := x.intType(1)
	stays := x.emit(&ir.Instr{Op: ir.OpTrunc, T: bit, Args: []ir.Value{some}})
	value := ir.Value(x.intConst(width, edom))
	if call.T.IsPtr() {
		value = x.emit(&ir.Instr{Op: ir.OpAshr, T: t, Args: []ir.Value{some, x.intConst(width, 1)}})
	}
	changed := x.emit(&ir.Instr{Op: ir.OpSelect, T: t, Args: []ir.Value{stays, old, value}})
	now := x.emit(&ir.Instr{Op: ir.OpSelect, T: t, Args: []ir.Value{failed, changed, old}})
	x.emit(&ir.Instr{Op: ir.OpStore, T: x.void, Access: t, Align: int(x.m.Layout.AlignOf(t)), Args: []ir.Value{now, place}})
}

// failed is the condition under which the call may set errno.
func (x *fn) failed(call *ir.Instr) *ir.Instr {
	compare := func(op ir.Op, p ir.Pred, a, b ir.Value) *ir.Instr {
		return x.emit(&ir.Instr{Op: op, T: x.intType(1), Pred: p, Args: []ir.Value{a, b}})
	}
	switch call.Model {
	case ir.ModelSqrt:
		return compare(ir.OpFcmp, ir.FOLT, call.Args[0], &ir.Const{T: call.T, Kind: ir.ConstZero})
	case ir.ModelFmod: // no number of numbers
		ordered := compare(ir.OpFcmp, ir.FORD, call.Args[0], call.Args[1])
		none := compare(ir.OpFcmp, ir.FUNO, call, call)
		return x.emit(&ir.Instr{Op: ir.OpAnd, T: x.intType(1), Args: []ir.Value{ordered, none}})
	}
	return compare(ir.OpIcmp, ir.EQ, call, &ir.Const{T: x.ptr, Kind: ir.ConstNull})
}

// errnoPlace is where errno is.
func (x *fn) errnoPlace() ir.Value {
	for _, f := range x.m.Funcs {
		if f.Name == "__errno_location" || f.Name == "__errno" {
			return x.emit(&ir.Instr{Op: ir.OpCall, T: x.ptr, Sig: signatureOf(f),
				Callee: &ir.Const{T: x.ptr, Kind: ir.ConstAddr, Func: f}})
		}
	}
	for _, g := range x.m.Globals {
		if g.Name == "errno" {
			return &ir.Const{T: x.ptr, Kind: ir.ConstAddr, Global: g}
		}
	}
	return nil
}

// indirectErrno makes calls of these functions through pointers unknown by name, in a program that looks at errno.
func (t *translator) indirectErrno() {
	for _, f := range t.m.Funcs {
		if t.errno && f.Addr && maySetErrno[f.Model] {
			f.Model = ir.ModelNone
		}
	}
}
