/* Proportional-integral controller in fixed point.
 * Temperatures: 1/256 degree in 16 bits. Gains: 4.4 bits. Output: duty in 1/1000. */
#ifndef PI_H
#define PI_H

#include <stdbool.h>
#include <stdint.h>

#define PI_GAIN_ONE 16
#define PI_TEMP_ONE 256
#define PI_DUTY_MAX 1000

struct pi {
    uint8_t kp;        /* duty per degree, 4.4 */
    uint8_t ki;        /* duty per degree and step, 4.4 */
    int32_t integral;  /* within [0, PI_DUTY_MAX * PI_GAIN_ONE] */
};

void pi_init(struct pi *c, uint8_t kp, uint8_t ki);
void pi_reset(struct pi *c);
bool pi_valid(const struct pi *c);
int32_t pi_step(struct pi *c, int16_t target, int16_t measured); /* duty, 0 to PI_DUTY_MAX */

#endif
