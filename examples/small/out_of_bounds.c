/* memory: VIOLATED. `<=` in the guard lets one index too many through.
 * Counterexample: channel is 4, one past the end of the table. */
#include "firmproof.h"

static const unsigned char gain[4] = {1, 2, 4, 8};

int main(void)
{
    unsigned channel = firmproof_nondet_uint();

    return channel <= 4u ? gain[channel] : 0;
}
