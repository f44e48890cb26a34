#include "firmproof.h"
#include "ramp.h"

/* A ramp ends, after the number of ticks that a division gives. */
void ramp_ticks_harness(void)
{
    int16_t from = firmproof_nondet_short();
    int16_t to = firmproof_nondet_short();
    int16_t step = firmproof_nondet_short();
    uint32_t ticks;

    firmproof_assume(from >= 0 && from <= 100 && to >= 0 && to <= 100 && step >= 25);
    ticks = ramp_ticks(from, to, step);
    firmproof_assert(ticks <= 4u, "at most four steps of 25");
    firmproof_assert((ticks == 0) == (from == to), "no change takes no time");
}

/* The pause between retries is scaled by a loop that ends for every value. */
void ramp_log2_harness(void)
{
    uint32_t value = firmproof_nondet_uint();
    uint32_t position = ramp_log2(value);

    firmproof_assert(position < 32u, "a bit of the word");
    firmproof_assert(value == 0 || (value >> position) == 1u, "the highest one");
}

/* A step moves towards the goal and never past it. */
void ramp_next_harness(void)
{
    int16_t from = firmproof_nondet_short();
    int16_t to = firmproof_nondet_short();
    int16_t step = firmproof_nondet_short();
    int16_t next;

    firmproof_assume(step > 0);
    next = ramp_next(from, to, step);
    if (from <= to) {
        firmproof_assert(next >= from && next <= to, "upwards");
    } else {
        firmproof_assert(next <= from && next >= to, "downwards");
    }
}
