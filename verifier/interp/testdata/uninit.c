// Indeterminate values: reading them is fine until they decide something.
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t); void free(void *); void *memset(void *, int, size_t);
struct bits { unsigned a : 3, b : 5; unsigned short rest; };
//! branch(1) => returned uninit.c:7:75 1
//! branch(0) => violation uninitialised uninit.c:7:48: condition is indeterminate: it was never written
int branch(int ok) { int x; if (ok) x = 3; if (x > 2) return 1; return 0; }
//! copy() => returned uninit.c:9:36 0
int copy(void) { int x; int y = x; return y & 0; }
//! masked() => returned uninit.c:11:32 2
int masked(void) { unsigned x; return (x & 0) ? 1 : 2; }
//! field(2) => returned uninit.c:13:78 1
int field(int v) { struct bits b; b.a = v; if (b.a == 2) return 1; return 0; }
//! other_field(2) => violation uninitialised uninit.c:15:54: condition is indeterminate: it was never written
int other_field(int v) { struct bits b; b.a = v; if (b.b == 2) return 1; return 0; }
//! divisor() => violation uninitialised uninit.c:17:37: divisor is indeterminate: it was never written
int divisor(void) { int x; return 6 / x; }
//! address() => violation pointer-overflow uninit.c:19:47: pointer to offset -6063483244 of 'a' (16 bytes)
int address(void) { int a[4] = {0}, i; return a[i]; }
//! heap(1) => returned uninit.c:22:99 2
//! heap(0) => violation uninitialised uninit.c:22:99: the result of heap is indeterminate: it was never written
int heap(int set) { char *p = malloc(2); if (set) memset(p, 0, 2); int r = p[1] ? 1 : 2; free(p); return r; }
//! sum(1) => violation uninitialised uninit.c:24:33: switch value is indeterminate: it was never written
int sum(int n) { int x; x += n; switch (x) { case 1: return 1; } return 2; }
