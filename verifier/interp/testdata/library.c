// The library: strings that overlap, blocks with an alignment, zeros, characters, formats.
typedef __SIZE_TYPE__ size_t;
char *strncpy(char *, const char *, size_t); void *calloc(size_t, size_t); void free(void *);
int posix_memalign(void **, size_t, size_t); int isspace(int); int isprint(int);

//! copied(4, 0, 3) => returned library.c:12:92 97
//! copied(0, 3, 3) => returned library.c:12:92 100
//! copied(0, 2, 3) => violation memory library.c:12:62: strncpy between overlapping strings of 'b'
//! copied(3, 0, 3) => returned library.c:12:92 97
//! copied(2, 0, 3) => violation memory library.c:12:62: strncpy between overlapping strings of 'b'
//! copied(1, 1, 0) => returned library.c:12:92 98
int copied(int to, int from, int n) { char b[8] = "abcdefg"; strncpy(b + to, b + from, n); return b[to]; }
//! aligned(8, 4) => returned library.c:19:110 1
//! aligned(16, 4) => returned library.c:19:110 1
//! aligned(4, 4) => returned library.c:19:110 22
//! aligned(24, 4) => returned library.c:19:110 22
//! aligned(0, 4) => returned library.c:19:110 22
//! aligned(8, 4) mfail => returned library.c:19:110 12
int aligned(int align, int n) { void *p = 0; int e = posix_memalign(&p, align, n); int ok = p != 0; free(p); return e + ok; }
//! zeros(2, 4) => returned library.c:22:110 0
//! zeros(-1, 2) => returned library.c:22:110 -1
int zeros(long n, int size) { char *p = calloc(n, size); if (!p) return -1; int r = p[7]; free(p); return r; }
//! space(32) => returned library.c:26:20 1
//! space(9) => returned library.c:26:20 1
//! space(97) => returned library.c:26:20 0
int space(int c) { return isspace(c) != 0; }
//! printed(32) => returned library.c:29:22 1
//! printed(31) => returned library.c:29:22 0
int printed(int c) { return isprint(c) != 0; }
