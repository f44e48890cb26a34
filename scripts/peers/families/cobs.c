// N bytes are encoded without zeros (COBS) and decoded again: the same bytes.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

uint8_t nondet_uchar(void);

static size_t encode(const uint8_t *in, size_t n, uint8_t *out) {
  size_t code = 0, at = 1;
  uint8_t run = 1;
  for (size_t i = 0; i < n; i++) {
    if (in[i] == 0) {
      out[code] = run;
      code = at++;
      run = 1;
    } else {
      out[at++] = in[i];
      run++;
    }
  }
  out[code] = run;
  return at;
}

static size_t decode(const uint8_t *in, size_t n, uint8_t *out) {
  size_t at = 0, i = 0;
  while (i < n) {
    uint8_t run = in[i++];
    for (uint8_t k = 1; k < run && i < n; k++)
      out[at++] = in[i++];
    if (i < n)
      out[at++] = 0;
  }
  return at;
}

int main(void) {
  uint8_t data[N], coded[N + 2], back[N + 2];
  for (int i = 0; i < N; i++)
    data[i] = nondet_uchar();
  size_t n = encode(data, N, coded);
  for (size_t i = 0; i < n; i++)
    assert(coded[i] != 0);
  assert(decode(coded, n, back) == N);
  for (int i = 0; i < N; i++)
    assert(back[i] == data[i]);
  return 0;
}
