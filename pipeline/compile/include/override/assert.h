/*
 * assert.h for targets whose C library is missing or drops the expression:
 * a failed assertion calls __assert_fail with the expression's text, as glibc does.
 * Like the standard's, it may be included again after NDEBUG has changed.
 */
#undef assert
#if defined(NDEBUG)
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __func__))
#endif
#ifndef FIRMPROOF_ASSERT_H
#define FIRMPROOF_ASSERT_H
#if defined(__cplusplus)
extern "C"
#endif
_Noreturn void __assert_fail(const char *expression, const char *file, unsigned int line, const char *function);
#endif
#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif
