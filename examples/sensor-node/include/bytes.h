/* Fields on the wire: little endian, without regard to the host's layout. */
#ifndef BYTES_H
#define BYTES_H

#include <stdint.h>

static inline void put_u32(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    to[2] = (uint8_t)(value >> 16);
    to[3] = (uint8_t)(value >> 24);
}

/* Two's complement without a conversion that the compiler may define. */
static inline int16_t get_i16(const uint8_t *from)
{
    int32_t value = (int32_t)from[0] | ((int32_t)from[1] << 8);

    return (int16_t)(value >= 0x8000 ? value - 0x10000 : value);
}

#endif
