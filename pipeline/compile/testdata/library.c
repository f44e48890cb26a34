/* Compares the library (its names start with fp_ here) with the machine's own on random arguments. */
#define _GNU_SOURCE
#include <features.h>
/* The library is C17's. From glibc 2.38 on _GNU_SOURCE asks for what C23 reads besides: 0b1. */
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

size_t fp_strspn(const char *, const char *), fp_strcspn(const char *, const char *);
char *fp_strpbrk(const char *, const char *), *fp_strtok_r(char *, const char *, char **), *fp_strsep(char **, const char *), *fp_strchrnul(const char *, int);
char *fp_stpcpy(char *, const char *), *fp_stpncpy(char *, const char *, size_t);
void *fp_memccpy(void *, const void *, int, size_t), *fp_memrchr(const void *, int, size_t);
int fp_strcasecmp(const char *, const char *), fp_strncasecmp(const char *, const char *, size_t), fp_ffs(int), fp_ffsl(long);
long fp_strtol(const char *, char **, int);
unsigned long fp_strtoul(const char *, char **, int);
int fp_atoi(const char *);
long fp_atol(const char *), fp_lround(double), fp_lrint(double);
void fp_qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *fp_bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
int fp_snprintf(char *, size_t, const char *, ...), fp_asprintf(char **, const char *, ...), fp_sscanf(const char *, const char *, ...);

/* What the engine models itself, or answers itself. */
void __VERIFIER_assume(int c) { assert(c); }
_Bool __VERIFIER_nondet_bool(void) { return 0; }
unsigned char __VERIFIER_nondet_uchar(void) { return '0'; }
void firmproof_unmodelled(const char *what) { abort(); }
_Bool __CPROVER_same_object(const void *p, const void *q) { return 0; } /* no text is written over another */
size_t __CPROVER_POINTER_OFFSET(const void *p) { return 0; }
void firmproof_havoc(void *p, size_t n) { memset(p, 0, n); }
char __VERIFIER_nondet_char(void) { return 0; }
int __VERIFIER_nondet_int(void) { return 0; }
size_t __VERIFIER_nondet_size_t(void) { return 0; }
long long __VERIFIER_nondet_longlong(void) { return 0; }
float __VERIFIER_nondet_float(void) { return 0; }
double __VERIFIER_nondet_double(void) { return 0; }

static unsigned long long state = 88172645463325252ull;
static unsigned rnd(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 32) % n;
}
static char *text(char *s, const char *from, unsigned most) {
    unsigned n = rnd(most);
    for (unsigned i = 0; i < n; i++)
        s[i] = from[rnd((unsigned)strlen(from))];
    s[n] = 0;
    return s;
}
static int sign(int x) { return (x > 0) - (x < 0); }
static int compare(const void *a, const void *b) { return sign((*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b)); }

