#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

uint8_t m[20];
__attribute__((noinline)) uint16_t f(const uint8_t *p, uint8_t n) { uint16_t c = 0xffff; for (uint8_t i = 0; i < n; i++) { c ^= p[i]; for (uint8_t k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xa001 : c >> 1; } return c; }

int main(void) {
    for (uint8_t i = 0; i < 20; i++) m[i] = i * 37; r = f(m, 20); r = f(m, 0); r = f((uint8_t *)0x100, 255);
    return 0;
}
