// N samples of 12 bits through a low pass in fixed point (an eighth of the difference a step): it stays in 12 bits.
#include <assert.h>
#include <stdint.h>

uint16_t nondet_ushort(void);

int main(void) {
  int32_t y = 0;
  for (int i = 0; i < N; i++) {
    int32_t x = nondet_ushort() & 0xfff;
    y += ((x << 8) - y) / 8;
    assert(y >= 0 && y <= 0xfff << 8);
  }
  return 0;
}
