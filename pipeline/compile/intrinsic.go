package compile

import (
	"fmt"
	"strings"
)

// Assembly of the intrinsics for interrupts.
const (
	armRead  = `unsigned was; __asm__ volatile("mrs %0, primask" : "=r"(was)); `
	armWrite = `__asm__ volatile("msr primask, %0" : : "r"(now) : "memory");`
	armMask  = `__asm__ volatile("cpsid i" ::: "memory");`
	armOpen  = `__asm__ volatile("cpsie i" ::: "memory");`
)

// intrinsic is a function that compilers have without a declaration, on the processors that a condition of the
// preprocessor names.
type intrinsic struct {
	processors, result, parameters, body string
}

const (
	anyProcessor = "1"
	cortexM      = "__ARM_ARCH_PROFILE == 'M'"
	armProcessor = "defined __arm__"
	msp430       = "defined __MSP430__"
)

// intrinsics are those of IAR, Arm Compiler 5 and TI. Where a processor has no row, a call is one of a function without a
// body.
var intrinsics = map[string][]intrinsic{
	"__no_operation": {{anyProcessor, "void", "void", ""}},
	"__nop":          {{anyProcessor, "void", "void", ""}},
	"__NOP":          {{anyProcessor, "void", "void", ""}},
	"__delay_cycles": {{anyProcessor, "void", "unsigned long n", ""}},
	"__disable_irq":  {{cortexM, "int", "void", armRead + armMask + " return was & 1;"}},
	"__enable_irq":   {{cortexM, "void", "void", armOpen}},
	"__disable_interrupt": {{cortexM, "void", "void", armMask},
		{msp430, "void", "void", `__asm__ volatile("dint { nop" ::: "memory");`}},
	"__enable_interrupt": {{cortexM, "void", "void", armOpen},
		{msp430, "void", "void", `__asm__ volatile("eint" ::: "memory");`}},
	"__get_interrupt_state": {{cortexM, "unsigned", "void", armRead + "return was & 1;"}},
	"__set_interrupt_state": {{cortexM, "void", "unsigned now", armWrite}},
	"__get_PRIMASK":         {{cortexM, "unsigned", "void", armRead + "return was & 1;"}},
	"__set_PRIMASK":         {{cortexM, "void", "unsigned now", armWrite}},
	"__REV":                 {{armProcessor, "unsigned", "unsigned x", "return __builtin_bswap32(x);"}},
	"__rev":                 {{armProcessor, "unsigned", "unsigned x", "return __builtin_bswap32(x);"}},
	"__CLZ":                 {{armProcessor, "unsigned char", "unsigned x", "return x ? __builtin_clz(x) : 32;"}},
	"__clz":                 {{armProcessor, "unsigned char", "unsigned x", "return x ? __builtin_clz(x) : 32;"}},
	"__WFI":                 {{armProcessor, "void", "void", `__asm__ volatile("wfi" ::: "memory");`}},
	"__wfi":                 {{armProcessor, "void", "void", `__asm__ volatile("wfi" ::: "memory");`}},
	"__WFE":                 {{armProcessor, "void", "void", `__asm__ volatile("wfe" ::: "memory");`}},
	"__wfe":                 {{armProcessor, "void", "void", `__asm__ volatile("wfe" ::: "memory");`}},
	"__DSB":                 {{armProcessor, "void", "void", `__asm__ volatile("dsb" ::: "memory");`}},
	"__dsb":                 {{armProcessor, "void", "int n", `__asm__ volatile("dsb" ::: "memory");`}},
	"__ISB":                 {{armProcessor, "void", "void", `__asm__ volatile("isb" ::: "memory");`}},
	"__isb":                 {{armProcessor, "void", "int n", `__asm__ volatile("isb" ::: "memory");`}},
	"__DMB":                 {{armProcessor, "void", "void", `__asm__ volatile("dmb" ::: "memory");`}},
	"__dmb":                 {{armProcessor, "void", "int n", `__asm__ volatile("dmb" ::: "memory");`}},
}

// processorIntrinsic defines an intrinsic that was called undeclared, on the processors that have it. The definition is
// weak: where the program has one of its own, that is what is called.
func processorIntrinsic(name string) (string, bool) {
	rows, ok := intrinsics[name]
	var b strings.Builder
	for _, in := range rows {
		fmt.Fprintf(&b, "#if %s\n__attribute__((weak)) %s %s(%s) { %s }\n#endif\n", in.processors,
			in.result, name, in.parameters, in.body)
	}
	return b.String(), ok
}
