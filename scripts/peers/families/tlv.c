// N bytes of type, length and value are walked, words are read of some: reads stay inside, counts add up.
#include <assert.h>
#include <stdint.h>
#include <string.h>

uint8_t nondet_uchar(void);

int main(void) {
  static uint8_t msg[N];
  for (int i = 0; i < N; i++)
    msg[i] = nondet_uchar();
  unsigned at = 0, records = 0, words = 0;
  uint32_t sum = 0;
  while (at + 2 <= N) {
    uint8_t type = msg[at], len = msg[at + 1];
    at += 2;
    if (len > N - at)
      break;
    if (type == 1 && len >= 4) {
      uint32_t w;
      memcpy(&w, msg + at, 4);
      sum ^= w;
      words++;
    }
    at += len;
    records++;
  }
  assert(at <= N);
  assert(words <= records);
  assert(2 * records <= N);
  return (int)(sum & 1);
}
