// N times one of four heap blocks of unknown size is made, written or freed: nothing outside, nothing after free.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

uint8_t nondet_uchar(void);

int main(void) {
  uint8_t *block[4] = {0};
  size_t size[4] = {0};
  for (int i = 0; i < N; i++) {
    unsigned k = nondet_uchar() & 3, at = nondet_uchar();
    switch (nondet_uchar() % 3) {
    case 0:
      if (!block[k]) {
        size[k] = 1 + (nondet_uchar() & 63);
        block[k] = malloc(size[k]);
        if (block[k])
          block[k][0] = (uint8_t)size[k], block[k][size[k] - 1] = (uint8_t)size[k];
      }
      break;
    case 1:
      if (block[k] && at > 0 && at + 1 < size[k]) {
        block[k][at] = 0;
        assert(block[k][0] == size[k]);
      }
      break;
    default:
      free(block[k]);
      block[k] = 0;
    }
  }
  for (int k = 0; k < 4; k++)
    free(block[k]);
  return 0;
}
