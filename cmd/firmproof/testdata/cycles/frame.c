#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

static __attribute__((noinline)) void fill(uint8_t *p) { for (uint8_t i = 0; i < 8; i++) p[i] = i * 3; }
__attribute__((noinline)) uint8_t f(uint8_t k) { uint8_t b[8]; uint8_t s = 0; fill(b); for (uint8_t i = 0; i < 8; i++) s += b[i] ^ k; return s; }

int main(void) {
    r = f(0); r = f(99);
    return 0;
}
