/* With --unwind 8: unwinding reports that the bound was reached, all other claims are at most BOUNDED.
 * With --unwind 17 (the loop turns up to 16 times): every claim is PROVED. */
#include "firmproof.h"

int main(void)
{
    unsigned n = firmproof_nondet_uint();
    unsigned sum = 0;

    firmproof_assume(n <= 16u);
    for (unsigned i = 0; i < n; i++) {
        sum += i;
    }
    firmproof_assert(sum <= 120u, "0 + 1 + ... + 15");
    return 0;
}
