package main

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// harness is the C program around the failing entry.
type harness struct {
	result *verdict.Result
	claim  *verdict.Claim
	entry  string // the C function to call
	inputs []verdict.Input
	driven *driven // calls in the place of an entry that nobody wrote; nil: somebody did
	arm    bool    // semihosting instead of a process
	left   []string
}

// allocators are the functions whose result a wrapper decides.
var allocators = map[string]string{
	"malloc": "void *%s(SIZE n)|n", "calloc": "void *%s(SIZE a, SIZE n)|a, n",
	"realloc": "void *%s(void *a, SIZE n)|a, n", "aligned_alloc": "void *%s(SIZE a, SIZE n)|a, n",
}

// wrapped are the allocators that the trace decides, for the linker's --wrap.
func (h *harness) wrapped() []string {
	var out []string
	for _, in := range h.inputs {
		if _, ok := allocators[in.Name]; ok && in.Kind == "malloc" && !slices.Contains(out, in.Name) {
			out = append(out, in.Name)
		}
	}
	slices.Sort(out)
	return out
}

// isNondet reports whether a function of the program is a source of inputs that
// the harness defines; a result of printf, say, comes from the real one.
func isNondet(name string) bool {
	for _, p := range []string{"firmproof_nondet_", "__VERIFIER_nondet_", "nondet_", "__llbmc_nondef_",
		"__CPROVER_nondet_", "__ESBMC_nondet_"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return slices.Contains([]string{"klee_int", "klee_range", "rand"}, name)
}

// cType is the C type of a nondet function's result: of the width that the
// trace has, with the sign that the name says, since callers rely on extension.
func cType(name string, width int) string {
	ty := name[strings.LastIndex(name, "_")+1:]
	if base, ok := strings.CutSuffix(name, "_t"); ok {
		ty = base[strings.LastIndex(base, "_")+1:]
	}
	switch {
	case width == 1:
		return "_Bool"
	case ty == "float" || ty == "double" || ty == "char":
		return ty
	case strings.HasSuffix(name, "_ptr") || ty == "pointer" || ty == "ptr":
		return "void *"
	}
	sign := ""
	if strings.HasPrefix(strings.ToLower(ty), "u") || ty == "size" || strings.Contains(name, "unsigned") {
		sign = "U"
	}
	return fmt.Sprintf("__%sINT%d_TYPE__", sign, width)
}

const harnessHead = `/* Made by "firmproof replay": feeds the inputs of a counterexample to the program.
 * claim %s on %s, entry %s
 * %s: %s
 */
typedef __SIZE_TYPE__ SIZE;
#define NAMED(n) __asm__(n)
#define WEAK __attribute__((weak))
static void fp_stop(int code, const char *what, const char *detail);
static void fp_copy(void *to, const void *from, SIZE n)
{
    for (SIZE i = 0; i < n; i++) {
        ((volatile unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
}
static int fp_same(const char *a, const char *b)
{
    while (*a != 0 && *a == *b) {
        a++, b++;
    }
    return *a == *b;
}
`

// The intrinsics without a value. Weak: a program may define its own.
const harnessModels = `
static void fp_assume(int c)
{
    if (!c) {
        fp_stop(77, "assumption is false", "");
    }
}
static void fp_assert(int c, const char *msg)
{
    if (!c) {
        fp_stop(88, "assertion failed", msg);
    }
}
WEAK void fp_a1(_Bool c) NAMED("firmproof_assume");
WEAK void fp_a1(_Bool c) { fp_assume(c); }
WEAK void fp_a2(int c) NAMED("__VERIFIER_assume");
WEAK void fp_a2(int c) { fp_assume(c != 0); }
WEAK void fp_a3(_Bool c) NAMED("__CPROVER_assume");
WEAK void fp_a3(_Bool c) { fp_assume(c); }
WEAK void fp_a4(__UINTPTR_TYPE__ c) NAMED("klee_assume");
WEAK void fp_a4(__UINTPTR_TYPE__ c) { fp_assume(c != 0); }
WEAK void fp_a5(int c) NAMED("__llbmc_assume");
WEAK void fp_a5(int c) { fp_assume(c != 0); }
WEAK void fp_b1(_Bool c, const char *m) NAMED("firmproof_assert");
WEAK void fp_b1(_Bool c, const char *m) { fp_assert(c, m); }
WEAK void fp_b2(int c) NAMED("__VERIFIER_assert");
WEAK void fp_b2(int c) { fp_assert(c != 0, ""); }
WEAK void fp_b3(_Bool c, const char *m) NAMED("__CPROVER_assert");
WEAK void fp_b3(_Bool c, const char *m) { fp_assert(c, m); }
WEAK void fp_b4(int c) NAMED("__llbmc_assert");
WEAK void fp_b4(int c) { fp_assert(c != 0, ""); }
WEAK void fp_b5(void) NAMED("reach_error");
WEAK void fp_b5(void) { fp_assert(0, "reach_error"); }
WEAK void fp_b6(void) NAMED("__VERIFIER_error");
WEAK void fp_b6(void) { fp_assert(0, "__VERIFIER_error"); }
WEAK void fp_c1(void) NAMED("__VERIFIER_atomic_begin");
WEAK void fp_c1(void) { }
WEAK void fp_c2(void) NAMED("__VERIFIER_atomic_end");
WEAK void fp_c2(void) { }
`

const harnessHavoc = `
WEAK void fp_h1(void *p, SIZE n) NAMED("firmproof_havoc");
WEAK void fp_h1(void *p, SIZE n) { fp_havoc("firmproof_havoc", p, n); }
WEAK void fp_h2(void *p, SIZE n, const char *name) NAMED("klee_make_symbolic");
WEAK void fp_h2(void *p, SIZE n, const char *name) { (void)name; fp_havoc("klee_make_symbolic", p, n); }
WEAK void fp_h3(void *p, SIZE n) NAMED("__CPROVER_havoc_slice");
WEAK void fp_h3(void *p, SIZE n) { fp_havoc("__CPROVER_havoc_slice", p, n); }
`

const hostedStop = `
int puts(const char *);
_Noreturn void _Exit(int);
int fflush(void *);
static void fp_stop(int code, const char *what, const char *detail)
{
    puts(what);
    puts(detail);
    fflush((void *)0);
    _Exit(code);
}
`

// Semihosting for AArch32, operations SYS_WRITE0 (0x04) and SYS_EXIT_EXTENDED
// (0x20); a fault handler shows the address of the instruction that faulted.
const bareStop = `
static int fp_host(int op, const void *arg)
{
    register int r0 __asm__("r0") = op;
    register const void *r1 __asm__("r1") = arg;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}
static void fp_stop(int code, const char *what, const char *detail)
{
    const int block[2] = {0x20026, code};
    fp_host(4, what);
    fp_host(4, "\n");
    fp_host(4, detail);
    fp_host(4, "\n");
    fp_host(0x20, block);
    for (;;) {
    }
}
extern unsigned char fp_data_from[], fp_data_start[], fp_data_end[], fp_bss_start[], fp_bss_end[], fp_stack_top[];
int main(void);
void fp_fault(const unsigned *frame)
{
    static char text[] = "0x00000000";
    for (int i = 0; i < 8; i++) {
        text[2 + i] = "0123456789abcdef"[frame[6] >> (28 - 4 * i) & 15];
    }
    fp_stop(99, "fault at", text);
}
__attribute__((naked)) void fp_trap(void)
{
    __asm__ volatile("mrs r0, msp\n b fp_fault");
}
void fp_reset(void)
{
    fp_copy(fp_data_start, fp_data_from, (SIZE)(fp_data_end - fp_data_start));
    for (volatile unsigned char *p = fp_bss_start; p < fp_bss_end; p++) {
        *p = 0;
    }
    main();
    fp_stop(0, "returned", "");
}
__attribute__((used, section(".fp_vectors"))) static const void *const fp_vectors[16] = {
    fp_stack_top, (void *)fp_reset, (void *)fp_trap, (void *)fp_trap, (void *)fp_trap, (void *)fp_trap, (void *)fp_trap};
`

// text is the harness in C.
func (h *harness) text() string {
	var b strings.Builder
	c := h.claim
	fmt.Fprintf(&b, harnessHead, c.ID, h.result.Target, h.result.Entry, comment(c.Pos.String()), comment(c.Message))
	if h.arm {
		b.WriteString(bareStop)
	} else {
		b.WriteString(hostedStop)
	}
	b.WriteString(harnessModels)
	h.values(&b)
	h.havocs(&b)
	h.mallocs(&b)
	if h.driven != nil {
		b.WriteString(h.blocks())
	}
	if h.entry != "main" {
		fmt.Fprintf(&b, "\nvoid %[1]s(void);\nint main(void)\n{\n    %[1]s();\n    return 0;\n}\n", h.entry)
	}
	return b.String()
}

func comment(s string) string { return strings.ReplaceAll(s, "*/", "* /") }

// values defines the nondet functions: each call takes the next recorded value,
// which must be of that function.
func (h *harness) values(b *strings.Builder) {
	types := map[string]string{}
	var names []string
	b.WriteString("\nstatic const struct { const char *who; unsigned long long value; } fp_values[] = {\n")
	for _, in := range h.inputs {
		switch {
		case in.Kind == "volatile" || in.Kind == "asm" || in.Kind == "param" || in.Kind == "unspecified" ||
			in.Kind == "nondet" &&
				(!isNondet(in.Name) || in.Width > 64):
			h.left = append(h.left, in.Kind+" "+in.Name)
			continue
		case in.Kind != "nondet":
			continue
		}
		if _, ok := types[in.Name]; !ok {
			types[in.Name] = cType(in.Name, in.Width)
			names = append(names, in.Name)
		}
		fmt.Fprintf(b, "    {%q, 0x%sull}, /* %s */\n", in.Name, hexOrZero(in.Value), in.Pos)
	}
	b.WriteString("    {0, 0}};\nstatic unsigned fp_at;\nstatic void fp_next(const char *who, void *to, SIZE n)\n{\n    if (fp_values[fp_at].who == 0 || !fp_same(fp_values[fp_at].who, who)) {\n" +
		"        fp_stop(78, \"the trace has no more value for\", who);\n    }\n    unsigned long long v = fp_values[fp_at++].value;\n    fp_copy(to, &v, n);\n}\n")
	slices.Sort(names)
	for i, n := range names {
		params := map[string]string{"klee_int": "const char *name",
			"klee_range": "int from, int to, const char *name"}[n]
		if params == "" {
			params = "void"
		}
		fmt.Fprintf(b, "WEAK %[1]s fp_v%[2]d(%[4]s) NAMED(%[3]q);\nWEAK %[1]s fp_v%[2]d(%[4]s)\n{\n    %[1]s v;\n    fp_next(%[3]q, &v, sizeof v);\n    return v;\n}\n", types[n], i, n, params)
	}
}

func hexOrZero(s string) string {
	if v, ok := new(big.Int).SetString(s, 16); ok {
		return v.Text(16)
	}
	return "0"
}

// havocs plays back the bytes that firmproof_havoc and its like wrote.
func (h *harness) havocs(b *strings.Builder) {
	b.WriteString("\nstatic const struct { const char *who; SIZE n; const char *bytes; } fp_bytes[] = {\n")
	for _, in := range h.inputs {
		if in.Kind == "havoc" && in.Name == "volatile" {
			h.left = append(h.left, "volatile copy")
		} else if in.Kind == "havoc" {
			fmt.Fprintf(b, "    {%q, %d, %s}, /* %s */\n", in.Name, len(in.Bytes)/2, cBytes(in.Bytes), in.Pos)
		}
	}
	b.WriteString("    {0, 0, 0}};\nstatic unsigned fp_bytes_at;\nstatic void fp_havoc(const char *who, void *p, SIZE n)\n{\n    if (n == 0) {\n        return;\n    }\n" +
		"    if (fp_bytes[fp_bytes_at].who == 0) {\n        fp_stop(78, \"the trace has no more bytes for\", who);\n    }\n" +
		"    for (SIZE i = 0; i < n; i++) {\n        ((volatile unsigned char *)p)[i] = i < fp_bytes[fp_bytes_at].n ? (unsigned char)fp_bytes[fp_bytes_at].bytes[i] : 0;\n    }\n    fp_bytes_at++;\n}\n")
	b.WriteString(harnessHavoc)
}

// cBytes is a hexadecimal text as a C string.
func cBytes(hex string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i+1 < len(hex); i += 2 {
		fmt.Fprintf(&b, `\x%s""`, hex[i:i+2])
	}
	b.WriteByte('"')
	return b.String()
}

// blocks makes the memory that driven calls are handed: one of no bytes leads to the end of another.
func (h *harness) blocks() string {
	name := "malloc"
	if slices.Contains(h.wrapped(), name) {
		name = "__real_malloc"
	}
	return fmt.Sprintf(`
void *%[1]s(SIZE);
void *firmproof_block(SIZE n)
{
    unsigned char *p = %[1]s(n ? n : 16);
    if (p == 0) {
        fp_stop(78, "no memory for a block", "");
    }
    for (SIZE i = 0; i < (n ? n : 16); i++) {
        p[i] = 0;
    }
    return n ? p : p + 16;
}
void firmproof_put(volatile void *to, const char *bytes, SIZE n) { fp_copy((void *)to, bytes, n); }
`, name)
}

// mallocs wraps the allocators whose success the trace decides.
func (h *harness) mallocs(b *strings.Builder) {
	for _, name := range h.wrapped() {
		decl, args, _ := strings.Cut(allocators[name], "|")
		var ok []string
		for _, in := range h.inputs {
			if in.Kind == "malloc" && in.Name == name {
				ok = append(ok, hexOrZero(in.Value))
			}
		}
		fmt.Fprintf(b, "\nstatic const unsigned char fp_ok_%[1]s[] = {%[2]s};\nstatic unsigned fp_at_%[1]s;\n%[3]s;\n%[4]s\n{\n    if (fp_at_%[1]s < sizeof fp_ok_%[1]s && !fp_ok_%[1]s[fp_at_%[1]s++]) {\n        return 0;\n    }\n    return __real_%[1]s(%[5]s);\n}\n",
			name, strings.Join(ok, ", "), fmt.Sprintf(decl, "__real_"+name), fmt.Sprintf(decl, "__wrap_"+name), args)
	}
}
