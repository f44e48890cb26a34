/*
 * In front of libstdc++'s reference counts: they take pointers to volatile so that any may be passed, and count in
 * memory all the same, whose values are those that were written.
 */
#ifndef FIRMPROOF_CXX_ATOMICITY_H
#define FIRMPROOF_CXX_ATOMICITY_H
#include <bits/c++config.h>
#include <bits/gthr.h>
#include <bits/atomic_word.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif
#define volatile
#include_next <ext/atomicity.h>
#undef volatile
#endif
