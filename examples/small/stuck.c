/* With --checks termination: VIOLATED, the simplest lasso: with an empty field the loop changes nothing.
 * Counterexample: at is below 10 and length is 0. */
#include "firmproof.h"

int main(void)
{
    int at = firmproof_nondet_short();
    int length = firmproof_nondet_uchar();

    while (at < 10) {
        at += length;
    }
    return 0;
}
