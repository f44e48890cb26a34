/*
 * firmproof.h: what a harness says to firmproof. Plain C, no other header needed.
 *
 * A harness is a function without parameters. It makes inputs, restricts them,
 * calls the code and states what must hold:
 *
 *     void ring_push_harness(void) {
 *         struct ring r;
 *         firmproof_havoc(&r, sizeof r);
 *         firmproof_assume(ring_valid(&r));
 *         ring_push(&r, firmproof_nondet_uint8_t());
 *         firmproof_assert(ring_valid(&r), "push keeps the ring valid");
 *     }
 */
#ifndef FIRMPROOF_H
#define FIRMPROOF_H

#pragma GCC system_header

#if !defined(__clang__) && !defined(__GNUC__)
#error "firmproof.h wants clang or gcc"
#endif

#if defined(__cplusplus)
extern "C" {
typedef bool firmproof_bool;
#else
__extension__ typedef _Bool firmproof_bool;
#endif
__extension__ typedef long long firmproof_longlong;
__extension__ typedef unsigned long long firmproof_ulonglong;

/* Runs in which c is false are left out from here on. */
void firmproof_assume(firmproof_bool c);

/* A violation of the check `assert` where c is false; msg is shown. */
void firmproof_assert(firmproof_bool c, const char *msg);

/* Each of the n bytes from p gets any value, one after the other independent. */
void firmproof_havoc(void *p, __SIZE_TYPE__ n);

/* Any value of the type, a new one at each call. */
firmproof_bool firmproof_nondet_bool(void);
char firmproof_nondet_char(void);
signed char firmproof_nondet_schar(void);
unsigned char firmproof_nondet_uchar(void);
short firmproof_nondet_short(void);
unsigned short firmproof_nondet_ushort(void);
int firmproof_nondet_int(void);
unsigned int firmproof_nondet_uint(void);
long firmproof_nondet_long(void);
unsigned long firmproof_nondet_ulong(void);
firmproof_longlong firmproof_nondet_longlong(void);
firmproof_ulonglong firmproof_nondet_ulonglong(void);
__INT8_TYPE__ firmproof_nondet_int8_t(void);
__UINT8_TYPE__ firmproof_nondet_uint8_t(void);
__INT16_TYPE__ firmproof_nondet_int16_t(void);
__UINT16_TYPE__ firmproof_nondet_uint16_t(void);
__INT32_TYPE__ firmproof_nondet_int32_t(void);
__UINT32_TYPE__ firmproof_nondet_uint32_t(void);
__INT64_TYPE__ firmproof_nondet_int64_t(void);
__UINT64_TYPE__ firmproof_nondet_uint64_t(void);
__SIZE_TYPE__ firmproof_nondet_size_t(void);
__PTRDIFF_TYPE__ firmproof_nondet_ptrdiff_t(void);
__INTPTR_TYPE__ firmproof_nondet_intptr_t(void);
__UINTPTR_TYPE__ firmproof_nondet_uintptr_t(void);
float firmproof_nondet_float(void);
double firmproof_nondet_double(void);
void *firmproof_nondet_pointer(void);

#if defined(__cplusplus)
}
#endif
#endif
