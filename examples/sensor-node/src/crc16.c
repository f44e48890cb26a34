#include "crc16.h"

/* One entry per nibble: a fair trade of speed for flash on a small core. */
static const uint16_t nibble_table[16] = {
    0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7,
    0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF,
};

static uint16_t step(uint16_t crc, uint8_t nibble)
{
    uint8_t index = (uint8_t)((crc >> 12) ^ nibble);

    return (uint16_t)((uint16_t)(crc << 4) ^ nibble_table[index & 0x0Fu]);
}

uint16_t crc16_update(uint16_t crc, uint8_t byte)
{
    crc = step(crc, byte >> 4);
    return step(crc, byte & 0x0Fu);
}

uint16_t crc16(const uint8_t *data, size_t size)
{
    uint16_t crc = CRC16_INIT;

    for (size_t i = 0; i < size; i++) {
        crc = crc16_update(crc, data[i]);
    }
    return crc;
}
