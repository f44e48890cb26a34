#include <stdint.h>
#include <stddef.h>
#include <string.h>
#include <stdbool.h>
struct in { uint8_t k; uint16_t w[3]; int8_t s; };
struct out { struct in a; uint32_t t; struct in b[2]; long l; bool on; };
static struct out g;
// nested, by members
uint32_t f01(uint8_t i) { g.b[i & 1].w[1] += i; g.t += g.b[i & 1].w[1]; return g.t; }
// copy of a structure
void f02(struct in *d, const struct in *s) { *d = *s; d->k++; }
// bytes of a structure: padding
uint8_t f03(const struct out *o) { uint8_t x = 0; for (unsigned i = 0; i < sizeof(o->a); i++) x = i == 3 ? ((const uint8_t *)&o->a)[i] : x; return x; }
// offset
unsigned f04(void) { return offsetof(struct out, t); }
// memset whole
void f05(struct in *d) { memset(d, 0, sizeof *d); d->w[2] = 0x1234; }
// memset with ones
uint16_t f06(struct in *d) { memset(d->w, 0x5a, sizeof d->w); return d->w[1]; }
// table of structures
static const struct { uint8_t id; uint32_t val; int16_t off; } tab7[] = {{1, 0x10203, -5}, {2, 70000, 300}, {9, 5, 7}};
int32_t f07(uint8_t id) { for (uint8_t i = 0; i < 3; i++) if (tab7[i].id == id) return (int32_t)tab7[i].val + tab7[i].off; return -1; }
// bytes of that table
uint8_t f08(uint8_t i) { return ((const uint8_t *)&tab7[1])[i & 3]; }
// own callee
static uint16_t swap9(uint16_t v) { return (uint16_t)(v << 8 | v >> 8); } uint16_t f09(uint16_t v) { return swap9(swap9(v)); }
// callee by pointer
static void put10(uint16_t *p, uint8_t v) { *p = (uint16_t)(*p + v); } uint16_t f10(uint16_t a, uint8_t v) { put10(&a, v); return a; }
// byval struct
struct two { uint8_t a; uint16_t b; }; static uint16_t add11(struct two t) { return t.a + t.b; } uint16_t f11(uint8_t a, uint16_t b) { struct two t = {a, b}; return add11(t); }
// returns struct inside
static struct two mk12(uint8_t a) { struct two t = {a, (uint16_t)(a * 3u)}; return t; } uint16_t f12(uint8_t a) { return mk12(a).b; }
// switch on char
uint8_t f13(char c) { switch (c) { case 'a': return 1; case (char)0xe4: return 2; default: return 0; } }
// int8
int f14(const int8_t *p) { return p[0] * 2 + p[1]; }
// fixed string
uint8_t f15(uint8_t i) { static const char s[] = "ok\xc3\xa4"; return (uint8_t)s[i % 5]; }
// same as int
int f16(uint8_t i) { static const char s[] = "ok\xc3\xa4"; return s[i % 5]; }
static long total17 = 100000;
// long state
int32_t f17(int16_t d) { total17 += d; if (total17 > 2000000 || total17 < 0) total17 = 0; return (int32_t)total17; }
static int mode18 = 3; static uint8_t buf18[20];
// ring
void f18(uint8_t c) { buf18[mode18 % 20u] = c; mode18 = (mode18 + 1) % 20; }
// pointer to variable returned
uint8_t *f19(uint8_t i) { return &buf18[i % 20]; }
// word out of bytes by cast, aligned
static union { uint8_t b[8]; uint16_t w[4]; } u20; uint16_t f20(uint8_t i) { uint16_t w; memcpy(&w, &buf18[i % 18], 2); return w; }
// write word into bytes
void f21(uint16_t v) { memcpy(&buf18[4], &v, sizeof v); }
// bool
bool f22(bool a, uint8_t b) { return a ^ (b & 1); }
enum st { IDLE, RUN, STOP = 100 }; static enum st st23;
uint8_t f23(uint8_t e) { switch (st23) { case IDLE: if (e) st23 = RUN; break; case RUN: if (e > 4) st23 = STOP; break; default: st23 = IDLE; } return (uint8_t)st23; }
// negative shifts
int16_t f24(int16_t a) { return a >> 3; }
// modulo
int16_t f25(int16_t a, int8_t b) { return b ? (int16_t)(a % b) : 0; }
// div of int16 min
int32_t f26(int16_t a, int16_t b) { return b ? (int32_t)a / b : 0; }
// unsigned mix
bool f27(int a, unsigned b) { return a < b; }
// long vs unsigned int
bool f28(long a, unsigned int b) { return a < b; }
// literal types
int f29(void) { return 40000 > 0 && sizeof(40000) == sizeof(long); }
// enum compare
bool f30(int16_t a) { enum st e = (enum st)(a & 1); return e - 1 < 0; }
// bitfield memory
struct bf { unsigned a : 4; unsigned b : 12; }; uint8_t f31(uint8_t a, uint16_t b) { struct bf s; memset(&s, 0, sizeof s); s.a = a & 15; s.b = b & 0xfff; uint8_t o[sizeof s]; memcpy(o, &s, sizeof s); return o[0]; }
// bitfield values
uint16_t f32(uint8_t a, uint16_t b) { struct bf s = {0}; s.a = a & 15; s.b = b & 0xfff; return (uint16_t)(s.a * 7u + s.b); }
// strcmp
bool f33(const char *a) { return strcmp(a, "on") == 0; }
// strchr-like
uint8_t f34(const char *a) { uint8_t n = 0; while (a[n] && n < 3) n++; return n; }
// int64
uint32_t f35(int64_t v) { return (uint32_t)(v >> 20); }
// word array copied
void f36(uint16_t *d) { d[1] = d[0]; ((uint8_t *)d)[1] ^= 1; }
// same word xor by words
void f37(uint16_t *d) { d[0] ^= 0x0100; }
// loop bound in int
uint16_t f38(uint16_t n) { uint16_t c = 0; for (int i = 0; i < (n & 7); i++) c += i; return c; }
// array index negative
uint8_t f39(uint8_t i) { uint8_t a[4] = {1,2,3,4}; int k = (uint8_t)(i + 1) - 1; return k >= 0 && k < 4 ? a[k] : 0; }
// sizeof long loop
uint8_t f40(void) { uint8_t n = 0; for (unsigned i = 0; i < sizeof(long); i++) n++; return n; }
// size_t max
bool f41(size_t n) { return n + 1 == 0; }
// volatile local
uint16_t f42(uint16_t a) { volatile uint16_t v = a; v++; return v; }
// pointer cast of local
uint8_t f43(uint32_t a) { uint32_t x = a; uint8_t *p = (uint8_t *)&x; return p[3]; }
// host order test
bool f44(void) { uint16_t x = 1; return *(uint8_t *)&x == 1; }
// htons by it
uint16_t f45(uint16_t v) { uint16_t x = 1; return *(uint8_t *)&x == 1 ? (uint16_t)(v << 8 | v >> 8) : v; }
// to net bytes
void f46(uint8_t *p, uint16_t v) { uint16_t n = f45(v); memcpy(p, &n, 2); }
// wrong
void f47(uint8_t *p, uint16_t v) { uint16_t n = v; memcpy(p, &n, 2); }
// uninit pad ignored
uint8_t f48(uint8_t a) { struct in s; s.k = a; s.s = 1; return s.k + s.s; }
// static inline const ptr
static uint16_t *const p49 = &((uint16_t *)0)[0]; static uint16_t w49[3] = {0x0102, 3, 4}; uint16_t f49(uint8_t i) { uint16_t *p = w49; p += i % 3; *p = (uint16_t)(*p + 1); return *p; }
// memcmp struct
bool f50(const struct in *a, const struct in *b) { return memcmp(a->w, b->w, sizeof a->w) == 0; }
