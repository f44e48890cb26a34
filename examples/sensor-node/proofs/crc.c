#include "crc16.h"
#include "firmproof.h"

#define SIZE 6u

/* A message followed by its CRC, high byte first, leaves 0. */
void crc_residue_harness(void)
{
    uint8_t message[SIZE + 2u];
    uint16_t crc;

    for (unsigned i = 0; i < SIZE; i++) {
        message[i] = firmproof_nondet_uchar();
    }
    crc = crc16(message, SIZE);
    message[SIZE] = (uint8_t)(crc >> 8);
    message[SIZE + 1u] = (uint8_t)crc;
    firmproof_assert(crc16(message, SIZE + 2u) == 0, "a message and its CRC leave 0");
}

/* Each flipped bit of a message changes its CRC. */
void crc_flip_harness(void)
{
    uint8_t message[4];
    unsigned bit = firmproof_nondet_uchar();
    uint16_t before;

    firmproof_assume(bit < 8u * sizeof message);
    for (unsigned i = 0; i < sizeof message; i++) {
        message[i] = firmproof_nondet_uchar();
    }
    before = crc16(message, sizeof message);
    message[bit / 8u] = (uint8_t)(message[bit / 8u] ^ (1u << (bit % 8u)));
    firmproof_assert(crc16(message, sizeof message) != before, "a flipped bit is seen");
}
