/*
 * In front of libstdc++'s configuration: what the library demands of its users is an assertion with its text (without
 * this, libraries for bare machines only abort), and no template is left to the compiled part of the library.
 */
#ifndef FIRMPROOF_CXX_CONFIG_H
#define FIRMPROOF_CXX_CONFIG_H
#include_next <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
namespace std {
__attribute__((__noreturn__)) void __glibcxx_assert_fail(const char *file, int line, const char *function,
                                                         const char *condition) noexcept;
}
#undef __glibcxx_assert
#define __glibcxx_assert(condition) \
    do { \
        if (!bool(condition)) \
            std::__glibcxx_assert_fail(__FILE__, __LINE__, __PRETTY_FUNCTION__, #condition); \
    } while (false)
#endif
