#include "firmproof.h"
#include "pi.h"

/* Any gains, any history, any inputs: the duty and the integral stay within their limits. */
void pi_limits_harness(void)
{
    struct pi c;
    int16_t target = firmproof_nondet_short();
    int16_t measured = firmproof_nondet_short();
    int32_t before;
    int32_t duty;

    pi_init(&c, firmproof_nondet_uchar(), firmproof_nondet_uchar());
    c.integral = firmproof_nondet_int();
    firmproof_assume(pi_valid(&c));
    before = c.integral;
    duty = pi_step(&c, target, measured);
    firmproof_assert(duty >= 0 && duty <= PI_DUTY_MAX, "duty within its limits");
    firmproof_assert(pi_valid(&c), "no windup");
    if (measured >= target) {
        firmproof_assert(c.integral <= before, "too warm: the integral does not grow");
    }
    pi_reset(&c);
    firmproof_assert(c.integral == 0, "a reset forgets");
}
