#include "report.h"

#include "bytes.h"

size_t report_build(uint8_t *out, enum mode mode, const struct history *h, uint8_t wanted)
{
    uint8_t samples = wanted < h->count ? wanted : h->count;
    size_t at = REPORT_HEAD;

    out[0] = REPORT_VERSION;
    out[1] = (uint8_t)mode;
    out[2] = samples;
    out[3] = 0;
    for (uint8_t i = 0; i < samples; i++) {
        put_u32(&out[at], (uint32_t)history_recent(h, i));
        at += REPORT_SAMPLE;
    }
    return at;
}