#define SAME(x, y)                                                                           \
    do {                                                                                     \
        if ((x) != (y)) {                                                                    \
            printf("line %d, \"%s\", \"%s\"\n", __LINE__, a, b); \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

static void strings(void) {
    char a[24], b[8], c[24], d[24], *p, *q;
    text(a, "abcdA,. ", 20);
    text(b, "abA,", 5);
    SAME(fp_strspn(a, b), strspn(a, b));
    SAME(fp_strcspn(a, b), strcspn(a, b));
    SAME(fp_strpbrk(a, b), strpbrk(a, b));
    SAME(fp_strchrnul(a, b[0]), strchrnul(a, b[0]));
    SAME(fp_memrchr(a, 'a', strlen(a)), memrchr(a, 'a', strlen(a)));
    SAME(sign(fp_strcasecmp(a, b)), sign(strcasecmp(a, b)));
    SAME(sign(fp_strncasecmp(a, b, 2)), sign(strncasecmp(a, b, 2)));
    strcpy(c, a);
    strcpy(d, a);
    char *x = c, *y = d;
    do {
        p = fp_strsep(&x, b);
        q = strsep(&y, b);
        SAME(p ? p - c : -1, q ? q - d : -1);
    } while (q);
    char *keep = 0, *kept = 0;
    strcpy(c, a);
    strcpy(d, a);
    for (x = c, y = d;; x = y = 0) {
        p = fp_strtok_r(x, b, &keep);
        q = strtok_r(y, b, &kept);
        SAME(p ? p - c : -1, q ? q - d : -1);
        if (!q)
            break;
        SAME(strcmp(p, q), 0);
    }
    memset(c, 7, sizeof c);
    memset(d, 7, sizeof d);
    unsigned n = rnd(22);
    SAME(fp_stpncpy(c, a, n) - c, stpncpy(d, a, n) - d);
    SAME(memcmp(c, d, sizeof c), 0);
    p = fp_memccpy(c, a, 'b', strlen(a));
    q = memccpy(d, a, 'b', strlen(a));
    SAME(p ? p - c : -1, q ? q - d : -1);
    SAME(memcmp(c, d, sizeof c), 0);
    SAME(fp_stpcpy(c, a) - c, (long)strlen(a));
    SAME(strcmp(c, a), 0);
    int v = (int)(rnd(2) ? rnd(~0u) : 1u << rnd(32));
    SAME(fp_ffs(v), ffs(v));
    SAME(fp_ffsl((long)v << 8), ffsl((long)v << 8));
}

static void numbers(void) {
    char a[48], b[2] = "", *p = 0, *q = 0;
    text(a, rnd(2) ? " -+0x19aFz" : "0123456789", rnd(2) ? 8 : 24);
    int base = (int[]){0, 2, 8, 10, 16, 36}[rnd(6)];
    errno = 0;
    long x = fp_strtol(a, &p, base);
    int e = errno;
    errno = 0;
    SAME(x, strtol(a, &q, base));
    SAME(e, errno);
    SAME(p, q);
    SAME(fp_strtoul(a, &p, base), strtoul(a, &q, base));
    SAME(p, q);
    if (strlen(a) < 9) {
        SAME(fp_atoi(a), atoi(a));
        SAME(fp_atol(a), atol(a));
    }
    double f = (rnd(2000000) - 1e6) / 8;
    SAME(fp_lround(f), lround(f));
    SAME(fp_lrint(f), lrint(f));
    int l[9], m[9], n = (int)rnd(10), k = (int)rnd(12);
    for (int i = 0; i < n; i++)
        l[i] = m[i] = (int)rnd(12);
    fp_qsort(l, (size_t)n, sizeof *l, compare);
    qsort(m, (size_t)n, sizeof *m, compare);
    SAME(memcmp(l, m, (size_t)n * sizeof *l), 0);
    int *at = fp_bsearch(&k, l, (size_t)n, sizeof *l, compare);
    SAME(!at, !bsearch(&k, l, (size_t)n, sizeof *l, compare));
    SAME(at ? *at : k, k);
}

static void formats(void) {
    char f[32] = "<%", a[128], b[128], s[16];
    text(f + 2, "-+ #0", 4);
    if (rnd(2))
        sprintf(f + strlen(f), "%u", rnd(12));
    int precise = rnd(2) != 0;
    if (precise)
        sprintf(f + strlen(f), ".%u", rnd(9));
    size_t room = rnd(3) ? sizeof a : rnd(20);
    int n, m, kind = (int)rnd(6);
    long v = rnd(2) ? (long)rnd(300) - 150 : (long)((unsigned long)rnd(~0u) << 32 | rnd(~0u));
    memset(a, 1, sizeof a);
    memset(b, 1, sizeof b);
    if (kind == 0) {
        strcat(f, "s>");
        text(s, "ab c", 12);
        n = fp_snprintf(a, room, f, s);
        m = snprintf(b, room, f, s);
        char *c = 0, *d = 0;
        if (fp_asprintf(&c, f, s) != asprintf(&d, f, s) || strcmp(c, d)) {
            printf("asprintf \"%s\" of \"%s\": \"%s\", \"%s\"\n", f, s, c, d);
            exit(1);
        }
        free(c);
        free(d);
    } else if (kind == 1) {
        strcat(f, "c>%%");
        n = fp_snprintf(a, room, f, 'x');
        m = snprintf(b, room, f, 'x');
    } else if (kind == 2) {
        strcat(f, "f>");
        double x = (double)((int)rnd(2000) - 1000);
        n = fp_snprintf(a, room, f, x);
        m = snprintf(b, room, f, x);
    } else {
        const char *length = kind == 3 ? "" : kind == 4 ? "l" : "hh";
        sprintf(f + strlen(f), "%s%c>", length, "dixXuo"[rnd(6)]);
        if (kind == 4) {
            n = fp_snprintf(a, room, f, v);
            m = snprintf(b, room, f, v);
        } else {
            n = fp_snprintf(a, room, f, (int)v);
            m = snprintf(b, room, f, (int)v);
        }
    }
    if (n != m || memcmp(a, b, sizeof a)) {
        printf("\"%s\" of %ld in %zu: \"%s\" %d, \"%s\" %d\n", f, v, room, a, n, b, m);
        exit(1);
    }
}

static void scans(void) {
    static const char *const all[] = {"%d", "%x %u", "%3d%d", "%i,%i", "%s", "%2s %d", "%c%c", "%*d %d", "a%db", "%hd %n%hhd"};
    char a[24], b[2] = "";
    const char *f = all[rnd(sizeof all / sizeof *all)];
    text(a, rnd(2) ? "012 -a," : "0x12ab ", 14);
    for (char *x = a; (x = strchr(x, 'x')); x++)
        *x = x > a && x[-1] == '0' && x[1] >= '0' && x[1] <= '2' ? 'x' : ' ';
    long long v[3][4] = {{0}};
    int n = fp_sscanf(a, f, &v[0][0], &v[0][2], &v[0][3]), m = sscanf(a, f, &v[1][0], &v[1][2], &v[1][3]);
    if (n != m || memcmp(v[0], v[1], sizeof v[0])) {
        printf("\"%s\" of \"%s\": %d, %d\n", f, a, n, m);
        exit(1);
    }
}

int main(void) {
    for (int i = 0; i < 20000; i++) {
        strings();
        numbers();
        formats();
        scans();
    }
    return 0;
}
