#include <stdint.h>
#include <stddef.h>
#include <string.h>
#include <stdbool.h>
uint16_t f01(uint8_t a, uint8_t b) { return (uint16_t)(a << 7) | b; }
// char sign
int f02(char c) { return c; }
int f03(const char *s) { return s[0] < 0 ? 1 : 0; }
char f04(char c) { return c; }
// u16 product: promoted to int
uint32_t f05(uint16_t a, uint16_t b) { return (uint32_t)a * b; }
uint32_t f06(uint8_t a, uint8_t b) { return (uint32_t)(a * b); }
// shift of unsigned
uint32_t f07(uint8_t a) { return (uint32_t)((unsigned)a << 10); }
// ~
int f08(uint8_t a) { return (uint8_t)~a >> 4; }
// ~ promoted
bool f09(uint16_t a) { return (~a) == (uint16_t)~a; }
uint16_t f10(uint16_t a, uint16_t b) { return (uint16_t)(a - b) / 2; }
// compare promoted
bool f11(uint16_t a, uint16_t b) { return a - b < 0; }
bool f12(uint16_t a, uint16_t b) { return a < b; }
struct r13 { uint8_t tag; uint32_t len; uint16_t sum; };
uint32_t f13(struct r13 *r) { r->sum = (uint16_t)(r->sum + r->tag); r->len ^= r->sum; return r->len; }
// bytes of a member
uint8_t f14(const struct r13 *r) { return ((const uint8_t *)&r->len)[1]; }
// sizeof
unsigned f15(void) { return sizeof(struct r13); }
// byte swap by shifts
uint32_t f16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24; }
// by memcpy
uint32_t f17(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }
// write by memcpy
void f18(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }
// write by shifts
void f19(uint8_t *p, uint32_t v) { for (uint8_t i = 0; i < 4; i++) p[i] = (uint8_t)(v >> 8 * i); }
// union
uint8_t f20(uint16_t v) { union { uint16_t w; uint8_t b[2]; } u; u.w = v; return u.b[0]; }
// union order independent
uint16_t f21(uint16_t v) { union { uint16_t w; uint8_t b[2]; } u; u.w = v; uint8_t t = u.b[0]; u.b[0] = u.b[1]; u.b[1] = t; return u.w; }
static uint16_t count22[4] = {1, 256, 3, 770};
uint16_t f22(uint8_t i) { count22[i & 3]++; return count22[i & 3]; }
static const uint32_t tab23[4] = {0x01020304, 0x11121314, 0x21222324, 0x31323334};
uint32_t f23(uint8_t i) { return tab23[i & 3]; }
uint8_t f24(uint8_t i) { return ((const uint8_t *)tab23)[i & 15]; }
// long
unsigned long f25(unsigned long a) { return a << 4 >> 4; }
uint32_t f26(uint32_t a) { return (uint32_t)(a << 4 >> 4); }
// int width mask
unsigned f27(unsigned a) { return ~a; }
// rotate
unsigned f28(unsigned a) { return a >> 1 | a << (sizeof(a) * 8 - 1); }
struct b29 { uint8_t a : 3; uint8_t b : 5; uint16_t c; };
// bit-field raw
uint8_t f29(uint8_t a, uint8_t b) { struct b29 s; memset(&s, 0, sizeof s); s.a = a; s.b = b; uint8_t out; memcpy(&out, &s, 1); return out; }
// bit-field values
uint8_t f30(uint8_t a, uint8_t b) { struct b29 s = {0}; s.a = a; s.b = b; s.c = 7; return s.a + s.b; }
// pointer difference
int f31(const uint8_t *p, uint8_t n) { const uint8_t *e = p + n; return e - p; }
// strlen
unsigned f32(const char *s) { char b[4] = "abc"; b[s[0] & 3] = 0; return strlen(b); }
// memcmp of words
int f33(uint16_t a, uint16_t b) { return memcmp(&a, &b, 2) < 0; }
// hex digit
uint8_t f34(uint8_t c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 255; }
static int level35;
// int state
void f35(int8_t d) { if (level35 < 1000 && level35 > -1000) level35 += d; }
// average overflow
int f36(int16_t a, int16_t b) { return ((int32_t)a + b) / 2; }
// average in int
uint16_t f37(uint16_t a, uint16_t b) { return (a + b) / 2; }
// enum sized
enum e38 { A38 = 0, B38 = 200 }; int f38(uint8_t i) { enum e38 e = i ? B38 : A38; return (int)e; }
// local array of words seen as bytes
uint8_t f39(uint16_t a) { uint16_t w[2] = {a, 0x0102}; return ((uint8_t *)w)[2]; }
// char literal compare
bool f40(char c) { return c == '\xff'; }
// index by char
int f41(char c) { int t[2] = {5, 6}; return t[c > 100]; }
// 64 bits
uint64_t f42(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }
// sum loop
uint16_t f43(const uint8_t *p, uint8_t n) { uint16_t s = 0; for (uint8_t i = 0; i < n; i++) s += p[i]; return s; }
// sum of words
uint32_t f44(const uint16_t *p, uint8_t n) { uint32_t s = 0; for (uint8_t i = 0; i < n; i++) s += p[i]; return s; }
// writes word through void
void f48(void *p) { *(uint8_t *)p = 3; }
// uint32 to two words in memory
void f49(uint16_t *p, uint32_t v) { p[0] = v & 0xffff; p[1] = v >> 16; }
// same but by copy
void f50(uint16_t *p, uint32_t v) { memcpy(p, &v, 4); }
#ifndef BARE
// float bytes
uint8_t f45(float x) { uint8_t b[4]; memcpy(b, &x, 4); return b[3]; }
// float sum
bool f46(float x, float y) { return x + y > x; }
// double
bool f47(uint32_t n) { double d = n; return (uint32_t)d == n; }
#endif
