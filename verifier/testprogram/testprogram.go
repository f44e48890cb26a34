// Package testprogram compiles small C programs for tests of the engines, and gives their runs inputs.
package testprogram

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Header stands before every program.
const Header = `
extern int nondet_int(void);
extern unsigned nondet_uint(void);
extern unsigned char nondet_uchar(void);
extern float nondet_float(void);
extern double nondet_double(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void *memcpy(void *, const void *, unsigned long);
extern void *memmove(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long);
extern void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
`

// HeaderLines is the number of lines of Header.
var HeaderLines = strings.Count(Header, "\n")

// Lists is C for programs over linked lists: their nodes, push and build.
const Lists = `
struct n { int v; struct n *next; };
static struct n *push(struct n *h) { struct n *t = malloc(sizeof *t); t->v = nondet_int(); t->next = h; return t; }
static struct n *build(int k) { struct n *h = 0; for (int i = 0; i < k; i++) h = push(h); return h; }
`

// Compile makes a module of a C program for x86_64, at an optimisation level like
// "-O1". Loops stay as they are written.
func Compile(t testing.TB, src, level string) *ir.Module {
	t.Helper()
	return compile(t, src, level, "-ffreestanding", "-fno-builtin", "-fno-unroll-loops", "-fno-vectorize")
}

// Trapping makes a module of a C program for x86_64 whose array indices the compiler checks.
func Trapping(t testing.TB, src string) *ir.Module {
	t.Helper()
	return compile(t, src, append(llvmtest.Tools(t).ArrayFlags(), "-O0", "-fsanitize=array-bounds", "-fsanitize-trap=all")...)
}

// Hosted makes a module of a C program for x86_64, without optimisation, with
// the functions of the C library as the compiler knows them, and with the marks of scopes.
func Hosted(t testing.TB, src string) *ir.Module {
	t.Helper()
	return compile(t, src, "-O0", "-Xclang", "-fsanitize-address-use-after-scope")
}

func compile(t testing.TB, src string, flags ...string) *ir.Module {
	t.Helper()
	dir := t.TempDir()
	c, ll := filepath.Join(dir, "main.c"), filepath.Join(dir, "main.ll")
	if err := os.WriteFile(c, []byte(Header+src), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-target", "x86_64-linux-gnu", "-g", "-w", "-Xclang", "-disable-O0-optnone",
		"-fno-discard-value-names", "-S", "-emit-llvm", "-o", ll, c}, flags...)
	if out, err := llvmtest.Clang(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("clang: %v\n%s\n%s", err, out, src)
	}
	m, err := frontend.Read(ll)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Problem asks checks of an entry of m, where allocations succeed.
func Problem(m *ir.Module, entry string, checks ...verdict.Check) *problem.Problem {
	set := verdict.CheckSet{}
	for _, c := range checks {
		set[c] = true
	}
	return &problem.Problem{Module: m, Entry: m.Func(entry), Plan: problem.Plan{Target: "x86_64", Entry: entry,
		Checks: set, Semantics: ir.Semantics{MallocNeverFails: true}}}
}

// Within returns a context that ends with the test, at the latest when the test took so much processor time. Its
// goroutine is the one that works.
func Within(t testing.TB, limit time.Duration) context.Context {
	ctx, cancel := Limit(limit)
	t.Cleanup(cancel)
	return ctx
}

// Limit returns a context with so much processor time for the calling goroutine and the engines that it starts. The same
// goroutine has to call cancel.
func Limit(limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := budget.With(context.Background(), limit)
	done := budget.Work(ctx)
	return ctx, func() { done(); cancel() }
}

// Every says whether a run of the tests takes program i of a family: each second one, or all where FIRMPROOF_LONG is set.
// Those in a row belong together.
func Every(i, row int) bool { return i/row%Sample(1, 2) == 0 }

// Sample says how much of a family of programs, or how long for each, a run of the tests takes: few, or all where
// FIRMPROOF_LONG is set (`make long`).
func Sample[T any](all, few T) T {
	if os.Getenv("FIRMPROOF_LONG") != "" {
		return all
	}
	return few
}
