#include "firmproof.h"
#include "tlv.h"

#define SIZE 10u

/* Over any bytes: every value lies inside the buffer, items do not overlap, the reader gets to an end. */
void tlv_reader_harness(void)
{
    uint8_t buffer[SIZE];
    size_t size = firmproof_nondet_uchar();
    struct tlv_reader reader;
    struct tlv item;
    enum tlv_result result;
    unsigned items = 0;

    firmproof_assume(size <= SIZE);
    for (unsigned i = 0; i < SIZE; i++) {
        buffer[i] = firmproof_nondet_uchar();
    }
    tlv_open(&reader, buffer, size);
    while ((result = tlv_next(&reader, &item)) == TLV_ITEM) {
        firmproof_assert(reader.at <= size, "never past the end");
        firmproof_assert(&item.value[item.length] == &buffer[reader.at], "a value ends where the next item starts");
        items++;
    }
    firmproof_assert(items <= SIZE / TLV_HEADER, "each item takes its header at least");
    firmproof_assert(result == TLV_MALFORMED || reader.at == size, "the end is the end of the buffer");
}
