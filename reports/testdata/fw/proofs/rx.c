#include "rx.h"
#include "firmproof.h"

int hal_clock(unsigned *ticks);

static struct receiver rx;

static void feed(int count)
{
    for (int i = 0; i < count; i++)
        receiver_take(&rx, firmproof_nondet_uchar());
}

void take_harness(void)
{
    receiver_start(&rx, '3');
    feed(11);
    firmproof_assert(rx.last.kind <= RESET, "a known kind");
}

void average_harness(void)
{
    receiver_start(&rx, '0');
    feed(2);
    receiver_average(&rx, firmproof_nondet_uchar());
}

void clock_harness(void)
{
    unsigned ticks = 0;
    int sum = 0;

    hal_clock(&ticks);
    for (unsigned i = 0; i < ticks; i++)
        sum += (int)i;
}

void stuck_harness(void)
{
    unsigned left = firmproof_nondet_uint();

    while (left != 1)
        left -= left & 2;
}

void short_harness(void)
{
    int limit = firmproof_nondet_int(), n = 0;

    for (int i = 0; i < limit; i++)
        n ^= i;
    firmproof_assert(n >= 0, "not negative");
}
