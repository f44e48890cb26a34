#include "history.h"

void history_init(struct history *h)
{
    for (unsigned i = 0; i < HISTORY_SIZE; i++) {
        h->sample[i] = 0;
    }
    h->next = 0;
    h->count = 0;
}

bool history_valid(const struct history *h)
{
    for (unsigned i = 0; i < HISTORY_SIZE; i++) {
        if (h->sample[i] < HISTORY_RAW_MIN || h->sample[i] > HISTORY_RAW_MAX) {
            return false;
        }
    }
    return h->next < HISTORY_SIZE && h->count <= HISTORY_SIZE;
}

void history_add(struct history *h, int32_t raw)
{
    if (raw > HISTORY_RAW_MAX) {
        raw = HISTORY_RAW_MAX;
    } else if (raw < HISTORY_RAW_MIN) {
        raw = HISTORY_RAW_MIN;
    }
    h->sample[h->next] = raw;
    h->next = (uint8_t)((h->next + 1u) & HISTORY_MASK);
    if (h->count < HISTORY_SIZE) {
        h->count++;
    }
}

int32_t history_recent(const struct history *h, uint8_t back)
{
    return h->sample[(h->next - 1u - back) & HISTORY_MASK];
}

int32_t history_mean(const struct history *h)
{
    int32_t sum = 0; /* eight readings of 24 bits fit */

    if (h->count == 0) {
        return 0;
    }
    for (uint8_t i = 0; i < h->count; i++) {
        sum += history_recent(h, i);
    }
    return sum / h->count;
}
