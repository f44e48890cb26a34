#include <stdint.h>
#include <stddef.h>
#include <string.h>
#include <stdbool.h>
extern void emit(uint8_t c); extern void emit16(uint16_t v); extern void emiti(int v); extern uint8_t take(void); extern void send(const uint8_t *p, uint8_t n); extern void sendw(const uint16_t *p, uint8_t n);
volatile uint8_t reg8; volatile uint16_t reg16;
void f01(uint16_t v) { emit((uint8_t)(v >> 8)); emit((uint8_t)v); }
void f02(uint16_t v) { uint8_t b[2]; memcpy(b, &v, 2); emit(b[0]); emit(b[1]); }
void f03(uint16_t v) { emit16(v); }
void f04(uint16_t v) { emit16((uint16_t)(v + 1)); emit16(v); }
// int argument
void f05(uint8_t v) { emiti(v * 2); }
uint8_t f06(void) { uint8_t a = take(), b = take(); return (uint8_t)(a - b); }
int f07(void) { uint8_t a = take(); return a << 8 | take(); }
// bytes out
void f08(uint8_t a) { uint8_t b[3] = {a, 2, (uint8_t)(a + 1)}; send(b, 3); }
// word as bytes
void f09(uint16_t a) { send((const uint8_t *)&a, 2); }
// words
void f10(uint16_t a) { uint16_t b[2] = {a, 3}; sendw(b, 2); }
// calls depend on char
void f11(char c) { if (c < 0) emit(1); }
// calls depend on int overflow width
void f12(uint16_t a) { if ((uint16_t)(a + 1) > a) emit(1); else emit(2); }
void f13(uint16_t a) { if (a + 1 > a) emit(1); else emit(2); }
// volatile
uint8_t f14(void) { uint8_t a = reg8; reg8 = (uint8_t)(a | 1); return a; }
// volatile word
uint16_t f15(void) { return (uint16_t)(reg16 + 1); }
// loop: fletcher
uint16_t f16(const uint8_t *p, uint8_t n) { uint8_t a = 0, b = 0; while (n--) { a = (uint8_t)(a + *p++); b = (uint8_t)(b + a); } return (uint16_t)(b << 8 | a); }
// same, safe
uint16_t f17(const uint8_t *p, uint8_t n) { uint8_t a = 0, b = 0; while (n--) { a = (uint8_t)(a + *p++); b = (uint8_t)(b + a); } return (uint16_t)((unsigned)b << 8 | a); }
// crc8
uint8_t f18(uint8_t c, uint8_t d) { c ^= d; for (uint8_t k = 0; k < 8; k++) c = c & 0x80 ? (uint8_t)((c << 1) ^ 7) : (uint8_t)(c << 1); return c; }
// djb
uint32_t f19(const char *s) { uint32_t h = 5381; while (*s) h = h * 33 + *s++; return h; }
// djb unsigned
uint32_t f20(const char *s) { uint32_t h = 5381; while (*s) h = h * 33 + (uint8_t)*s++; return h; }
// copy
void f21(uint8_t *d, const uint8_t *s, size_t n) { for (size_t i = 0; i < n; i++) d[i] = s[i]; }
// sum int
int f22(const int *p, uint8_t n) { int s = 0; for (uint8_t i = 0; i < n; i++) s |= p[i]; return s; }
// count in int
unsigned f23(unsigned n) { unsigned c = 0; while (n) { c += n & 1; n >>= 1; } return c; }
// high bit by int
int f24(uint16_t v) { return v >> 15 ? -1 : 1; }
// ends?
uint16_t f25(uint16_t n) { uint16_t c = 0; for (int i = 0; i < n; i++) c++; return c; }
struct dev { volatile uint8_t st; uint8_t cnt; uint16_t err; };
void f26(struct dev *d) { if (d->st & 1) d->err++; else d->cnt++; }
struct ring { uint8_t buf[8]; unsigned head, tail; };
bool f27(struct ring *r, uint8_t c) { unsigned n = (r->head + 1) & 7; if (n == (r->tail & 7)) return false; r->buf[r->head & 7] = c; r->head = n; return true; }
int f28(struct ring *r) { if (r->head == r->tail) return -1; uint8_t c = r->buf[r->tail & 7]; r->tail++; return c; }
int f29(const struct ring *r) { return (int)(r->head - r->tail); }
struct ring g30;
uint16_t f30(void) { return (uint16_t)(g30.head - g30.tail); }
uint8_t f31(uint8_t i) { return i < sizeof g30 ? ((const uint8_t *)&g30)[i] : 0; }
static uint32_t a32[3]; 
void f32(uint8_t i, uint32_t v) { a32[i % 3] = v; }
uint8_t f33(uint8_t i) { return ((uint8_t *)a32)[i % 12]; }
void f34(uint8_t i, uint8_t v) { ((uint8_t *)a32)[i % 12] = v; }
void f35(void) { memset(a32, 0xff, sizeof a32); }
void f36(void) { a32[0] = a32[1]; memcpy(&a32[1], &a32[2], 4); }
static int8_t t37; 
bool f37(int8_t d) { t37 = (int8_t)(t37 + d); return t37 < 0; }
uint8_t f38(uint16_t *p) { *p = 0x1234; return *(uint8_t *)p; }
uint16_t f39(uint16_t *p, uint8_t *q) { *p = 0x1234; *q = 1; return *p; }
long f40(long a, long b) { return a & b; }
unsigned long f41(unsigned a) { return (unsigned long)a * 65536ul; }
int64_t f42(int32_t a) { return (int64_t)a * 3; }
uint8_t f43(int64_t *p) { return (uint8_t)(*p >> 56); }
void f44(int64_t *p) { *p = -*p; }
uint16_t f45(uint16_t *p, uint8_t n) { uint16_t m = 0; for (uint8_t i = 0; i < n; i++) if (p[i] > m) m = p[i]; return m; }
bool f46(uint8_t *p, uint8_t *q) { return p == q; }
int f47(const char *a, const char *b) { return *a < *b ? -1 : *a > *b; }
int f48(const char *a, const char *b) { return strcmp(a, b) < 0; }
char f49(const char *p) { return p[0]; }
static char s50[4]; 
void f50(const char *p) { s50[0] = p[0]; s50[1] = (char)(p[0] >> 1); }
volatile int flag;
// volatile of another width: it is open
uint8_t f51(void) { return flag ? 1 : 2; }
// arguments of another width, by a pointer: it is open
void f52(void (*cb)(int)) { cb(-1); }
