// N bytes, a multiple of 3, are written in base 64 and read again: the same bytes.
#include <assert.h>
#include <stdint.h>

uint8_t nondet_uchar(void);

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(const uint8_t *in, int n, char *out) {
  for (int i = 0; i < n; i += 3) {
    uint32_t w = (uint32_t)in[i] << 16 | (uint32_t)in[i + 1] << 8 | in[i + 2];
    *out++ = digits[w >> 18 & 63];
    *out++ = digits[w >> 12 & 63];
    *out++ = digits[w >> 6 & 63];
    *out++ = digits[w & 63];
  }
}

static int value(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static int decode(const char *in, int n, uint8_t *out) {
  for (int i = 0; i < n; i += 4) {
    uint32_t w = 0;
    for (int k = 0; k < 4; k++) {
      int v = value(in[i + k]);
      if (v < 0)
        return -1;
      w = w << 6 | (uint32_t)v;
    }
    *out++ = (uint8_t)(w >> 16);
    *out++ = (uint8_t)(w >> 8);
    *out++ = (uint8_t)w;
  }
  return 0;
}

int main(void) {
  uint8_t data[N], back[N];
  char text[N / 3 * 4];
  for (int i = 0; i < N; i++)
    data[i] = nondet_uchar();
  encode(data, N, text);
  assert(decode(text, N / 3 * 4, back) == 0);
  for (int i = 0; i < N; i++)
    assert(back[i] == data[i]);
  return 0;
}
