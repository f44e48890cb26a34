/* Operators new and delete of C++ beside those that a program replaces: the others call them ([new.delete]). */
typedef __SIZE_TYPE__ size_t;
#define LIB __attribute__((weak))
void *malloc(size_t n);
void free(void *p);
void __VERIFIER_assume(int c);
void _ZdlPv(void *p);
void _ZdaPv(void *p);

#if __SIZEOF_SIZE_T__ == 8
LIB void *_Znwm(size_t n) {
    void *p = malloc(n ? n : 1);
    __VERIFIER_assume(p != 0);
    return p;
}
LIB void *_Znam(size_t n) { return _Znwm(n); }
LIB void *_ZnwmRKSt9nothrow_t(size_t n, const void *nothrow) { return _Znwm(n); }
LIB void *_ZnamRKSt9nothrow_t(size_t n, const void *nothrow) { return _Znam(n); }
LIB void _ZdlPvm(void *p, size_t n) { _ZdlPv(p); }
LIB void _ZdaPvm(void *p, size_t n) { _ZdaPv(p); }
#else
LIB void *_Znwj(size_t n) {
    void *p = malloc(n ? n : 1);
    __VERIFIER_assume(p != 0);
    return p;
}
LIB void *_Znaj(size_t n) { return _Znwj(n); }
LIB void *_ZnwjRKSt9nothrow_t(size_t n, const void *nothrow) { return _Znwj(n); }
LIB void *_ZnajRKSt9nothrow_t(size_t n, const void *nothrow) { return _Znaj(n); }
LIB void _ZdlPvj(void *p, size_t n) { _ZdlPv(p); }
LIB void _ZdaPvj(void *p, size_t n) { _ZdaPv(p); }
#endif
LIB void _ZdlPv(void *p) { free(p); }
LIB void _ZdaPv(void *p) { _ZdlPv(p); }
LIB void _ZdlPvRKSt9nothrow_t(void *p, const void *nothrow) { _ZdlPv(p); }
LIB void _ZdaPvRKSt9nothrow_t(void *p, const void *nothrow) { _ZdaPv(p); }
