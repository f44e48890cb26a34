/* memory: VIOLATED at the read: the message was freed in the branch before it.
 * Counterexample: malloc succeeds and done is true. The check free is proved: the message is freed once. */
#include <stdlib.h>

#include "firmproof.h"

int main(void)
{
    unsigned char *message = malloc(4);
    _Bool done = firmproof_nondet_bool();
    int first;

    if (message == NULL) {
        return 1;
    }
    message[0] = 7;
    if (done) {
        free(message);
    }
    first = message[0];
    if (!done) {
        free(message);
    }
    return first;
}
