/* unreachable: VIOLATED. The author was sure that two bits hold 0 to 2 only.
 * Counterexample: the lowest two bits of the register are 3. */
#include "firmproof.h"

static unsigned prescale(unsigned reg)
{
    switch (reg & 3u) {
    case 0:
        return 1;
    case 1:
        return 8;
    case 2:
        return 64;
    default:
        __builtin_unreachable();
    }
}

int main(void)
{
    return prescale(firmproof_nondet_uint()) == 0;
}
