#include "tlv.h"

void tlv_open(struct tlv_reader *r, const uint8_t *data, size_t size)
{
    r->data = data;
    r->size = size;
    r->at = 0;
}

enum tlv_result tlv_next(struct tlv_reader *r, struct tlv *item)
{
    size_t left = r->size - r->at;

    if (left == 0) {
        return TLV_END;
    }
    if (left < TLV_HEADER) {
        return TLV_MALFORMED;
    }
    item->type = r->data[r->at];
    item->length = r->data[r->at + 1u];
    if (item->length > left - TLV_HEADER) {
        return TLV_MALFORMED;
    }
    item->value = &r->data[r->at + TLV_HEADER];
    r->at += TLV_HEADER + item->length;
    return TLV_ITEM;
}
