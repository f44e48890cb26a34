package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// outsides are pairs of programs with what is not in them: functions without a body, variables without a definition,
// contracts. Each has the status of its first entry, and words of the report.
var outsides = []struct {
	name, args, src string
	want            verdict.Status
	says            string
}{
	{"receives whatever is said", "", queueC + `int f(void *q) { int v; xQueueReceive(q, &v, 1); return v > 3; }`,
		verdict.Violated, "indeterminate"},
	{"receives where it is said", "", queueC + `int f(void *q) { int v; return xQueueReceive(q, &v, 1) == 1 && v > 3; }`,
		verdict.Proved, ""},
	{"a byte that read did not write", "", reads + `int f(int d) { char b[8]; return read(d, b, 8) < 0 ? 0 : b[7]; }`,
		verdict.Violated, "indeterminate"},
	{"the bytes that read wrote", "", reads + `int f(int d) { char b[8]; long n = read(d, b, 8); return n < 1 ? 0 : b[n - 1]; }`,
		verdict.Proved, ""},
	{"const keeps", "--stub *=havoc", writes + `int main(void) { char b = 1; put(&b, 1); firmproof_assert(b == 1, ""); return 0; }`,
		verdict.Proved, ""},
	{"without const it does not", "--stub *=havoc", strings.Replace(writes, "const ", "", 1) +
		`int main(void) { char b = 1; put(&b, 1); firmproof_assert(b == 1, ""); return 0; }`, verdict.Violated, ""},
	{"an undefined number", "", `extern int n; int f(void) { return n + 1; }`, verdict.Unknown, "declares and does not define"},
	{"a defined number", "", `int n; void up(void) { n++; } extern int m; int f(void) { int a[1] = {m}; return a[1]; }`,
		verdict.Violated, "array index"},
	{"an undefined array", "", `extern char a[]; char f(void) { return a[3]; }`, verdict.Unknown, "declares and does not define"},
	{"an undefined pointer beside it", "", `extern char a[], *p; extern _Bool b; extern int n;
int f(void) { if (b) return a[0]; return n + 1 + *p; }
int main(void) { return f(); }`,
		verdict.Unknown, "declares and does not define"},
	{"an undefined truth value", "", `extern _Bool b; int f(void) { return b ? 1 : 2; }`, verdict.Proved, ""},
	{"a function runs later", "--stub *=havoc", `#include "firmproof.h"
int start(void (*f)(void)); static int n; static void g(void) { n = 1; }
int main(void) { start(g); firmproof_assert(n == 0, ""); return 0; }`, verdict.Unknown, "start"},
	{"no function runs later", "--stub *=havoc", `#include "firmproof.h"
int start(int f); static int n;
int main(void) { start(1); firmproof_assert(n == 0, ""); return 0; }`, verdict.Proved, ""},
	{"a false invariant", "", `int f(void) { int i = 0; while (i < 9) __CPROVER_loop_invariant(i <= 5) { i++; } return i; }`,
		verdict.Violated, "invariant"},
	{"a true invariant", "", `int f(void) { int i = 0; while (i < 9) __CPROVER_loop_invariant(i <= 9) { i++; } return i; }`,
		verdict.Proved, ""},
	{"a contract", "", "int f(int x)\n__CPROVER_ensures(__CPROVER_return_value == 1)\n{ return x & 1; }",
		verdict.Unknown, "__CPROVER_ensures is not followed"},
}

const (
	queueC = "long xQueueReceive(void *q, void *to, unsigned ticks);\n"
	reads  = "long read(int file, void *to, unsigned n);\n"
	writes = "#include \"firmproof.h\"\nint put(const char *from, unsigned n);\n"
)

// TestOutsides: what is outside of a program is taken for no more than what is known of it.
func TestOutsides(t *testing.T) {
	for _, c := range outsides {
		t.Run(c.name, func(t *testing.T) {
			dir := writeTree(t, map[string]string{"src.c": c.src + "\n"})
			args := append([]string{filepath.Join(dir, "src.c"), "--target", "cortex-m3"}, strings.Fields(c.args)...)
			_, rep, errs := checkJSON(t, args...)
			if rep == nil || len(rep.Results) == 0 {
				t.Fatalf("no result: %s", errs)
			}
			r := &rep.Results[len(rep.Results)-1]
			said := ""
			for i := range r.Claims {
				if why := r.Claims[i].Reason; why != nil && why.Kind == verdict.ReplayMismatch {
					t.Errorf("%s: %s", r.Claims[i].ID, why)
				}
				said += r.Claims[i].Message + r.Claims[i].Reason.String()
			}
			if !meets(r.Status, c.want) || !strings.Contains(said, c.says) {
				t.Errorf("%s: %v, want %v with %q:\n%s", r.Entry, r.Status, c.want, c.says, said)
			}
		})
	}
}
