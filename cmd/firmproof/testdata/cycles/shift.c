#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

__attribute__((noinline)) uint16_t f(uint16_t a, uint8_t n) { return a << (n & 15); }

int main(void) {
    for (uint8_t i = 0; i < 16; i++) r = f(0x8001, i);
    return 0;
}
