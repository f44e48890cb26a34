#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

__attribute__((noinline)) uint16_t f(uint16_t a, uint16_t b) { return (a ^ (b << 3)) + (a & 0x0ff0) - (b >> 1); }

int main(void) {
    r = f(1, 2); r = f(65535, 40000); r = f(0, 0);
    return 0;
}
