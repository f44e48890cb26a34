/* div-by-zero: VIOLATED. A timer that has not started yet gives an interval of 0 ticks.
 * Counterexample: start equals now. */
#include "firmproof.h"

int main(void)
{
    unsigned start = firmproof_nondet_uint();
    unsigned now = firmproof_nondet_uint();

    return 48000000u / (now - start) == 1u;
}
