package frontend

import (
	"fmt"
	"slices"
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// sized lists the functions of <string.h> that take a size which may be 0: where it is among the arguments, and which
// pointers have to be valid all the same (C17 7.24.1p2, 7.1.4).
var sized = map[ir.Model]struct {
	size     int
	pointers []int
}{
	ir.ModelMemcpy: {2, []int{0, 1}}, ir.ModelMemmove: {2, []int{0, 1}}, ir.ModelMemset: {2, []int{0}},
	ir.ModelMemcmp: {2, []int{0, 1}}, ir.ModelMemchr: {2, []int{0}}, ir.ModelStrnlen: {1, []int{0}},
	ir.ModelStrncpy: {2, []int{0, 1}}, ir.ModelStrncmp: {2, []int{0, 1}}, ir.ModelStrncat: {2, []int{1}},
}

// emptyCopies claims of calls with a size of 0 that their pointers are not null, as headers with the attribute nonnull
// have it: compilers know these functions without a header, and drop tests for null behind the call. Not where the
// build tells the compiler not to know them, or not to use that.
func (t *translator) emptyCopies(src *llir.Module) {
	if strings.HasPrefix(t.m.Triple, "avr") || strings.HasPrefix(t.m.Triple, "msp430") { // gcc has null as an address there
		return
	}
	for _, s := range src.Funcs {
		f := t.funcs[s]
		if f == nil || f.IsDecl() || f.Pos.InLibrary() || hasAttr(s.FuncAttrs, enum.FuncAttrNullPointerIsValid) ||
			namesAttribute(s.FuncAttrs, "no-builtins") {
			continue
		}
		var calls []*ir.Instr
		tested := map[ir.Value]bool{}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == ir.OpCall && sized[in.Model].pointers != nil && len(in.Args) > sized[in.Model].size {
					calls = append(calls, in)
				}
			}
			if v := promised(b); v != nil {
				tested[v] = true
			}
		}
		for _, in := range calls {
			for _, i := range sized[in.Model].pointers {
				if p := uncast(in.Args[i]); !tested[p] && mayBeNull(p) {
					t.claimNonnull(f, in, p, in.Args[sized[in.Model].size])
				}
			}
		}
	}
}

// promised returns the pointer that a block tests because it has to be another than null; nil if there is none.
func promised(b *ir.Block) ir.Value {
	if b.Term().Op != ir.OpCondBr {
		return nil
	}
	for _, to := range b.Succs() {
		if trap := ir.TrapOf(to); trap != nil && trap.Check == verdict.Nonnull {
			if test, ok := b.Term().Args[0].(*ir.Instr); ok && test.Op == ir.OpIcmp {
				return uncast(test.Args[0])
			}
		}
	}
	return nil
}

func uncast(v ir.Value) ir.Value {
	for {
		in, ok := v.(*ir.Instr)
		if !ok || in.Op != ir.OpBitcast {
			return v
		}
		v = in.Args[0]
	}
}

// mayBeNull reports whether a pointer is no address of a variable, nor within one.
func mayBeNull(v ir.Value) bool {
	for {
		switch x := v.(type) {
		case *ir.Const:
			return x.Kind != ir.ConstAddr
		case *ir.Instr:
			if x.Op == ir.OpGep || x.Op == ir.OpBitcast {
				v = x.Args[0]
				continue
			}
			return x.Op != ir.OpAlloca
		}
		return true
	}
}

// claimNonnull claims in front of a call that where size is 0, p is not null.
func (t *translator) claimNonnull(f *ir.Func, in *ir.Instr, p, size ir.Value) {
	c, constant := size.(*ir.Const)
	if constant && (c.Kind != ir.ConstInt || !c.Bits.IsZero()) {
		return
	}
	null := &ir.Instr{Op: ir.OpIcmp, Pred: ir.EQ, T: t.intType(1),
		Args: []ir.Value{p, &ir.Const{T: t.ptr, Kind: ir.ConstNull}}}
	insertBefore(in, null)
	t.splitAt(f, in, null, verdict.Nonnull, fmt.Sprintf("null passed to %s with a size of 0", in.Model), *in.Pos)
	if !constant {
		t.onlyWhereZero(f, null, size, in.Block)
	}
}

// onlyWhereZero goes on at rest in front of an instruction, unless size is 0.
func (t *translator) onlyWhereZero(f *ir.Func, in *ir.Instr, size ir.Value, rest *ir.Block) {
	b, zero := in.Block, &ir.Const{T: size.Type(), Kind: ir.ConstInt, Bits: bits.New(size.Type().Width, 0)}
	i := slices.Index(b.Instrs, in)
	test := &ir.Block{Func: f, Name: b.Name + ".empty", Instrs: b.Instrs[i:]}
	empty := at(in, &ir.Instr{Op: ir.OpIcmp, Pred: ir.EQ, T: t.intType(1), Args: []ir.Value{size, zero}})
	b.Instrs = append(b.Instrs[:i:i], empty, &ir.Instr{Op: ir.OpCondBr, T: t.void, Args: []ir.Value{empty},
		Targets: []*ir.Block{test, rest}, Block: b, Pos: in.Pos})
	for _, moved := range test.Instrs {
		moved.Block = test
	}
	f.Blocks = slices.Insert(f.Blocks, slices.Index(f.Blocks, b)+1, test)
	number(f)
}
