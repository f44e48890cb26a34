#include "rx.h"

#include <string.h>

/* Prepares a receiver for the port of a channel. */
void receiver_start(struct receiver *rx, char channel)
{
    memset(rx, 0, sizeof *rx);
    memcpy(rx->port, "uart0", sizeof rx->port);
    rx->port[4] = channel;
}

/* Keeps a byte; the first one of a message says what it is. */
int receiver_take(struct receiver *rx, unsigned char byte)
{
    if (rx->at > sizeof rx->buffer) {
        rx->dropped++;
        return 0;
    }
    rx->buffer[rx->at] = byte;
    if (rx->at == 0)
        rx->last.kind = byte % 3;
    rx->at++;
    return 1;
}

int receiver_average(const struct receiver *rx, int samples)
{
    int sum = 0;

    for (int i = 0; i < rx->at; i++)
        sum += rx->buffer[i];
    return sum / samples;
}
