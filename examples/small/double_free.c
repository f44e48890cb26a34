/* free: VIOLATED at the second call: an early release is followed by the common clean-up.
 * Counterexample: failed is true. Setting buffer to NULL after the first call would do. */
#include <stdlib.h>

#include "firmproof.h"

int main(void)
{
    void *buffer = malloc(8);
    _Bool failed = firmproof_nondet_bool();

    if (failed) {
        free(buffer);
    }
    free(buffer);
    return 0;
}
