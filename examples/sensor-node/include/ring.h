/* Byte ring between an interrupt handler (producer) and the main loop (consumer). */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_SIZE 16u /* a power of two, at most 128 */
#define RING_MASK (RING_SIZE - 1u)

/* head and tail run freely and wrap at 256; head - tail is the number of bytes held. */
struct ring {
    uint8_t data[RING_SIZE];
    uint8_t head; /* next write */
    uint8_t tail; /* next read */
};

void ring_init(struct ring *r);
bool ring_valid(const struct ring *r);
uint8_t ring_count(const struct ring *r);
bool ring_push(struct ring *r, uint8_t byte); /* false: full, nothing stored */
bool ring_pop(struct ring *r, uint8_t *byte); /* false: empty, *byte untouched */

#endif
