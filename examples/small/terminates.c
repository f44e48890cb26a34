/* With --checks termination: PROVED for every input, with a linear ranking function: the distance high - low
 * shrinks by 1 in each turn and is positive inside the loop. No unwinding would be enough. */
#include "firmproof.h"

int main(void)
{
    int low = firmproof_nondet_short();
    int high = firmproof_nondet_short();

    while (low < high) {
        if (firmproof_nondet_bool()) {
            low++;
        } else {
            high--;
        }
    }
    return 0;
}
