/* Report to the host: version, mode, number of samples, 0, then the newest samples, four bytes each. */
#ifndef REPORT_H
#define REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "history.h"
#include "mode.h"

#define REPORT_VERSION 1u
#define REPORT_HEAD 4u
#define REPORT_SAMPLE 4u
#define REPORT_MAX (REPORT_HEAD + HISTORY_SIZE * REPORT_SAMPLE)

/* Writes a report with at most `wanted` samples to out, which has room for REPORT_MAX bytes; returns its size. */
size_t report_build(uint8_t *out, enum mode mode, const struct history *h, uint8_t wanted);

#endif
