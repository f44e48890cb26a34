// Loops that can be left out of an execution, and loops whose turns only look alike (no_...). TestLeaps runs each with
// and without leaps.
typedef unsigned char u8;
typedef unsigned short u16;
extern int nondet(void);
static unsigned count;
static struct { u8 low; u16 high; } pair;

static void tick(unsigned by) { count += by; }
static unsigned choose(unsigned x) { unsigned r; if (x & 1) r = 3; else r = 5; return r; }

unsigned counts(void) { unsigned n = 0; for (int i = 0; i < 2000; i++) n += 3; return n; }
unsigned global(void) { count = 5; for (int i = 0; i < 2000; i++) tick(1); return count; }
unsigned narrow(void) { u8 c = 3; unsigned n = 0; while (n < 2000) { c += 7; n++; } return c; }
unsigned members(void) { pair.low = 0; pair.high = 0; for (int i = 0; i < 900; i++) { pair.low++; pair.high += 2; }
	return pair.low + 1000 * pair.high; }
unsigned alternates(void) { unsigned n = 0; for (unsigned i = 0; i < 900; i++) n += choose(i); return n; }
unsigned thirds(void) { unsigned n = 0; for (unsigned i = 0; i < 900; i++) if (i % 3 == 1) n += 10; else n++; return n; }
unsigned phases(void) { unsigned n = 0; for (unsigned i = 0; i < 900; i++) if (i < 500) n++; else n += 7; return n; }
int falls(void) { int n = 900; while (n >= 0) n -= 7; return n; }
unsigned until(void) { unsigned n = 0; while (n != 1000) n += 5; return n; }
unsigned wraps(void) { unsigned n = 0xffffff00u, t = 0; while (n > 300) { n += 3; t++; } return t; }
int overflows(void) { int n = 0x7ffffc00; for (int i = 0; i < 2000; i++) n++; return n; }
int square_overflows(void) { int n = 0x7fff0000; for (int i = 0; i < 2000; i++) n += i; return n; }
unsigned squares(void) { unsigned n = 0; for (unsigned i = 0; i < 900; i++) n += i * i; return n; }
long signs(void) { long n = 0; for (int i = -500; i < 500; i++) n += i; return n; }
unsigned breaks(void) { unsigned i = 0, j = 3000; for (;;) { if (i >= j) break; i += 2; j--; } return 10000 * i + j; }
unsigned halves(void) { unsigned n = 0; for (unsigned i = 0; i < 900; i++) n = i / 2; return n; }
unsigned scoped(void) { unsigned n = 0; for (int i = 0; i < 900; i++) { unsigned k = n + 1; n = k + 1; } return n; }
int beyond(void) { int a[4] = {0}; unsigned k = 0; while (k < 900) k++; return a[k]; }
unsigned steps(void) { unsigned n = 0; for (unsigned i = 0; i < 40; i++) for (unsigned j = 0; j < i * 10; j++) n++;
	return n; }
unsigned stays(void) { volatile unsigned unused = 0; unsigned n = 7; for (int i = 0; i < 900; i++) n = 7; return n; }
int by_pointer(void) { int n = 0, *p = &n; for (int i = 0; i < 900; i++) *p += 2; return n; }
unsigned late(void) { unsigned last = 0, n = 0; for (unsigned i = 0; i < 900; i++) { n += last; last = 3; } return n; }

unsigned resets(void) { unsigned n = 0, k = 0; for (int i = 0; i < 9000; i++) if (++k == 100) { k = 0; n++; } return n; }
unsigned clock(void) { unsigned s = 0, m = 0, h = 0; for (int i = 0; i < 19000; i++) {
	if (++s == 60) { s = 0; if (++m == 60) { m = 0; h++; } } } return h * 10000 + m * 100 + s; }
int quotients(void) { int n = 0; for (int i = 900; i >= 0; i--) n += i / 100; return n; }
int rests(void) { int n = 0; for (int i = 900; i >= 0; i--) n += i % 100; return n; }
int negative(void) { int n = 0; for (int i = -900; i < 9000; i++) n += i / 100; return n; }
int negative_rests(void) { int n = 0; for (int i = -900; i < 9000; i++) n += i % 100; return n; }
int floors(void) { int n = 0; for (int i = -900; i < 900; i++) n += i >> 6; return n; }
unsigned no_bits(void) { unsigned n = 0; for (unsigned i = 9; i < 900; i++) n += i & 0x1f0; return n; }
unsigned carries(void) { unsigned n = 0, last = 0; for (unsigned i = 57; i < 9000; i++) { n += last; last = i >> 6; }
	return n; }
unsigned mixed(void) { u16 s = 0; unsigned n = 0; for (int i = 0; i < 900; i++) { s += 200 - i; n += s; } return n; }
static unsigned where(unsigned n) { int x; return (unsigned)(unsigned long)&x + n; }
unsigned no_address(void) { unsigned n = 0; for (int i = 0; i < 900; i++) n += where(3); return n; }
unsigned no_union(void) { union { unsigned w; u8 b[4]; } u = {5}; unsigned n = 0;
	for (int i = 0; i < 900; i++) { u.w += 3; n += u.b[1]; u.b[2] = 9; } return n + u.w; }
static volatile unsigned port;
unsigned no_volatile(void) { unsigned n = 0; for (int i = 0; i < 900; i++) n += port; return n; }
unsigned no_input(void) { unsigned n = 0; for (int i = 0; i < 900; i++) n += nondet(); return n; }
unsigned no_product(void) { unsigned n = 1; for (int i = 0; i < 900; i++) n *= 3; return n; }
unsigned no_xor(void) { unsigned n = 1; for (unsigned i = 0; i < 900; i++) n ^= i; return n; }
unsigned no_few(void) { unsigned n = 0; for (int i = 0; i < 12; i++) n += 3; return n; }
unsigned no_array(void) { u8 a[900]; for (int i = 0; i < 900; i++) a[i] = i; return a[899]; }
unsigned no_search(void) { u8 a[900] = {0}; unsigned i = 0; a[700] = 1; while (!a[i]) i++; return i; }
unsigned no_shift(void) { unsigned n = 1; for (int i = 0; i < 900; i++) n = n << 1 | n >> 31; return n; }
