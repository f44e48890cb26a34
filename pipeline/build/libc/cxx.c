/* What C++ without exceptions calls behind the scenes (Itanium C++ ABI 3.2.6, 3.3.2; operators new and delete, [new.delete]). */
typedef __SIZE_TYPE__ size_t;
#define LIB __attribute__((weak))
void *malloc(size_t n);
void free(void *p);
void __VERIFIER_assume(int c);
void firmproof_assert(_Bool c, const char *message);

/* Without exceptions there is nothing to tell that memory is short: new succeeds or the program ends. */
static void *get(size_t n) {
    void *p = malloc(n ? n : 1);
    __VERIFIER_assume(p != 0);
    return p;
}

#if __SIZEOF_SIZE_T__ == 8
LIB void *_Znwm(size_t n) { return get(n); }
LIB void *_Znam(size_t n) { return get(n); }
LIB void _ZdlPvm(void *p, size_t n) { free(p); }
LIB void _ZdaPvm(void *p, size_t n) { free(p); }
#else
LIB void *_Znwj(size_t n) { return get(n); }
LIB void *_Znaj(size_t n) { return get(n); }
LIB void _ZdlPvj(void *p, size_t n) { free(p); }
LIB void _ZdaPvj(void *p, size_t n) { free(p); }
#endif
LIB void _ZdlPv(void *p) { free(p); }
LIB void _ZdaPv(void *p) { free(p); }

LIB void __cxa_pure_virtual(void) { firmproof_assert(0, "pure virtual function called"); }

#if defined(__ARM_EABI__)
typedef int guard;
#else
typedef long long guard;
#endif
LIB int __cxa_guard_acquire(guard *g) { return !*(char *)g; }
LIB void __cxa_guard_release(guard *g) { *(char *)g = 1; }
LIB void __cxa_guard_abort(guard *g) {}
LIB void *__dso_handle;
