#include "firmproof.h"
#include "ring.h"

/* Eight pushes and pops in any order, from any position of the ring: first in, first out. */
void ring_fifo_harness(void)
{
    struct ring r;
    uint8_t in = 0;
    uint8_t out = 0;

    ring_init(&r);
    r.head = firmproof_nondet_uchar();
    r.tail = r.head;
    for (int i = 0; i < 8; i++) {
        if (firmproof_nondet_bool()) {
            firmproof_assert(ring_push(&r, in), "an eighth byte fits");
            in++;
        } else {
            uint8_t byte;
            bool got = ring_pop(&r, &byte);

            firmproof_assert(got == (in != out), "pop succeeds exactly if something is held");
            if (got) {
                firmproof_assert(byte == out, "bytes leave in the order in which they came");
                out++;
            }
        }
        firmproof_assert(ring_count(&r) == (uint8_t)(in - out), "no byte is lost");
    }
}

/* From any valid ring: a full ring refuses, and what it holds stays as it was. */
void ring_full_harness(void)
{
    struct ring r;
    uint8_t oldest = 0;
    uint8_t before;

    ring_init(&r);
    r.head = firmproof_nondet_uchar();
    r.tail = firmproof_nondet_uchar();
    firmproof_assume(ring_valid(&r));
    for (unsigned i = 0; i < RING_SIZE; i++) {
        r.data[i] = firmproof_nondet_uchar();
    }
    before = r.data[r.tail & RING_MASK];
    if (ring_count(&r) == RING_SIZE) {
        firmproof_assert(!ring_push(&r, firmproof_nondet_uchar()), "a full ring refuses");
    } else if (ring_count(&r) > 0) {
        firmproof_assert(ring_push(&r, firmproof_nondet_uchar()), "a ring with room accepts");
    }
    firmproof_assert(ring_valid(&r), "never more than RING_SIZE bytes");
    if (ring_pop(&r, &oldest)) {
        firmproof_assert(oldest == before, "the oldest byte survives");
    }
}
