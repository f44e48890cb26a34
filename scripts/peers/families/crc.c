// The CRC-32 of N bytes by a table of 16 is that of single bits.
#include <assert.h>
#include <stdint.h>

uint8_t nondet_uchar(void);

static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                   0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                   0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

static uint32_t by_table(const uint8_t *p, int n) {
  uint32_t c = 0xffffffff;
  for (int i = 0; i < n; i++) {
    c ^= p[i];
    c = c >> 4 ^ table[c & 15];
    c = c >> 4 ^ table[c & 15];
  }
  return ~c;
}

static uint32_t by_bit(const uint8_t *p, int n) {
  uint32_t c = 0xffffffff;
  for (int i = 0; i < n; i++) {
    c ^= p[i];
    for (int k = 0; k < 8; k++)
      c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
  }
  return ~c;
}

int main(void) {
  static uint8_t data[N];
  for (int i = 0; i < N; i++)
    data[i] = nondet_uchar();
  assert(by_table(data, N) == by_bit(data, N));
  return 0;
}
