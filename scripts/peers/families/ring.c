// N times a byte is put into a ring of 16 or taken out: bytes come out in the order they went in.
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

bool nondet_bool(void);

struct ring {
  uint8_t head, tail, data[16];
};

static bool put(struct ring *r, uint8_t c) {
  uint8_t next = (r->head + 1) & 15;
  if (next == r->tail)
    return false;
  r->data[r->head] = c;
  r->head = next;
  return true;
}

static bool get(struct ring *r, uint8_t *c) {
  if (r->head == r->tail)
    return false;
  *c = r->data[r->tail];
  r->tail = (r->tail + 1) & 15;
  return true;
}

int main(void) {
  static struct ring r;
  uint8_t in = 0, out = 0, c;
  for (int i = 0; i < N; i++) {
    if (nondet_bool()) {
      if (put(&r, in))
        in++;
    } else if (get(&r, &c)) {
      assert(c == out);
      out++;
    }
    assert((uint8_t)(in - out) < 16);
  }
  return 0;
}
