/* Type-length-value records: one byte type, one byte length, then the value. */
#ifndef TLV_H
#define TLV_H

#include <stddef.h>
#include <stdint.h>

#define TLV_HEADER 2u

struct tlv {
    uint8_t type;
    uint8_t length;
    const uint8_t *value; /* inside the reader's buffer */
};

struct tlv_reader {
    const uint8_t *data;
    size_t size;
    size_t at; /* never above size */
};

enum tlv_result { TLV_ITEM, TLV_END, TLV_MALFORMED };

void tlv_open(struct tlv_reader *r, const uint8_t *data, size_t size);
enum tlv_result tlv_next(struct tlv_reader *r, struct tlv *item);

#endif
