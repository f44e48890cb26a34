#include "mode.h"

static void enter(struct mode_machine *m, enum mode mode)
{
    m->mode = mode;
    m->ticks_left = mode == MODE_WARMUP ? MODE_WARMUP_TICKS : 0;
}

void mode_init(struct mode_machine *m)
{
    enter(m, MODE_OFF);
}

bool mode_valid(const struct mode_machine *m)
{
    switch (m->mode) {
    case MODE_WARMUP:
        return m->ticks_left > 0 && m->ticks_left <= MODE_WARMUP_TICKS;
    case MODE_OFF:
    case MODE_RUN:
    case MODE_FAULT:
        return m->ticks_left == 0;
    }
    return false;
}

bool mode_heats(const struct mode_machine *m)
{
    return m->mode == MODE_WARMUP || m->mode == MODE_RUN;
}

static void tick(struct mode_machine *m)
{
    if (m->mode != MODE_WARMUP) {
        return;
    }
    m->ticks_left--;
    if (m->ticks_left == 0) {
        enter(m, MODE_FAULT); /* the heater or the sensor does not do its work */
    }
}

void mode_handle(struct mode_machine *m, enum mode_event event)
{
    switch (event) {
    case MODE_EVENT_ON:
        if (m->mode == MODE_OFF) {
            enter(m, MODE_WARMUP);
        }
        break;
    case MODE_EVENT_OFF:
        if (m->mode != MODE_FAULT) {
            enter(m, MODE_OFF);
        }
        break;
    case MODE_EVENT_TICK:
        tick(m);
        break;
    case MODE_EVENT_AT_TARGET:
        if (m->mode == MODE_WARMUP) {
            enter(m, MODE_RUN);
        }
        break;
    case MODE_EVENT_OVERHEAT:
    case MODE_EVENT_SENSOR_LOST:
        enter(m, MODE_FAULT);
        break;
    case MODE_EVENT_RESET:
        if (m->mode == MODE_FAULT) {
            enter(m, MODE_OFF);
        }
        break;
    }
}
