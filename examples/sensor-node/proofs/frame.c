#include "crc16.h"
#include "firmproof.h"
#include "frame.h"

/* What was encoded comes out of the decoder again, after its last byte and not before. */
void frame_roundtrip_harness(void)
{
    uint8_t payload[4];
    uint8_t line[FRAME_MAX];
    size_t size = firmproof_nondet_uchar();
    size_t sent;
    struct frame_decoder decoder;

    firmproof_assume(size <= sizeof payload);
    for (unsigned i = 0; i < sizeof payload; i++) {
        payload[i] = firmproof_nondet_uchar();
    }
    sent = frame_encode(line, payload, size);
    firmproof_assert(sent == size + FRAME_OVERHEAD, "size on the line");
    frame_decoder_init(&decoder);
    for (size_t i = 0; i < sent; i++) {
        enum frame_event event = frame_decode(&decoder, line[i]);

        firmproof_assert(event == (i + 1u == sent ? FRAME_READY : FRAME_NONE), "ready at the last byte");
    }
    firmproof_assert(decoder.length == size, "length arrives");
    for (size_t i = 0; i < size; i++) {
        firmproof_assert(decoder.payload[i] == payload[i], "payload arrives");
    }
}

/* One step from any valid state with any byte: no store outside, and the state stays valid. */
void frame_step_harness(void)
{
    struct frame_decoder decoder;
    unsigned state = firmproof_nondet_uchar();

    frame_decoder_init(&decoder);
    firmproof_assume(state <= FRAME_CRC_LOW);
    decoder.state = (enum frame_state)state;
    decoder.length = firmproof_nondet_uchar();
    decoder.received = firmproof_nondet_uchar();
    decoder.crc = firmproof_nondet_ushort();
    firmproof_assume(frame_decoder_valid(&decoder));
    if (frame_decode(&decoder, firmproof_nondet_uchar()) != FRAME_NONE) {
        firmproof_assert(decoder.state == FRAME_IDLE, "after a frame the decoder waits for the next");
    }
    firmproof_assert(frame_decoder_valid(&decoder), "valid again");
}
