package encode

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// compile makes a module of C text for a triple (empty: x86_64), as the product does.
func compile(t testing.TB, triple, src string, flags ...string) *ir.Module {
	t.Helper()
	dir := t.TempDir()
	c, ll := filepath.Join(dir, "t.c"), filepath.Join(dir, "t.ll")
	if err := os.WriteFile(c, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	if triple == "" {
		triple = "x86_64-linux-gnu"
	}
	args := append([]string{"-O0", "-g", "-Xclang", "-disable-O0-optnone", "-fno-discard-value-names", "-w",
		"-ffreestanding", "-fno-builtin",
		"--target=" + triple, "-S", "-emit-llvm", "-o", ll, c}, flags...)
	if out, err := llvmtest.Clang(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("clang: %v\n%s", err, out)
	}
	m, err := frontend.Read(ll)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// solverProbe asks a solver of its own.
type solverProbe struct{ solver solve.Solver }

func (p solverProbe) Possible(ctx context.Context, cond ilr.Term) bool { return p.Feasible(ctx, cond) }

func (p solverProbe) Feasible(ctx context.Context, cond ilr.Term) bool {
	a, _ := p.solver.Check(ctx, cond)
	return a != solve.Unsat
}

// encodeMain encodes main with all default checks but leak.
func encodeMain(t testing.TB, m *ir.Module, opts Options) *Formula {
	t.Helper()
	s := ilr.NewStore(nil)
	if opts.Checks == nil {
		opts.Checks = verdict.DefaultChecks()
		delete(opts.Checks, verdict.Leak)
	}
	probe := solverProbe{solve.New(s, solve.Options{})}
	defer probe.solver.Close()
	f, err := Encode(context.Background(), m, m.Func("main"), s, opts, probe)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// violated lists what can fail: claim IDs with their line, and gaps that are reached.
func violated(t testing.TB, f *Formula) []string {
	t.Helper()
	solver := solve.New(f.Store, solve.Options{})
	defer solver.Close()
	for _, a := range f.Assumptions {
		solver.Assert(a)
	}
	got := map[string]bool{}
	ask := func(name string, term ilr.Term, why string) {
		a, err := solver.Check(context.Background(), term)
		if err != nil {
			t.Fatal(err)
		}
		if a == solve.Sat {
			t.Log(name, why)
			got[name] = true
		}
	}
	for _, c := range f.Claims {
		ask(fmt.Sprintf("%s:%d", c.Check, c.Pos.Line), c.Violated, c.Message)
	}
	for _, g := range f.Gaps {
		ask("gap:"+g.Reason.Detail, g.Guard, "")
	}
	var out []string
	for k := range got {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

const prelude = `
int nondet_int(void); unsigned nondet_uint(void); unsigned char nondet_uchar(void); long nondet_long(void); char *nondet_ptr(void);
void __VERIFIER_assume(int); void __VERIFIER_assert(int); void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void free(void *);
void *memcpy(void *, const void *, unsigned long); void *memmove(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
void *realloc(void *, unsigned long); unsigned long strlen(const char *); void exit(int);
char *strcpy(char *, const char *); int strcmp(const char *, const char *); char *strchr(const char *, int); char *strrchr(const char *, int);
char *strstr(const char *, const char *); char *strncpy(char *, const char *, unsigned long); char *strcat(char *, const char *);
int memcmp(const void *, const void *, unsigned long); int strncmp(const char *, const char *, unsigned long);
int toupper(int); int isdigit(int); int isalpha(int);
static int sum(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int r = __builtin_va_arg(l, int); r += __builtin_va_arg(l, int); r += __builtin_va_arg(l, long); __builtin_va_end(l); return r; }
static int inc(int x) { return x + 1; } static int dec(int x) { return x - 1; }
static int fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int *leak(void) { int x; int *p = &x; return p; }
`

// cases: the body of main, and what can fail there, by line of the body.
var programs = []struct{ name, body, want string }{
	{"assert holds", "int x = nondet_int();\n__VERIFIER_assume(x > 3 && x < 10);\n__VERIFIER_assert(x * x < 100);", ""},
	{"assert fails", "int x = nondet_int();\n__VERIFIER_assume(x > 3 && x < 11);\n__VERIFIER_assert(x * x < 100);",
		"assert:3"},
	{"overflow", "int x = nondet_int();\nx = x + 1;", "signed-overflow:2"},
	{"division", "int x = nondet_int();\nx = 5 / x;", "div-by-zero:2"},
	{"division overflow", "int x = nondet_int(), y = nondet_int();\n__VERIFIER_assume(y);\nx = x / y;",
		"signed-overflow:3"},
	{"shift", "int x = nondet_int();\nunsigned y = 1u << x;", "shift:2"},
	{"index", "int a[4]; unsigned i = nondet_uint();\n__VERIFIER_assume(i < 5);\na[i] = 1;", "memory:3"},
	{"index good", "int a[4]; unsigned i = nondet_uint();\n__VERIFIER_assume(i < 4);\na[i] = 1;", ""},
	{"cells", "int a[4] = {1, 2, 3, 4}; unsigned i = nondet_uint();\n__VERIFIER_assume(i < 4);\na[i] = 7;\n__VERIFIER_assert(a[0] == 1 || i == 0);\n__VERIFIER_assert(a[2] == 3);", "assert:5"},
	{"large array", "static int a[1000]; unsigned i = nondet_uint(), j = nondet_uint();\n__VERIFIER_assume(i < 1000 && j < 1000);\na[i] = 7; a[500] = 3;\n__VERIFIER_assert(a[j] == 0 || a[j] == 7 && i == j || j == 500);\n__VERIFIER_assert(a[j] == 0);", "assert:5"},
	{"constant loop", "int s = 0;\nfor (int i = 0; i < 1000; i++) s += i;\n__VERIFIER_assert(s == 499500);", ""},
	{"loop by prober", "unsigned n = nondet_uint(); int s = 0;\n__VERIFIER_assume(n < 10);\nfor (unsigned i = 0; i < n; i++) s++;\n__VERIFIER_assert(s == n);\n__VERIFIER_assert(s != 9);", "assert:5"},
	{"walk over a text", "char s[4]; unsigned pos = 0, n = 0, len = 4;\nfor (int i = 0; i < 4; i++) s[i] = nondet_uchar();\nfor (; pos < len && s[pos]; pos++)\nif (s[pos] == 34) {\nfor (pos++; pos < len && s[pos] != 34; pos++) n++;\nif (pos >= len) break;\n}\n__VERIFIER_assert(pos <= len && n < len);\n__VERIFIER_assert(pos != 3 || n != 2);\n__VERIFIER_assert(n < 3);", "assert:10"},
	{"bound reached", "unsigned n = nondet_uint(); unsigned s = 0;\nfor (unsigned i = 0; i < n; i++) s++;\n__VERIFIER_assert(s == n);", "unwinding:2"},
	{"hang", "while (1)\n ;", ""},
	{"null", "int *p = 0;\n*p = 1;", "memory:2"},
	{"malloc may fail", "int *p = malloc(4);\n*p = 1;", "memory:2"},
	{"malloc", "int *p = malloc(4);\nif (!p) return 1;\n*p = 5;\n__VERIFIER_assert(*p == 5);\nfree(p);", ""},
	{"use after free", "int *p = malloc(4);\nif (!p) return 1;\nfree(p);\n*p = 5;", "memory:4"},
	{"double free", "int *p = malloc(4);\nfree(p);\nfree(p);", "free:3"},
	{"free of local", "int x;\nfree(&x);", "free:2"},
	{"free inside", "char *p = malloc(4);\nif (p)\nfree(p + 1);", "free:3"},
	{"switch", "int x = nondet_int(), y;\nswitch (x) { case 1: y = 10; break; case 2: y = 20; break; case 7: y = 70; break; default: y = 0; }\n__VERIFIER_assert(y == 0 || y == x * 10);\n__VERIFIER_assert(y != 70);", "assert:4"},
	{"pointer join", "int a = 1, b = 2, *p; int x = nondet_int();\nif (x) p = &a; else p = &b;\n*p = 9;\n__VERIFIER_assert(x ? a == 9 && b == 2 : b == 9 && a == 1);", ""},
	{"memset symbolic", "char b[16]; unsigned n = nondet_uint();\n__VERIFIER_assume(n <= 16);\nmemset(b, 1, 16); memset(b, 7, n);\nunsigned i = nondet_uint(); __VERIFIER_assume(i < 16);\n__VERIFIER_assert(b[i] == (i < n ? 7 : 1));", ""},
	{"memcpy bounds", "char a[8], b[4] = {0};\nmemcpy(a, b, 8);", "memory:2"},
	{"memcpy large", "static char a[2000], b[2000]; unsigned n = nondet_uint(), i = nondet_uint();\n__VERIFIER_assume(n <= 2000 && i < 2000);\nmemset(b, 3, 2000); memcpy(a, b, n);\n__VERIFIER_assert(a[i] == (i < n ? 3 : 0));\n__VERIFIER_assert(a[i] == 0);", "assert:5"},
	{"inttoptr round trip",
		"int x = 3; unsigned long a = (unsigned long)&x;\n*(int *)a = 4;\n__VERIFIER_assert(x == 4);", ""},
	{"tagged pointer", "long x = 3; unsigned long a = (unsigned long)&x | 1;\n__VERIFIER_assert(a & 1);\n*(long *)(a & ~1ul) = 4;\n__VERIFIER_assert(x == 4);", ""},
	{"struct copy", "struct s { int a; char *p; short c[3]; } x = {1, 0, {2, 3, 4}}, y; x.p = (char *)&x;\ny = x;\n__VERIFIER_assert(y.a == 1 && y.p == (char *)&x && y.c[2] == 4);", ""},
	{"uninitialised", "int x;\nif (x) return 1;", "uninitialised:2"},
	{"uninitialised bits",
		"struct { unsigned a : 3, b : 5; } s;\ns.a = 3;\nif (s.a != 3) return 1;\nif (s.b) return 1;",
		"uninitialised:4"},
	{"float", "float f = nondet_int();\n__VERIFIER_assume(f > 1.0f && f < 10.0f);\n__VERIFIER_assert(f + 1.0f > 2.0f);\n__VERIFIER_assert(f != 5.0f);", "assert:4"},
	{"float to int", "float f = nondet_int(); int x = f;\n__VERIFIER_assume(f >= 0 && f < 100);\n__VERIFIER_assert(x >= 0 && x < 100);\nunsigned char c = f * 0.5f; __VERIFIER_assert(c <= 50);\n__VERIFIER_assert((double)c != 7);", "assert:5 float-conversion:1"},
	{"strlen", "char s[5]; s[4] = 0; for (int i = 0; i < 4; i++) s[i] = nondet_uchar();\nunsigned long n = strlen(s);\n__VERIFIER_assert(n <= 4);\n__VERIFIER_assert(n != 3);", "assert:4"},
	{"strlen unterminated",
		"char s[4]; for (int i = 0; i < 4; i++) s[i] = nondet_uchar();\nunsigned long n = strlen(s);\n__VERIFIER_assert(n < 4);", "memory:2"},
	{"strcpy", "char s[6], d[4]; s[5] = 0; for (int i = 0; i < 5; i++) s[i] = nondet_uchar();\n__VERIFIER_assume(!s[nondet_uint() & 3]);\nstrcpy(d, s); __VERIFIER_assert(strcmp(d, s) == 0);\n__VERIFIER_assert(strlen(d) != 3);", "assert:4"},
	{"strcpy overflow", "char s[6], d[4]; s[5] = 0; for (int i = 0; i < 5; i++) s[i] = nondet_uchar();\nstrcpy(d, s);",
		"memory:2"},
	{"strings", "char s[8] = \"abcabc\", t[4];\n__VERIFIER_assert(strchr(s, 'c') == s + 2 && strrchr(s, 'c') == s + 5 && strstr(s, \"bca\") == s + 1 && !strchr(s, 'x'));\nstrncpy(t, s, 4); __VERIFIER_assert(memcmp(t, \"abca\", 4) == 0 && strncmp(s, \"abd\", 2) == 0);\nt[2] = 0; strcat(t, \"z\"); __VERIFIER_assert(t[2] == 'z' && !t[3]);\n__VERIFIER_assert(toupper(s[0]) == 'A' && isdigit('7') && !isalpha(nondet_uint() % 10 + '0'));", ""},
	{"ctype", "int c = nondet_int();\nisalpha(c);", "builtin:2"},
	{"variadic", "int r = sum(3, 1, nondet_uchar(), 3l);\n__VERIFIER_assert(r >= 4 && r < 260);\n__VERIFIER_assert(r != 10);", "assert:3"},
	{"function pointer", "int (*f)(int) = nondet_int() ? inc : dec;\nint r = f(5);\n__VERIFIER_assert(r == 6 || r == 4);\n__VERIFIER_assert(r != 4);\nf = 0; f(1);", "assert:4 memory:5"},
	{"recursion", "__VERIFIER_assert(fib(10) == 55);\nunsigned n = nondet_uint(); __VERIFIER_assume(n < 6);\n__VERIFIER_assert(fib(n) <= 5);\n__VERIFIER_assert(fib(n) != 3);", "assert:4"},
	{"vla", "unsigned n = nondet_uint();\n__VERIFIER_assume(n > 0 && n < 50);\nint a[n]; a[n - 1] = 3;\n__VERIFIER_assert(a[n - 1] == 3);\na[n] = 1;", "memory:5"},
	{"scope", "int *p; { int x = 1; p = &x; }\nint *q = leak(); *q = 1;", "memory:2"},
	{"goto into loop", "int n = 0, x = nondet_int(); if (x) goto in;\nwhile (n < 5) { n++; in: n += 2; }\n__VERIFIER_assert(n == 5 || n == 6);\n__VERIFIER_assert(n != 5);", "assert:4"},
	{"pointer difference",
		"int a[4]; int *p = nondet_int() ? &a[3] : &a[2];\nlong d = (char *)p - (char *)a;\n__VERIFIER_assert(d == 12 || d == 8);\n__VERIFIER_assert(d != 8);", "assert:4"},
	{"exchange", "_Atomic int x = 5; int want = 5, other = 3;\n__VERIFIER_assert(__c11_atomic_compare_exchange_strong(&x, &want, 7, 5, 5) && x == 7);\n__VERIFIER_assert(!__c11_atomic_compare_exchange_strong(&x, &other, 9, 5, 5) && x == 7 && other == 7);", ""},
	{"weak exchange", "_Atomic int x = 5; int w = 5;\nint ok = __c11_atomic_compare_exchange_weak(&x, &w, 7, 5, 5);\n__VERIFIER_assert(ok ? x == 7 : x == 5 && w == 5);\n__VERIFIER_assert(ok);", "assert:4"},
	{"atomic extremes", "unsigned u = 0x80000000u; int i = -1;\n__VERIFIER_assert(__atomic_fetch_min(&u, 3u, 5) == 0x80000000u && u == 3);\n__atomic_fetch_max(&u, 0x80000001u, 5); __VERIFIER_assert(u == 0x80000001u);\n__atomic_fetch_min(&i, 2, 5); __VERIFIER_assert(i == -1);\n__atomic_fetch_max(&i, 2, 5); __VERIFIER_assert(i == 2);", ""},
	{"aligned block", "int posix_memalign(void **, unsigned long, unsigned long); char *p = 0; int r = posix_memalign((void **)&p, 64, 8);\n__VERIFIER_assert(r ? !p : p && (unsigned long)p % 64 == 0);\nif (!r) { p[7] = 1;\np[8] = 1; }", "memory:4"},
	{"block with any alignment", "int posix_memalign(void **, unsigned long, unsigned long); char *p = 0;\n" +
		"unsigned long a = nondet_uint(); int r = posix_memalign((void **)&p, a, 8);\n" +
		"__VERIFIER_assert(r == 0 || r == 12 || r == 22);\n__VERIFIER_assert(r ? !p : p != 0);\n" +
		"__VERIFIER_assert(a != 24 && a != 2 && a != 0 || r == 22);\n__VERIFIER_assert(a != 64 || r != 22);\n" +
		"__VERIFIER_assert(r != 22);\n__VERIFIER_assert(r || a != 4096);", "assert:7 assert:8"},
	{"aligned block into a constant",
		"int posix_memalign(void **, unsigned long, unsigned long); static char *const p = 0;\nposix_memalign((void **)&p, 16, 8);", "memory:2"},
	{"array and its bytes",
		"static int a[1000]; unsigned i = nondet_uint();\n__VERIFIER_assume(i < 1000);\na[i] = 0x01020304;\n__VERIFIER_assert(a[3] == 0 || i == 3);\n__VERIFIER_assert(((char *)a)[13] == 0 || ((char *)a)[13] == 3);\n__VERIFIER_assert(a[3] == 0);", "assert:6"},
	{"fills of different lengths",
		"char a[16] = {0}, b[16] = {0};\nif (nondet_int()) { memset(a, 1, 8); memset(b, 2, 4); } else { memset(a, 2, 4); memset(b, 1, 8); }\n__VERIFIER_assert(a[0] == 1 && a[5] == 1 || a[0] == 2 && a[5] == 0);\n__VERIFIER_assert(b[0] == 1 && b[5] == 1 || b[0] == 2 && b[5] == 0);", ""},
	{"realloc that fails", "char *p = malloc(4); if (!p) return 1;\nchar *q = realloc(p, 1);\nif (!q) *p = 1;", ""},
	{"realloc to nothing", "char *p = malloc(4), *q; if (!p) return 1;\nq = realloc(p, 0);\nif (!q) *p = 1;",
		"memory:3"},
	{"members of elements",
		"struct { int a, b; } s[4]; unsigned i = nondet_uint();\n__VERIFIER_assume(i < 4);\ns[i].a = 1; s[i].b = 2;\n__VERIFIER_assert(s[i].a == 1 && s[i].b == 2);", ""},
	{"memcpy between sizes",
		"static char a[2000], b[1000]; unsigned n = nondet_uint(), i = nondet_uint();\n__VERIFIER_assume(n <= 1000 && i < 2000);\nmemset(b, 3, 1000); memcpy(a, b, n);\n__VERIFIER_assert(a[i] == (i < n ? 3 : 0));", ""},
	{"memcpy into a large array",
		"static short a[10000], b[10000]; unsigned i = nondet_uint();\n__VERIFIER_assume(i < 9000);\nb[2] = 7;\nmemcpy(a + i, b, 600);\n__VERIFIER_assert(a[i + 2] == 7 && a[i + 3] == 0);\n__VERIFIER_assert(a[5] == 0);", "assert:6"},
	{"havoc of one of two objects",
		"void __CPROVER_havoc_object(void *); char a = 1, b = 1; char *p = nondet_int() ? &a + 1 : &b;\n__CPROVER_havoc_object(p);\n__VERIFIER_assert(a == 1 || b == 1);\n__VERIFIER_assert(a == 1);\n__VERIFIER_assert(b == 1);", "assert:4 assert:5"},
	{"uninitialised on the right", "int x, y = nondet_int();\nif (y == x) return 1;", "uninitialised:2"},
	{"uninitialised in its last byte",
		"union { int i; char c[4]; } u; u.c[0] = u.c[1] = u.c[2] = 1;\nif (u.i == 0x10101) return 1;",
		"uninitialised:2"},
	{"uninitialised and printed",
		"int printf(const char *, ...); int x, y = 2;\nprintf(\"%d\", y);\nprintf(\"%d %d\", y, x);",
		"uninitialised:3"},
	{"printf of two strings",
		"int printf(const char *, ...); int n = nondet_int(); char *t = n < 0 ? 0 : \"x\";\nprintf(\"%.*s %s\", n, \"y\", t);", "memory:2"},
	{"computed goto", "void *t[2] = {&&one, &&two}; int x = 0;\ngoto *t[nondet_uint() & 1];\none: x = 1; goto out;\ntwo: x = 2;\nout: __VERIFIER_assert(x == 1 || x == 2);\n__VERIFIER_assert(x != 1);\n__VERIFIER_assert(x != 2);", "assert:6 assert:7"},
	{"pointer compare", "int a, b;\nif (&a < &b) return 1;", "pointer-compare:2"},
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			m := compile(t, "", prelude+"int main(void) {\n#line 1\n"+p.body+"\nreturn 0; }\n")
			f := encodeMain(t, m, Options{})
			if got := strings.Join(violated(t, f), " "); got != p.want {
				t.Errorf("got %q, want %q", got, p.want)
			}
		})
	}
}

// TestCalleeKeepsRegisters: a register that outlives its loop keeps its value over
// a call of the same function, whose instructions have the same numbers.
func TestCalleeKeepsRegisters(t *testing.T) {
	const src = `extern int nondet_int(void); extern void __CPROVER_assert(int, const char *); int g, h;
__attribute__((noinline)) int f(int d) {
  unsigned i = 0;
  do { i++; } while (nondet_int() && i != 4);
  if (d == 1) g = i;
  if (d == 0) h = i;
  if (d) { f(d - 1); __CPROVER_assert(g == (int)i, "kept"); __CPROVER_assert(%s, ""); }
  return i;
}
int main(void) { return f(1); }`
	for claim, want := range map[string]int{"h <= 4 && h >= 1": 0, "h == (int)i": 1} {
		m := compile(t, "", fmt.Sprintf(src, claim), "-O1", "-fno-inline")
		if got := violated(t, encodeMain(t, m, Options{Checks: verdict.CheckSet{verdict.Assert: true}})); len(
			got) != want {
			t.Errorf("%s: %q", claim, got)
		}
	}
}
