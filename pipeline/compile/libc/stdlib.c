/* <stdlib.h> and <inttypes.h>: numbers from text, sorting, searching (C17 7.22, 7.8). */
typedef __SIZE_TYPE__ size_t;
#define LIB __attribute__((weak))
void *memcpy(void *d, const void *s, size_t n);
void *memmove(void *d, const void *s, size_t n);
void *realloc(void *p, size_t n);
void __VERIFIER_assume(int c);
_Bool __VERIFIER_nondet_bool(void);
size_t __VERIFIER_nondet_size_t(void);
double __VERIFIER_nondet_double(void);
float __VERIFIER_nondet_float(void);
int *__errno_location(void);
#define ERANGE 34

static int space(char c) { return c == ' ' || (c >= 9 && c <= 13); }

static int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 36;
}

/* The subject sequence as a magnitude; over says that it does not fit most. */
static unsigned long long magnitude(const char *s, char **end, int base, unsigned long long most, unsigned long long most_negative, int *negative, int *over) {
    const char *p = s;
    unsigned long long v = 0;
    while (space(*p))
        p++;
    *negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && digit(p[2]) < 16) {
        p += 2;
        base = 16;
    } else if (base == 0) {
        base = *p == '0' ? 8 : 10;
    }
    unsigned long long limit = *negative ? most_negative : most;
    const char *first = p;
    *over = 0;
    for (int d; (d = digit(*p)) < base; p++) {
        if (*over || v > (limit - (unsigned)d) / (unsigned)base)
            *over = 1;
        else
            v = v * (unsigned)base + (unsigned)d;
    }
    if (end)
        *end = (char *)(p == first ? s : p);
    if (*over) {
        *__errno_location() = ERANGE;
        return limit;
    }
    return v;
}

#define SIGNED(name, type, max)                                                                                 \
    LIB type name(const char *s, char **end, int base) {                                                        \
        int negative, over;                                                                                     \
        unsigned long long v = magnitude(s, end, base, (max), (unsigned long long)(max) + 1, &negative, &over); \
        return negative ? (v == 0 ? 0 : -(type)(v - 1) - 1) : (type)v;                                          \
    }
#define UNSIGNED(name, type)                                                                          \
    LIB type name(const char *s, char **end, int base) {                                              \
        int negative, over;                                                                           \
        unsigned long long v = magnitude(s, end, base, (type)-1, (type)-1, &negative, &over); \
        return negative && !over ? (type)(0 - v) : (type)v;                                           \
    }

SIGNED(strtol, long, __LONG_MAX__)
SIGNED(strtoll, long long, __LONG_LONG_MAX__)
SIGNED(strtoimax, long long, __LONG_LONG_MAX__)
UNSIGNED(strtoul, unsigned long)
UNSIGNED(strtoull, unsigned long long)
UNSIGNED(strtoumax, unsigned long long)

/* A number that does not fit is undefined: a signed overflow here. */
#define FROM_TEXT(name, type)                       \
    LIB type name(const char *s) {                  \
        while (space(*s))                           \
            s++;                                    \
        int negative = *s == '-';                   \
        if (*s == '-' || *s == '+')                 \
            s++;                                    \
        type v = 0;                                 \
        for (; *s >= '0' && *s <= '9'; s++)         \
            v = negative ? v * 10 - (*s - '0') : v * 10 + (*s - '0'); \
        return v;                                   \
    }

FROM_TEXT(atoi, int)
FROM_TEXT(atol, long)
FROM_TEXT(atoll, long long)

/* The value of a number in floating point is any; it ends somewhere among the characters that may belong to it. */
static const char *number(const char *s) {
    const char *p = s;
    while (space(*p))
        p++;
    const char *first = p;
    while (digit(*p) < 36 || *p == '.' || *p == '+' || *p == '-' || *p == '_' || *p == '(' || *p == ')')
        p++;
    size_t n = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(n <= (size_t)(p - first));
    return n == 0 ? s : first + n;
}

#define REAL(name, type)                                   \
    LIB type name(const char *s, char **end) {             \
        const char *to = number(s);                        \
        if (end)                                           \
            *end = (char *)to;                             \
        if (to == s)                                       \
            return 0;                                      \
        if (__VERIFIER_nondet_bool())                      \
            *__errno_location() = ERANGE;                  \
        return __VERIFIER_nondet_##type();                 \
    }

REAL(strtod, double)
REAL(strtof, float)
LIB double atof(const char *s) { return strtod(s, 0); }

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
LIB div_t div(int a, int b) { return (div_t){a / b, a % b}; }
LIB ldiv_t ldiv(long a, long b) { return (ldiv_t){a / b, a % b}; }
LIB lldiv_t lldiv(long long a, long long b) { return (lldiv_t){a / b, a % b}; }

LIB void *reallocarray(void *p, size_t n, size_t size) { return __builtin_mul_overflow(n, size, &n) ? 0 : realloc(p, n); }

/* Which of several equal elements comes first is unspecified. */
LIB void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    char *a = base;
    if (n < 2 || size == 0)
        return;
    char hold[size];
    for (size_t i = 1; i < n; i++) {
        size_t to = i;
        while (to > 0) {
            int c = compare(a + (to - 1) * size, a + i * size);
            if (c < 0 || (c == 0 && __VERIFIER_nondet_bool()))
                break;
            to--;
        }
        if (to < i) {
            memcpy(hold, a + i * size, size);
            memmove(a + (to + 1) * size, a + to * size, (i - to) * size);
            memcpy(a + to * size, hold, size);
        }
    }
}

LIB void *bsearch(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    const char *a = base;
    while (n > 0) {
        size_t half = n / 2;
        int c = compare(key, a + half * size);
        if (c == 0)
            return (void *)(a + half * size);
        if (c > 0) {
            a += (half + 1) * size;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return 0;
}
