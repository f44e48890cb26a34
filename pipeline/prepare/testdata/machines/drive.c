// Calls functions with chosen inputs and writes what they do, natively.
#include CASES
void put(const char *s);
int strcmp(const char*,const char*);
#ifdef BARE
void *memcpy(void *d, const void *s, size_t n) { char *p = d; const char *q = s; while (n--) *p++ = *q++; return d; }
void *memset(void *d, int c, size_t n) { char *p = d; while (n--) *p++ = c; return d; }
int memcmp(const void *a, const void *b, size_t n) { const uint8_t *p = a, *q = b; for (; n--; p++, q++) if (*p != *q) return *p < *q ? -1 : 1; return 0; }
int strcmp(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return (unsigned char)*a - (unsigned char)*b; }
size_t strlen(const char *s) { size_t n = 0; while (s[n]) n++; return n; }
#endif
void num(long long v) { char b[24]; int i = 0; int neg = v < 0; unsigned long long u = neg ? -(unsigned long long)v : v;
 if (neg) b[i++] = '-';
 int first = 1; unsigned long long p = 10000000000000000000ull; static const unsigned long long P[] = {10000000000000000000ull,1000000000000000000ull,100000000000000000ull,10000000000000000ull,1000000000000000ull,100000000000000ull,10000000000000ull,1000000000000ull,100000000000ull,10000000000ull,1000000000ull,100000000ull,10000000ull,1000000ull,100000ull,10000ull,1000ull,100ull,10ull,1ull};
 for (int k = 0; k < 20; k++) { int d = 0; while (u >= P[k]) { u -= P[k]; d++; } if (d || !first || k == 19) { b[i++] = '0' + d; first = 0; } }
 b[i] = 0; put(b); put(" "); }
#define T(n) put("\n" #n ": ");
static const uint8_t B[] = {0,1,2,3,7,15,16,100,127,128,129,200,254,255};
static const uint16_t W[] = {0,1,2,127,128,255,256,257,1000,32767,32768,32769,40000,65534,65535};
static const uint32_t L[] = {0,1,255,256,65535,65536,0x01020304,0x7fffffff,0x80000000,0xfffffffe,0xffffffff,0x12345678};
#define NB 14
#define NW 15
#define NL 12
#define EB for (int i = 0; i < NB; i++)
#define EBB EB for (int j = 0; j < NB; j++)
#define EW for (int i = 0; i < NW; i++)
#define EWW EW for (int j = 0; j < NW; j++)
#define EL for (int i = 0; i < NL; i++)
#include DRIVE
#ifdef __AVR__
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/interrupt.h>
void put(const char *s) { while (*s) { while (!(UCSR0A & (1 << UDRE0))); UDR0 = *s++; } }
int strcmp(const char*,const char*);
int main(void) { UCSR0B = 1 << TXEN0; all(); put("END\n"); cli(); sleep_enable(); sleep_cpu(); }
#elif defined(__arm__)
static long sys(long n, long a, long b, long c) { register long r7 __asm__("r7") = n, r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c; __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory"); return r0; }
void put(const char *s) { sys(4, 1, (long)s, strlen(s)); }
int strcmp(const char*,const char*);
void _start(void) { all(); sys(1, 0, 0, 0); for (;;); }
#else
#include <stdio.h>
void put(const char *s) { fputs(s, stdout); }
int strcmp(const char*,const char*);
int main(void) { all(); return 0; }
#endif
