package frontend

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

// TestContractionWithoutCasts: a product that reaches a sum through a variable is followed although the scope of the
// variable begins without a cast of its address, as LLVM writes it from 15 on.
func TestContractionWithoutCasts(t *testing.T) {
	const head = "target triple = \"aarch64-none-elf\"\ndefine float @f(float %a, float %b) {\n" +
		"  %t = alloca float, align 4\n"
	const rest = "  %m = fmul contract float %a, %a\n  store float %m, POINTER %t, align 4\n" +
		"  %l = load float, POINTER %t, align 4\n  %s = fadd contract float %l, %b\n  ret float %s\n}\n"
	counts := map[string]int{}
	for name, text := range map[string]string{
		"14": head + "  %c = bitcast float* %t to i8*\n  call void @llvm.lifetime.start.p0i8(i64 4, i8* %c)\n" +
			strings.ReplaceAll(rest, "POINTER", "float*") + "declare void @llvm.lifetime.start.p0i8(i64, i8*)\n",
		"19": head + "  call void @llvm.lifetime.start.p0(i64 4, ptr %t)\n" +
			strings.ReplaceAll(rest, "POINTER", "ptr") + "declare void @llvm.lifetime.start.p0(i64, ptr)\n",
		"22": head + "  call void @llvm.lifetime.start.p0(ptr %t)\n" +
			strings.ReplaceAll(rest, "POINTER", "ptr") + "declare void @llvm.lifetime.start.p0(ptr)\n",
	} {
		m, err := Parse("t.ll", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range m.Func("f").Blocks {
			for _, i := range b.Instrs {
				if i.Model == ir.ModelMulAdd {
					counts[name]++
				}
			}
		}
	}
	if counts["14"] == 0 || counts["19"] != counts["14"] || counts["22"] != counts["14"] {
		t.Errorf("fused by version: %v", counts)
	}
}

// TestAtomicWithoutType: what atomicrmw and cmpxchg give has the type of their operand, not of what the pointer leads to.
func TestAtomicWithoutType(t *testing.T) {
	_, err := Parse("t.ll", []byte("define i32 @f(ptr %p, ptr %q) {\n  %a = atomicrmw add ptr %p, i32 1 seq_cst, align 4\n"+
		"  store i32 %a, ptr %q, align 4\n  %c = cmpxchg ptr %p, i32 0, i32 1 seq_cst seq_cst, align 4\n"+
		"  %v = extractvalue { i32, i1 } %c, 0\n  %m = add i32 %a, 300\n  %s = add i32 %m, %v\n  ret i32 %s\n}\n"))
	if err != nil {
		t.Error(err)
	}
}
