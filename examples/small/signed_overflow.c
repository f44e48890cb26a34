/* signed-overflow: VIOLATED at the negation, on targets with an int of 32 bits.
 * Counterexample: x is INT_MIN, the one value without a positive counterpart. */
#include "firmproof.h"

static int magnitude(int x)
{
    return x < 0 ? -x : x;
}

int main(void)
{
    return magnitude(firmproof_nondet_int()) == 0;
}
