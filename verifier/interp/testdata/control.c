// Control flow and values: loops, switch, recursion, function pointers, labels, structs by value, vectors, floats.
struct pair { long a, b; };
struct big { int v[10]; };
//! loop(10) => returned control.c:5:112 32
int loop(int n) { int s = 0; for (int i = 1; i <= n; i++) { if (i == 4) continue; if (i == 9) break; s += i; } return s; }
//! cases(-5) => returned control.c:9:104 1
//! cases(7) => returned control.c:9:104 8
//! cases(8) => returned control.c:9:104 0
int cases(int n) { switch (n) { case -5: return 1; case 7: n++; case 9: return n; default: return 0; } }
//! fib(12) => returned control.c:11:18 144
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
static int (*const table[])(int) = {twice, thrice, 0};
//! indirect(1) => returned control.c:17:23 21
//! indirect(2) => violation memory control.c:17:30: call through a pointer to address 0x0000000000000000
int indirect(int i) { return table[i](7); }
//! mistyped() => violation memory control.c:19:82: call of twice through a pointer of another type: 2 arguments, 1 declared
int mistyped(void) { long (*f)(long, long) = (long (*)(long, long))twice; return f(1, 2); }
//! labels(1) => returned control.c:21:96 2
int labels(int i) { static void *const t[] = {&&a, &&b}; goto *t[i]; a: return 1; b: return 2; }
static struct pair swap(struct pair p) { struct pair q = {p.b, p.a}; return q; }
static int total(struct big b) { int s = 0; for (int i = 0; i < 10; i++) s += b.v[i]; b.v[0] = 99; return s; }
//! by_value(3, 4) => returned control.c:25:98 437
long by_value(long a, long b) { struct pair p = {a, b}; p = swap(p); struct big g = {{1, 2, 3}}; return p.a * 100 + p.b * 10 + total(g) + g.v[0]; }
typedef int v4 __attribute__((vector_size(16)));
//! vector(5) => returned control.c:28:90 54
int vector(int n) { v4 a = {1, 2, 3, 4}, b = {n, n, n, n}; a = a * b + (v4){1, 1, 1, 1}; return a[0] + a[1] + a[2] + a[3]; }
//! floats(7) => returned control.c:30:68 361
int floats(int n) { double d = n / 2.0; float f = (float)d * 3.0f; return (int)(d * 100) + (f > 10.4f) + (int)f; }
//! notfit(1) => violation float-conversion control.c:32:49: floating-point value 1e+20 does not fit 32 bits
int notfit(int n) { double d = 1e20 * n; return (int)d; }
//! volatiles(4, 5) => returned control.c:34:85 453
int volatiles(void) { static volatile int reg; volatile int local = 3; int a = reg; return a * 100 + reg * 10 + local; }
//! builtins(12) => returned control.c:36:70 1374
int builtins(unsigned n) { int r; __builtin_add_overflow(n, 4u, &n); return __builtin_popcount(n) * 100 + __builtin_clz(n) * 10 + __builtin_ctz(n) + (__builtin_mul_overflow((int)n, 1 << 30, &r) ? 1000 : 0); }
//! never(1) => violation unreachable control.c:38:27: unreachable code reached
int never(int n) { if (n) __builtin_unreachable(); return 0; }
//! atomics(3) => returned control.c:40:169 7201
int atomics(int n) { static int a = 5; int e = 5; __atomic_add_fetch(&a, n, 5); __atomic_fetch_or(&a, 64, 5); int ok = __atomic_compare_exchange_n(&a, &e, 1, 0, 5, 5); return a * 100 + ok * 10 + (e == 72); }
//! vla(5) => returned control.c:42:126 10
int vla(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
#include <stdarg.h>
static int sum(int n, ...) { va_list ap; va_start(ap, n); int s = 0; while (n--) s = s * 10 + va_arg(ap, int); s += va_arg(ap, long); va_end(ap); return s; }
//! variadic(3) target:avr => returned control.c:48:23 -30949
//! variadic(3) target:armeb => returned control.c:48:23 100123
//! variadic(3) => returned control.c:48:23 100123
int variadic(int n) { return sum(n, 1, 2, 3, 100000L); }
//! too_few(2) => violation uninitialised control.c:50:22: the result of too_few is indeterminate: it was never written
int too_few(int n) { return sum(n, 1); }
