/* Frames on the serial line: SOF, length, payload, CRC high byte, CRC low byte.
 * The CRC covers the length and the payload. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_SOF 0x7Eu
#define FRAME_MAX_PAYLOAD 40u
#define FRAME_OVERHEAD 4u
#define FRAME_MAX (FRAME_MAX_PAYLOAD + FRAME_OVERHEAD)

enum frame_state { FRAME_IDLE, FRAME_LENGTH, FRAME_PAYLOAD, FRAME_CRC_HIGH, FRAME_CRC_LOW };

enum frame_event { FRAME_NONE, FRAME_READY, FRAME_BAD };

struct frame_decoder {
    enum frame_state state;
    uint8_t length;   /* bytes of payload announced */
    uint8_t received; /* bytes of payload stored */
    uint16_t crc;     /* over length and payload; shifts in the sender's at the end */
    uint8_t payload[FRAME_MAX_PAYLOAD];
};

void frame_decoder_init(struct frame_decoder *d);
bool frame_decoder_valid(const struct frame_decoder *d);

/* Takes one byte from the line. After FRAME_READY, payload and length hold until the next byte. */
enum frame_event frame_decode(struct frame_decoder *d, uint8_t byte);

/* Writes a frame to out, which has room for FRAME_MAX bytes; 0 if the payload is too long. */
size_t frame_encode(uint8_t *out, const uint8_t *payload, size_t size);

#endif
