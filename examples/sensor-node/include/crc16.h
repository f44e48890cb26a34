/* CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, most significant bit first. */
#ifndef CRC16_H
#define CRC16_H

#include <stddef.h>
#include <stdint.h>

#define CRC16_INIT 0xFFFFu

uint16_t crc16_update(uint16_t crc, uint8_t byte);
uint16_t crc16(const uint8_t *data, size_t size);

#endif
