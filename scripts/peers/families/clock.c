// Seconds to hours, minutes and seconds, and back: the same number. N is 1.
#include <assert.h>
#include <stdint.h>

uint32_t nondet_uint(void);

int main(void) {
  uint32_t t = nondet_uint();
  uint32_t h = t / 3600, m = t / 60 % 60, s = t % 60;
  assert(m < 60 && s < 60);
  assert(h * 3600 + m * 60 + s == t);
  return N - 1;
}
