package verifier

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestOutside: what holds whatever a function without a body does is proved behind its call, and nothing else: each
// program is one that such a function can break, or one token away from it.
func TestOutside(t *testing.T) {
	const no, yes = verdict.Unknown, verdict.Proved
	for name, c := range map[string]struct {
		src  string
		want verdict.Status // of the assertion in the last line
	}{
		"a result": {`int f(void); int main(void) { int x = f() & 3;
			CHECK(x < 4); }`, yes},
		"a result of which more is said": {`int f(void); int main(void) { int x = f() & 3;
			CHECK(x < 3); }`, no},
		"a pointer": {`void *f(void); int main(void) { void *p = f(); if (!p) p = (void *)-12L;
			int bad = (unsigned long)p > -4096UL;
			CHECK(p != 0 && (bad || (unsigned long)p <= -4096UL)); }`, yes},
		"a pointer that may be null": {`void *f(void); int main(void) { void *p = f();
			CHECK(p != 0); }`, no},
		"a local": {`void f(void); int main(void) { int x = 3; f();
			CHECK(x == 3); }`, yes},
		"a local, passed": {`void f(int *); int main(void) { int x = 3; f(&x);
			CHECK(x == 3); }`, no},
		"a local, passed and written again": {`void f(int *); void g(void);
			int main(void) { int x; f(&x); x = 3; g();
			CHECK(x == 3); }`, no},
		"a local, passed as a number": {`void f(long); int main(void) { int x = 3; f((long)&x);
			CHECK(x == 3); }`, no},
		"a local, passed in a structure": {`struct s { int *p; }; void f(struct s);
			int main(void) { int x = 3; struct s s = {&x}; f(s);
			CHECK(x == 3); }`, no},
		"a local, by a variable": {`int *at; void f(void); int main(void) { int x = 3; at = &x; f();
			CHECK(x == 3); }`, no},
		"a local, by its first member": {`void f(int *); int main(void) { struct { int a, b; } s = {1, 2}; f(&s.a);
			CHECK(s.b == 2); }`, no},
		"a local of the caller": {`void f(void); void keep(int *); static void g(int *p) { f();
			CHECK(*p == 3); } int main(void) { int x = 3; keep(&x); g(&x); }`, no},
		"a local, copied by memcpy": {`void f(int *);
			int main(void) { int x = 3, y; f(&x); __builtin_memcpy(&y, &x, 4);
			CHECK(y == 3); }`, no},
		"a local, returned": {`int *f(int *); int main(void) { int x = 3; int *p = f(&x);
			CHECK(p != &x || *p == 3); }`, no},
		"a variable": {`int v = 3; void f(void); int main(void) { f();
			CHECK(v == 3); }`, no},
		"a static variable, which another function writes": {`static int v = 3; void set(int n) { v = n; } void f(void);
			int main(void) { set(3); f();
			CHECK(v == 3); }`, no},
		"a static variable of a function": {`static int count(void) { static int n; return ++n; } void f(void);
			int main(void) { f();
			CHECK(count() == 1); }`, no},
		"a variable, written behind the call": {`int v; void f(void); int main(void) { f(); v = 3;
			CHECK(v == 3); }`, yes},
		"a variable, written before the last call": {`int v; void f(void); int main(void) { f(); v = 3; f();
			CHECK(v == 3); }`, no},
		"a variable, by a pointer": {`int v; void f(void); int main(void) { int *p = &v; v = 3; f();
			CHECK(*p == 3); }`, no},
		"a variable that is kept": {`int v; void f(int **); int main(void) { int *p = &v; int w = 3; f(&p); *p = 4;
			CHECK(w == 3); }`, no},
		"a constant": {`static const int v[2] = {3, 4}; void f(const int *); int main(void) { int i = nondet_int() & 1; f(v);
			CHECK(v[i] == i + 3); }`, yes},
		"memory of its own": {`int v; int *f(void); int main(void) { v = 0; int x = *f();
			CHECK(x == 0); }`, no},
		"memory of its own, written": {`static int v; int *f(void); int main(void) { v = 0; *f() = 1;
			CHECK(v == 1); }`, no},
		"a function of its own": {`static int v; void (*f(void))(void); int main(void) { v = 0; f()();
			CHECK(v == 0); }`, no},
		"a callback": {`void g(int n) {
			CHECK(n == 3); } void f(void); int main(void) { g(3); f(); }`, no},
		"a callback that is careful": {`void g(int n) { if (n == 3)
			CHECK(n == 3); } void f(void); int main(void) { g(3); f(); }`, yes},
		"a callback with a state": {`static int on; void g(void) { int was = on; on = 1;
			CHECK(!was); on = 0; } void f(void); int main(void) { g(); f(); }`, no},
		"a callback in the middle": {`static int on; void f(void); void g(void) { on = 1; f();
			CHECK(on); on = 0; } int main(void) { g(); }`, no},
		"a thread": {`static int v; static void *g(void *p) { v = 1; return p; } int thread(void *(*)(void *));
			int main(void) { thread(g); v = 0;
			CHECK(v == 0); }`, no},
		"two returns": {`int setjmp(long *); static long buf[32];
			int main(void) { int n = 0; int again = setjmp(buf); n++;
			CHECK(n == 1 || !again); }`, no},
		"a block": {`void *malloc(unsigned long); void f(int *);
			int main(void) { int *p = malloc(4); if (!p) return 0; *p = 3; f(p);
			CHECK(*p == 3); }`, no},
		"a loop": {`int f(void); int main(void) { unsigned n = 0; while (f()) n = n < 9 ? n + 1 : 0;
			CHECK(n < 10); }`, yes},
		"a loop that goes too far": {`int f(void);
			int main(void) { unsigned n = 0; while (f()) n = n < 10 ? n + 1 : 0;
			CHECK(n < 10); }`, no},
		"it does not return": {`_Noreturn void f(void); int main(void) { int x = nondet_int(); if (x != 3) f();
			CHECK(x == 3); }`, yes},
		"it returns": {`void f(void); int main(void) { int x = nondet_int(); if (x != 3) f();
			CHECK(x == 3); }`, no},
		"an external variable": {`extern int v; void f(void); int main(void) { int x = v; f();
			CHECK(x == v); }`, no},
		"what a variable leads to": {`static int v = 3, *at; void f(void);
			int main(void) { at = &v; f(); v = 3; int x = *at;
			CHECK(x == 3); }`, no},
		"what a local leads to": {`static int v; void f(void);
			int main(void) { int *at = &v; f(); v = 3; int x = *at;
			CHECK(x == 3); }`, no},
		"a function that may be missing, and is called": {`__attribute__((weak)) void f(void);
			int main(void) { if (f) f();
			CHECK(f != 0); }`, verdict.Violated},
		"an object of a type that is not known": {`extern struct s t; void f(struct s *);
			int main(void) { int x = 3; f(&t);
			CHECK(x == 3); }`, yes},
		"an element of a local": {`void f(int *); int main(void) { int a[3] = {1, 2, 3}; int *p = a; f(p + 1);
			CHECK(a[2] == 3); }`, no},
		"an element of an array that it does not know": {`int f(void);
			int main(void) { int a[3] = {1, 2, 3}; unsigned i = f();
			CHECK(i > 2 || a[i] == (int)i + 1); }`, yes},
		"a result in memory": {`struct s { int a, b, c, d, e; }; struct s f(void);
			int main(void) { struct s s = {1, 2, 3, 4, 5}; s = f();
			CHECK(s.e == 5); }`, no},
		"a variable number of arguments": {`int f(); int main(void) { int x = 3, y = 4; f(1, &x, 2.0);
			CHECK(x == 3); return y; }`, no},
		"a list of arguments": {`void f(__builtin_va_list); static int g(int n, ...) { __builtin_va_list l;
			__builtin_va_start(l, n); f(l);
			int x = __builtin_va_arg(l, int); __builtin_va_end(l); return x; } int main(void) { int x = g(1, 3, 4);
			CHECK(x == 3); }`, no},
		"a string": {`void f(char *); unsigned long strlen(const char *);
			int main(void) { char s[4] = "ab"; f(s); int n = strlen(s);
			CHECK(n == 2); }`, no},
		"an atomic read": {`void f(int *); int main(void) { int x = 3; f(&x); int y = __atomic_load_n(&x, 5);
			CHECK(y == 3); }`, no},
		"an atomic sum": {`void f(int *); int main(void) { int x = 3; f(&x); int y = __atomic_fetch_add(&x, 1, 5);
			CHECK(y == 3); }`, no},
		"assembly": {`void f(void);
			int main(void) { int x = 3; int *p; __asm("" : "=r"(p) : "0"(&x)); f(); int y = *p;
			CHECK(y == 3); }`, no},
		"recursion": {`void f(int *); static int g(int n) { int x = n; if (n > 0) { f(&x); g(n - 1); }
			CHECK(x == n); return x; } int main(void) { g(1); }`, no},
		"recursion with locals that it does not know": {`void f(int *); static int g(int n) { int x = n, y;
			if (n > 0) { f(&y); g(n - 1); }
			CHECK(x == n); return x; } int main(void) { g(1); }`, yes},
		"the entry twice": {`static int n; void f(void); int main(void) { if (n++ == 0) f();
			CHECK(n >= 1); }`, no},
		"behind what may fail": {`int f(void); int main(void) { int a[2] = {0, 0}; int i = f(); a[i] = 0;
			CHECK(i >= 0 && i < 2); }`, no},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := testprogram.Compile(t, c.src, "-O0")
			for _, checks := range []verdict.CheckSet{{verdict.Assert: true}, verdict.DefaultChecks()} {
				delete(checks, verdict.Leak)
				res := Run(context.Background(), m, Plan{Entry: "main", Checks: checks,
					Semantics: ir.Semantics{VolatileMemory: true}})
				asserted := false
				for _, x := range res.Claims {
					asserted = asserted || x.Check == verdict.Assert
					if x.Check == verdict.Assert && x.Status != c.want {
						t.Errorf("%s, want %s: %+v", x.Status, c.want, x)
					}
				}
				if !asserted && c.want == yes || c.want == no && res.Status == verdict.Proved {
					t.Errorf("the result is %s", res.Status)
				}
			}
		})
	}
}

// TestOutsideUninitialised: what a function without a body may leave alone may be indeterminate.
func TestOutsideUninitialised(t *testing.T) {
	for src, want := range map[string]verdict.Status{
		`void f(int *); int main(void) { int x; f(&x); if (x) return 1; return 0; }`:     verdict.Unknown,
		`void f(int *); int main(void) { int x = 0; f(&x); if (x) return 1; return 0; }`: verdict.Proved,
	} {
		res := Run(context.Background(), testprogram.Compile(t, src, "-O0"), Plan{Entry: "main",
			Checks: verdict.CheckSet{verdict.Uninitialised: true}})
		if res.Status != want {
			t.Errorf("%s: %s, want %s: %+v", src, res.Status, want, res.Claims)
		}
	}
}
