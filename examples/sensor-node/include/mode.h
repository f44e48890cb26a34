/* What the node is doing. A fault is left only by a reset, never straight into heating. */
#ifndef MODE_H
#define MODE_H

#include <stdbool.h>
#include <stdint.h>

#define MODE_WARMUP_TICKS 600u

enum mode { MODE_OFF, MODE_WARMUP, MODE_RUN, MODE_FAULT };

enum mode_event {
    MODE_EVENT_ON,
    MODE_EVENT_OFF,
    MODE_EVENT_TICK,
    MODE_EVENT_AT_TARGET,
    MODE_EVENT_OVERHEAT,
    MODE_EVENT_SENSOR_LOST,
    MODE_EVENT_RESET
};

struct mode_machine {
    enum mode mode;
    uint16_t ticks_left; /* of warm-up; 0 in every other mode */
};

void mode_init(struct mode_machine *m);
bool mode_valid(const struct mode_machine *m);
bool mode_heats(const struct mode_machine *m);
void mode_handle(struct mode_machine *m, enum mode_event event);

#endif
