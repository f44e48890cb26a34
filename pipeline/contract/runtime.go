package contract

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed runtime/contract.c
var runtimeText string

// Types that the text of preprocessed C can name: clang 22 predefines no macros for it.
const (
	sizeType       = "__typeof__(sizeof 0)"
	differenceType = "__typeof__((char *)0 - (char *)0)"
	wordType       = "unsigned long long" // 64 bits
)

// most is the number of objects that the predicates of one contract make.
const most = 16

// runtime is the C that rewritten text calls. Its loops are written out, so that
// nothing of it has to be unwound.
func runtime(o Options) string {
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := 0; i < n; i++ {
			b.WriteString(strings.ReplaceAll(format, "%N", fmt.Sprint(i)))
		}
		return b.String()
	}
	bits := o.PtrBits
	if bits == 0 {
		bits = 64
	}
	shift := min(o.ObjectBits+1, bits-2)
	return strings.NewReplacer(
		"WEAK", "__attribute__((weak))",
		"QUIET", `__attribute__((no_sanitize("unsigned-integer-overflow", "implicit-conversion")))`,
		"__SIZE_TYPE__", sizeType,
		"__PTRDIFF_TYPE__", differenceType,
		"LARGEST", fmt.Sprintf("((%s)-1 >> %d)", sizeType, shift),
		"ROOM", fmt.Sprint(maxTargets),
		"INIT_LOCALS", repeat(8, "f->local[%N].p = 0; f->local[%N].n = 0; "),
		"LOCALS", repeat(8, "r |= firmproof_contract_inside(&f->local[%N], p, n); "),
		"TARGETS", repeat(maxTargets, "if (f->n == %N) return r; r |= firmproof_contract_inside(&f->t[%N], p, n); "),
		"FREED", repeat(8, "if (f->f == %N) return r; r |= p == f->freed[%N]; "),
		"SEEN", repeat(most, "if (firmproof_contract_seen_n > %N) r &= firmproof_contract_apart(%N, *p, n); "),
	).Replace(runtimeText)
}

// Kept are the symbols of the runtime that nothing refers to before the checks of
// assigns clauses are put in (package verifier/weave).
func Kept() []string {
	return []string{"firmproof_contract_may_write", "firmproof_contract_may_free", "firmproof_contract_local",
		"firmproof_contract_assert",
		"firmproof_contract_enter", "firmproof_contract_write_text", "firmproof_contract_free_text"}
}
