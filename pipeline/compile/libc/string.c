/* What <string.h> and <strings.h> have beside the functions that the engine models itself (C17 7.24, POSIX). */
typedef __SIZE_TYPE__ size_t;
#define LIB __attribute__((weak))
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t n);
char *strchr(const char *s, int c);
char *strcpy(char *d, const char *s);
int strcmp(const char *a, const char *b);
int memcmp(const void *a, const void *b, size_t n);
void *memcpy(void *d, const void *s, size_t n);
void *memset(void *d, int c, size_t n);
void *malloc(size_t n);
void *memchr(const void *s, int c, size_t n);
char *strncpy(char *d, const char *s, size_t n);
_Bool __CPROVER_same_object(const void *p, const void *q);

/* Fails where n bytes that are written and m bytes that are read overlap. */
static void apart(const char *to, size_t n, const char *from, size_t m) {
    if (n > 0 && m > 0 && __CPROVER_same_object(to, from) && to < from + m && from < to + n)
        strncpy((char *)from, from, 1);
}

static int one_of(const char *set, char c) {
    for (; *set; set++)
        if (*set == c)
            return 1;
    return 0;
}

LIB size_t strspn(const char *s, const char *set) {
    size_t n = 0;
    while (s[n] && one_of(set, s[n]))
        n++;
    return n;
}

LIB size_t strcspn(const char *s, const char *set) {
    size_t n = 0;
    while (s[n] && !one_of(set, s[n]))
        n++;
    return n;
}

LIB char *strpbrk(const char *s, const char *set) {
    for (; *s; s++)
        if (one_of(set, *s))
            return (char *)s;
    return 0;
}

LIB char *strtok_r(char *s, const char *set, char **save) {
    if (!s)
        s = *save;
    if (!s)
        return 0;
    while (*s && one_of(set, *s))
        s++;
    if (!*s) {
        *save = 0;
        return 0;
    }
    char *word = s;
    while (*s && !one_of(set, *s))
        s++;
    if (*s) {
        *s = 0;
        *save = s + 1;
    } else {
        *save = 0;
    }
    return word;
}

LIB char *__strtok_r(char *s, const char *set, char **save) { return strtok_r(s, set, save); }

static char *strtok_rest;
LIB char *strtok(char *s, const char *set) { return strtok_r(s, set, &strtok_rest); }

LIB char *strsep(char **at, const char *set) {
    char *word = *at;
    if (!word)
        return 0;
    char *s = word;
    while (*s && !one_of(set, *s))
        s++;
    if (*s) {
        *s = 0;
        *at = s + 1;
    } else {
        *at = 0;
    }
    return word;
}

LIB void *memccpy(void *restrict d, const void *restrict s, int c, size_t n) {
    const char *last = memchr(s, c, n);
    size_t k = last ? (size_t)(last - (const char *)s) + 1 : n;
    apart(d, k, s, k);
    memcpy(d, s, k);
    return last ? (char *)d + k : 0;
}

LIB void *mempcpy(void *d, const void *s, size_t n) { return (char *)memcpy(d, s, n) + n; }

LIB void *memrchr(const void *s, int c, size_t n) {
    while (n > 0)
        if (((const unsigned char *)s)[--n] == (unsigned char)c)
            return (unsigned char *)s + n;
    return 0;
}

LIB void *rawmemchr(const void *s, int c) {
    const unsigned char *p = s;
    while (*p != (unsigned char)c)
        p++;
    return (void *)p;
}

LIB char *strchrnul(const char *s, int c) {
    while (*s && *s != (char)c)
        s++;
    return (char *)s;
}

LIB char *index(const char *s, int c) { return strchr(s, c); }

LIB char *stpcpy(char *d, const char *s) {
    size_t n = strlen(s);
    strcpy(d, s);
    return d + n;
}

LIB char *stpncpy(char *d, const char *s, size_t n) {
    size_t k = strnlen(s, n);
    apart(d, n, s, k < n ? k + 1 : n);
    memcpy(d, s, k);
    memset(d + k, 0, n - k);
    return d + k;
}

LIB char *strndup(const char *s, size_t n) {
    size_t k = strnlen(s, n);
    char *d = malloc(k + 1);
    if (d) {
        memcpy(d, s, k);
        d[k] = 0;
    }
    return d;
}

LIB size_t strlcpy(char *d, const char *s, size_t n) {
    size_t k = strlen(s);
    if (n > 0) {
        size_t m = k < n ? k : n - 1;
        apart(d, m + 1, s, k + 1);
        memcpy(d, s, m);
        d[m] = 0;
    }
    return k;
}

LIB size_t strlcat(char *d, const char *s, size_t n) {
    size_t used = strnlen(d, n);
    return used == n ? n + strlen(s) : used + strlcpy(d + used, s, n - used);
}

static int lower(unsigned char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

LIB int strncasecmp(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int x = lower((unsigned char)a[i]), y = lower((unsigned char)b[i]);
        if (x != y)
            return memcmp(&(unsigned char){(unsigned char)x}, &(unsigned char){(unsigned char)y}, 1);
        if (!x)
            break;
    }
    return 0;
}

LIB int strcasecmp(const char *a, const char *b) { return strncasecmp(a, b, (size_t)-1); }

LIB int ffsll(long long v) { return v ? __builtin_ctzll((unsigned long long)v) + 1 : 0; }
LIB int ffsl(long v) { return ffsll((unsigned long)v); }
LIB int ffs(int v) { return ffsll((unsigned)v); }

/* Some text. */
static char message[32];
void firmproof_havoc(void *p, size_t n);
LIB char *strerror(int number) {
    firmproof_havoc(message, sizeof message - 1);
    return message;
}

/* The "C" locale. */
LIB int strcoll(const char *a, const char *b) { return strcmp(a, b); }
LIB size_t strxfrm(char *d, const char *s, size_t n) {
    size_t k = strlen(s);
    if (k < n)
        strcpy(d, s);
    return k;
}
