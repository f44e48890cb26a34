#include "pi.h"

#define INTEGRAL_MAX (PI_DUTY_MAX * PI_GAIN_ONE)

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    if (value < low) {
        return low;
    }
    return value > high ? high : value;
}

void pi_init(struct pi *c, uint8_t kp, uint8_t ki)
{
    c->kp = kp;
    c->ki = ki;
    c->integral = 0;
}

void pi_reset(struct pi *c)
{
    c->integral = 0;
}

bool pi_valid(const struct pi *c)
{
    return c->integral >= 0 && c->integral <= INTEGRAL_MAX;
}

/* gain * error in duty, with four fractional bits left; fits in 24 bits. */
static int32_t weigh(uint8_t gain, int16_t error)
{
    return (int32_t)gain * error / PI_TEMP_ONE;
}

int32_t pi_step(struct pi *c, int16_t target, int16_t measured)
{
    int16_t error = (int16_t)clamp((int32_t)target - measured, INT16_MIN, INT16_MAX);
    int32_t sum;

    /* The clamp is the anti-windup: the integral never asks for more than full duty. */
    c->integral = clamp(c->integral + weigh(c->ki, error), 0, INTEGRAL_MAX);
    sum = c->integral + weigh(c->kp, error);
    return clamp(sum / PI_GAIN_ONE, 0, PI_DUTY_MAX);
}
