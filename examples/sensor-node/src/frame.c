#include "frame.h"

#include "crc16.h"

void frame_decoder_init(struct frame_decoder *d)
{
    d->state = FRAME_IDLE;
    d->length = 0;
    d->received = 0;
    d->crc = CRC16_INIT;
}

/* What holds between two bytes: the store in FRAME_PAYLOAD stays inside payload. */
bool frame_decoder_valid(const struct frame_decoder *d)
{
    if (d->length > FRAME_MAX_PAYLOAD || d->received > d->length) {
        return false;
    }
    switch (d->state) {
    case FRAME_PAYLOAD:
        return d->received < d->length;
    case FRAME_CRC_HIGH:
    case FRAME_CRC_LOW:
        return d->received == d->length;
    case FRAME_IDLE:
    case FRAME_LENGTH:
        return true;
    }
    return false;
}

static enum frame_event take_length(struct frame_decoder *d, uint8_t byte)
{
    if (byte > FRAME_MAX_PAYLOAD) {
        frame_decoder_init(d);
        return FRAME_BAD;
    }
    d->length = byte;
    d->received = 0;
    d->crc = crc16_update(CRC16_INIT, byte);
    d->state = byte == 0 ? FRAME_CRC_HIGH : FRAME_PAYLOAD;
    return FRAME_NONE;
}

static enum frame_event take_payload(struct frame_decoder *d, uint8_t byte)
{
    d->payload[d->received] = byte;
    d->received = (uint8_t)(d->received + 1u);
    d->crc = crc16_update(d->crc, byte);
    if (d->received == d->length) {
        d->state = FRAME_CRC_HIGH;
    }
    return FRAME_NONE;
}

enum frame_event frame_decode(struct frame_decoder *d, uint8_t byte)
{
    switch (d->state) {
    case FRAME_IDLE:
        if (byte == FRAME_SOF) {
            d->state = FRAME_LENGTH;
        }
        return FRAME_NONE;
    case FRAME_LENGTH:
        return take_length(d, byte);
    case FRAME_PAYLOAD:
        return take_payload(d, byte);
    case FRAME_CRC_HIGH:
        d->crc = crc16_update(d->crc, byte);
        d->state = FRAME_CRC_LOW;
        return FRAME_NONE;
    case FRAME_CRC_LOW:
        d->crc = crc16_update(d->crc, byte);
        d->state = FRAME_IDLE;
        return d->crc == 0 ? FRAME_READY : FRAME_BAD; /* a message and its CRC leave 0 */
    }
    return FRAME_NONE;
}

size_t frame_encode(uint8_t *out, const uint8_t *payload, size_t size)
{
    uint16_t crc;

    if (size > FRAME_MAX_PAYLOAD) {
        return 0;
    }
    out[0] = FRAME_SOF;
    out[1] = (uint8_t)size;
    crc = crc16_update(CRC16_INIT, out[1]);
    for (size_t i = 0; i < size; i++) {
        out[2u + i] = payload[i];
        crc = crc16_update(crc, payload[i]);
    }
    out[2u + size] = (uint8_t)(crc >> 8);
    out[3u + size] = (uint8_t)crc;
    return size + FRAME_OVERHEAD;
}
