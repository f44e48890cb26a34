/* Input (C17 7.21.6, 7.21.7): what comes from a stream is any text; sscanf reads its string. */
typedef __SIZE_TYPE__ size_t;
typedef __builtin_va_list va_list;
#define LIB __attribute__((weak))
#define EOF (-1)
char __VERIFIER_nondet_char(void);
int __VERIFIER_nondet_int(void);
size_t __VERIFIER_nondet_size_t(void);
long long __VERIFIER_nondet_longlong(void);
_Bool __VERIFIER_nondet_bool(void);
double __VERIFIER_nondet_double(void);
void __VERIFIER_assume(int c);
void firmproof_havoc(void *p, size_t n);
size_t strlen(const char *s);
void *memcpy(void *to, const void *from, size_t n);
char *strncpy(char *to, const char *from, size_t n);
_Bool __CPROVER_same_object(const void *p, const void *q);
__SIZE_TYPE__ __CPROVER_POINTER_OFFSET(const void *p);
void firmproof_unmodelled(const char *what);

static void not_followed(char kind) {
    if (kind == '[')
        firmproof_unmodelled("conversion %[ of scanf");
    if (kind == 'p')
        firmproof_unmodelled("conversion %p of scanf");
    if (kind == 'f' || kind == 'e' || kind == 'g' || kind == 'E' || kind == 'G')
        firmproof_unmodelled("conversion %f of sscanf");
    firmproof_unmodelled("a conversion of scanf that C does not define, or %a");
}

static int byte_or_end(void) {
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= EOF && c <= 255);
    return c;
}
LIB int getchar(void) { return byte_or_end(); }
LIB int getc(void *f) { return byte_or_end(); }
LIB int fgetc(void *f) { return byte_or_end(); }
LIB int _IO_getc(void *f) { return byte_or_end(); }

LIB char *fgets(char *to, int n, void *f) {
    if (n <= 0 || !__VERIFIER_nondet_bool())
        return 0;
    size_t len = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(len < (size_t)n);
    firmproof_havoc(to, len);
    to[len] = 0;
    return to;
}

LIB size_t fread(void *to, size_t size, size_t n, void *f) {
    size_t got = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(got <= n);
    firmproof_havoc(to, got * size);
    return got;
}

/* A conversion's directive, behind the percent sign. */
struct directive {
    int skip, length; /* hh: -2, h: -1, l: 1, ll and j: 2, z and t: 3 */
    size_t width;     /* 0: none */
    char kind;
};

static const char *directive(const char *f, struct directive *d) {
    d->skip = *f == '*';
    if (d->skip)
        f++;
    d->width = 0;
    for (; *f >= '0' && *f <= '9'; f++)
        d->width = d->width * 10 + (size_t)(*f - '0');
    d->length = 0;
    for (;; f++) {
        if (*f == 'h') d->length--;
        else if (*f == 'l') d->length++;
        else if (*f == 'j' || *f == 'q') d->length = 2;
        else if (*f == 'z' || *f == 't') d->length = 3;
        else break;
    }
    d->kind = *f;
    return f;
}

static void assign(void *to, int length, long long v) {
    switch (length) {
    case -2: *(char *)to = (char)v; break;
    case -1: *(short *)to = (short)v; break;
    case 1: *(long *)to = (long)v; break;
    case 2: *(long long *)to = v; break;
    case 3: *(size_t *)to = (size_t)v; break;
    default: *(int *)to = (int)v;
    }
}

/* Any text of the stream: each conversion may be the one that fails. */
static int any_input(const char *f, va_list ap) {
    int done = 0;
    for (; *f; f++) {
        if (*f != '%')
            continue;
        if (f[1] == '%') {
            f++;
            continue;
        }
        struct directive d;
        f = directive(f + 1, &d);
        if (d.kind != 'n' && !__VERIFIER_nondet_bool())
            return done > 0 || __VERIFIER_nondet_bool() ? done : EOF;
        if (d.skip)
            continue;
        void *to = __builtin_va_arg(ap, void *);
        switch (d.kind) {
        case 'd': case 'i': case 'u': case 'x': case 'X': case 'o':
            assign(to, d.length, __VERIFIER_nondet_longlong());
            break;
        case 'c':
            firmproof_havoc(to, d.width ? d.width : 1);
            break;
        case 's': {
            size_t n = __VERIFIER_nondet_size_t();
            __VERIFIER_assume(n > 0 && (d.width == 0 || n <= d.width));
            firmproof_havoc(to, n);
            ((char *)to)[n] = 0;
            break;
        }
        case 'f': case 'e': case 'g': case 'E': case 'G':
            if (d.length == 0)
                *(float *)to = (float)__VERIFIER_nondet_double();
            else
                *(double *)to = __VERIFIER_nondet_double();
            break;
        default:
            not_followed(d.kind);
        }
        done++;
    }
    return done;
}

