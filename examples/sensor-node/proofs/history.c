#include "firmproof.h"
#include "history.h"

/* Three small readings: the ring keeps the newest in order, the mean lies between the extremes. */
void history_harness(void)
{
    struct history h;
    int32_t low = INT8_MAX;
    int32_t high = INT8_MIN;
    int32_t mean;

    history_init(&h);
    for (int i = 0; i < 3; i++) {
        int32_t raw = (int32_t)firmproof_nondet_uchar() - 128;

        history_add(&h, raw);
        firmproof_assert(history_recent(&h, 0) == raw, "the newest is found");
        low = raw < low ? raw : low;
        high = raw > high ? raw : high;
    }
    mean = history_mean(&h);
    firmproof_assert(mean >= low && mean <= high, "the mean lies between the extremes");
}

/* One reading into any valid history. */
void history_add_harness(void)
{
    struct history h;
    uint8_t before;

    for (unsigned i = 0; i < HISTORY_SIZE; i++) {
        h.sample[i] = firmproof_nondet_int();
    }
    h.next = firmproof_nondet_uchar();
    h.count = firmproof_nondet_uchar();
    firmproof_assume(history_valid(&h));
    before = h.count;
    history_add(&h, firmproof_nondet_int());
    firmproof_assert(history_valid(&h), "the history stays valid");
    firmproof_assert(h.count > before || before == HISTORY_SIZE, "a reading is kept");
}
