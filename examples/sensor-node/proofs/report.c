#include "report.h"
#include "firmproof.h"

/* A report fits its buffer and says what the history holds, however many samples are asked for. */
void report_harness(void)
{
    struct history h;
    uint8_t out[REPORT_MAX];
    uint8_t readings = firmproof_nondet_uchar();
    uint8_t wanted = firmproof_nondet_uchar();
    int32_t newest = 0;
    size_t size;

    firmproof_assume(readings <= HISTORY_SIZE);
    history_init(&h);
    for (uint8_t i = 0; i < readings; i++) {
        newest = firmproof_nondet_short();
        history_add(&h, newest);
    }
    size = report_build(out, MODE_RUN, &h, wanted);
    firmproof_assert(out[2] <= wanted && out[2] <= readings, "no more samples than asked for and held");
    firmproof_assert(size == REPORT_HEAD + out[2] * REPORT_SAMPLE, "four bytes a sample");
    if (out[2] > 0) {
        firmproof_assert(out[4] == (newest & 0xFF) && out[5] == ((newest >> 8) & 0xFF), "the newest comes first");
    }
}
