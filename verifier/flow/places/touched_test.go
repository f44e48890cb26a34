package places_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// touchedIn words what the function h of a program touches, and how many accesses of function f may meet that:
// "reads x, writes x y; f 2".
func touchedIn(m *ir.Module) string {
	touched := places.TouchedBy(m, []*ir.Func{m.Func("h")}, func(at uint64, n int64) bool { return at >= 0x1000 && at+uint64(n) <= 0x2000 })
	var out []string
	list := func(what string, in map[*ir.Global]bool) {
		var names []string
		for g, is := range in {
			if is {
				names = append(names, ir.NameOf(g))
			}
		}
		if slices.Sort(names); len(names) > 0 {
			out = append(out, what+" "+strings.Join(names, " "))
		}
	}
	list("reads", touched.Reads)
	list("writes", touched.Writes)
	if touched.AnyRead() {
		out = append(out, "any read")
	}
	if touched.AnyWrite {
		out = append(out, "any write")
	}
	words := strings.Join(out, ", ")
	if f := m.Func("f"); f != nil {
		escapes, n := ir.Escapes(f), 0
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if touched.Conflict(in, escapes) {
					n++
				}
			}
		}
		words += fmt.Sprintf("; f %d", n)
	}
	return words
}

// TestTouched: what a handler reads and writes, and which accesses of a function notice that, or are noticed.
func TestTouched(t *testing.T) {
	const s = "static int x, y, *p; static const int k = 3; void g(int *q) { *q = 1; } "
	holdTo(t, touchedIn, []words{
		{s + "void h(void) { }", ""},
		{s + "int h(void) { return x; }", "reads x"},
		{s + "void h(void) { x = 1; }", "writes x"},
		{s + "void h(void) { x = y; }", "reads y, writes x"},
		{s + "void h(void) { p = &x; }", "reads x, writes p x"},
		{s + "void i(void) { y = 1; } void h(void) { i(); }", "writes y"},
		{s + "void i(void) { y = 1; } void (*at)(void) = i; void j(void (*f)(void)) { f(); } void h(void) { j(i); }", "writes y, any read, any write"},
		{s + "int h(void) { return *p; }", "reads p, any read"},
		{s + "void h(void) { *p = 1; }", "reads p, any write"},
		{s + "void h(void) { int n = 1; n++; }", ""},
		{s + "void h(void) { int n = 1; g(&n); }", "any write"},
		{s + "void h(void) { g(&x); }", "reads x, writes x"},
		{s + "void i(int *q) { int *r = q; r[1] = 1; } void h(void) { i(&x); i(&y); }", "reads x y, writes x y"},
		{s + "void i(int **q) { **q = 1; } void h(void) { int *q = &x; i(&q); }", "reads x, writes x, any read, any write"},
		{s + "void i(int *q) { *q = 1; } void (*at)(int *) = i; void h(void) { i(&x); }", "reads x, writes x, any write"},
		{s + "void i(int *q, int n) { *q = n; if (n) i(q + 1, n - 1); } void h(void) { i(&x, 3); }", "reads x, writes x"},
		{s + "void h(void) { *(int *)0x1000 = *(int *)0x1004; }", ""},
		{s + "void h(void) { *(int *)0x1ffc = 1; }", ""},
		{s + "void h(void) { *(int *)0x1ffe = 1; }", "any write"},
		{s + "void h(void) { *(int *)0x2000 = 1; }", "any write"},
		{s + "void i(int *u, int n) { u[1] = n; } void h(void) { i((int *)0x1000, 3); i((int *)0x1008, 3); }", ""},
		{s + "void i(int *u, int n) { u[n] = n; } void h(void) { i((int *)0x1000, 3); }", "any write"},
		{s + "void h(void) { x = 1; } void f(int n) { int *u = (int *)0x1000; u[2] = 1; u[n] = 2; }", "writes x; f 1"},
		{s + "void h(void) { memset(&x, 0, 4); }", "writes x"},
		{s + "void h(void) { memcpy(&x, &y, 4); }", "reads y, writes x"},
		{s + "void h(void) { x = 1; } int f(void) { return x; }", "writes x; f 1"},
		{s + "void h(void) { x = 1; } int f(void) { return y; }", "writes x; f 0"},
		{s + "void h(void) { y = x; } int f(void) { return x; }", "reads x, writes y; f 0"},
		{s + "void h(void) { y = x; } void f(void) { x = 1; }", "reads x, writes y; f 1"},
		{s + "void h(void) { x = 1; } int f(void) { int n = 3; return n; }", "writes x; f 0"},
		{s + "void h(void) { x = 1; } int f(int *q) { return *q; }", "writes x; f 1"},
		{s + "void h(void) { *p = 1; } int f(void) { return k + x; }", "reads p, any write; f 1"},
		{s + "void h(void) { *p = 1; } int f(void) { int n = 3; p = &n; return n; }", "reads p, any write; f 3"},
		{s + "int h(void) { return *p; } void f(void) { x = 1; }", "reads p, any read; f 1"},
		{s + "int h(void) { return *p; } int f(void) { return x; }", "reads p, any read; f 0"},
	})
}