#define FORWARD(name, before, call)            \
    LIB int name(before const char *format, ...) { \
        va_list ap;                            \
        __builtin_va_start(ap, format);        \
        int n = call;                          \
        __builtin_va_end(ap);                  \
        return n;                              \
    }
#define NOTHING
#define STREAM void *stream,
#define STRING const char *s,
LIB int vscanf(const char *format, va_list ap) { return any_input(format, ap); }
LIB int vfscanf(void *stream, const char *format, va_list ap) { return any_input(format, ap); }
FORWARD(scanf, NOTHING, any_input(format, ap))
FORWARD(__isoc99_scanf, NOTHING, any_input(format, ap))
FORWARD(fscanf, STREAM, any_input(format, ap))
FORWARD(__isoc99_fscanf, STREAM, any_input(format, ap))

static int space(char c) { return c == ' ' || (c >= 9 && c <= 13); }

static unsigned digit(char c) {
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a' + 10);
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A' + 10);
    return 16;
}

/* One number; null where there is none. */
static const char *number(const char *s, const struct directive *d, long long *v) {
    size_t left = d->width ? d->width : (size_t)-1;
    unsigned base = d->kind == 'x' || d->kind == 'X' || d->kind == 'p' ? 16 : d->kind == 'o' ? 8 : d->kind == 'i' ? 0 : 10;
    unsigned long long n = 0;
    int negative = 0, some = 0;
    if (left > 0 && (*s == '-' || *s == '+')) {
        negative = *s == '-';
        s++;
        left--;
    }
    if ((base == 16 || base == 0) && left > 1 && *s == '0' && (s[1] == 'x' || s[1] == 'X')) {
        if (digit(s[2]) == 16 || left == 2) /* C says no match, libraries read 0 */
            firmproof_unmodelled("\"0x\" without a digit, read as a number");
        s += 2;
        left -= 2;
        base = 16;
    } else if (base == 0) {
        base = *s == '0' ? 8 : 10;
    }
    for (; left > 0 && digit(*s) < base; s++, left--) {
        if (n > (~0ull - digit(*s)) / base)
            firmproof_unmodelled("a number of more than 64 bits, read by scanf");
        n = n * base + digit(*s);
        some = 1;
    }
    *v = (long long)(negative ? 0 - n : n);
    return some ? s : 0;
}

/* Fails where n bytes that a conversion writes are among those of the string that it reads (C17 7.21.6.7). */
static void outside(const char *string, const char *to, size_t n) {
    size_t from = __CPROVER_POINTER_OFFSET(string), at = __CPROVER_POINTER_OFFSET(to);
    if (__CPROVER_same_object(to, string) && from < at + n && at <= from + strlen(string))
        strncpy((char *)string, string, 1);
}

static size_t size_of(int length) {
    return length == -2 ? 1 : length == -1 ? sizeof(short) : length == 1 ? sizeof(long)
         : length == 2 ? sizeof(long long) : length == 3 ? sizeof(size_t) : sizeof(int);
}

LIB int vsscanf(const char *s, const char *f, va_list ap) {
    const char *start = s;
    int done = 0;
    for (; *f; f++) {
        if (space(*f)) {
            while (space(*s))
                s++;
            continue;
        }
        if (*f != '%' || f[1] == '%') {
            if (*f == '%') {
                f++;
                while (space(*s))
                    s++;
            }
            if (*s != *f)
                return *s || done ? done : EOF;
            s++;
            continue;
        }
        struct directive d;
        f = directive(f + 1, &d);
        if (d.kind == 'n') {
            void *to = __builtin_va_arg(ap, void *);
            outside(start, to, size_of(d.length));
            assign(to, d.length, s - start);
            continue;
        }
        if (d.kind != 'c')
            while (space(*s))
                s++;
        if (!*s)
            return done ? done : EOF;
        switch (d.kind) {
        case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': {
            long long v;
            s = number(s, &d, &v);
            if (!s)
                return done;
            if (!d.skip) {
                void *to = __builtin_va_arg(ap, void *);
                outside(start, to, size_of(d.length));
                assign(to, d.length, v);
            }
            break;
        }
        case 'c':
        case 's': {
            char *to = d.skip ? 0 : __builtin_va_arg(ap, char *);
            size_t n = 0, most = d.width ? d.width : d.kind == 'c' ? 1 : (size_t)-1;
            for (; n < most && s[n] && (d.kind == 'c' || !space(s[n])); n++)
                ;
            if (to) {
                outside(start, to, d.kind == 'c' ? n : n + 1);
                memcpy(to, s, n);
            }
            s += n;
            if (d.kind == 'c' && n < most)
                return done ? done : EOF;
            if (to && d.kind == 's')
                to[n] = 0;
            break;
        }
        default:
            not_followed(d.kind);
        }
        if (!d.skip)
            done++;
    }
    return done;
}
FORWARD(sscanf, STRING, vsscanf(s, format, ap))
FORWARD(__isoc99_sscanf, STRING, vsscanf(s, format, ap))
