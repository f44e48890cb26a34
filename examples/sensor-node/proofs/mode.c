#include "firmproof.h"
#include "mode.h"

/* One event in any valid state. */
void mode_step_harness(void)
{
    struct mode_machine m;
    unsigned mode = firmproof_nondet_uchar();
    unsigned event = firmproof_nondet_uchar();
    enum mode before;

    firmproof_assume(mode <= MODE_FAULT && event <= MODE_EVENT_RESET);
    m.mode = (enum mode)mode;
    m.ticks_left = firmproof_nondet_ushort();
    firmproof_assume(mode_valid(&m));
    before = m.mode;
    mode_handle(&m, (enum mode_event)event);
    firmproof_assert(mode_valid(&m), "the state stays valid");
    if (event == MODE_EVENT_OVERHEAT || event == MODE_EVENT_SENSOR_LOST) {
        firmproof_assert(m.mode == MODE_FAULT && !mode_heats(&m), "a fault stops the heater");
    }
    if (before == MODE_FAULT && m.mode != MODE_FAULT) {
        firmproof_assert(event == MODE_EVENT_RESET && m.mode == MODE_OFF, "only a reset leaves a fault, to off");
    }
    if (m.mode == MODE_RUN && before != MODE_RUN) {
        firmproof_assert(before == MODE_WARMUP, "no run without warm-up");
    }
}
