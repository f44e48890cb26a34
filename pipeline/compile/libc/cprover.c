/* CBMC's predicates over whole arrays (cprover-manual, "Memory primitives"). */
typedef __SIZE_TYPE__ size_t;
#define LIB __attribute__((weak))
void *memcpy(void *d, const void *s, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void firmproof_assert(_Bool c, const char *message);
size_t __CPROVER_OBJECT_SIZE(const void *p);

LIB void __CPROVER_array_copy(const void *d, const void *s) { memcpy((void *)d, s, __CPROVER_OBJECT_SIZE(d)); }
LIB void __CPROVER_array_replace(const void *d, const void *s) { memcpy((void *)d, s, __CPROVER_OBJECT_SIZE(s)); }
LIB _Bool __CPROVER_array_equal(const void *a, const void *b) {
    size_t n = __CPROVER_OBJECT_SIZE(a);
    return n == __CPROVER_OBJECT_SIZE(b) && memcmp(a, b, n) == 0;
}
LIB void __CPROVER_unreachable(void) { firmproof_assert(0, "__CPROVER_unreachable is reached"); }
