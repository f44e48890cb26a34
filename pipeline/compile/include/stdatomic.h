/*
 * stdatomic.h: newlib's needs the types of stdint.h, which it does not include;
 * the vendor's compiler comes with one of its own.
 */
#include <stdint.h>
#include_next <stdatomic.h>
