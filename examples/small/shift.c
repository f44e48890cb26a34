/* shift: VIOLATED. Bit numbers run from 0 to 31; the guard lets 32 through.
 * Counterexample: bit is 32 (where an unsigned int has 32 bits). */
#include "firmproof.h"

int main(void)
{
    unsigned bit = firmproof_nondet_uint();
    unsigned mask = 0;

    if (bit <= 32u) {
        mask = 1u << bit;
    }
    return mask == 0;
}
