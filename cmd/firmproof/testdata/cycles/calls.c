#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

static __attribute__((noinline)) uint8_t g(uint8_t n) { uint8_t s = 1; while (n) { s += n; n--; } return s; }
__attribute__((noinline)) uint8_t f(uint8_t n) { return g(3) + g(n & 7) + g(20); }

int main(void) {
    r = f(0); r = f(7); r = f(255);
    return 0;
}
