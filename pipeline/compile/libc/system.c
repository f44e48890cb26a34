/* Time, environment and host (C17 7.27, 7.22.4): any answer. */
typedef __SIZE_TYPE__ size_t;
#define LIB __attribute__((weak))
long __VERIFIER_nondet_long(void);
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
size_t __VERIFIER_nondet_size_t(void);
void __VERIFIER_assume(int c);
void firmproof_havoc(void *p, size_t n);

LIB long clock(void) { return __VERIFIER_nondet_long(); }
#if __SIZEOF_LONG__ == 8 || defined(__linux__) || defined(__i386__)
typedef long time_t;
#elif defined(__AVR__)
typedef unsigned long time_t;
#else
typedef long long time_t;
#endif
LIB time_t time(time_t *at) {
    time_t t;
    firmproof_havoc(&t, sizeof t);
    if (at)
        *at = t;
    return t;
}

LIB int system(const char *command) { return __VERIFIER_nondet_int(); }
LIB int rand_r(unsigned *seed) {
    firmproof_havoc(seed, sizeof *seed);
    int r = __VERIFIER_nondet_int();
    __VERIFIER_assume(r >= 0);
    return r;
}

/* A text of up to 63 characters, another at each call for another name. */
static char environment[64], environment_name[32];
static char *environment_is;
LIB char *getenv(const char *name) {
    size_t n = 0;
    _Bool again = 1;
    for (;; n++) {
        if (n >= sizeof environment_name || name[n] != environment_name[n])
            again = 0;
        if (name[n] == 0)
            break;
    }
    if (again && n > 0)
        return environment_is;
    environment_is = __VERIFIER_nondet_bool() ? environment : 0;
    if (environment_is)
        firmproof_havoc(environment, sizeof environment - 1);
    for (size_t i = 0; i < sizeof environment_name && i <= n; i++)
        environment_name[i] = n < sizeof environment_name ? name[i] : 0;
    return environment_is;
}
