/* The last raw readings of the 24 bit converter. */
#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define HISTORY_SIZE 8u /* a power of two */
#define HISTORY_MASK (HISTORY_SIZE - 1u)
#define HISTORY_RAW_MAX 0x7FFFFF
#define HISTORY_RAW_MIN (-0x800000)

struct history {
    int32_t sample[HISTORY_SIZE]; /* each within [HISTORY_RAW_MIN, HISTORY_RAW_MAX] */
    uint8_t next;                 /* where the next one goes; below HISTORY_SIZE */
    uint8_t count;                /* readings held; at most HISTORY_SIZE */
};

void history_init(struct history *h);
bool history_valid(const struct history *h);
void history_add(struct history *h, int32_t raw);               /* raw is clamped to 24 bits */
int32_t history_recent(const struct history *h, uint8_t back);  /* 0: the newest; back < count */
int32_t history_mean(const struct history *h);                  /* 0 if there is no reading */

#endif
