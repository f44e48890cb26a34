#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

__attribute__((noinline)) uint8_t f(uint8_t a) { uint8_t n = 0; while (a) { n += a & 1; a >>= 1; } return n; }

int main(void) {
    r = f(0); r = f(255); r = f(128);
    return 0;
}
