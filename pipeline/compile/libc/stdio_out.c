/* Text into memory (C17 7.21.6.5, .6, .12, .13): every conversion but those of floating-point numbers with an exponent, wide characters and %n. */
typedef __SIZE_TYPE__ size_t;
typedef __builtin_va_list va_list;
#define LIB __attribute__((weak))
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t n);
unsigned char __VERIFIER_nondet_uchar(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int c);
void firmproof_unmodelled(const char *what);
char *strncpy(char *to, const char *from, size_t n);
_Bool __CPROVER_same_object(const void *p, const void *q);

struct out {
    char *to;
    size_t room, len;
};

static void put(struct out *o, char c) {
    if (o->room > 1 && o->len < o->room - 1)
        o->to[o->len] = c;
    o->len++;
}

static void fill(struct out *o, char c, int n) {
    for (; n > 0; n--)
        put(o, c);
}

struct spec {
    int left, plus, space, alt, zero, width, precision;
};

/* The first string that is read of the same object, from o->to on: behind, or p. Fails where p ends behind o->to. */
static const char *source(const struct out *o, const char *p, int precision, const char *behind) {
    if (o->room == 0 || precision == 0 || !__CPROVER_same_object(o->to, p))
        return behind;
    if (p >= o->to)
        return behind && behind < p ? behind : p;
    size_t n = precision < 0 ? strlen(p) + 1 : strnlen(p, (size_t)precision);
    if (p + n > o->to)
        strncpy(o->to, p, n);
    return behind;
}

/* Where more than INT_MAX characters are asked for, C says nothing, and libraries differ (POSIX: EOVERFLOW). */
static int most(long long n) {
    if (n > __INT_MAX__)
        firmproof_unmodelled("a conversion into more than INT_MAX characters");
    return (int)n;
}

/* The digits of v, least significant first; precision is their least number. */
static int digits(char *d, unsigned long long v, unsigned base, int upper, int precision) {
    int n = 0;
    if (v <= 0xffffffffu) {
        for (unsigned u = (unsigned)v; u; u /= base)
            d[n++] = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[u % base];
    } else {
        for (; v; v /= base)
            d[n++] = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[v % base];
    }
    while (n < precision && n < 64)
        d[n++] = '0';
    return n;
}

static void integer(struct out *o, const struct spec *s, unsigned long long v, int negative, unsigned base, int is_signed, char kind) {
    char d[64];
    const char *prefix = "";
    int n = digits(d, v, base, kind == 'X', s->precision < 0 ? 1 : s->precision), pad = 0;
    if (is_signed)
        prefix = negative ? "-" : s->plus ? "+" : s->space ? " " : "";
    else if ((s->alt && base == 16 && v) || kind == 'p')
        prefix = kind == 'X' ? "0X" : "0x";
    else if (s->alt && base == 8 && (n == 0 || d[n - 1] != '0'))
        prefix = "0";
    int total = n + (int)strlen(prefix);
    if (s->width > total)
        pad = s->width - total;
    int zeros = s->zero && !s->left && s->precision < 0;
    if (!s->left && !zeros)
        fill(o, ' ', pad);
    for (; *prefix; prefix++)
        put(o, *prefix);
    if (zeros)
        fill(o, '0', pad);
    while (n > 0)
        put(o, d[--n]);
    if (s->left)
        fill(o, ' ', pad);
}

static void text(struct out *o, const struct spec *s, const char *p) {
    size_t n = s->precision < 0 ? strlen(p) : strnlen(p, (size_t)s->precision);
    int pad = (size_t)s->width > n && s->width > 0 ? s->width - (int)n : 0;
    if (!s->left)
        fill(o, ' ', pad);
    for (size_t i = 0; i < n; i++)
        put(o, p[i]);
    if (s->left)
        fill(o, ' ', pad);
}

/* %f: the digits before the point are those of x or, rounded up, one more; those behind it are not followed. */
static void decimal(struct out *o, const struct spec *s, double x) {
    char d[64];
    int negative = __builtin_signbit(x) != 0, fraction = s->precision < 0 ? 6 : s->precision;
    if (negative)
        x = -x;
    if (!(x < 9223372036854775807.0))
        firmproof_unmodelled("conversion %f of a number of 2^63 or more, infinite, or none");
    unsigned long long whole = (unsigned long long)x;
    if (x != (double)whole && __VERIFIER_nondet_bool())
        whole++;
    int n = digits(d, whole, 10, 0, 1), sign = negative || s->plus || s->space;
    int total = most((long long)sign + n + (fraction > 0 || s->alt) + fraction), pad = s->width > total ? s->width - total : 0;
    if (!s->left && !s->zero)
        fill(o, ' ', pad);
    if (sign)
        put(o, negative ? '-' : s->plus ? '+' : ' ');
    if (!s->left && s->zero)
        fill(o, '0', pad);
    while (n > 0)
        put(o, d[--n]);
    if (fraction > 0 || s->alt)
        put(o, '.');
    for (int i = 0; i < fraction; i++) {
        unsigned char c = x == (double)whole ? '0' : __VERIFIER_nondet_uchar();
        __VERIFIER_assume(c >= '0' && c <= '9');
        put(o, (char)c);
    }
    if (s->left)
        fill(o, ' ', pad);
}

