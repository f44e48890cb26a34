// Memory: bounds, lifetimes, null, alignment, constants, free.
typedef __SIZE_TYPE__ size_t;
typedef __UINTPTR_TYPE__ uintptr_t;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t); size_t strlen(const char *);
struct s { char tag; int a[4]; short end; };
static struct s global = {1, {2, 3, 4, 5}, 6};
static const int table[3] = {10, 20, 30};

//! index(3) => returned memory.c:14:45 4
//! index(4) => violation memory memory.c:14:52: read of 4 bytes at offset 16 of 'a' (16 bytes), where `a[4]` would be
//! index(-1) => violation pointer-overflow memory.c:14:52: pointer to offset -4 of 'a' (16 bytes)
//! index(4) off:pointer-overflow => violation memory memory.c:14:52: read of 4 bytes at offset 16 of 'a' (16 bytes), where `a[4]` would be
int index(int i) { int a[4] = {1, 2, 3, 4}; return a[i]; }
//! member(4) => returned memory.c:16:21 6
int member(int i) { return global.a[i]; }
//! null(0) => violation memory memory.c:19:56: read through a null pointer
//! null(1) => returned memory.c:19:49 5
int null(int ok) { int x = 5, *p = ok ? &x : 0; return *p; }
static int *gone(void) { int local = 3; int *p = &local; return p; }
//! dangling() => violation memory memory.c:22:29: read of 'local' after its function returned
int dangling(void) { return *gone(); }
//! heap(4, 3) => returned memory.c:26:119 3
//! heap(4, 4) => violation memory memory.c:26:104: read of 4 bytes at offset 16 of the block allocated at memory.c:26:35 (16 bytes)
//! heap(4, 0) mfail => violation memory memory.c:26:91: write through a null pointer
int heap(int n, int i) { int *p = malloc(n * sizeof *p); for (int k = 0; k < n; k++) p[k] = k; int r = p[i]; free(p); return r; }
//! after_free(1) => violation memory memory.c:29:82: read of the block allocated at memory.c:29:37 after free
//! after_free(0) => returned memory.c:29:105 1
int after_free(int bad) { char *p = malloc(4); *p = 1; if (bad) free(p); int r = *p; if (!bad) free(p); return r; }
//! twice(1) => violation free memory.c:32:62: the block allocated at memory.c:32:33 freed again after free
//! twice(0) => returned memory.c:32:71
void twice(int bad) { char *p = malloc(4); free(p); if (bad) free(p); }
//! middle(1) => violation free memory.c:34:45: free of offset 1 of the block allocated at memory.c:34:34
void middle(int off) { char *p = malloc(4); free(p + off); }
//! local_free() => violation free memory.c:36:32: free of 'x', which is no heap block
void local_free(void) { int x; free(&x); }
//! free_null() => returned memory.c:38:33
void free_null(void) { free(0); }
//! leak(0) => violation leak memory.c:41:59: the block allocated at memory.c:41:31 is never freed
//! leak(1) => returned memory.c:41:59
void leak(int ok) { char *p = malloc(1); if (ok) free(p); }
//! constant(0) => violation memory memory.c:43:42: write of the constant 'table'
void constant(int i) { *(int *)&table[i] = 1; }
//! misaligned(1) => violation memory memory.c:46:82: misaligned read: offset 1 of 'buf', alignment 4 needed
//! misaligned(4) => returned memory.c:46:75 0
int misaligned(int off) { char buf[12] __attribute__((aligned(4))) = {0}; return *(int *)(buf + off); }
//! copy(8) => returned memory.c:50:71 7
//! copy(9) => violation memory memory.c:50:54: read of 9 bytes at offset 0 of 'a' (8 bytes)
//! copy(0) => returned memory.c:50:71 0
int copy(int n) { char a[8] = "abcdefg", b[8] = {0}; memcpy(b, a, n); return strlen(b); }
//! overlap(4) => violation memory memory.c:53:45: copy of 4 bytes between overlapping ranges of 'a'
//! overlap(2) => returned memory.c:53:66 97
int overlap(int n) { char a[8] = "abcdefg"; memcpy(a + 2, a, n); return a[2]; }
//! pointers() => returned memory.c:55:100 72
int pointers(void) { int x = 1, y = 2, *p[2] = {&x, &y}, *q[2]; memcpy(q, p, sizeof p); *q[0] = 7; return x * 10 + *q[1]; }
//! bytewise() => returned memory.c:57:121 9
int bytewise(void) { int x = 9, *p = &x, *q; for (unsigned i = 0; i < sizeof p; i++) ((char *)&q)[i] = ((char *)&p)[i]; return *q; }
//! roundtrip(1) => returned memory.c:59:79 4
int roundtrip(int tag) { static int x = 4; uintptr_t u = (uintptr_t)&x | tag; return *(int *)(u & ~(uintptr_t)3); }
//! integer(4096) => violation memory memory.c:61:30: read of 4 bytes at address 0x1000, which is in no object
int integer(long a) { return *(int *)a; }
//! grow() => returned memory.c:63:96 42
int grow(void) { int *p = malloc(4); *p = 42; int *q = realloc(p, 400); int r = q[0]; free(q); return r; }
//! zeroed(2) => returned memory.c:65:67 0
int zeroed(int i) { int *p = calloc(4, 4); int r = p[i]; free(p); return r; }
//! function() => violation memory memory.c:67:56: read of code: function 'dangling'
int function(void) { int (*f)(void) = dangling; return *(char *)f; }
//! endian() target:armeb => returned memory.c:70:40 1
//! endian() target:cortex-m3 => returned memory.c:70:40 4
int endian(void) { int x = 0x01020304; return *(char *)&x; }
//! outside(5) => violation pointer-overflow memory.c:73:50: pointer to offset 20 of 'a' (16 bytes)
//! outside(4) => returned memory.c:73:56 4
long outside(int i) { static int a[4]; int *p = &a[i]; return p - a; }
//! unrelated(1) => violation pointer-compare memory.c:76:76: pointers to different objects ordered: 'a' and 'b'
//! unrelated(0) => returned memory.c:76:61 1
int unrelated(int bad) { static int a[4], b[4]; int *p = a; return bad ? p < b : a < a + 2; }
//! distance(1) => returned memory.c:78:50 -8
long distance(int bad) { static char a[4], b[4]; return bad ? b - a : a + 1 - a; }
