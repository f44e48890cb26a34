/* What stdin, stdout and stderr (C17 7.21.1) lead to where a library keeps them behind a variable of its own. */
#define LIB __attribute__((weak))
struct __attribute__((aligned(16))) stream { char inside[256]; };
static struct stream streams[3];

/* newlib: members of what _impure_ptr leads to. */
struct __attribute__((aligned(16))) reentrancy {
    int errno_;
    struct stream *in, *out, *err;
    char rest[2048];
};
static struct reentrancy state = {0, &streams[0], &streams[1], &streams[2], {0}};
LIB struct reentrancy *_impure_ptr = &state;
LIB struct reentrancy *const _global_impure_ptr = &state;
LIB struct reentrancy *__getreent(void) { return &state; }

/* glibc and picolibc: variables. */
LIB struct stream *stdin = &streams[0], *stdout = &streams[1], *stderr = &streams[2];

/* avr-libc */
LIB struct stream *__iob[3] = {&streams[0], &streams[1], &streams[2]};
