#include "ring.h"

void ring_init(struct ring *r)
{
    r->head = 0;
    r->tail = 0;
}

uint8_t ring_count(const struct ring *r)
{
    return (uint8_t)(r->head - r->tail);
}

bool ring_valid(const struct ring *r)
{
    return ring_count(r) <= RING_SIZE;
}

bool ring_push(struct ring *r, uint8_t byte)
{
    if (ring_count(r) >= RING_SIZE) {
        return false;
    }
    r->data[r->head & RING_MASK] = byte;
    r->head = (uint8_t)(r->head + 1u);
    return true;
}

bool ring_pop(struct ring *r, uint8_t *byte)
{
    if (ring_count(r) == 0) {
        return false;
    }
    *byte = r->data[r->tail & RING_MASK];
    r->tail = (uint8_t)(r->tail + 1u);
    return true;
}
