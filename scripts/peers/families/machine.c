// N steps of a state machine with a counter of retries: it is never above its limit, and 0 while idle.
#include <assert.h>
#include <stdint.h>

uint8_t nondet_uchar(void);

enum state { IDLE, SYNC, DATA, FAULT };

int main(void) {
  enum state s = IDLE;
  unsigned retries = 0;
  for (int i = 0; i < N; i++) {
    uint8_t c = nondet_uchar();
    switch (s) {
    case IDLE:
      if (c == 0x55)
        s = SYNC;
      break;
    case SYNC:
      if (c == 0xaa)
        s = DATA;
      else if (++retries >= 5)
        s = FAULT;
      break;
    case DATA:
      if (c == 0) {
        s = IDLE;
        retries = 0;
      } else if (c == 0xff) {
        s = SYNC;
      }
      break;
    case FAULT:
      if (c == 0x11) {
        s = IDLE;
        retries = 0;
      }
      break;
    }
    assert(retries <= 5);
    assert(s != IDLE || retries == 0);
    assert((s == FAULT) == (retries == 5));
  }
  return 0;
}