LIB int vsnprintf(char *to, size_t room, const char *format, va_list ap) {
    struct out o = {to, room, 0};
    const char *behind = source(&o, format, -1, 0);
    for (const char *f = format; *f; f++) {
        if (*f != '%') {
            put(&o, *f);
            continue;
        }
        struct spec s = {0, 0, 0, 0, 0, 0, -1};
        for (f++;; f++) {
            if (*f == '-') s.left = 1;
            else if (*f == '+') s.plus = 1;
            else if (*f == ' ') s.space = 1;
            else if (*f == '#') s.alt = 1;
            else if (*f == '0') s.zero = 1;
            else break;
        }
        if (*f == '*') {
            s.width = __builtin_va_arg(ap, int);
            if (s.width < 0) {
                s.left = 1;
                s.width = most(-(long long)s.width);
            }
            f++;
        } else {
            for (; *f >= '0' && *f <= '9'; f++)
                s.width = most(s.width * 10LL + (*f - '0'));
        }
        if (*f == '.') {
            s.precision = 0;
            if (*++f == '*') {
                s.precision = __builtin_va_arg(ap, int);
                f++;
            } else {
                for (; *f >= '0' && *f <= '9'; f++)
                    s.precision = most(s.precision * 10LL + (*f - '0'));
            }
        }
        int length = 0; /* hh: -2, h: -1, l: 1, ll and j: 2, z and t: 3 */
        for (;; f++) {
            if (*f == 'h') length--;
            else if (*f == 'l') length++;
            else if (*f == 'j' || *f == 'q') length = 2;
            else if (*f == 'z' || *f == 't') length = 3;
            else break;
        }
        switch (*f) {
        case '%':
            put(&o, '%');
            break;
        case 'c': {
            char one[2] = {(char)__builtin_va_arg(ap, int), 0};
            int pad = s.width > 1 ? s.width - 1 : 0;
            if (!s.left)
                fill(&o, ' ', pad);
            put(&o, one[0]);
            if (s.left)
                fill(&o, ' ', pad);
            break;
        }
        case 's': {
            if (length == 1)
                firmproof_unmodelled("conversion %ls of wide characters into text");
            const char *p = __builtin_va_arg(ap, const char *);
            behind = source(&o, p, s.precision, behind);
            text(&o, &s, p);
            break;
        }
        case 'd':
        case 'i': {
            long long v;
            if (length == 2)
                v = __builtin_va_arg(ap, long long);
            else if (length == 1)
                v = __builtin_va_arg(ap, long);
            else if (length == 3)
                v = __builtin_va_arg(ap, __PTRDIFF_TYPE__);
            else {
                int i = __builtin_va_arg(ap, int);
                v = length == -2 ? (signed char)i : length == -1 ? (short)i : i;
            }
            integer(&o, &s, v < 0 ? 0 - (unsigned long long)v : (unsigned long long)v, v < 0, 10, 1, 'd');
            break;
        }
        case 'u': case 'x': case 'X': case 'o': {
            unsigned long long v;
            if (length == 2)
                v = __builtin_va_arg(ap, unsigned long long);
            else if (length == 1)
                v = __builtin_va_arg(ap, unsigned long);
            else if (length == 3)
                v = __builtin_va_arg(ap, size_t);
            else {
                unsigned i = __builtin_va_arg(ap, unsigned);
                v = length == -2 ? (unsigned char)i : length == -1 ? (unsigned short)i : i;
            }
            integer(&o, &s, v, 0, *f == 'u' ? 10 : *f == 'o' ? 8 : 16, 0, *f);
            break;
        }
        case 'p':
            integer(&o, &s, (__UINTPTR_TYPE__)__builtin_va_arg(ap, void *), 0, 16, 0, 'p');
            break;
        case 'f': case 'F':
            decimal(&o, &s, __builtin_va_arg(ap, double));
            break;
        case 'e': case 'E':
            firmproof_unmodelled("conversion %e into text with an exponent");
            break;
        case 'g': case 'G':
            firmproof_unmodelled("conversion %g into text with an exponent");
            break;
        case 'a': case 'A':
            firmproof_unmodelled("conversion %a into text with an exponent");
            break;
        case 'n':
            firmproof_unmodelled("conversion %n, which stores how much was written");
            break;
        default:
            firmproof_unmodelled("a conversion into text that C does not define");
        }
    }
    if (room > 0) {
        size_t last = o.len < room ? o.len : room - 1;
        if (behind && behind <= to + last)
            strncpy(to, behind, last + 1); /* which fails: they overlap (C17 7.21.6.5) */
        to[last] = 0;
    }
    return (int)o.len;
}

LIB int vsprintf(char *to, const char *format, va_list ap) { return vsnprintf(to, (size_t)-1, format, ap); }

LIB int snprintf(char *to, size_t room, const char *format, ...) {
    va_list ap;
    __builtin_va_start(ap, format);
    int n = vsnprintf(to, room, format, ap);
    __builtin_va_end(ap);
    return n;
}

LIB int sprintf(char *to, const char *format, ...) {
    va_list ap;
    __builtin_va_start(ap, format);
    int n = vsnprintf(to, (size_t)-1, format, ap);
    __builtin_va_end(ap);
    return n;
}

/* Where there is no memory, what *to is afterwards is not said: GNU's manual, asprintf(3). */
void *malloc(size_t n);
LIB int vasprintf(char **to, const char *format, va_list ap) {
    va_list again;
    char *any;
    __builtin_va_copy(again, ap);
    size_t size = (size_t)vsnprintf(0, 0, format, again) + 1;
    __builtin_va_end(again);
    char *s = malloc(size);
    *to = s ? s : any;
    return s ? vsnprintf(s, size, format, ap) : -1;
}

LIB int asprintf(char **to, const char *format, ...) {
    va_list ap;
    __builtin_va_start(ap, format);
    int n = vasprintf(to, format, ap);
    __builtin_va_end(ap);
    return n;
}
