#include "ramp.h"

uint32_t ramp_ticks(int16_t from, int16_t to, int16_t step)
{
    int32_t left = (int32_t)to - from;
    uint32_t ticks = 0;

    if (left < 0) {
        left = -left;
    }
    if (step <= 0) {
        return 0;
    }
    while (left > 0) {
        left -= step;
        ticks++;
    }
    return ticks;
}

uint32_t ramp_log2(uint32_t value)
{
    uint32_t position = 0;

    while (value > 1u) {
        value >>= 1;
        position++;
    }
    return position;
}

int16_t ramp_next(int16_t from, int16_t to, int16_t step)
{
    int32_t left = (int32_t)to - from;

    if (left > step) {
        return (int16_t)(from + step);
    }
    if (left < -(int32_t)step) {
        return (int16_t)(from - step);
    }
    return to;
}
