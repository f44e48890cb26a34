/* Slow changes of the target, and the small integer helpers that go with them. */
#ifndef RAMP_H
#define RAMP_H

#include <stdint.h>

/* Ticks that a ramp from `from` to `to` takes, moving `step` a tick; 0 if step is not positive. */
uint32_t ramp_ticks(int16_t from, int16_t to, int16_t step);

/* Position of the highest set bit: 0 for 0 and 1. Scales the pause between retries. */
uint32_t ramp_log2(uint32_t value);

/* One step of the ramp: `from` moved towards `to` by at most `step`. */
int16_t ramp_next(int16_t from, int16_t to, int16_t step);

#endif
