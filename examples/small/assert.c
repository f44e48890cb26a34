/* assert: VIOLATED. The mean of two bytes is rounded down, so twice the mean is not always the sum.
 * Counterexample: one of a and b is odd, the other even. Every other check: proved. */
#include "firmproof.h"

int main(void)
{
    unsigned a = firmproof_nondet_uchar();
    unsigned b = firmproof_nondet_uchar();
    unsigned mean = (a + b) / 2u;

    firmproof_assert(mean <= 255u, "the mean of two bytes is a byte");
    firmproof_assert(2u * mean == a + b, "twice the mean is the sum");
    return 0;
}
