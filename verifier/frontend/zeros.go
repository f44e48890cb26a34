package frontend

import (
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/ir"
)

// countOfZero makes the last argument of llvm.ctlz and llvm.cttz, whether the count of 0
// is undefined, what the builtin says that the program calls. GCC leaves __builtin_clz(0)
// and __builtin_ctz(0) undefined on every machine; clang leaves the check out where the
// machine defines them. __builtin_ffs asks for the count of 0 and throws it away, and
// __builtin_clrsb and the functions of <arm_acle.h> define it.
func (x *fn) countOfZero(s *site, i *ir.Instr) {
	if i.Model != ir.ModelCtlz && i.Model != ir.ModelCttz || len(s.args) < 2 || !s.ty.IsInt() {
		return
	}
	switch {
	case i.Model == ir.ModelCttz && x.thrownAway(s.v):
		i.Args[1] = x.intConst(1, 0)
	case x.machineCounts() && !signBits(s.args[0]) && !strings.HasSuffix(x.pos.File, "arm_acle.h"):
		i.Args[1] = x.intConst(1, 1)
	}
}

// machineCounts reports whether clang takes the machine's count of 0 for C's
// (TargetInfo.isCLZForZeroUndef is false). Only what was not optimised calls for what
// the program says.
func (x *fn) machineCounts() bool {
	plain := false
	for _, a := range x.src.Metadata {
		if sp, ok := a.Node.(*metadata.DISubprogram); ok && sp.Unit != nil {
			plain = !sp.Unit.IsOptimized
		}
	}
	if !plain {
		return false
	}
	for _, arch := range []string{"arm", "thumb", "aarch64"} {
		if strings.HasPrefix(x.m.Triple, arch) {
			return true
		}
	}
	return false
}

// signBits recognises the operand of __builtin_clrsb: the value or its complement.
func signBits(v value.Value) bool {
	choice, ok := v.(*llir.InstSelect)
	if !ok {
		return false
	}
	c, ok := choice.Cond.(*llir.InstICmp)
	return ok && strings.HasPrefix(c.Name(), "isneg")
}

// thrownAway recognises the count of __builtin_ffs: x == 0 ? 0 : count + 1.
func (x *fn) thrownAway(count value.Value) bool {
	for _, b := range x.src.Blocks {
		for _, in := range b.Insts {
			choice, ok := in.(*llir.InstSelect)
			if !ok || !strings.HasPrefix(choice.Name(), "ffs") {
				continue
			}
			if next, ok := choice.ValueFalse.(*llir.InstAdd); ok && next.X == count {
				return true
			}
		}
	}
	return false
}
